package decode

import "github.com/tracelake/tracelake/schema"

// A Stretch is a sequence of blocks that executed, and of which the decoder says where control
// left functions, if that is wanted: see [Step]. It comes right before a run. Either it has runs, or whole
// blocks were counted in place of the runs that they would be: then how often control left which
// block for which address is in Turns. The way to its first block is counted by nobody, and is no
// step; the way from its last block to the run after it is one of the turns, and may be a step.
type Stretch struct {
	Run          int    // index of the run after it, which is in the same part
	Runs         int    // how many of those right before that are its own; 0: it was counted
	Block        uint32 // index of its first block in the result
	Instructions int64
	Steps        int   // how many of the steps, after those of stretches before it, are its own
	Cycles       int64 // of all of them, where cycles are traced
}

// First returns the position in its first block that it begins at, in a result.
func (s *Stretch) First(r *Result) int {
	if s.Runs == 0 {
		return 0
	}
	return int(r.Runs[s.Run-s.Runs].First)
}

// A First is when a block was executed that is counted, for the first time in the result.
type First struct {
	Block uint32 // index of the block in the result
	At    int64  // instructions of the part before it
}

// A Turn counts how often, in the stretches of a result, a block executed from its start
// to its end and control then went to an address. Several turns may be of one way. They are
// among the rows of the last part, unless there are many.
type Turn struct {
	To      schema.Address // place: see [schema.Block.Place]
	N       int64
	Cycles  int64          // with Timed
	Block   uint32         // index of the block in the result
	Outcome schema.Outcome // of the last instruction
	// Told: those before it passed their condition, but for Failures; otherwise they have no
	// outcome.
	Told bool
	// Timed: the last instruction has a cost; Cycles is the sum.
	Timed bool
}

// A Step is where control left a function, or may have, in the stretches of a result: after
// a call, a return, or any other indirect branch, and wherever the next instruction is of
// another function.
//
// There are many: one is a word, of how many instructions of the part come before the one that
// control went to, fewer than 2⁴⁰, and the index of an [Exit], below 2²⁴. A part of a work unit
// has fewer of both.
type Step uint64

// exitBits is how many bits of a step are the index of its exit.
const exitBits = 24

// NewStep returns a step by an exit, after so many instructions of the part.
func NewStep(at int64, exit uint32) Step { return Step(at)<<exitBits | Step(exit) }

// At returns how many instructions of the part come before the one that control went to.
func (s Step) At() int64 { return int64(s >> exitBits) }

// Exit returns the index in the result of the exit.
func (s Step) Exit() uint32 { return uint32(s & (1<<exitBits - 1)) }

// After returns the step with n more instructions before it.
func (s Step) After(n int64) Step { return s + Step(n)<<exitBits }

// An Exit is a way on which control leaves a function, or may. Several may be the same one.
type Exit struct {
	Block    uint32         // index in the result of the block that it leaves, by its last instruction
	To       schema.Address // address
	Function int32          // of that: see [Wanted]
	Outcome  schema.Outcome
	Kind     schema.Kind // of the instruction that it leaves; other: it was not taken
}

// A Failure counts how often an instruction inside a block failed its condition, of the
// executions that have it as passed: those by turns that are Told, and by runs.
type Failure struct {
	Block    uint32 // index of the block in the result
	Position uint16 // of the instruction
	N        int64
}
