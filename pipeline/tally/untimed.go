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

	waiting passes             // in the epoch, which has no cycles so far
	waited  map[location]int64 // likewise, before the last fold
	passes  passes             // in epochs that ended without cycles
	ended   map[location]int64 // likewise, before the last fold of their epoch
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
			u.timed, u.waiting, u.waited = true, nil, nil
			return
		}
		first, end := int(run.First), int(run.First)+int(run.Count)
		if u.waiting == nil {
			u.waiting = passes{}
		}
		at := u.waiting.upTo(r.Unit.Blocks[run.Block], end)
		at[first]++
		at[end]--
	}
}

// endEpoch ends the epoch.
func (u *untimed) endEpoch() {
	if u.passes == nil && u.waiting != nil {
		u.passes = passes{}
	}
	for code, starts := range u.waiting {
		at := u.passes.upTo(code, len(starts)-1)
		for i, n := range starts {
			at[i] += n
		}
	}
	if u.ended == nil && u.waited != nil {
		u.ended = map[location]int64{}
	}
	for key, n := range u.waited {
		u.ended[key] += n
	}
	u.timed, u.waiting, u.waited = false, nil, nil
}

// fold takes the executions off rows, to which they were added, and holds no
// blocks any more.
func (u *untimed) fold(from *sums) {
	u.passes.each(from.untime)
	for key, n := range u.ended {
		from.untime(key, n)
	}
	if u.waited == nil && u.waiting != nil {
		u.waited = map[location]int64{}
	}
	u.waiting.each(func(key location, n int64) { u.waited[key] += n })
	u.passes, u.ended, u.waiting = nil, nil, nil
}

// upTo returns the runs of a block, with room for a position.
func (p passes) upTo(code *schema.Block, i int) []int64 {
	at := p[code]
	if i >= len(at) {
		at = append(at, make([]int64, i+1-len(at))...)
		p[code] = at
	}
	return at
}

// each calls a function with the executions of each instruction.
func (p passes) each(do func(key location, n int64)) {
	for code, starts := range p {
		n := int64(0)
		for i, starts := range starts {
			if n += starts; n > 0 {
				do(location{code.Address[i], code.Key.ISA}, n)
			}
		}
	}
}
