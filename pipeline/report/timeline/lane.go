package timeline

import (
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// A lane is what a task is in, the outermost first.
type lane []laneFrame

// A laneFrame is a frame that was entered and not left.
type laneFrame struct {
	node  int32 // none: it is not known
	frame int32
	end   int64 // seq; of a guess that of the row it is in
	until int64 // time of the end, or unknownTime
	why   schema.CallEnd
	kind  laneKind
	cut   bool // it was left before its row says, with the exception that it is in
	cuts  bool // what is in it may be cut
}

// A laneKind is how a frame is known.
type laneKind uint8

const (
	guess     laneKind = iota // by the path of a call in it
	call                      // by its row
	exception                 // likewise
)

// deepest is how many frames of a task are entered; beyond, no viewer shows anything.
const deepest = 512

func (l lane) top() *laneFrame { return &l[len(l)-1] }

// end returns when the frame on top ends; openEnd without one.
func (l lane) end() int64 {
	if len(l) == 0 {
		return openEnd
	}
	return l.top().end
}

// row returns the index of the topmost frame that has a row, or none.
func (l lane) row() int {
	i := len(l) - 1
	for i >= 0 && l[i].kind == guess {
		i--
	}
	return i
}

// push pushes the frame of a row, if that is inside the one on top.
func (l lane) push(f laneFrame, x *span, t *Timeline) (lane, error) {
	if len(l) == 0 {
		return append(l, f), nil
	}
	top := l.top()
	if f.end > top.end {
		if !top.cuts {
			return l, fmt.Errorf("%s of task %d from seq %d to %s crosses one that ends at %d", t.rowText(x), x.task, x.seq,
				endText(x.end), top.end)
		}
		f.end, f.until, f.cut = top.end, top.until, true
	}
	f.cuts = f.cuts || top.cuts && f.end == top.end
	return append(l, f), nil
}

// rowText names the kind and frame of a row.
func (t *Timeline) rowText(x *span) string {
	if x.isException() {
		return "exception " + t.Frames[notFrame(x.node)].Text()
	}
	return "call of " + t.Frames[t.paths.frames[x.node]].Text()
}

// endText names an end.
func endText(seq int64) string {
	if seq == openEnd {
		return "the end"
	}
	return fmt.Sprint(seq)
}

// enters has a lane be in the frames of a path down to a node, as far as that fits the frames
// that have rows: those between are guessed.
func (w *walker) enters(task, node int32) {
	l := w.lanes[task]
	row := l.row()
	if len(l) > 0 && l.top().node == node || node == none {
		return
	}
	chain, ok := w.chain(l, row, node)
	if !ok {
		return
	}
	keep := row + 1
	for keep < len(l) && len(chain) > 0 && l[keep].frame == w.paths.frames[chain[len(chain)-1]] {
		l[keep].node = chain[len(chain)-1]
		chain = chain[:len(chain)-1]
		keep++
	}
	w.leaveDownTo(task, keep)
	for _, n := range slices.Backward(chain) {
		w.guess(task, n, w.paths.frames[n])
	}
}

// chain returns the nodes from a node up to the frame of a lane that has a row, without that.
// It reports false if the path does not come by there.
func (w *walker) chain(l lane, row int, node int32) ([]int32, bool) {
	p := &w.paths
	w.path = w.path[:0]
	for n := node; n != none; n = p.parent(n) {
		if len(w.path) > deepest {
			return nil, false
		}
		if row >= 0 {
			switch f := &l[row]; {
			case n == f.node:
				return w.path, true
			case f.kind == exception && p.isException(n) && p.frames[n] == f.frame:
				f.node = n
				return w.path, true
			case f.kind == call && p.depth[n] <= p.depth[f.node]:
				return nil, false
			}
		}
		w.path = append(w.path, n)
	}
	return w.path, row < 0
}

// guess has a task be in a frame that has no row.
func (w *walker) guess(task, node, frame int32) {
	f := laneFrame{node: node, frame: frame, end: openEnd, until: unknownTime}
	if l := w.lanes[task]; len(l) > 0 {
		f.end, f.until, f.why, f.cuts = l.top().end, l.top().until, l.top().why, l.top().cuts
	}
	w.lanes[task] = append(w.lanes[task], f)
	w.used = append(w.used, task)
	w.entered(task)
}

// interrupted has a task be in the exception that is on top, and its handler, as far as the
// call tree has them.
func (w *walker) interrupted(task int32) {
	l := w.lanes[task]
	x := l.top()
	if n, ok := w.paths.exceptions[[2]int32{below(l), x.frame}]; ok {
		x.node = n
	} else if n, ok := w.paths.exceptions[[2]int32{none, x.frame}]; ok {
		x.node = n
	}
	if handler, ok := w.paths.handlers[x.frame]; ok && handler != none {
		w.guess(task, none, handler)
	}
}

// below returns the node of the frame below that on top, or none.
func below(l lane) int32 {
	if len(l) < 2 {
		return none
	}
	return l[len(l)-2].node
}
