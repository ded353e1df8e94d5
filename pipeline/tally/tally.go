// Package tally counts what ran: how often each instruction was executed, and how
// often control went from one to another (rows of `counts` and `edges`). A [Tally]
// is a sink of what the stitcher emits of one source. It collects runs into jobs,
// which workers count, and adds up what they counted when the source ends.
//
// Its memory depends on the code that ran, not on how long it ran.
//
// Its API is not stable (docs/guide/library.md).
package tally

import (
	"fmt"
	"math"
	"sync"

	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// A Tally counts what ran in one source.
type Tally struct {
	workers  Workers
	limits   limits
	base     stitch.Base // of its rows: the source alone
	counters counters
	untimed  untimed
	touched  touched
	counts   sums // of what was counted and folded

	job     job // being collected
	runs    int // in it
	ordinal int // of the job before it, from 1

	mu    sync.Mutex
	marks marks // memory that no job uses
}

// Workers count jobs beside the goroutine that collects them.
type Workers interface {
	// Go has work called once, by another goroutine. It may wait for one that is free, so
	// that not much waits to be counted.
	Go(work func()) error
	// Wait waits until all work is done. It fails if some never will be.
	Wait() error
}

// New returns the tally of a source. Without workers, nil, it counts at once.
func New(workers Workers, places schema.Places) *Tally {
	return &Tally{workers: workers, job: job{places: places}, limits: usual}
}

// limits bound what a tally holds, and how long it waits for more.
type limits struct {
	// job is how many runs and marks a job has at least.
	job int
	// marks is how many marks between two instructions are looked at. No trace of a
	// core has more than a few.
	marks int
	// fold is how many instructions the blocks have that are counted one by one,
	// about, before what was counted is added up by address: each takes a worker some
	// 40 bytes. A program that runs through a MB of code stays below.
	fold int
	// counter is how many shapes a worker has, and how many edges and extents, and
	// source how many edges and extents there may be in all.
	counter, source int
}

var usual = limits{job: 16384, marks: 65536, fold: 1 << 20, counter: 1 << 16, source: 1 << 25}

// A LimitError says that a source took more different ways than are counted.
type LimitError struct {
	Most int
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("more than %d different edges, or runs with cycles: is this the program that ran?", e.Most)
}

// check fails with a [*LimitError] if there are too many edges and extents.
func (l *limits) check(entries int) error {
	if entries > l.source {
		return &LimitError{l.source}
	}
	return nil
}

// Base returns what the rows of Finish are relative to.
func (t *Tally) Base() stitch.Base { return t.base }

// add takes the next runs. All marks before them are known by now, but for those
// right before the first.
func (t *Tally) add(r stitch.Runs) error {
	if r.From == r.To && len(r.Turns)+len(r.Failures) == 0 { // those may come after the runs
		return nil
	}
	t.base.Source = r.Base.Source
	if t.folds(&r) {
		if err := t.fold(r.Seq); err != nil {
			return err
		}
		t.touched.add(&r)
	}
	if t.runs+len(t.job.marks) >= t.limits.job {
		if err := t.submit(r.Seq); err != nil {
			return err
		}
	}
	r.Unit.Retain()
	t.job.pieces = append(t.job.pieces, r)
	t.runs += r.To - r.From + len(r.Stretches) + len(r.Firsts) + len(r.Turns) + len(r.Failures)
	t.untimed.add(&r)
	return nil
}

// folds reports whether what came before a part is to be added up. That depends on the runs
// of whole units, as far as one does not fill the memory: what a decoder counts comes with the
// last part of a unit, unless there is much of it.
func (t *Tally) folds(r *stitch.Runs) bool {
	weight := t.touched.add(r)
	return weight > t.limits.fold && (r.Begins || weight > 2*t.limits.fold)
}

// mark takes the next mark of a kind, at a place in the trace.
func (t *Tally) mark(b *stitch.Base, at schema.Key, m mark) {
	t.job.marks.Add(b, at, m, t.limits.marks, mark{what: debugExit})
}

// submit hands the job to a worker. The next one begins at an ordinal, and has the
// marks right before it.
func (t *Tally) submit(seq int64) error {
	j := t.job
	if len(j.pieces) == 0 {
		return nil
	}
	if err := t.limits.check(t.counters.entries()); err != nil {
		return err
	}
	before, after := j.marks.Cut(seq)
	t.job = job{places: j.places, pieces: make([]stitch.Runs, 0, len(j.pieces)), marks: append(t.swapMarks(nil), after...), before: j.last()}
	j.marks = before
	t.runs = 0
	t.ordinal++
	ordinal := t.ordinal
	work := func() {
		t.counters.count(ordinal, &j, t.limits.counter)
		j.release()
		t.swapMarks(j.marks[:0])
	}
	if t.workers == nil {
		work()
		return nil
	}
	return t.workers.Go(work)
}

// swapMarks takes the memory for marks that was given, if there is some, and gives other.
func (t *Tally) swapMarks(give marks) (taken marks) {
	t.mu.Lock()
	defer t.mu.Unlock()
	taken, t.marks = t.marks, give
	return taken
}

// fold counts all that came before an ordinal and adds it up.
func (t *Tally) fold(seq int64) error {
	if err := t.submit(seq); err != nil {
		return err
	}
	if t.workers != nil {
		if err := t.workers.Wait(); err != nil {
			return err
		}
	}
	entries := t.counters.fold(&t.counts, t.untimed.any)
	t.untimed.fold(&t.counts)
	t.touched.clear()
	return t.limits.check(entries)
}

// Finish ends the source and returns the rows of `counts`, by address and
// instruction set, and of `edges`, by both addresses, kind and outcome.
func (t *Tally) Finish() ([]Count, []Edge, error) {
	t.untimed.endEpoch()
	if err := t.fold(math.MaxInt64); err != nil {
		return nil, nil, err
	}
	return t.counts.rows, t.counters.edgeRows(), nil
}
