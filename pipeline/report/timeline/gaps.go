package timeline

import (
	"slices"
	"sort"
)

// gaps are where control may have come from nowhere: where rows say that something was lost, or that trace began
// anew. Where a call or an exception goes on, nothing was lost: trace was off, and went on where it stopped.
type gaps struct {
	at    []int64 // ascending
	cross []int   // how many rows go on there: one less each where rows end
}

// addGap notes that there may be a gap before an instruction.
func (r *reader) addGap(seq int64) {
	if 0 < seq && seq < r.instructions {
		r.gaps.at = append(r.gaps.at, seq)
	}
}

// sort puts them in order, each once.
func (g *gaps) sort() {
	slices.Sort(g.at)
	g.at = slices.Compact(g.at)
	g.cross = make([]int, len(g.at)+1)
}

// crossed notes that a row goes on where there may be gaps in it.
func (g *gaps) crossed(x *span) {
	first := sort.Search(len(g.at), func(i int) bool { return g.at[i] > x.seq })
	last := sort.Search(len(g.at), func(i int) bool { return g.at[i] >= x.end })
	if first < last {
		g.cross[first]++
		g.cross[last]--
	}
}

// known returns the gaps.
func (g *gaps) known() (seqs []int64) {
	over := 0
	for i, at := range g.at {
		if over += g.cross[i]; over == 0 {
			seqs = append(seqs, at)
		}
	}
	return seqs
}

// An interruption is an exception that has not ended: where its handler is.
type interruption struct {
	end  int64
	task int32
}

// findLanes has what is in a handler be in the lane of the task that the exception interrupted, as far as that is
// known.
func (t *Timeline) findLanes() {
	open, last := map[int32][]interruption{}, int32(0) // by the frame of the exception
	for i := range t.spans {
		x := &t.spans[i]
		switch {
		case x.task == none:
			x.task = last
		case t.Tasks[x.task].isHandlers() && t.Tasks[x.task].root != none:
			frame := t.paths.frames[t.Tasks[x.task].root]
			l := open[frame]
			for n := len(l); n > 0 && (l[n-1].end < x.seq || l[n-1].end == x.seq && !x.atGap()); n-- {
				l = l[:n-1]
			}
			if open[frame] = l; len(l) > 0 {
				x.task = l[len(l)-1].task
			}
		}
		last = x.task
		if frame := notFrame(x.node); x.isException() {
			open[frame] = append(open[frame], interruption{x.end, x.task})
		}
	}
	if len(t.Tasks) == 0 {
		t.spans = nil
	}
}
