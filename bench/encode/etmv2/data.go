package etmv2

import (
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth"
	codec "github.com/tracelake/tracelake/decode/etmv2"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file traces data (§5.4).

// dataTrace is the state of data trace.
type dataTrace struct {
	before schema.Null[step.Step] // the last step that was not traced, if it was an instruction
	open   [4]schema.Null[miss]   // load misses, by tag
	lost   []access               // load misses that an overflow ended, if trace comes on again
	late   []packet               // of a load or store multiple that goes on
	rows   []access               // of the last data instruction, and others after them
	// settled is how often the rows of a last data instruction were settled.
	settled int
}

// A miss is a load whose value is still to come.
type miss struct {
	value uint32
	row   access
}

// An access is a row, of an instruction of whose transfers the first ones were not
// traced: so many.
type access struct {
	truth.DataAccess
	skipped uint16
}

// dataPackets are the packets of the data of an instruction. Some of them may be left
// to go with those of instructions after it.
func (e *Encoder) dataPackets(s *step.Step) []packet {
	if !e.opt.TracesData() || s.Failed || len(s.Transfers) == 0 {
		return nil
	}
	if s.Transfers[0].Register && (!e.opt.MonitorCPRT || !e.opt.DataValue) {
		return nil
	}
	multiple := isMultiple(s)
	first := 0
	switch {
	case !e.Vary.Happens(e.Vary.NotTraced):
	case multiple: // trace begins with one of them
		first = e.Vary.UpTo(len(s.Transfers) - 1)
	default:
		return nil
	}
	return e.transfers(s, first)
}

// transfers are the packets of the transfers of an instruction from one on.
func (e *Encoder) transfers(s *step.Step, first int) []packet {
	var packets []packet
	for i := first; i < len(s.Transfers); i++ {
		t := &s.Transfers[i]
		p := codec.Packet{Kind: codec.NormalData}
		p.NewAddress = !t.Register && (i == first || t.Address != s.Transfers[i-1].Address+4)
		switch free := e.freeTag(); {
		case i > first && isMultiple(s) && e.opt.DataValue && e.Vary.Happens(e.Vary.NotTraced):
			p = codec.Packet{Kind: codec.ValueNotTraced}
		case free >= 0 && t.Access == schema.AccessRead && !t.Register && e.opt.DataValue &&
			e.Vary.Happens(e.Vary.OutOfOrder):
			p.Kind, p.Tag = codec.LoadMiss, uint8(free)
			e.data.open[free] = schema.Of(miss{value: t.Value})
		case e.opt.DataValue:
			p.Value, p.ValueBytes = t.Value, codec.ValueSize(t.Value)
		}
		e.setAddress(&p, t)
		packets = append(packets, e.dataPacket(p, *t, i, uint16(first)))
	}
	return packets
}

// isMultiple says whether an instruction is a load or store multiple, or of two words.
func isMultiple(s *step.Step) bool {
	t := s.Transfers
	return len(t) > 1 && !t[0].Register && t[0].Access == t[1].Access
}

// freeTag is a tag that no load miss has, -1 if there is none.
func (e *Encoder) freeTag() int {
	for tag := range e.data.open {
		if !e.data.open[tag].OK {
			return tag
		}
	}
	return -1
}

// dataPacket is the packet p of a transfer with the row that it makes, or completes
// later.
func (e *Encoder) dataPacket(p codec.Packet, t step.Transfer, position int, skipped uint16) packet {
	return packet{Packet: p, row: func(sample, seq int64) {
		e.Data.Known = max(e.Data.Known, p.AddressBits)
		row := access{e.AccessRow(&t, position), skipped}
		row.Key = e.Rows.Key(sample)
		row.Seq = seq
		switch p.Kind {
		case codec.LoadMiss:
			row.State, row.Tag = schema.DataOutOfOrder, schema.Of(p.Tag)
			if open := &e.data.open[p.Tag]; open.OK {
				open.V.row = row
			} else { // an overflow ended the miss before its packet was sent
				e.loseMiss(row)
			}
			return
		case codec.ValueNotTraced:
			row.State, row.Value = schema.DataNotTraced, schema.Null[uint64]{}
		default:
		}
		e.dataRow(&row)
	}}
}

// dataRow enters a row, or keeps it while the position of those before it is not
// certain.
func (e *Encoder) dataRow(row *access) {
	if row.skipped > 0 || len(e.data.rows) > 0 {
		e.data.rows = append(e.data.rows, *row)
		return
	}
	e.Rows.Rows.DataAccess(&row.DataAccess)
}

// settleData enters the rows that were kept. Where trace began in the middle of the
// last data instruction, the traced transfers are its last ones, unless an overflow
// may have taken its end: then they are counted from the first that was traced.
func (e *Encoder) settleData(whole bool) {
	for i := range e.data.rows {
		row := &e.data.rows[i]
		if !whole {
			row.Position -= row.skipped
		}
		e.Rows.Rows.DataAccess(&row.DataAccess)
	}
	e.data.rows = e.data.rows[:0]
	e.data.settled++
	for tag := range e.data.open { // no longer of the last one
		e.data.open[tag].V.row.skipped = 0
	}
}

// setAddress puts the address of a transfer into a packet that has one, in as many
// bytes as changed since the last one sent, or whole where that is due.
func (e *Encoder) setAddress(p *codec.Packet, t *step.Transfer) {
	if !p.NewAddress || !e.opt.DataAddress {
		return
	}
	p.AddressBytes, p.AddressBits = e.DataAddressBytes(t.Address)
	p.Address = schema.Address(uint64(t.Address) & (1<<p.AddressBits - 1))
}

// begunData is made-up data of an instruction that will be cancelled.
func (e *Encoder) begunData(s *step.Step) []packet {
	d := isa.DataOf(s.Instruction.Opcode, s.Instruction.Size, s.At.ISA)
	if !e.opt.TracesData() || d.Count == 0 || d.Register || !e.Vary.Happens(e.Vary.Cancel) {
		return nil
	}
	made := *s
	for i := range schema.Address(1 + e.Vary.UpTo(int(d.Count)-1)) {
		made.Transfers = append(made.Transfers, step.Transfer{
			Address: 0x2000 + 4*i, Value: e.Vary.Number(), Size: d.Size, Access: schema.AccessWrite,
		})
	}
	packets := e.transfers(&made, 0)
	for i := range packets {
		bits := packets[i].AddressBits
		packets[i].row = func(int64, int64) { e.Data.Known = max(e.Data.Known, bits) } // though no row has it
	}
	return packets
}
