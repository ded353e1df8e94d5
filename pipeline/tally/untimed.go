package tally

import (
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// An untimed counts the executions that `timed` leaves out: those of a
// cycle-accurate source in epochs without cycles. The goroutine that collects jobs
// counts them, since a job may have only a part of an epoch. They are few: mostly
// the first run of an epoch has cycles.
type untimed struct {
	any   bool // the source is cycle-accurate
	epoch int32
	timed bool // the epoch has cycles

	waiting executions // in the epoch, which has no cycles so far
	ended   executions // in epochs that ended without cycles
}

// executions are how often instructions executed.
type executions struct {
	passes passes
	folded map[PC]int64 // before the last fold
}

// passes are runs by block and position: those that begin there less those that
// ended before.
type passes map[*schema.Block][]int64

// add takes the next runs.
func (u *untimed) add(r *stitch.Runs) {
	if !r.Base.CycleAccurate {
		return
	}
	u.any = true
	for i := range r.Spans {
		to := r.To
		if i+1 < len(r.Spans) {
			to = r.Spans[i+1].Run
		}
		epoch, _ := r.Base.At(schema.Point{Epoch: r.Spans[i].Epoch})
		if epoch != u.epoch {
			u.endEpoch()
			u.epoch = epoch
		}
		u.addSpan(r, r.Spans[i].Run, to)
	}
}

// addSpan takes runs of the epoch.
func (u *untimed) addSpan(r *stitch.Runs, from, to int) {
	for i := from; i < to && !u.timed; i++ {
		run := &r.Unit.Runs[i]
		if run.Flags&(schema.RunHasCycles|schema.RunHasCosts) != 0 {
			u.timed, u.waiting = true, executions{}
			return
		}
		first, end := int(run.First), int(run.First)+int(run.Count)
		at := u.waiting.passes.upTo(r.Unit.Blocks[run.Block], end)
		at[first]++
		at[end]--
	}
}

// endEpoch ends the epoch.
func (u *untimed) endEpoch() {
	for code, starts := range u.waiting.passes {
		at := u.ended.passes.upTo(code, len(starts)-1)
		for i, n := range starts {
			at[i] += n
		}
	}
	for key, n := range u.waiting.folded {
		u.ended.add(key, n)
	}
	u.timed, u.waiting = false, executions{}
}

// fold takes the executions off rows, to which they were added, and holds no
// blocks any more.
func (u *untimed) fold(from *sums) {
	u.ended.passes.each(from.untime)
	for key, n := range u.ended.folded {
		from.untime(key, n)
	}
	u.waiting.passes.each(u.waiting.add)
	u.ended, u.waiting.passes = executions{}, nil
}

// add adds executions that were folded.
func (x *executions) add(key PC, n int64) {
	if x.folded == nil {
		x.folded = map[PC]int64{}
	}
	x.folded[key] += n
}

// upTo returns the runs of a block, with room for a position.
func (p *passes) upTo(code *schema.Block, i int) []int64 {
	at := (*p)[code]
	if i >= len(at) {
		if *p == nil {
			*p = passes{}
		}
		at = append(at, make([]int64, i+1-len(at))...)
		(*p)[code] = at
	}
	return at
}

// each calls a function with the executions of each instruction.
func (p passes) each(do func(key PC, n int64)) {
	for code, starts := range p {
		n := int64(0)
		for i, starts := range starts {
			if n += starts; n > 0 {
				do(PC{Address: code.Place(i), ISA: code.Key.ISA}, n)
			}
		}
	}
}
