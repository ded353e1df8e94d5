package etmv4

import (
	"github.com/tracelake/tracelake/bench/step"
	codec "github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// flow is where a decoder is in the program, as far as the stream has told it.
type flow struct {
	// owed: the position is not in the program; an address has to tell it, unless the return
	// stack has it (popped).
	owed, popped bool
	broadcast    bool // the position is in the program, but an address tells it too
	// is1 is the instruction set of the last address that told a position. dropped: trace went off since, and
	// the address may have been dropped.
	is1     bool
	dropped bool
	context told
	// transaction: the core is in a transaction.
	transaction bool

	stack []step.Place // return stack, top last
}

// instruction traces an instruction.
func (e *Encoder) instruction(s *step.Step) {
	w := instruction{at: s.At, in: e.classify(s)}
	w.executed = schema.Null[bool]{V: true, OK: s.At.ISA == schema.A64}
	if e.passInQ(s, w) {
		return
	}
	e.waiting = append(e.waiting, w)
	if e.isP0(&w.in) {
		e.atom(s, &w.in)
		e.functionReturn(s, &w.in)
	}
}

// isP0 says whether an instruction is a P0 instruction (§6.2).
func (e *Encoder) isP0(in *isa.Instruction) bool {
	switch in.Flow {
	case isa.Direct, isa.Indirect, isa.Barrier:
		return true
	case isa.Wait:
		return e.opt.WaitsP0
	default:
		return false
	}
}

// atom traces the last instruction, a P0 instruction, as an atom, or by its source address.
func (e *Encoder) atom(s *step.Step, in *isa.Instruction) {
	x := element{p0: true, atom: true, taken: !s.Failed, afterPop: e.flow.popped, time: e.now}
	e.waiting[len(e.waiting)-1].executed = schema.Of(x.taken)
	x.instructions, e.waiting = e.waiting, nil
	e.flow.owed, e.flow.popped = false, false
	returns := x.taken && in.Flow == isa.Indirect && (s.Returns || in.Kind == schema.KindExceptionReturn)
	x.returns = returns && e.opt.ETE
	e.branch(s, in, returns)
	switch {
	case e.opt.ETE && x.taken && e.sourceAddress(&x), e.mispredict(&x):
		e.speculate()
		return
	}
	e.pending = append(e.pending, x)
	switch {
	case e.countDue():
		e.flushCounted()
	case len(e.pending) == mostAtoms || e.vary.Happens(e.vary.Atoms) || e.full():
		e.flush()
	}
	e.speculate()
}

// mostAtoms is how many atoms a packet has at most.
const mostAtoms = 24

// branch notes where the last instruction leads.
func (e *Encoder) branch(s *step.Step, in *isa.Instruction, returns bool) {
	switch f := &e.flow; {
	case s.Failed:
	case in.Flow == isa.Indirect:
		f.owed, e.returned = true, returns
		if top := len(f.stack) - 1; top >= 0 && !e.opt.Broadcast && same(f.stack[top], s.Next) {
			f.stack, f.popped = f.stack[:top], true
		}
		e.link(s, in)
	case in.Flow == isa.Direct:
		f.broadcast = e.opt.Broadcast
		e.link(s, in)
	}
}

// functionReturn sends now and then that the last instruction returned from a function, as a trace unit
// of v8-M may that traces data too (§6.6). It is a P0 element without rows.
func (e *Encoder) functionReturn(s *step.Step, in *isa.Instruction) {
	if !e.opt.v8M() || s.Failed || s.Returns || in.Kind != schema.KindReturn || !e.vary.Happens(e.vary.Returns) {
		return
	}
	e.flush()
	e.truth.push(element{offset: e.emit(codec.Packet{Kind: codec.FunctionReturn}), p0: true, time: e.now})
	e.speculate()
}

// same says whether the return stack, which has addresses and instruction sets, leads to a place.
func same(entry, to step.Place) bool { return entry.Address == to.Address && entry.ISA == to.ISA }

// link pushes the return address of a branch with link, after the branch has popped its own
// target. A full stack drops its oldest entry.
func (e *Encoder) link(s *step.Step, in *isa.Instruction) {
	if !in.Link() || !e.opt.ReturnStack || e.opt.ReturnStackDepth == 0 {
		return
	}
	f := &e.flow
	if len(f.stack) == e.opt.ReturnStackDepth {
		f.stack = append(f.stack[:0], f.stack[1:]...)
	}
	f.stack = append(f.stack, s.Following())
}

// flush sends the atoms that wait.
func (e *Encoder) flush() {
	sent := e.sendAtoms()
	for i := range sent {
		e.truth.push(sent[i])
	}
}

// flushCounted sends the atoms that wait, and a cycle count that belongs to the last.
func (e *Encoder) flushCounted() {
	sent := e.sendAtoms()
	e.count(&sent[len(sent)-1])
	for i := range sent {
		e.truth.push(sent[i])
	}
}

// sendAtoms sends the atoms that wait and returns them.
func (e *Encoder) sendAtoms() []element {
	sent := e.pending
	e.pending = nil
	for i := 0; i < len(sent); {
		var outcomes uint32
		for k := range sent[i:] {
			if sent[i+k].taken {
				outcomes |= 1 << k
			}
		}
		n := packed(outcomes, len(sent)-i)
		if e.vary.Happens(e.vary.Atoms) {
			n = min(n, 3)
		}
		at := e.emit(codec.Packet{Kind: codec.Atoms, Atoms: outcomes & (1<<n - 1), AtomCount: uint8(n)})
		for k := range n {
			sent[i+k].offset = at
		}
		i += n
	}
	return sent
}

// packed is how many of n atoms the longest packet has (§3.9).
func packed(outcomes uint32, n int) int {
	run := 0 // of E
	for run < n && outcomes>>run&1 == 1 {
		run++
	}
	switch {
	case run >= 4 && run < n: // and an N
		return run + 1
	case run >= 4:
		return run
	case run == 3 && n > 3: // and an N
		return 4
	}
	for _, p := range patterns {
		if p.n <= n && outcomes&(1<<p.n-1) == p.outcomes {
			return p.n
		}
	}
	return min(n, 3)
}

// patterns are the packets of four and five atoms that are no run of E.
var patterns = []struct {
	outcomes uint32
	n        int
}{
	{0b00000, 5},
	{0b01010, 5},
	{0b10101, 5},
	{0b11110, 5},
	{0b1110, 4},
	{0b0000, 4},
	{0b1010, 4},
	{0b0101, 4},
}
