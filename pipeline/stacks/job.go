package stacks

import (
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// A job is what a worker walks at once: consecutive runs of a source, and what came between
// them.
type job struct {
	pieces []stitch.Runs
	heads  []int       // those of them that a segment begins with
	marks  marks       // in order
	blocks []codeBlock // by number in the source
	before last        // before its first instruction
	at     position    // likewise
	entry  lastEntry   // likewise
}

// A mark is something between two instructions that decides where control goes.
type mark struct {
	what    markKind
	debug   bool                        // an entry to debug state, or a gap at the exit from it
	program bool                        // a gap where the flow is not what the program says
	restart bool                        // a gap since trace was off
	returns schema.Null[schema.Address] // of an entry: the return address
	entry   *entry
	context identity
	another bool // the Context ID is of another task than the one before
}

type marks = stitch.Marks[mark]

type markKind uint8

const (
	markEntry   markKind = iota // to an exception
	markReturn                  // from one, which the trace reports
	markContext                 // the Context ID changes
	markGap                     // as in a step
)

// cut takes from a job what comes before an ordinal, and leaves the marks from there on, in the memory of spare.
func (j *job) cut(seq int64, spare marks) job {
	cut := *j
	before, after := j.marks.Cut(seq)
	cut.marks = before
	*j = job{pieces: make([]stitch.Runs, 0, len(cut.pieces)), marks: append(spare, after...), blocks: cut.blocks}
	j.before, j.at = cut.end() // of its runs
	j.entry = cut.lastEntry()
	return cut
}

// lastEntry returns the exception entry that came last, in the job or before it.
func (j *job) lastEntry() lastEntry {
	for i := len(j.marks) - 1; i >= 0; i-- {
		switch m := &j.marks[i].Means; {
		case m.what == markEntry && !m.debug:
			return lastEntry{j.marks[i].Seq, m.returns}
		case m.what == markGap && !m.program && !m.debug:
			return lastEntry{seq: -1}
		}
	}
	return j.entry
}

// end returns the last instruction of the job, or the one before it, and the position after
// it.
func (j *job) end() (last, position) {
	l, at := j.before, j.at
	i := len(j.pieces) - 1
	for i >= 0 && j.pieces[i].From == j.pieces[i].To { // a stretch comes before a run
		i--
	}
	if i < 0 {
		return l, at
	}
	r := &j.pieces[i]
	l = lastOf(&r.Unit.Runs[r.To-1], r.Numbers, j.blocks)
	for ; i >= 0; i-- {
		if timed, ok := lastTimed(&j.pieces[i]); ok {
			at = timed
			break
		}
	}
	at.seq = r.Seq + r.Instructions
	return l, at
}

// lastTimed returns the position of the last run of a part that has cycles.
func lastTimed(r *stitch.Runs) (at position, ok bool) {
	if !r.Base.CycleAccurate {
		return at, false
	}
	span := len(r.Spans) - 1
	for i := r.To - 1; i >= r.From; i-- {
		for r.Spans[span].Run > i {
			span--
		}
		if run := &r.Unit.Runs[i]; run.Flags&timed != 0 {
			at.time(r, span, run.Cycle)
			return at, true
		}
	}
	return at, false
}

// time sets the cycle of a position, which a part has of one of its runs.
func (p *position) time(r *stitch.Runs, span int, at int64) {
	epoch, cycle := r.Base.At(schema.Point{Epoch: r.Spans[span].Epoch, Cycle: schema.Of(at)})
	p.epoch, p.cycle, p.timed = epoch, cycle.V, true
}

// timed are the flags of runs with cycles.
const timed = schema.RunHasCycles | schema.RunHasCosts

// release ends the use of the runs.
func (j *job) release() {
	for i := range j.pieces {
		j.pieces[i].Unit.Release()
	}
}

// A last is the instruction that was executed last; its block is nil if there was none.
type last struct {
	code     *codeBlock
	position int
	outcome  schema.Outcome
	// gone reports that the step after it was made already, or that there was none: code is
	// that of the next instruction.
	gone bool
}

// kind is that of the instruction; other if it went nowhere, or where it went is done.
func (l *last) kind() schema.Kind {
	if l.gone || l.outcome == schema.NotTaken {
		return schema.KindOther
	}
	return schema.Kind(l.code.Kind[l.position])
}

// next is the address after the instruction.
func (l *last) next() schema.Address {
	return l.code.Next(l.position)
}

// lastOf returns the last instruction of a run.
func lastOf(run *schema.Run, numbers []uint32, blocks []codeBlock) last {
	return last{code: &blocks[numbers[run.Block]], position: int(run.First+run.Count) - 1, outcome: run.Outcome}
}
