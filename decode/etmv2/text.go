package etmv2

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/port"
)

// kindNames are the words for the packet kinds.
var kindNames = [...]string{
	NormalData:     "normal_data",
	LoadMiss:       "load_miss",
	LoadMissData:   "load_miss_data",
	ValueNotTraced: "value_not_traced",
	ContextID:      "context_id",
	BranchAddress:  "branch_address",
}

func (k Kind) String() string { return kindNames[k] }

// typeTFO is the type of a line with a TFO.
const typeTFO = "tfo"

// sampleText describes a sample without what its status owes.
func (c *Config) sampleText(s port.Sample) decode.PacketText {
	t := c.SampleText(s, StatusNames, low(s))
	if c.startsTFO(s) {
		t.Type = typeTFO
	}
	return t
}

// frameText describes a sample with the packets of its group.
func (c *Config) frameText(x *frame, s port.Sample, owed []byte) decode.PacketText {
	t := c.sampleText(s)
	if t.Type == typeTFO { // of a value or gap
		t.Type = strings.ToLower(StatusNames[s.Status()])
	}
	if len(x.packets) == 0 {
		return t
	}
	t.Owed = owed
	kinds := make([]string, len(x.packets))
	for i := range x.packets {
		kinds[i] = x.packets[i].Kind.String()
	}
	t.Add("packets", strings.Join(kinds, " "))
	for i := range x.packets {
		prefix := ""
		if len(x.packets) > 1 {
			prefix = strconv.Itoa(i+1) + "_"
		}
		c.addPacket(&t, prefix, &x.packets[i])
	}
	return t
}

// addPacket adds the fields of a packet, under names that begin with prefix.
func (c *Config) addPacket(t *decode.PacketText, prefix string, p *Packet) {
	switch p.Kind {
	case BranchAddress:
		addBranch(t, prefix, &p.Branch)
	case ContextID:
		t.Add(prefix+"context_id", p.ContextID)
	case NormalData, LoadMiss:
		t.Add(prefix+"new_address", p.NewAddress)
	case LoadMissData, ValueNotTraced:
	}
	if p.AddressBytes > 0 {
		t.Add(prefix+"address_low", fmt.Sprintf("0x%x", p.Address))
		t.Add(prefix+"address_bits", p.AddressBits)
	}
	if p.Kind == LoadMiss || p.Kind == LoadMissData {
		t.Add(prefix+"tag", p.Tag)
	}
	if c.DataValue && (p.Kind == NormalData || p.Kind == LoadMissData) {
		t.Add(prefix+"value", fmt.Sprintf("0x%x", p.Value))
	}
}

// addBranch adds a branch address: the whole address if it has five bytes, otherwise
// the low bits as sent, which are not shifted, since they do not have the state.
func addBranch(t *decode.PacketText, prefix string, r *Branch) {
	if r.Bytes < maxAddressBytes {
		t.Add(prefix+"address_low", fmt.Sprintf("0x%x", r.Address))
		t.Add(prefix+"address_bits", r.Bits)
		return
	}
	to := r.Target(decode.PC{})
	t.Add(prefix+"address", to.Address.Hex())
	t.Add(prefix+"isa", to.ISA.String())
	t.Add(prefix+"cancel", r.Cancel)
}

// tfoText describes a TFO sample and its packet.
func (c *Config) tfoText(p *TFO, s port.Sample, owed []byte) decode.PacketText {
	t := c.SampleText(s, StatusNames, low(s))
	t.Type, t.Owed, t.Fields = typeTFO, owed, nil
	if s.Status() == StatusTR {
		t.Add("trigger", true)
	}
	t.Add("reason", p.Reason.String())
	t.Add("address", p.At.Address.Hex())
	t.Add("isa", p.At.ISA.String())
	if p.LSM {
		to := p.Current.Target(p.At)
		t.Add("current_address", to.Address.Hex())
		t.Add("current_isa", to.ISA.String())
	}
	if c.ContextIDBytes > 0 {
		t.Add("context_id", p.ContextID)
	}
	return t
}

// recordSample makes the row of `packets` of a sample, unless it may be dropped.
func (d *Decoder) recordSample(x *frame) {
	s := d.frames.sample(x.at)
	if s.Droppable() {
		return
	}
	d.Rec.Packet(x.at*port.SampleBytes, d.Walk.Seq, d.cfg.frameText(x, s, d.frames.bytes))
}
