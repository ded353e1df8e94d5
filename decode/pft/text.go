package pft

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
)

// kindNames are the words for the packet kinds.
var kindNames = [...]string{
	ASync:           "a_sync",
	ISync:           "i_sync",
	Atom:            "atom",
	BranchAddress:   "branch_address",
	WaypointUpdate:  "waypoint_update",
	Trigger:         "trigger",
	ContextID:       "context_id",
	VMID:            "vmid",
	Timestamp:       "timestamp",
	ExceptionReturn: "exception_return",
	Ignore:          "ignore",
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
	case ISync:
		t.Add("reason", p.Reason.String())
		t.Add("address", p.Address.Hex())
		t.Add("isa", p.ISA.String())
		t.addState(p)
	case Atom:
		t.Add("atoms", p.atomString())
	case BranchAddress:
		t.addAddress(p)
		if p.Info > 0 {
			t.Add("exception", p.Exception)
			if p.Exception != 0 {
				t.Add("exception_type", decode.ExceptionType(p.Exception).String())
			}
			t.addState(p)
		}
	case WaypointUpdate:
		t.addAddress(p)
		if p.Info > 0 {
			t.Add("alt_isa", p.AltISA)
		}
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

// addState adds the fields of an I-sync and of the information bytes of a branch
// address, except the exception. Hyp is in the second information byte only.
func (t *text) addState(p *Packet) {
	t.Add("ns", p.NS)
	if p.Kind == ISync || p.Info == 2 {
		t.Add("hyp", p.Hyp)
	}
	t.Add("alt_isa", p.AltISA)
}

// addAddress adds the address of a branch address or a waypoint update: the whole
// address if it has five bytes, otherwise the low bits as sent, which are not
// shifted, since the packet does not have the instruction set.
func (t *text) addAddress(p *Packet) {
	if p.AddressBytes < maxAddressBytes {
		t.Add("address_low", fmt.Sprintf("0x%x", p.Address))
		t.Add("address_bits", p.AddressBits)
		return
	}
	t.Add("address", (p.Address << (32 - p.AddressBits)).In32().Hex())
	t.Add("isa", p.ISA.String())
}

// atomString returns the atoms of p, oldest first, as "EEN".
func (p *Packet) atomString() string {
	s := make([]byte, p.AtomCount)
	for i := range s {
		s[i] = "EN"[p.Atoms>>i&1]
	}
	return string(s)
}
