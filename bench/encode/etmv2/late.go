package etmv2

import (
	"cmp"
	"slices"

	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode"
	codec "github.com/tracelake/tracelake/decode/etmv2"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file traces data that comes after its instruction (§5.4): the rest of a load
// or store multiple, and the values of loads that missed.

// postpone leaves some of the packets of a load or store multiple to go with those of
// instructions after it. It returns the others.
func (e *Encoder) postpone(s *step.Step, data []packet) []packet {
	if len(data) < 2 || !isMultiple(s) || s.Instruction.Flow != isa.None || !e.Vary.Happens(e.Vary.Delay) {
		return data
	}
	now := 1 + e.Vary.UpTo(len(data)-2)
	e.data.late = data[now:]
	return data[:now]
}

// takeLate returns packets that waited, to go with those of the instruction s: the
// rest of the last load or store multiple, and values.
func (e *Encoder) takeLate(s *step.Step) []packet {
	if len(e.data.late) > 0 && isa.DataOf(s.Instruction.Opcode, s.Instruction.Size, s.At.ISA).Count > 0 {
		e.flushLate() // before the next data instruction
	}
	n := 0
	if len(e.data.late) > 0 {
		n = e.Vary.UpTo(min(2, len(e.data.late)))
	}
	packets := e.data.late[:n:n]
	e.data.late = e.data.late[n:]
	for tag := range e.data.open {
		if e.isOpen(tag) && e.Vary.UpTo(7) == 0 {
			packets = append(packets, e.complete(tag))
		}
	}
	return packets
}

// isOpen says whether the placeholder of a load miss was sent.
func (e *Encoder) isOpen(tag int) bool {
	m := &e.data.open[tag]
	return m.OK && m.V.row.Tag.OK
}

// complete is the packet with the value of a load miss.
func (e *Encoder) complete(tag int) packet {
	m, settled := e.data.open[tag].V, e.data.settled
	e.data.open[tag].OK = false
	p := codec.Packet{Kind: codec.LoadMissData, Tag: uint8(tag), Value: m.value, ValueBytes: codec.ValueSize(m.value)}
	return packet{Packet: p, seq: m.row.Seq, late: true, row: func(sample, seq int64) {
		m.row.Key = e.Rows.Key(sample)
		m.row.Seq = seq
		if e.data.settled != settled {
			m.row.skipped = 0 // another data instruction came before the packet
		}
		e.dataRow(&m.row)
	}}
}

// flushLate sends the rest of a load or store multiple.
func (e *Encoder) flushLate() {
	for ; len(e.data.late) > 0; e.data.late = e.data.late[1:] {
		e.idlePackets(e.data.late[:1])
	}
}

// finishData sends all data that waits.
func (e *Encoder) finishData() {
	e.flushLate()
	for tag := range e.data.open {
		if e.isOpen(tag) {
			e.idlePackets([]packet{e.complete(tag)})
		}
	}
}

// forgetMisses loses the values of all load misses: an overflow ends them. They have
// no rows, but if trace ends here.
func (e *Encoder) forgetMisses() {
	for tag := range e.data.open {
		if e.isOpen(tag) {
			e.loseMiss(e.data.open[tag].V.row)
		}
	}
	slices.SortFunc(e.data.lost, func(a, b access) int { return cmp.Compare(a.Offset, b.Offset) })
	e.data.open = [4]schema.Null[miss]{}
}

// inProgress turns trace on in the load or store multiple before s, while s executes,
// if that is so (§5.3).
func (e *Encoder) inProgress(s *step.Step) bool {
	d := e.data.before.V
	_, vector := e.Vector(s.At)
	if !e.data.before.OK || s.Entered || vector || !e.opt.TracesData() || d.Next != s.At || d.Failed ||
		d.Instruction.Flow != isa.None ||
		!isMultiple(&d) || !e.Vary.Happens(e.Vary.InProgress) {
		return false
	}
	to := decode.PC{Address: s.At.Address, ISA: s.At.ISA}
	if e.Vary.UpTo(2) == 0 { // what executes is not known yet: a branch address will say it
		e.tfo(e.Reason, d.At, s.ContextID, codec.TFO{})
		e.idlePackets([]packet{{Packet: e.branch(s.At, false)}})
	} else {
		n := codec.BranchBytes(to, decode.PC{Address: d.At.Address, ISA: d.At.ISA}, false)
		sample := e.tfo(e.Reason, d.At, s.ContextID, codec.TFO{LSM: true, Current: codec.NewBranch(to, false, n)})
		seq := e.Rows.Instruction(sample, d.At, &d.Instruction, true)
		e.base = to
		e.data.late = e.transfers(&d, 1+e.Vary.UpTo(len(d.Transfers)-2))
		for i := range e.data.late {
			e.data.late[i].seq, e.data.late[i].late = seq, true
		}
	}
	e.Reason, e.Reached = schema.ISyncTraceOn, s.At
	return true
}

// loseMiss keeps the row of a load miss whose value does not come.
func (e *Encoder) loseMiss(row access) {
	row.State, row.Value = schema.DataOutOfOrderLost, schema.Null[uint64]{}
	e.data.lost = append(e.data.lost, row)
}
