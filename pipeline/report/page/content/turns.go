package content

import (
	"slices"
	"strings"

	"github.com/tracelake/tracelake/pipeline/report/timeline"
)

// byGap is what switched a task out where trace is not continuous.
const byGap = "a gap"

// A turns is the turns of a task: from when it runs until another task does or trace is off, with exceptions that return to it.
// Only the order of time has them, which is of one dataset: tables of tasks have sums alone.
type turns struct {
	longest, start int64 // of the longest one, which starts then; None: there was none
	out            map[string]int64
	ended          int64 // those after which something else ran
}

// A turnReader takes note of turns.
type turnReader struct {
	tasks   []timeline.Task
	of      []turns // by task of the dataset
	began   int64   // when that did which goes on
	by      string  // the exception that the running task left last
	byEnded int64   // when
}

func newTurnReader(tasks []timeline.Task) turnReader {
	return turnReader{tasks: tasks, of: slices.Repeat([]turns{{longest: None}}, len(tasks))}
}

// leaves notes that the running task leaves an exception.
func (r *turnReader) leaves(exception string, at int64) { r.by, r.byEnded = exception, at }

// end ends the turn of a task, as another has its turn; of an exception, which ends then, if one led to that. "": trace ends.
func (r *turnReader) end(task int32, at int64, by string) {
	if task == None {
		return
	}
	t := &r.of[r.tasks[task].Of]
	if took := at - r.began; took > t.longest {
		t.longest, t.start = took, r.began
	}
	if r.by != "" && r.byEnded == at && by != "" && by != byGap {
		by = r.by
	}
	if by != "" {
		if t.out == nil {
			t.out = map[string]int64{}
		}
		t.out[by]++
		t.ended++
	}
	r.by = ""
}

// mostOften returns what switched a task out most often.
func (t *turns) mostOften() (by string, times int64) {
	for name, n := range t.out {
		if n > times || n == times && strings.Compare(name, by) < 0 {
			by, times = name, n
		}
	}
	return by, times
}

// add adds turns of the same task.
func (t *turns) add(x *turns) {
	for by, n := range x.out {
		if t.out == nil {
			t.out = map[string]int64{}
		}
		t.out[by] += n
	}
	t.ended += x.ended
}
