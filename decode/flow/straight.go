package flow

import (
	"sort"

	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file walks straight code as far as the trace names an address or a number of
// instructions, without the waypoint at its end (IHI 0064: exceptions, source addresses, Q).

// Distance returns how many instructions there are in straight code from the position to the one
// at an address: the waypoint at the end counts as one that can be reached, not passed. With
// Missing, there is no memory before the address; with Overshot the address is not in that code.
func (w *Walker) Distance(to schema.Address) (n int, stop Stop) {
	w.enter()
	b := w.cur
	if to < w.PC().Address {
		return 0, Overshot
	}
	i := w.pos + sort.Search(b.len()-w.pos, func(i int) bool { return b.code.Address[w.pos+i] >= to })
	switch {
	case i < b.len() && b.code.Address[i] == to, i == b.len() && b.end == atMissing && to == b.next():
		return i - w.pos, Arrived
	case i == b.len() && b.end == atMissing:
		return i - w.pos, Missing
	default:
		return 0, Overshot
	}
}

// Advance walks at most n instructions of straight code up to the next waypoint, whose outcomes
// are unknown (of A64, all are executed). It returns how many it walked: with Overshot fewer, as the
// waypoint comes next.
func (w *Walker) Advance(t *Source, n int) (walked int, stop Stop) {
	w.enter()
	b, end := w.cur, w.cur.len()
	if b.end == atWaypoint {
		end--
	}
	walked = min(n, end-w.pos)
	if !w.emitUntraced(t, walked) {
		return 0, Endless
	}
	w.pos += walked
	switch {
	case walked == n:
		if w.pos == b.len() && n > 0 {
			w.at.Address, w.cur, w.pos = b.next(), nil, 0
		}
		return walked, Arrived
	case b.end == atWaypoint:
		return walked, Overshot
	case b.end == atMissing:
		return walked, Missing
	}
	return walked, Endless
}

// Upcoming returns the waypoint at the end of the straight code from the position on, and its
// address. It fails if there is none.
func (w *Walker) Upcoming() (in isa.Instruction, at schema.Address, ok bool) {
	if w.enter(); w.cur.end != atWaypoint {
		return isa.Instruction{}, 0, false
	}
	return w.cur.last, w.WaypointAddress(), true
}

// Retreat takes back what was walked since there were so many rows and instructions: it was not
// where the program went. The position becomes unknown.
func (w *Walker) Retreat(runs int, seq int64) {
	w.result.Runs, w.Seq = w.result.Runs[:runs], seq
	w.Lose()
}

// PassUntold walks over the waypoint that the position is at, whose outcome nothing tells. Where it
// arrives, the position is undecided, as after ToWaypoint.
func (w *Walker) PassUntold(t *Source) Stop {
	if !w.emitUntraced(t, 1) {
		return Endless
	}
	run := &w.result.Runs[len(w.result.Runs)-1]
	run.Outcome, run.Flags = schema.Unknown, run.Flags&^schema.RunHasFailed
	return Arrived
}
