package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/tracelake/tracelake/pipeline/engine"

	"golang.org/x/sync/errgroup"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/pipeline/code"
	"github.com/tracelake/tracelake/pipeline/rows"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/tally"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Options say what to export and how.
type Options struct {
	Capture     capture.Options
	Level       schema.Level
	Format      schema.Format
	Codec       string          // "" is the default of the format
	Tables      []*schema.Table // beside those always written; nil: those written by default
	Sources     []uint8         // to decode; nil: all
	Window      *Window         // to decode; nil: all
	Workers     int             // at least 1
	Overwrite   bool
	Labels      map[string]string
	TaskNames   map[uint32]string // by Context ID; of others that of their first function
	TimestampHz uint64            // 0: as the snapshot says
	CycleHz     uint64            // 0: not known
	MaxRows     int64             // of `instructions` or of `blocks`; 0: DefaultMaxRows; of no meaning for LevelNone
	// PacketsOnly asks for the tables that need no program (see [PacketTables]) in place
	// of Tables. Then it is no failure that nothing was executed.
	PacketsOnly bool
	// Without are tables that are not written, whatever else is asked for.
	Without []*schema.Table
	// AllowNothing asks for a dataset also if nothing was decoded.
	AllowNothing bool
	// Resumable asks that finished parts are kept if the export is interrupted; Resume to go on
	// with what is kept. Then the export is resumable again.
	Resumable, Resume bool

	Tool schema.Tool
	Run  schema.Export // what the manifest says of this run
	// protocols, if not nil, are decoded in place of those of protocols.go.
	protocols []decode.Family
	// original, if not nil, is what the capture has to be.
	original *original
	// earlier, if not nil, is the dataset that is replaced.
	earlier *earlier
	// partRowGroups, if not 0, is that of the dataset's.
	partRowGroups int
	// Progress, if not nil, is called now and then, by one goroutine at a time.
	Progress func(Progress)
}

// Export turns the capture at input into a dataset in dir. It fails with a
// [*NothingError] if nothing was decoded; whenever it fails, it leaves no
// dataset and no file that looks like part of one. If it is resumable and is
// interrupted, it fails with a [*dataset.SuspendedError].
func Export(ctx context.Context, input, dir string, opt Options) (*Summary, error) {
	input, err := opt.ofDataset(input)
	if err != nil {
		return nil, err
	}
	s, err := openSession(ctx, input, sessionOptions{capture: opt.Capture, sources: opt.Sources, workers: opt.Workers, protocols: opt.protocols, packetsOnly: opt.PacketsOnly, window: opt.Window})
	if err != nil {
		return nil, err
	}
	defer s.close()
	if s.archive != nil {
		opt.fill(&s.archive.Index.Options.Options, s.archive.Index.Options.Labels)
	}
	programs, err := s.programs()
	if err != nil {
		return nil, err
	}
	hashing := s.hashInputs(ctx)
	defer hashing.stop()
	e := &exporter{session: s, opt: opt, programs: programs}
	defer e.closeTaken()
	files := dataset.Options{
		Level: opt.Level, Format: opt.Format, Codec: opt.Codec, Tables: opt.Tables, TracesData: s.plan.tracesData(),
		Overwrite: opt.Overwrite, Meta: e.meta(hashing), Without: opt.Without, Resumption: e.resumption(hashing), PartRowGroups: opt.partRowGroups,
	}
	if opt.PacketsOnly {
		files.Tables, files.Without = PacketTables(), schema.Answers()
	}
	if e.out, err = dataset.Create(dir, files); err != nil {
		return nil, err
	}
	m, err := e.run(ctx)
	if err != nil {
		hashing.stop() // nobody needs the hashes
	}
	inputs, hashErr := hashing.wait()
	if err == nil {
		err = hashErr
	}
	if changed := s.checkInputs(ctx, inputs); changed != nil {
		err = changed // whatever else it led to
	}
	if err != nil {
		return nil, e.out.Stop(err)
	}
	m.Inputs = inputs
	if err := e.out.Close(m); err != nil {
		return nil, err
	}
	return e.summary(m), nil
}

// meta returns the metadata of all parts, once the files of the capture are hashed and are
// those that it has to have.
func (e *exporter) meta(h *hashing) func() ([]schema.Meta, error) {
	return func() ([]schema.Meta, error) {
		meta, err := h.meta()
		if err == nil {
			err = e.demandOriginal(e.opt.original, h.files)
		}
		return meta, err
	}
}

// An exporter runs one export.
type exporter struct {
	*session
	opt    Options
	out    *dataset.Writer
	jobs   chan rows.Job
	queued *engine.Budget // row groups that wait to be encoded
	limit  rows.Limit
	series []*dataset.Series // of the source at hand

	programs []code.Program
	executed []code.Executed // by source
	named    map[uint32]bool // Context IDs that tasks have

	// Of what is replaced: see earlier.
	prefix *prefix // of the source at hand
	taken  []*dataset.RowGroups
	copied int // row groups
}

// run decodes all sources and writes all tables.
func (e *exporter) run(ctx context.Context) (*schema.Manifest, error) {
	e.jobs, e.queued = make(chan rows.Job), engine.NewBudget(jobBytes*int64(e.opt.Workers))
	e.named = map[uint32]bool{}
	e.limit.Most = cmp.Or(e.opt.MaxRows, DefaultMaxRows)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return e.encode(ctx) })
	g.Go(func() error {
		defer close(e.jobs)
		return e.decodeAll(ctx)
	})
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if e.opt.PacketsOnly {
		return e.manifest(), e.plan.errIfNoPackets()
	}
	if err := e.plan.errIfEmpty(); err != nil && !e.opt.AllowNothing {
		return nil, err
	}
	symbols := e.writePrograms()
	m := e.manifest()
	m.Images = append(m.Images, symbols...)
	return m, nil
}

