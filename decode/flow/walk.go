package flow

import (
	"sort"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// A Walker walks a program and appends the runs to a unit. Its position is the
// next instruction to execute, or unknown.
type Walker struct {
	// Seq counts the instructions walked since the caller last set it to 0.
	Seq int64

	prog       *Program
	unit       *decode.Result
	partStamp  uint32 // counts parts: the one at hand
	unitWeight int    // instructions of the blocks the unit holds

	known bool
	at    place
	cur   *block // block of the position, nil if not looked up yet
	pos   int    // in cur
	open  bool   // the last run may go on: see extend

	stack returnStack

	dataMark mark // see DataInstruction
}

// unitInstructions bounds the templates that one unit may hold (11 bytes each),
// so that a stream that enters endless straight code at ever new addresses
// cannot fill the memory. Intact trace stays far below.
//
// Beyond, a walk to a waypoint fails. One by atoms of one instruction continues in
// blocks of shortInstructions, as many as the longest P-header has atoms: each
// packet then adds at most twice that to what the unit holds and decodes.
const (
	unitInstructions  = 8 << 20
	shortInstructions = 16
)

// NewWalker returns a walker of p with unknown position.
func NewWalker(p *Program) *Walker { return &Walker{prog: p} }

// Begin makes u the unit runs are appended to. The position is kept. It is called
// for each part of a unit: the blocks of each stand together, whatever parts before
// it have.
func (w *Walker) Begin(u *decode.Result) {
	if u != w.unit {
		w.unit, w.unitWeight = u, 0
		w.prog.begin()
	}
	w.partStamp++
	w.open = false
	w.dataMark = mark{run: len(u.Runs)}
	w.cur = w.relocate()
}

// relocate gives the block of the position in a program that may have forgotten
// its blocks. The walk stays in the block it was in: a run that only goes on
// later stays in its block.
func (w *Walker) relocate() *block {
	if w.cur == nil || w.cur.code == nil {
		return nil
	}
	k := w.cur.code.Key
	return w.prog.block(place{decode.PC{Address: k.Address, ISA: k.ISA}, image.Space(k.Space)})
}

// Goto puts the position at an address the trace told.
func (w *Walker) Goto(at decode.PC, space image.Space) {
	w.known, w.at, w.cur, w.pos, w.open = true, place{at, space}, nil, 0, false
}

// Lose makes the position unknown.
func (w *Walker) Lose() { w.known, w.cur, w.open = false, nil, false }

// Known reports whether the position is known.
func (w *Walker) Known() bool { return w.known }

// PC returns the position; it has a meaning only if it is known.
func (w *Walker) PC() decode.PC {
	if w.cur != nil && w.pos < w.cur.len() {
		return decode.PC{Address: w.cur.code.Address[w.pos], ISA: w.at.ISA}
	}
	return w.at.PC
}

// ISA returns the instruction set at the position, and at the waypoint
// ToWaypoint arrived at.
func (w *Walker) ISA() schema.ISA { return w.at.ISA }

// EmptyStack empties the return stack.
func (w *Walker) EmptyStack() { w.stack.empty() }

// A Stop is where a walk ended.
type Stop uint8

// The ends of a walk.
const (
	Arrived    Stop = iota // at the instruction that was asked for
	Missing                // no memory at MissingAddress; what is before it was walked
	Endless                // straight code without end: nothing was walked
	Overshot               // a waypoint lies before the target; what is before it was walked
	AtIndirect             // behind an indirect branch whose target is not told yet
)

// MissingAddress returns the address of the instruction the last walk could not
// read.
func (w *Walker) MissingAddress() uint32 {
	if w.cur == nil {
		return w.at.Address
	}
	return w.cur.next
}

// enter looks up the block of the position.
func (w *Walker) enter() {
	if w.cur == nil {
		w.cur, w.pos = w.prog.block(w.at), 0
	}
}

// use gives the index of the block in the unit. It fails if the unit would hold
// too much.
func (w *Walker) use(b *block) (uint32, bool) {
	if b.unit != w.prog.unit {
		if w.unitWeight += b.len(); w.unitWeight > unitInstructions {
			return 0, false
		}
	}
	return w.index(b), true
}

// index gives the index of the block in the unit.
func (w *Walker) index(b *block) uint32 {
	b.unit = w.prog.unit
	if b.partStamp != w.partStamp {
		b.partStamp, b.index = w.partStamp, uint32(len(w.unit.Blocks))
		w.unit.Blocks = append(w.unit.Blocks, b.code)
	}
	return b.index
}

// emit appends a run over n instructions from the position on.
func (w *Walker) emit(t *Source, outcome schema.Outcome, n int) bool {
	if n == 0 {
		return true
	}
	i, ok := w.use(w.cur)
	if !ok {
		return false
	}
	w.unit.Runs = append(w.unit.Runs, schema.Run{
		Offset: t.Offset, Cycle: t.Cycle, Cycles: t.Cycles, Flags: t.Flags,
		Block: i, First: uint16(w.pos), Count: uint16(n), Outcome: outcome,
	})
	w.Seq += int64(n)
	return true
}

// emitUntraced appends a run of whose last instruction nothing is told.
func (w *Walker) emitUntraced(t *Source, n int) bool {
	return w.emit(&Source{Offset: t.Offset}, schema.Untold, n)
}

// Told is what a packet tells of a walk beside its way: where it stands and, as
// in [schema.Run], what the last instruction cost.
type Source struct {
	Offset int64
	Cycle  int64
	Cycles uint32
	Flags  schema.RunFlags
}

// ToWaypoint walks to the next waypoint and over it. If it arrives, the
// position is undecided until Take, Pass, Return, Goto or Lose.
func (w *Walker) ToWaypoint(t *Source, executed bool) Stop {
	w.enter()
	b := w.cur
	switch b.end {
	case atLimit:
		return Endless
	case atMissing:
		if !w.emitUntraced(t, b.len()-w.pos) {
			return Endless
		}
		return Missing
	}
	outcome := schema.NotTaken
	if executed {
		outcome = b.executed
	}
	if !w.emit(t, outcome, b.len()-w.pos) {
		return Endless
	}
	return Arrived
}

// Waypoint returns the waypoint ToWaypoint arrived at.
func (w *Walker) Waypoint() *isa.Instruction { return &w.cur.last }

// WaypointAddress returns the address of that waypoint.
func (w *Walker) WaypointAddress() uint32 {
	return w.cur.next - uint32(w.cur.last.Size)
}

// Onward returns where a waypoint that is no indirect branch leads, executed.
func (w *Walker) Onward() decode.PC {
	if last := &w.cur.last; last.Flow == isa.Direct {
		return decode.PC{Address: last.Target, ISA: last.TargetISA}
	}
	return decode.PC{Address: w.cur.next, ISA: w.at.ISA}
}

// Pass goes on behind the waypoint.
func (w *Walker) Pass() {
	b := w.cur
	w.step(&b.fallThrough, decode.PC{Address: b.next, ISA: w.at.ISA})
}

// Take follows the direct branch that is the waypoint.
func (w *Walker) Take() {
	b := w.cur
	w.step(&b.taken, decode.PC{Address: b.last.Target, ISA: b.last.TargetISA})
}

// step goes on to a place, in the block of a link if that is known. A block that
// is not known yet is built when an instruction of it is walked.
func (w *Walker) step(link **block, to decode.PC) {
	w.at.PC, w.cur, w.pos = to, *link, 0
	if w.cur == nil || w.prog.short {
		w.cur = w.prog.known(w.at)
		*link = w.cur
	}
}

// Push pushes the return address of the waypoint (IHI 0035B §4.13).
func (w *Walker) Push() {
	w.stack.push(place{decode.PC{Address: w.cur.next, ISA: w.at.ISA}, w.at.space})
}

// Return follows the indirect branch that is the waypoint to the top of the
// return stack, and returns the memory space of that entry: the security state
// comes from there too (IHI 0035B §B.3.2). It fails if the stack is empty. The
// position does not change then.
func (w *Walker) Return() (image.Space, bool) {
	top, ok := w.stack.pop()
	if w.cur.last.Link { // pop first, push after
		w.Push()
	}
	if !ok {
		return image.AnySpace, false
	}
	w.at, w.cur, w.pos = top, nil, 0
	return top.space, true
}

// UpTo walks to the instruction that holds the byte at target, or lies behind
// it, and over it: at least one instruction. Their outcomes are untold. It is
// the walk of analyze_waypoint_update().
func (w *Walker) UpTo(target uint32, t *Source) Stop {
	w.enter()
	b, n := w.cur, w.cur.len()
	i := w.pos + sort.Search(n-w.pos, func(i int) bool {
		i += w.pos
		return uint64(b.code.Address[i])+uint64(b.code.Size[i]) > uint64(target)
	})
	if i < n {
		if !w.emitUntraced(t, i+1-w.pos) {
			return Endless
		}
		if w.pos = i + 1; w.pos == n {
			w.Goto(decode.PC{Address: b.next, ISA: w.at.ISA}, w.at.space)
		}
		return Arrived
	}
	switch b.end {
	case atMissing:
		if !w.emitUntraced(t, n-w.pos) {
			return Endless
		}
		return Missing
	case atWaypoint:
		if !w.emitUntraced(t, n-1-w.pos) {
			return Endless
		}
		w.pos = n - 1
		return Overshot
	}
	return Endless
}
