package stacks

import (
	"errors"
	"iter"
	"sync"

	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/tally"
	"github.com/tracelake/tracelake/schema"
)

// Stacks rebuild the call stacks of one source.
type Stacks struct {
	functions Functions
	workers   tally.Workers
	rows      Sinks
	limits    limits
	base      stitch.Base // of the rows: the source alone
	timed     bool        // the source counts cycles
	job       job         // being collected
	runs      int         // in it, and steps; those of stretches count less, see notedRuns
	ordinal   int         // of the next job
	wanted    wanted      // of it
	long      longCalls   // where not all are wanted
	calls     int64       // rows that were passed on
	spans     int64
	segment   schema.Null[int32]    // the last one that executed anything
	stated    schema.Null[identity] // the last one that was stated

	mu     sync.Mutex
	tasks  *tasks
	folded map[int]*worker // of jobs that wait for one before them
	next   int             // the job that is to be applied next
	idle   []*worker
}

// Sinks are where rows go as what they are of ends. Those that are nil are not wanted.
type Sinks struct {
	Calls  stitch.Sink[Call]
	Spans  stitch.Sink[Span]
	Heads  func([]Head) error // by their segments; some may have none
	Places schema.Places
	// Opening is where the trace begins; nil: it is not known.
	Opening *Opening
	// MostCalls is how many rows Calls is given, those of the longest calls, at the end; 0: any number.
	MostCalls int
}

// New returns the stacks of a source whose core runs functions. Without workers, nil, it
// folds at once.
func New(functions Functions, workers tally.Workers, rows Sinks) *Stacks {
	return limited(functions, workers, rows, usual)
}

func limited(functions Functions, workers tally.Workers, rows Sinks, l limits) *Stacks {
	s := &Stacks{functions: functions, workers: workers, rows: rows, limits: l, folded: map[int]*worker{}}
	s.wanted, s.job.entry.seq = wanted{calls: noCalls, spans: rows.Spans != nil}, -1
	s.long = longCalls{most: rows.MostCalls, short: l.short}
	if rows.Calls != nil {
		s.wanted.calls = 0
	}
	s.tasks = newTasks(functions, l, s.wanted)
	if rows.Opening != nil {
		s.tasks.opening, s.tasks.context = rows.Opening, rows.Opening.identity()
		s.stated = s.tasks.context
	}
	return s
}

// A worker turns a job into steps, and folds those.
type worker struct {
	walker walker
	*folder
	marks marks // memory for those of a job to come
}

// worker returns one that is not in use.
func (s *Stacks) worker() *worker {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.idle); n > 0 {
		w := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return w
	}
	return &worker{folder: newFolder(s.functions), walker: walker{places: s.rows.Places}}
}

// Sinks returns sinks that have s rebuild stacks from what they are given, and pass it on.
func (s *Stacks) Sinks(to stitch.Sinks) stitch.Sinks {
	to.Runs, to.Counted, to.FunctionOf = stitch.TeeRuns(to.Runs, s.add), to.Counted || to.Runs == nil, s.functions.at
	to.Exceptions = stitch.Tee(to.Exceptions, s.exception)
	to.Events = stitch.Tee(to.Events, s.event)
	to.Losses = stitch.Tee(to.Losses, s.loss)
	to.Contexts = stitch.Tee(to.Contexts, s.context)
	return to
}

// mark takes the next mark of a kind, at a place in the trace.
func (s *Stacks) mark(b *stitch.Base, at schema.Key, m mark) {
	s.job.marks.Add(b, at, m, s.limits.marks, mark{what: markGap})
}

func (s *Stacks) exception(b *stitch.Base, x *stitch.Exception) {
	row := &x.Row
	if row.Event == schema.ExceptionReturn {
		s.mark(b, row.Key, mark{what: markReturn})
		return
	}
	s.mark(b, row.Key, mark{
		what: markEntry, debug: row.Type == schema.Of(schema.ExcDebug), returns: row.ReturnAddress,
		entry: &entry{
			Keys: b.Keys(row.Key), ordinal: x.Ordinal, exception: exceptionOf{kind: row.Type, number: row.Number},
			timestamp: x.Timestamp, cycles: int64(row.Cycles.V),
		},
	})
}

func (s *Stacks) event(b *stitch.Base, x *schema.Event) {
	if e := x.Event; e.IsGap() {
		s.mark(b, x.Key, mark{
			what: markGap, debug: e == schema.EventDebugExit, program: e == schema.EventInconsistent, restart: e == schema.EventTraceOn,
		})
	}
}

func (s *Stacks) loss(b *stitch.Base, x *schema.Loss) { s.mark(b, x.Key, mark{what: markGap}) }

func (s *Stacks) context(b *stitch.Base, x *schema.Context) {
	id := schema.Of(identity{x.ContextID.V, x.VMID})
	if x.ContextID.OK && id != s.stated { // else security or the exception level changes
		s.mark(b, x.Key, mark{what: markContext, context: id.V, another: differs(s.stated, id)})
		s.stated = id
	}
}

// add takes the next runs. All marks before them are known by now.
func (s *Stacks) add(r stitch.Runs) error {
	s.base.Source = r.Base.Source
	s.timed = s.timed || r.Base.CycleAccurate
	s.addBlocks(&r) // which those after it may use even if it has no runs
	if r.From == r.To {
		return nil
	}
	if s.runs+len(s.job.marks) >= s.limits.job {
		if err := s.submit(r.Seq); err != nil {
			return err
		}
	}
	r.Unit.Retain()
	if begun := r.Base.Segment; begun.OK && begun != s.segment {
		s.segment = begun
		s.job.heads = append(s.job.heads, len(s.job.pieces))
	}
	s.job.pieces = append(s.job.pieces, r)
	s.runs += r.To - r.From + len(r.Steps)
	for i := range r.Stretches {
		noted := r.Stretches[i].Runs
		s.runs -= noted - noted/notedRuns
	}
	return s.drain()
}

