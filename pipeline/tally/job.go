package tally

import (
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// A job is what a worker counts at once: consecutive runs of a source, and what
// came between them.
type job struct {
	places schema.Places
	pieces []stitch.Runs
	marks  marks // in order
	before step  // before the first instruction
}

// release ends the use of the runs.
func (j *job) release() {
	for i := range j.pieces {
		j.pieces[i].Unit.Release()
	}
}

// A mark is something between two instructions that decides what edges there are.
type mark struct {
	returnAddress schema.Null[schema.Address] // of an entry
	what          what
}

type marks = stitch.Marks[mark]

// what a mark is.
type what uint8

const (
	entry     what = iota // to an exception
	gap                   // trace restarts, bytes are lost, or instructions have no rows
	debugExit             // trace restarts after debug state
)

// A step is an instruction that was executed: what its edges need.
type step struct {
	ok      bool // there is one
	state   schema.State
	address schema.Address // its place
	kind    schema.Kind
	outcome schema.Outcome
	cycles  schema.Null[uint32] // its own
}

// last returns the last instruction of the job, or the one before it.
func (j *job) last() step {
	i := len(j.pieces) - 1
	for i >= 0 && j.pieces[i].From == j.pieces[i].To { // it has only what was counted before it
		i--
	}
	if i < 0 {
		return j.before
	}
	r := &j.pieces[i]
	run := &r.Unit.Runs[r.To-1]
	code, i := r.Unit.Blocks[run.Block], int(run.First)+int(run.Count)-1
	s := step{ok: true, state: code.Key.State, address: code.Place(i), kind: schema.Kind(code.Kind[i]), outcome: run.Outcome}
	switch {
	case run.Flags&schema.RunHasCosts != 0:
		s.cycles = schema.Of(r.Unit.Costs[r.Costs-1])
	case run.Flags&schema.RunHasCycles != 0:
		s.cycles = schema.Of(run.Cycles)
	}
	return s
}
