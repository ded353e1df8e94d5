package etmv1

import (
	"fmt"
	"io"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/port"
)

// StatusNames are the names of the statuses by their codes (§5.1, docs/etmv2.md §4.1).
var StatusNames = []string{
	statusIE: "IE", statusID: "ID", statusIN: "IN", statusWT: "WT", statusBE: "BE", statusBD: "BD",
	port.StatusTR: "TR", port.StatusTD: "TD",
}

// reasonNames are the words for the reasons.
var reasonNames = [...]string{
	"branch", "trace_on", "overflow", "debug_exit", "periodic", "reserved_5", "reserved_6",
	"reserved_7",
}

func (r Reason) String() string { return reasonNames[r&7] }

// ParsePacket describes the sample at the start of b, without what its status owes:
// that comes out in later samples.
func (c *Config) ParsePacket(b []byte) (decode.PacketText, error) {
	if len(b) < port.SampleBytes {
		return decode.PacketText{}, io.ErrUnexpectedEOF
	}
	return c.sampleText(port.At(b)), nil
}

// sampleText describes a sample without what its status owes.
func (c *Config) sampleText(s port.Sample) decode.PacketText {
	return c.SampleText(s, StatusNames, replaced(s))
}

// replaced is the status that a trigger replaced.
func replaced(s port.Sample) uint8 { return uint8(s.Packet() & 7) }

// addOffset adds that a sample has a part of an address packet offset.
func addOffset(t *decode.PacketText) { t.Add("address_packet_offset", true) }

// addBranch adds what became of a branch, and its address.
func (c *Config) addBranch(t *decode.PacketText, b *branch) {
	if b.window == window-1 && b.fate != bad {
		t.Add("apo", b.apo)
	}
	switch a := &b.address; {
	case b.fate != live:
		t.Add("fate", fateNames[b.fate])
	case a.Full():
		c.addAddress(t, a)
	default:
		t.Add("address_low", fmt.Sprintf("0x%x", a.Address.Address))
		t.Add("address_bits", a.Bits())
	}
	if a := &b.address; a.Bytes > 0 {
		t.Owed = AppendAddress(t.Owed, a.Address)
		if a.HasContextID() {
			t.Owed = decode.AppendLittleEndian(t.Owed, a.contextID, c.ContextIDBytes)
		}
	}
}

// addAddress adds a full address.
func (c *Config) addAddress(t *decode.PacketText, a *received) {
	to := pcOf(a)
	t.Add("reason", a.Reason.String())
	t.Add("address", to.Address.Hex())
	t.Add("isa", to.ISA.String())
	if a.HasContextID() && c.ContextIDBytes > 0 {
		t.Add("context_id", a.contextID)
	}
}

// fateNames are the words for the fates.
var fateNames = [...]string{
	live: "live", abandoned: "abandoned", lost: "lost", unsure: "unsure", bad: "bad", late: "late", truncated: "truncated",
}

// A line collects what the row of `packets` of a sample says, while it is walked.
type line struct {
	decode.PacketText
	seq int64
}

// beginLine begins the row of the current sample, if the table was asked for.
func (d *Decoder) beginLine(s port.Sample) {
	if d.Packets {
		d.line = line{d.cfg.sampleText(s), d.Walk.Seq}
		if d.at < d.busy {
			addOffset(&d.line.PacketText)
		}
	}
}

// endLine makes the row, unless the sample may be dropped.
func (d *Decoder) endLine(s port.Sample) {
	if d.Packets && !s.Droppable() {
		d.Rec.Packet(d.index(d.at), d.line.seq, d.line.PacketText)
	}
}

// addData adds the bytes of a transfer, and what they say.
func (d *Decoder) addData(r *reader, x *transfer) {
	if !d.Packets {
		return
	}
	d.line.Owed = append(d.line.Owed, r.bytes...)
	if x.bits > 0 {
		d.line.Add("data_address_low", fmt.Sprintf("0x%x", x.address))
		d.line.Add("data_address_bits", x.bits)
	}
	if d.cfg.DataValue && r.ok() {
		d.line.Add("value", fmt.Sprintf("0x%x", x.value))
	}
}
