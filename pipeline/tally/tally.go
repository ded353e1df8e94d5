// Package tally counts what ran: how often each instruction was executed, and how
// often control went from one to another (rows of `counts` and `edges`). A [Tally]
// is a sink of what the stitcher emits of one source. It collects runs into jobs,
// which workers count, and adds up what they counted when the source ends.
//
// What it holds depends on the code that ran, not on how long it ran.
package tally

import (
	"slices"

	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// A Tally counts what ran in one source.
type Tally struct {
	workers  Workers
	counters counters
	untimed  untimed

	base    stitch.Base // what its rows are relative to: the source alone
	job     job         // being collected
	runs    int         // in it
	ordinal int         // of the job
}

// Workers run jobs beside the goroutine that collects them.
type Workers interface {
	// Go has work called once, by another goroutine. bytes is about what the work
	// holds in memory until then.
	Go(bytes int64, work func()) error
	// Wait waits for all work to be done. It fails if some of it never will be.
	Wait() error
}

// New returns the tally of a source. Without workers it counts at once.
func New(workers Workers) *Tally { return &Tally{workers: workers} }

// How many runs make a job, and what one takes up in memory.
const (
	jobRuns  = 16384
	runBytes = 40
)

// Sinks returns sinks that count what they are given and hand it on.
func (t *Tally) Sinks(to stitch.Sinks) stitch.Sinks {
	to.Runs = &runSink{t, to.Runs}
	to.Exceptions = &tee[stitch.Exception]{to.Exceptions, t.exception}
	to.Events = &tee[schema.Event]{to.Events, t.event}
	to.Losses = &tee[schema.Loss]{to.Losses, t.loss}
	return to
}

// A tee looks at rows and hands them on.
type tee[T any] struct {
	to   stitch.Sink[T] // may be nil
	look func(b *stitch.Base, x *T)
}

// Add implements [stitch.Sink].
func (s *tee[T]) Add(b stitch.Base, rows []T) error {
	for i := range rows {
		s.look(&b, &rows[i])
	}
	if s.to == nil {
		return nil
	}
	return s.to.Add(b, rows)
}

// A runSink counts runs and hands them on.
type runSink struct {
	tally *Tally
	to    stitch.RunSink // may be nil
}

// Add implements [stitch.RunSink].
func (s *runSink) Add(r stitch.Runs) error {
	if err := s.tally.add(r); err != nil || s.to == nil {
		return err
	}
	return s.to.Add(r)
}

func (t *Tally) exception(b *stitch.Base, x *stitch.Exception) {
	if x.Row.Event == schema.ExceptionEntry {
		t.mark(b, x.Row.Key, mark{what: entry, returnAddress: x.Row.ReturnAddress})
	}
}

func (t *Tally) event(b *stitch.Base, x *schema.Event) {
	switch {
	case x.Event == schema.EventDebugExit:
		t.mark(b, x.Key, mark{what: debugExit})
	case x.Event.Restarts():
		t.mark(b, x.Key, mark{what: gap})
	}
}

func (t *Tally) loss(b *stitch.Base, x *schema.Loss) { t.mark(b, x.Key, mark{what: gap}) }

func (t *Tally) mark(b *stitch.Base, at schema.Key, m mark) {
	m.Key = schema.Key{Seq: b.Keys(at).Seq, Offset: at.Offset}
	t.job.marks = append(t.job.marks, m)
}

// add takes the next runs. All marks before their first instruction are known by
// now, but for those right before it.
func (t *Tally) add(r stitch.Runs) error {
	if r.From == r.To {
		return nil
	}
	if t.runs >= jobRuns {
		if err := t.submit(r.Seq); err != nil {
			return err
		}
	}
	t.base.Source = r.Base.Source
	t.job.pieces = append(t.job.pieces, r)
	t.runs += r.To - r.From
	t.untimed.add(&r)
	return nil
}

// submit hands the job on. The next one begins at an ordinal and has the marks
// before it.
func (t *Tally) submit(seq int64) error {
	j := t.job
	slices.SortStableFunc(j.marks, mark.compare)
	n := len(j.marks)
	for n > 0 && j.marks[n-1].Seq >= seq {
		n--
	}
	t.job = job{marks: slices.Clone(j.marks[n:]), before: j.last()}
	j.marks = j.marks[:n:n]
	bytes := int64(t.runs) * runBytes
	t.runs = 0
	t.ordinal++
	ordinal := t.ordinal
	work := func() { t.counters.count(ordinal, &j) }
	if t.workers == nil {
		work()
		return nil
	}
	return t.workers.Go(bytes, work)
}

// Base returns what the rows are relative to.
func (t *Tally) Base() stitch.Base { return t.base }

// Finish ends the source and returns the rows of `counts`, by address and
// instruction set, and of `edges`, by both addresses, kind and outcome.
func (t *Tally) Finish() ([]Count, []Edge, error) {
	if err := t.submit(1<<63 - 1); err != nil {
		return nil, nil, err
	}
	if t.workers != nil {
		if err := t.workers.Wait(); err != nil {
			return nil, nil, err
		}
	}
	t.untimed.end()
	counts, edges := t.counters.rows(t.untimed.any, t.untimed.total)
	return counts, edges, nil
}
