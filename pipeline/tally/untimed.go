package tally

import (
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// An untimed counts the runs of a cycle-accurate source that lie in epochs
// without cycles. They are few: mostly the first run of an epoch has cycles.
type untimed struct {
	epoch   int32
	timed   bool            // the epoch has cycles
	waiting map[shape]int64 // runs in the epoch, until it has cycles
	total   map[shape]int64 // runs in epochs before it that have none
	any     bool            // the source is cycle-accurate
}

// add takes the next runs.
func (u *untimed) add(r *stitch.Runs) {
	if !r.Base.CycleAccurate {
		return
	}
	if !u.any {
		u.any, u.waiting, u.total = true, map[shape]int64{}, map[shape]int64{}
	}
	for i := range r.Spans {
		to := r.To
		if i+1 < len(r.Spans) {
			to = r.Spans[i+1].Run
		}
		epoch, _ := r.Base.At(schema.Point{Epoch: r.Spans[i].Epoch})
		if epoch != u.epoch {
			u.end()
			u.epoch = epoch
		}
		u.addSpan(r, max(r.From, r.Spans[i].Run), to)
	}
}

// addSpan takes runs of the epoch.
func (u *untimed) addSpan(r *stitch.Runs, from, to int) {
	for i := from; i < to && !u.timed; i++ {
		run := &r.Unit.Runs[i]
		if run.Flags&(schema.RunHasCycles|schema.RunHasCosts) != 0 {
			u.timed = true
			clear(u.waiting)
			return
		}
		u.waiting[shape{r.Numbers[run.Block], run.First, run.Count}]++
	}
}

// end ends the epoch.
func (u *untimed) end() {
	for s, n := range u.waiting {
		u.total[s] += n
	}
	clear(u.waiting)
	u.timed = false
}
