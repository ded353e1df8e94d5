package etmv4

import (
	"strconv"

	"github.com/tracelake/tracelake/bench/step"
	codec "github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file sends Q elements (§6.4).

// stretch is instructions of which a Q element will say how many there were.
type stretch struct {
	active bool
	left   int // instructions, at most
	steps  []instruction
}

// Stretches begin at one of so many places where they may, and are at most this long.
const (
	stretchChance  = 24
	stretchLongest = 40
)

// passInQ has a stretch take an instruction, if one is under way or begins here.
func (e *Encoder) passInQ(s *step.Step, w instruction) bool {
	q := &e.q
	if !q.active {
		if !e.opt.QElements || e.opt.QSupp == 0 || len(e.waiting) > 0 || notInQ(s) || e.vary.UpTo(stretchChance) > 0 {
			return false
		}
		e.flush()
		*q = stretch{active: true, left: 1 + e.vary.UpTo(stretchLongest-1)}
	}
	q.steps = append(q.steps, w)
	q.left--
	return true
}

// notInQ says whether no stretch takes a step: others say what it does.
func notInQ(s *step.Step) bool {
	return s.Entered || s.Returns || s.Instruction.Kind == schema.KindExceptionReturn || s.Transaction != step.Keeps
}

// endQBefore ends the stretch that is under way, if it cannot go on with s.
func (e *Encoder) endQBefore(s *step.Step) {
	if e.q.left == 0 || notInQ(s) || e.contextOf(s.At, s.ContextID, s.VMID) != e.flow.context {
		e.endQ(e.leftAt(s))
	}
}

// leftAt is where the core leaves a stretch before s. An exception may be in place of the last
// instruction of it.
func (e *Encoder) leftAt(s *step.Step) step.Place {
	if s.Entered && s.Exception != schema.ExcReset && s.At != e.core.next {
		e.q.steps = e.q.steps[:len(e.q.steps)-1]
		return s.At
	}
	return e.core.next
}

// endQ sends the Q element of the stretch that is under way and ends at a place. The return stack is not what it was
// then: a decoder does not know the calls in it.
func (e *Encoder) endQ(to step.Place) {
	q := &e.q
	steps := q.steps
	if *q = (stretch{}); len(steps) == 0 {
		return
	}
	p, ok := e.addressed(codec.Q, to)
	if !ok || e.opt.QSupp == 2 || e.vary.Happens(e.vary.Addresses) {
		p = codec.Packet{Kind: codec.Q}
	}
	if p.HasCount = e.opt.QSupp != 2 && (p.Form != codec.NoAddress || e.opt.QSupp == 1 || e.vary.UpTo(1) == 0); p.HasCount {
		p.Count = e.vary.field(uint32(len(steps)), 5)
	}
	x := element{p0: true, afterPop: e.flow.popped, time: e.now}
	x.offset = e.emit(p)
	e.flow.is1 = to.ISA == schema.T32
	if p.Form == codec.NoAddress {
		e.sendAddress(to)
	}
	rest := len(steps)
	if p.HasCount {
		x.instructions, rest = e.follow(steps, to)
	}
	switch {
	case !p.HasCount:
		x.tell = func() { e.truth.Event(x.offset, schema.EventQUnresolved, schema.Of(to.Address), "") }
	case rest > 0:
		x.tell = func() { e.truth.Event(x.offset, schema.EventQUnresolved, schema.Of(to.Address), strconv.Itoa(rest)) }
	}
	if e.countDue() {
		e.count(&x)
	}
	e.truth.push(x)
	e.flow.stack = nil
	e.arrive()
	e.speculate()
}

// follow returns the instructions of a stretch that end at a place which a decoder can follow, and
// how many it cannot: from a branch on that could go elsewhere. In T32 any may, by IT.
func (e *Encoder) follow(steps []instruction, to step.Place) (followed []instruction, rest int) {
	for i := range steps {
		w := &steps[i]
		if !e.isP0(&w.in) {
			continue
		}
		conditional := w.at.ISA == schema.T32 || w.in.Conditional(w.at.ISA)
		last := i == len(steps)-1
		if !last && (conditional || w.in.Flow == isa.Indirect) {
			return steps[:i], len(steps) - i
		}
		taken := w.in.Flow != isa.Direct || !conditional || w.in.Target == to.Address
		both := w.in.Flow == isa.Direct && conditional && taken && w.at.Address+schema.Address(w.in.Size) == to.Address
		w.executed = schema.Null[bool]{V: taken && !both, OK: !both}
	}
	return steps, 0
}

// sourceAddress sends the source address of a P0 instruction in place of its atom, now and then,
// and of those that wait to be sent: all were branches that were not taken, or barriers (§6.3).
func (e *Encoder) sourceAddress(x *element) bool {
	if !e.vary.Happens(e.vary.Sources) {
		return false
	}
	for i := range e.pending {
		w := e.pending[i].instructions
		branch := w[len(w)-1].in.Flow == isa.Direct || w[len(w)-1].in.Flow == isa.Indirect
		if branch == e.pending[i].taken {
			return false
		}
	}
	p, _ := e.addressed(codec.SourceAddress, x.instructions[len(x.instructions)-1].at)
	x.offset = e.emit(p)
	var all []instruction
	for i := range e.pending {
		all = append(all, e.pending[i].instructions...)
	}
	if len(e.pending) > 0 {
		x.afterPop = e.pending[0].afterPop
	}
	e.pending = nil
	x.instructions = append(all, x.instructions...)
	if e.countDue() {
		e.count(x)
	}
	e.truth.push(*x)
	return true
}
