package timeline

import "container/heap"

// A sleeper is a task that does not run, and is in frames.
type sleeper struct {
	end  int64 // of the frame on top
	task int32
}

// sleepers has those that do not run, the one whose frame ends first on top; some may run by now.
type sleepers []sleeper

func (s sleepers) Len() int { return len(s) }
func (s sleepers) Less(i, j int) bool {
	return s[i].end < s[j].end || s[i].end == s[j].end && s[i].task < s[j].task
}
func (s sleepers) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s *sleepers) Push(x any)   { *s = append(*s, x.(sleeper)) }
func (s *sleepers) Pop() any {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}

// sleep has a task wait, if its top frame ends.
func (w *walker) sleep(task int32) {
	if task != none && w.lanes[task].end() != openEnd {
		heap.Push(&w.asleep, sleeper{w.lanes[task].end(), task})
	}
}

// sleeper returns the one whose frame ends first, or nil.
func (w *walker) sleeper() *sleeper {
	for len(w.asleep) > 0 {
		s := &w.asleep[0]
		if s.task != w.running && w.lanes[s.task].end() == s.end {
			return s
		}
		heap.Pop(&w.asleep)
	}
	return nil
}

// awake returns the task that runs as if it waited, or nil.
func (w *walker) awake() *sleeper {
	if w.running == none {
		return nil
	}
	return &sleeper{w.lanes[w.running].end(), w.running}
}