// notedRuns is how many runs of a stretch count as one in a job: nobody walks them, but the job holds
// their memory.
const notedRuns = 8

// addBlocks adds the code blocks of a part that are new.
func (s *Stacks) addBlocks(r *stitch.Runs) {
	for i := r.Block; i < r.Blocks; i++ {
		n := int(r.Numbers[i])
		for n >= len(s.job.blocks) {
			s.job.blocks = append(s.job.blocks, codeBlock{})
		}
		if b := &s.job.blocks[n]; b.Block == nil {
			*b = s.functions.codeBlock(r.Unit.Blocks[i])
		}
	}
}

// afterAll is an ordinal after all instructions.
const afterAll = 1 << 62

// submit hands the job, up to an ordinal, to a worker.
func (s *Stacks) submit(seq int64) error {
	if len(s.job.pieces) == 0 && (seq < afterAll || s.ordinal == 0 || len(s.job.marks) == 0) {
		return nil
	}
	w := s.worker()
	j := s.job.cut(seq, w.marks)
	s.runs = 0
	ordinal, rows, timed := s.ordinal, s.wanted, s.timed
	s.ordinal++
	work := func() {
		w.fold(&j, rows, timed)
		j.release()
		clear(j.marks)
		w.marks = j.marks[:0]
		s.apply(ordinal, w)
	}
	if s.workers == nil {
		work()
		return nil
	}
	return s.workers.Go(work)
}

// fold walks a job and folds its steps.
func (w *worker) fold(j *job, rows wanted, timed bool) {
	function := none
	if l := &j.before; l.code != nil {
		function = l.code.functionAt(l.position, w.functions)
	}
	w.reset(function, j.at, rows, timed)
	w.walker.walk(j, w.folder)
	w.finish(&w.walker.step.at)
}

// apply applies what a job was folded to, after that of all jobs before it.
func (s *Stacks) apply(ordinal int, w *worker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.folded[ordinal] = w
	for f := s.folded[s.next]; f != nil; f = s.folded[s.next] {
		delete(s.folded, s.next)
		s.next++
		s.tasks.timed = f.timed
		for i := range f.chunks {
			s.tasks.chunk(&f.chunks[i])
		}
		s.tasks.source.times.take(&f.times)
		s.idle = append(s.idle, f)
	}
}

// drain passes on the rows of what has ended.
func (s *Stacks) drain() error {
	s.mu.Lock()
	rows := s.tasks.ready()
	s.tasks.wanted = s.wanted
	s.mu.Unlock()
	err := errors.Join(s.drainCalls(rows.calls), s.drainSpans(rows.spans))
	if s.rows.Heads != nil && len(rows.heads) > 0 {
		err = errors.Join(err, s.rows.Heads(rows.heads))
	}
	return err
}

func (s *Stacks) drainCalls(calls []Call) error {
	if s.long.most == 0 {
		return s.passCalls(calls)
	}
	if s.long.add(calls); s.long.least > 0 {
		s.wanted.calls = s.long.least
	}
	return nil
}

func (s *Stacks) passCalls(calls []Call) error {
	if len(calls) == 0 {
		return nil
	}
	for i := range calls {
		c := &calls[i]
		c.Call, c.counted = s.calls, s.timed
		s.calls++
	}
	return s.rows.Calls.Add(s.base, calls)
}

func (s *Stacks) drainSpans(spans []Span) error {
	if len(spans) == 0 {
		return nil
	}
	for i := range spans {
		spans[i].Span = s.spans
		s.spans++
	}
	return s.rows.Spans.Add(s.base, spans)
}

// CallsAtLeast is how many instructions a call has that is given to Calls, after Finish; 0: all are.
func (s *Stacks) CallsAtLeast() int64 { return s.long.least }

// Finish ends the source and returns its rows of `stacks`, some at a time, and of `tasks`.
func (s *Stacks) Finish() (iter.Seq[[]Stack], []Task, error) {
	if err := s.submit(afterAll); err != nil {
		return nil, nil, err
	}
	if s.workers != nil {
		if err := s.workers.Wait(); err != nil {
			return nil, nil, err
		}
	}
	s.tasks.finish()
	if err := s.drain(); err != nil {
		return nil, nil, err
	}
	for _, calls := range s.long.rows {
		if err := s.passCalls(calls); err != nil {
			return nil, nil, err
		}
	}
	s.long.rows, s.idle, s.tasks.shadow = nil, nil, shadow{} // all of it is in the source
	stacks, tasks := s.tasks.source.rows(s.timed)
	return stacks, tasks, nil
}

// InOther returns how many instructions are in call paths beyond the limit, and that limit, after Finish.
func (s *Stacks) InOther() (instructions int64, paths int) {
	nodes := s.tasks.source.tree.nodes
	for i := range nodes {
		if n := &nodes[i]; n.entry == schema.StackOther {
			instructions += n.own.instructions
		}
	}
	return instructions, s.limits.nodes
}

// Times returns the rows of `call_times`, by address, after Finish.
func (s *Stacks) Times() []Times { return s.tasks.source.times.rows() }

// Base returns what the rows are relative to.
func (s *Stacks) Base() stitch.Base { return s.base }
