package flow

import (
	"sort"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// A Walker walks a program and appends the runs to a result. Its position is the
// next instruction to execute, or unknown.
type Walker struct {
	// Seq counts the instructions walked since the caller last set it to 0.
	Seq int64

	prog       *Program
	programs   programs // of processes
	unit       uint32   // number of the work unit
	result     *decode.Result
	partStamp  uint32 // number of the current part
	unitWeight int    // instructions of the blocks that the result holds

	known bool
	at    schema.BlockKey // its Short does not matter
	cur   *block          // block of the position, nil if not looked up yet
	pos   int             // in cur
	open  bool            // the last run may continue: see run

	stack returnStack

	dataMark mark // see DataInstruction

	// See count.go.
	partSeq  int64        // Seq when the part began
	before   int64        // instructions of parts before it
	more     bool         // what is counted waits for the next part
	told     bool         // each instruction is traced with its outcome
	timed    bool         // the last instruction of each block has a cost
	paths    *paths       // nil: none were looked for
	inside   *InsidePaths // likewise
	counting []*block     // that count
	failing  []*block     // in which instructions failed their condition

	// See steps.go.
	functionOf func(address schema.Address) int32 // nil: no steps are wanted
	placed     int                                // steps in the result that are of stretches
	returns    *returns                           // exits by indirect branches
}

// unitInstructions bounds the instructions in the blocks of one result (15 bytes
// each), so that a stream that enters endless straight code at ever new addresses
// cannot fill the memory. Intact trace stays far below.
//
// Above the bound, a walk to a waypoint fails. A walk by ETMv3 atoms continues in
// blocks of shortInstructions, as many as the longest P-header has atoms: each
// packet then decodes, and adds to the result, at most twice that many.
const (
	unitInstructions  = 8 << 20
	shortInstructions = 16
)

// NewWalker returns a walker of p with unknown position.
func NewWalker(p *Program) *Walker { return &Walker{prog: p} }

// Begin is called for each part of a work unit and sets the result that runs are
// appended to. The position does not change. The blocks of a part are adjacent in
// the result, even those that earlier parts have too, unless those said that there is more
// (see End).
func (w *Walker) Begin(result *decode.Result) {
	if result != w.result {
		w.result, w.unitWeight = result, 0
		w.unit++
		w.programs.begin()
		w.prog.begin(w.unit)
		w.more = false
	}
	if !w.more {
		w.partStamp++
		if w.returns != nil {
			w.returns.begin()
		}
		w.forgetCounts()
	}
	w.partSeq, w.placed = w.Seq, len(result.Steps)
	w.open = false
	w.dataMark = mark{run: len(result.Runs)}
	w.cur = w.relocate()
}

// relocate looks up the current block again, since the program may have dropped
// it. The walk stays in the same block: so does a run that continues in the next
// work unit.
func (w *Walker) relocate() *block {
	if w.cur == nil || w.cur.code == nil {
		return nil
	}
	return w.prog.block(w.cur.at().key())
}

// Goto sets the position to an address from the trace.
func (w *Walker) Goto(at decode.PC, security schema.Security) {
	w.known, w.at, w.cur, w.pos, w.open = true, keyAt(at, security), nil, 0, false
}

// Lose makes the position unknown.
func (w *Walker) Lose() { w.known, w.cur, w.open = false, nil, false }

// Known reports whether the position is known.
func (w *Walker) Known() bool { return w.known }

// PC returns the position, which must be known.
func (w *Walker) PC() decode.PC {
	if w.cur != nil && w.pos < w.cur.len() {
		return decode.PC{Address: w.cur.code.Address[w.pos], ISA: w.at.ISA}
	}
	return decode.PC{Address: w.at.Address, ISA: w.at.ISA}
}

// ISA returns the instruction set at the position, and that of the waypoint that
// ToWaypoint arrived at.
func (w *Walker) ISA() schema.ISA { return w.at.ISA }

// EmptyStack empties the return stack.
func (w *Walker) EmptyStack() { w.stack.empty() }

// A Stop is where a walk ended.
type Stop uint8

// The ends of a walk.
const (
	Arrived    Stop = iota // at the instruction that was asked for
	Missing                // no memory at MissingAddress; the code before it was walked
	Endless                // straight code without end: nothing was walked
	Overshot               // a waypoint is before the target; the code before it was walked
	AtIndirect             // after an indirect branch whose target is not traced yet
)

// MissingAddress returns the address of the instruction that the last walk could
// not read.
func (w *Walker) MissingAddress() schema.Address {
	if w.cur == nil {
		return w.at.Address
	}
	return w.cur.next()
}

// enter looks up the block of the position.
func (w *Walker) enter() {
	if w.cur == nil {
		w.cur, w.pos = w.prog.block(w.at), 0
	}
}

// use returns the index of the block in the result. It fails if the result would
// exceed unitInstructions.
func (w *Walker) use(b *block) (uint32, bool) {
	if b.unit != w.prog.unit {
		if w.unitWeight += b.len(); w.unitWeight > unitInstructions {
			return 0, false
		}
	}
	return w.index(b), true
}

// index returns the index of the block in the result, and adds it if necessary.
func (w *Walker) index(b *block) uint32 {
	b.unit = w.prog.unit
	if b.partStamp != w.partStamp {
		b.partStamp, b.index = w.partStamp, uint32(len(w.result.Blocks))
		if b.end == atWaypoint && !w.isMixed(b) {
			b.ready = w.partStamp
			b.closed, b.exits = b.special|w.stepsOf(b), [2]uint32{} // see steps.go
		}
		w.result.Blocks = append(w.result.Blocks, b.code)
	}
	return b.index
}

// emit appends a run of n instructions from the position on.
func (w *Walker) emit(t *Source, outcome schema.Outcome, n int) bool {
	if n == 0 {
		return true
	}
	i, ok := w.use(w.cur)
	if !ok {
		return false
	}
	w.result.Runs = append(w.result.Runs, schema.Run{
		Offset: t.Offset, Cycle: t.Cycle, Cycles: t.Cycles, Flags: t.Flags,
		Block: i, First: uint16(w.pos), Count: uint16(n), Outcome: outcome,
	})
	if w.at.ISA == schema.A64 {
		tellAll(&w.result.Runs[len(w.result.Runs)-1])
	}
	w.Seq += int64(n)
	return true
}

// tellAll has a run of A64 say that all its instructions were executed, but the last one if that
// failed: nothing but a branch has a condition.
func tellAll(run *schema.Run) {
	run.Flags |= schema.RunHasFailed
	switch {
	case run.Outcome == schema.Unknown:
		run.Outcome = schema.Passed
	case run.Outcome == schema.NotTaken && run.Count <= schema.MaxBlockRow:
		run.Failed = 1 << (run.Count - 1)
	}
}

// emitUntraced appends a run with no outcome or cost for its last instruction.
func (w *Walker) emitUntraced(t *Source, n int) bool {
	return w.emit(&Source{Offset: t.Offset}, schema.Unknown, n)
}

// A Source is what runs take from their packet: its capture offset and, as in
// [schema.Run], the cost of the last instruction.
type Source struct {
	Offset int64
	Cycle  int64
	Cycles uint32
	Flags  schema.RunFlags
	// Unsplit: see Executed.
	Unsplit bool
	// Offsets, with RunHasOffsets, are those of the units of a part, in place of
	// Offset: the next instruction is of the unit Unit, and each after it of the next
	// unit. Executed and Atom move Unit on.
	Offsets *decode.OffsetCursor
	Unit    int
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
	outcome := b.outcomes[fallThrough]
	if executed {
		outcome = b.outcomes[taken]
	}
	if !w.emit(t, outcome, b.len()-w.pos) {
		return Endless
	}
	return Arrived
}

// Waypoint returns the waypoint that ToWaypoint arrived at.
func (w *Walker) Waypoint() *isa.Instruction { return &w.cur.last }

// WaypointAddress returns the address of that waypoint.
func (w *Walker) WaypointAddress() schema.Address {
	return w.cur.code.Address[w.cur.count-1]
}

// Onward returns the PC after an executed waypoint that is no indirect branch.
func (w *Walker) Onward() decode.PC {
	if last := &w.cur.last; last.Flow == isa.Direct {
		return decode.PC{Address: last.Target, ISA: last.TargetISA}
	}
	return decode.PC{Address: w.cur.next(), ISA: w.at.ISA}
}

// Pass continues after the waypoint.
func (w *Walker) Pass() {
	w.step(fallThrough, decode.PC{Address: w.cur.next(), ISA: w.at.ISA})
}

// Take follows the direct branch that is the waypoint.
func (w *Walker) Take() {
	w.step(taken, decode.PC{Address: w.cur.last.Target, ISA: w.cur.last.TargetISA})
}

// step continues at a PC, in the linked block if there is one. A block that is not
// cached yet is built when an instruction of it is walked.
func (w *Walker) step(link int, to decode.PC) {
	from := w.cur
	w.at.Address, w.at.ISA = to.Address, to.ISA
	w.cur, w.pos = from.links[link], 0
	if w.cur == nil || w.prog.short {
		w.cur = w.prog.known(w.at)
		if !from.dropped {
			from.links[link] = w.cur
		}
	}
}

// Push pushes the return address of the waypoint (IHI 0035B §4.13).
func (w *Walker) Push() { w.stack.push(w.cur) }

// Return follows the indirect branch that is the waypoint to the top of the
// return stack, and returns the security state of that entry, which has it too
// (IHI 0035B §B.3.2). If the stack is empty, Return fails and the position does
// not change.
func (w *Walker) Return() (schema.Security, bool) {
	caller := w.stack.pop()
	if w.cur.last.Link() { // pop first, push after
		w.Push()
	}
	if caller == nil {
		return schema.Secure, false
	}
	w.at.State, w.cur = caller.state.state(), caller
	w.Pass()
	return w.at.Security, true
}

// UpTo walks up to and over the first instruction that ends after target: at least
// one instruction. The outcomes are unknown. It is the walk of
// analyze_waypoint_update().
func (w *Walker) UpTo(target schema.Address, t *Source) Stop {
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
			w.Goto(decode.PC{Address: b.next(), ISA: w.at.ISA}, w.at.Security)
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