// PacketTables are the tables that [Options.PacketsOnly] asks for.
func PacketTables() []*schema.Table {
	return []*schema.Table{
		&schema.Packets, &schema.Exceptions, &schema.Events, &schema.Timestamps, &schema.Contexts, &schema.Losses, &schema.Segments,
		&schema.Sources, &schema.Images,
	}
}

// encode makes row groups of the jobs and writes them in order.
func (e *exporter) encode(ctx context.Context) error {
	jobs := func(yield func(rows.Job, error) bool) {
		for j := range e.jobs {
			if !yield(j, nil) {
				return
			}
		}
	}
	c := &coders{dataset: e.out}
	work := func(ctx context.Context, j rows.Job) (encoded, error) {
		defer e.queued.Give(j.Bytes)
		return c.encode(ctx, j)
	}
	return engine.Ordered(ctx, e.tokens, jobs, work, encoded.write)
}

// decodeAll makes jobs of every row of the dataset.
func (e *exporter) decodeAll(ctx context.Context) error {
	submit := func(j rows.Job) error { return e.submit(ctx, j) }
	counting := engine.NewCounting(ctx, e.tokens)
	defer counting.Wait()
	at := newProgressing(e.plan, e.opt.Progress)
	for _, s := range e.plan.sources {
		progress := at.source()
		done, err := e.takeOver(ctx, s)
		if err == nil && !done {
			err = e.decodeSource(ctx, s, e.output(s.ID, submit, counting), progress)
		}
		if err != nil {
			return err
		}
	}
	e.noteUnusedNames()
	return e.triggers(submit)
}

// decodeSource makes jobs of every row of a source.
func (e *exporter) decodeSource(ctx context.Context, s *sourcePlan, out rows.Output, progress func(*schema.Totals)) error {
	e.prefix = e.newPrefix(s)
	defer func() { e.prefix = nil }()
	out.Functions = code.Functions(e.programs, s.Core)
	t := rows.New(out)
	if err := e.decode(ctx, s, t.Sinks, progress); err != nil {
		return err
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if err := e.endSeries(ctx); err != nil {
		return err
	}
	s.callsLeftOut = t.CallsLeftOut()
	for id := range t.ContextIDs() {
		e.named[id] = true
	}
	e.executed = append(e.executed, executed(s.Core, t.Counted))
	return e.judge(ctx, s)
}

// noteUnusedNames notes which names of tasks name none.
func (e *exporter) noteUnusedNames() {
	for _, id := range slices.Sorted(maps.Keys(e.opt.TaskNames)) {
		if !e.named[id] {
			e.plan.notes = append(e.plan.notes, fmt.Sprintf("task %q names none: no source traced Context ID %#x", e.opt.TaskNames[id], id))
		}
	}
}

// submit hands a job to the workers.
func (e *exporter) submit(ctx context.Context, j rows.Job) error {
	if err := e.queued.Room(ctx); err != nil {
		return err
	}
	j.Kept = j.Series.Kept()
	if !j.Kept {
		j.Encoded = e.prefix.take(j.Series)
	}
	e.queued.Take(j.Bytes)
	return e.send(ctx, j)
}

// endSeries completes the parts of a source: they are kept if a later one is interrupted.
func (e *exporter) endSeries(ctx context.Context) error {
	for _, s := range e.series {
		if err := e.send(ctx, rows.Job{Series: s, End: true}); err != nil {
			return err
		}
	}
	e.series = nil
	return nil
}

func (e *exporter) send(ctx context.Context, j rows.Job) error {
	select {
	case e.jobs <- j:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// triggers makes events of the trigger ID: of the capture, not of a source or a window.
func (e *exporter) triggers(submit func(rows.Job) error) error {
	if e.window != nil {
		return nil
	}
	t := rows.New(e.output(frame.TriggerID, submit, nil))
	st := stitch.New(frame.TriggerID, decode.TimestampCode{}, t.Sinks)
	for _, b := range e.plan.buffers {
		err := b.triggers(func(offset int64) error {
			trigger := schema.Event{Key: schema.Key{Offset: offset}, Event: schema.EventTrigger}
			return st.Stitch(&stitch.Unit{Events: []schema.Event{trigger}, Rows: &decode.Result{}})
		})
		if err != nil {
			return err
		}
	}
	return t.Flush()
}

// output returns where the row groups of a source go: to submit, of the tables that
// are to be written.
func (e *exporter) output(source uint8, submit func(rows.Job) error, workers tally.Workers) rows.Output {
	series := func(t *schema.Table) *dataset.Series {
		if !e.out.Has(t) {
			return nil
		}
		s := e.out.Series(t, source)
		e.series = append(e.series, s)
		return s
	}
	most := int64(DefaultMaxCalls)
	if slices.Contains(e.opt.Tables, &schema.Calls) {
		most = 0
	}
	return rows.Output{Series: series, Submit: submit, Limit: &e.limit, Workers: workers, MaxCalls: most, TaskNames: e.opt.TaskNames}
}
