package etmv3

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
)

// kindNames are the words for the packet kinds.
var kindNames = [...]string{
	BranchAddress:         "branch_address",
	PHeader:               "p_header",
	ASync:                 "a_sync",
	CycleCount:            "cycle_count",
	ISync:                 "i_sync",
	Trigger:               "trigger",
	OutOfOrderData:        "out_of_order_data",
	StoreFailed:           "store_failed",
	OutOfOrderPlaceholder: "out_of_order_placeholder",
	VMID:                  "vmid",
	NormalData:            "normal_data",
	Timestamp:             "timestamp",
	DataSuppressed:        "data_suppressed",
	Ignore:                "ignore",
	ValueNotTraced:        "value_not_traced",
	ContextID:             "context_id",
	ExceptionReturn:       "exception_return",
	ExceptionEntry:        "exception_entry",
}

func (k Kind) String() string { return kindNames[k] }

// ParsePacket decodes the packet at the start of b, for people to read. It
// fails like [Config.Parse].
func (c *Config) ParsePacket(b []byte) (decode.PacketText, error) {
	var p Packet
	if err := c.Parse(&p, b); err != nil {
		return decode.PacketText{}, err
	}
	return c.text(&p), nil
}

// text describes p in words.
func (c *Config) text(p *Packet) decode.PacketText {
	t := text{decode.PacketText{Len: p.Len, Type: p.Kind.String()}}
	switch p.Kind {
	case BranchAddress:
		t.addBranch(c, &p.Branch)
	case PHeader:
		t.Add("atoms", p.Atoms.String())
	case ISync:
		t.addISync(c, p)
	case OutOfOrderData, OutOfOrderPlaceholder, NormalData, ValueNotTraced:
		t.addData(c, p)
	case VMID:
		t.Add("vmid", p.VMID)
	case Timestamp:
		t.Add("timestamp", fmt.Sprintf("0x%x", p.Timestamp))
		t.Add("timestamp_bits", c.TimestampCode().BitsSent(p.TimestampBytes))
		t.Add("clock_change", p.ClockChange)
	default: // no fields
	}
	if p.HasCycles {
		t.Add("cycles", p.Cycles)
	}
	if p.Kind == ContextID || p.Kind == ISync && c.ContextIDBytes > 0 {
		t.Add("context_id", p.ContextID)
	}
	return t.PacketText
}

// text is an unfinished decode.PacketText.
type text struct{ decode.PacketText }

// addISync adds the fields of an I-sync except count and Context ID. With LSiP,
// address is that of the data instruction, and current_address that of the
// instruction now executing.
func (t *text) addISync(c *Config, p *Packet) {
	t.Add("reason", p.Reason.String())
	if c.DataOnly {
		t.Add("ns", p.NS)
		t.Add("hyp", p.Hyp)
		return
	}
	t.Add("address", p.Address.Hex())
	t.Add("isa", p.ISA.String())
	t.Add("ns", p.NS)
	t.Add("hyp", p.Hyp)
	t.Add("alt_isa", p.AltISA)
	if p.Bad {
		t.Add("bad", true)
	}
	if p.LSiP {
		isa := p.ISA
		if p.Branch.Bytes == maxAddressBytes {
			isa = p.Branch.ISA
		}
		t.Add("current_address", p.Branch.Target(p.Address, isa).Hex())
		t.Add("current_isa", isa.String())
		t.addInformation(c, &p.Branch, "current_")
	}
}

// addBranch adds a branch address: the whole address if it has five bytes,
// otherwise the low bits as sent, which are not shifted, since the packet does not
// have the instruction set.
func (t *text) addBranch(c *Config, r *Branch) {
	if r.Bytes < maxAddressBytes {
		t.Add("address_low", fmt.Sprintf("0x%x", r.Address))
		t.Add("address_bits", r.Bits)
	} else {
		t.Add("address", r.Target(0, r.ISA).Hex())
		t.Add("isa", r.ISA.String())
	}
	t.addInformation(c, r, "")
}

// addInformation adds the fields beside the address, under names that begin with
// prefix.
func (t *text) addInformation(c *Config, r *Branch, prefix string) {
	if r.Info == 0 && !r.Old {
		return
	}
	t.Add(prefix+"exception", r.Exception)
	if r.IsException() {
		t.Add(prefix+"exception_type", c.exceptionType(r).String())
	}
	t.Add(prefix+"cancel", r.Cancel)
	if r.Old {
		return
	}
	t.Add(prefix+"ns", r.NS)
	if r.hasByte1() {
		t.Add(prefix+"hyp", r.Hyp)
	}
	t.Add(prefix+"alt_isa", r.AltISA)
	if r.HasResume {
		t.Add(prefix+"resume", r.Resume)
	}
}

// addData adds the fields of a data packet.
func (t *text) addData(c *Config, p *Packet) {
	if p.Tag != 0 {
		t.Add("tag", p.Tag)
	}
	if p.Kind != OutOfOrderData {
		t.Add("new_address", p.NewAddress)
	}
	if p.AddressBytes > 0 {
		t.Add("address_low", fmt.Sprintf("0x%x", p.Address))
		t.Add("address_bits", p.AddressBits)
	}
	if p.AddressBytes == maxAddressBytes {
		t.Add("big_endian", p.BigEndian)
	}
	if c.DataValue && (p.Kind == NormalData || p.Kind == OutOfOrderData) {
		t.Add("value", fmt.Sprintf("0x%x", p.Value))
	}
}
