package pipeline

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/pipeline/code"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/keep"
	"github.com/tracelake/tracelake/pipeline/probe"
	"github.com/tracelake/tracelake/pipeline/rows"
	"github.com/tracelake/tracelake/pipeline/stacks"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/tally"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/verdict"
)

// An exporter runs one export.
type exporter struct {
	*session
	opt    Options
	reuse  *keep.Reuse // nil: nothing
	out    *dataset.Writer
	groups *rowGroups
	limit  rows.Limit
	prober *probe.Prober
	notes  []string

	now      keep.Now
	sources  []*exported // those of the plan, as they are decoded
	programs probe.Programs
	named    map[uint32]bool // Context IDs that tasks have
	verdict  verdict.Verdict
}

// An exported is a source of an export.
type exported struct {
	*probe.Evidence
	pages        *image.Pages         // of program memory, at which its decoders look
	previous     *keep.Previous       // nil: nothing of it is taken as it is
	kept         *schema.SourceTotals // it was not decoded: it is as it was
	callsAtLeast int64                // see [schema.SourceTotals]
}

func newExporter(s *session, opt Options, programs []code.Program, from *keep.Reopen) *exporter {
	e := &exporter{
		session: s, opt: opt, prober: probe.New(s.plan, opt.PacketsOnly), named: map[uint32]bool{},
		notes:    slices.Clone(s.plan.Notes),
		programs: probe.Programs{All: programs},
		now:      keep.Now{Tool: opt.Tool, Options: opt.Recorded(s.Input), Regions: s.Capture.Regions, Programs: programs},
	}
	if from != nil && s.window == nil {
		e.reuse = from.Reuse
	}
	e.limit.Most = opt.MaxRows
	for _, src := range s.plan.Sources {
		e.sources = append(e.sources, &exported{Evidence: probe.NewEvidence(src), pages: &image.Pages{}})
	}
	return e
}

// close closes what was taken of the dataset that is replaced.
func (e *exporter) close() {
	for _, s := range e.sources {
		s.previous.Close()
	}
}

// run decodes all sources and writes all tables.
func (e *exporter) run(ctx context.Context) (*schema.Manifest, error) {
	e.groups = newRowGroups(e.out, e.engine.Workers, jobBytes*int64(e.opt.Workers))
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return e.groups.encode(ctx) })
	g.Go(func() error {
		defer close(e.groups.jobs)
		return e.decodeAll(ctx)
	})
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if e.opt.PacketsOnly {
		m := e.manifest()
		e.judge(m)
		return m, probe.ErrIfNoPackets(e.evidence())
	}
	if err := probe.ErrIfEmpty(e.evidence()); err != nil && !e.opt.AllowNothing {
		return nil, err
	}
	symbols := e.writePrograms()
	m := e.manifest()
	m.Images = append(m.Images, symbols...)
	e.judge(m)
	return m, nil
}

// judge sets the verdict.
func (e *exporter) judge(m *schema.Manifest) {
	e.verdict = e.programs.Judge(&verdict.Facts{
		Sources: m.Sources, PacketsOnly: e.opt.PacketsOnly, NoMemory: verdict.NoMemory(m),
	})
	m.Verdict = string(e.verdict.Word)
}

// evidence returns that of all sources.
func (e *exporter) evidence() []*probe.Evidence {
	var all []*probe.Evidence
	for _, s := range e.sources {
		all = append(all, s.Evidence)
	}
	return all
}

// decodeAll makes jobs of every row of the dataset.
func (e *exporter) decodeAll(ctx context.Context) error {
	counting := engine.NewCounting(ctx, e.engine.Workers)
	defer func() { _ = counting.Wait() }() // it never fails
	at := engine.NewProgressing(e.plan, e.opt.Progress)
	for _, s := range e.sources {
		progress := at.Source()
		s.previous = e.reuse.Source(s.Source, new(e.sourceTotals(s)), &e.now)
		kept, err := e.keepSource(ctx, s)
		if err == nil && !kept {
			err = e.decodeSource(ctx, s, counting, progress)
		}
		if err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(e.opt.TaskNames)) {
		if !e.named[id] {
			e.notes = append(e.notes,
				fmt.Sprintf("task %q names none: no source traced Context ID %#x", e.opt.TaskNames[id], id))
		}
	}
	return e.triggers(ctx)
}

// keepSource takes all tables of a source as they are, if its decoder would look at
// nothing that changed; else it says that it did not.
func (e *exporter) keepSource(ctx context.Context, s *exported) (done bool, err error) {
	tables, ok := s.previous.Whole(e.out.Has)
	if !ok {
		return false, nil
	}
	x, ok, err := s.previous.Executed(e.named)
	if err != nil || !ok {
		return false, err
	}
	for _, table := range schema.Tables() {
		if groups := tables[table]; groups != nil {
			if err := e.groups.copy(ctx, e.out.Series(table, s.Source.ID), groups); err != nil {
				return false, err
			}
			s.previous.Copied += groups.Len()
		}
	}
	s.kept = s.previous.Totals
	s.Outcome.Totals, s.callsAtLeast = s.kept.Totals, s.kept.CallsAtLeast
	e.programs.Executed = append(e.programs.Executed, x)
	return true, nil
}

// decodeSource makes jobs of every row of a source.
func (e *exporter) decodeSource(ctx context.Context, s *exported, counting tally.Workers,
	progress func(*schema.Totals),
) (err error) {
	take := func(series *dataset.Series) func() (schema.Chunks, error) { return s.previous.Take(series, s.pages) }
	out := e.output(ctx, s.Source.ID, take)
	out.Workers, out.Functions = counting, code.Functions(e.now.Programs, s.Source.Core)
	out.Places = s.Source.Memory.Places()
	if r := e.window.Range(s.Source); r != nil {
		out.Opening = &stacks.Opening{Frames: r.Stack, ContextID: r.Left.ContextID, VMID: r.Left.VMID}
	}
	t := rows.New(out)
	job := engine.Job{Source: s.Source, To: s.Tap(t.Sinks), Pages: s.pages, Progress: progress}
	e.window.Job(&job)
	if s.Outcome, err = e.engine.Decode(ctx, job); err != nil {
		return err
	}
	e.notes = append(e.notes, s.Notes()...)
	if err := t.Flush(); err != nil {
		return err
	}
	if err := e.groups.end(ctx); err != nil {
		return err
	}
	s.callsAtLeast = t.CallsAtLeast()
	if n, paths := t.InOther(); n > 0 {
		e.notes = append(e.notes, fmt.Sprintf("source 0x%02x: %.2g %% of the instructions are in (other): there are more than %d call paths",
			s.Source.ID, 100*float64(n)/float64(max(s.Outcome.Totals.Instructions, 1)), paths))
	}
	for _, id := range t.ContextIDs {
		e.named[id] = true
	}
	e.programs.Executed = append(e.programs.Executed, code.Counted(s.Source.Core, t.Counted))
	return e.prober.Judge(ctx, s.Evidence)
}

// triggers makes events of the trigger ID: of the capture, not of a source or a window.
func (e *exporter) triggers(ctx context.Context) error {
	if e.window != nil {
		return nil
	}
	t := rows.New(e.output(ctx, frame.TriggerID, nil))
	st := stitch.New(frame.TriggerID, decode.TimestampCode{}, t.Sinks)
	for _, b := range e.plan.Buffers {
		err := b.Triggers(func(offset int64) error {
			trigger := schema.Event{Key: schema.Key{Offset: offset}, Event: schema.EventTrigger}
			return st.Stitch(&stitch.Unit{Events: []schema.Event{trigger}, Rows: &decode.Result{}})
		})
		if err != nil {
			return err
		}
	}
	return t.Flush()
}

// output returns where the row groups of a source go: to the workers, of the tables that
// are to be written. take, if not nil, is as of [rowGroups.submit].
func (e *exporter) output(ctx context.Context, source uint8,
	take func(*dataset.Series) func() (schema.Chunks, error),
) rows.Output {
	most := DefaultMostCalls
	if e.opt.Names(&schema.Calls) {
		most = 0
	}
	return rows.Output{
		Series: func(t *schema.Table) *dataset.Series { return e.groups.begin(t, source) },
		Submit: func(j rows.Job) error { return e.groups.submit(ctx, j, take) },
		Limit:  &e.limit, MostCalls: most, TaskNames: e.taskNames(),
	}
}

// taskNames are the names of tasks that the recording has, and before them those that were given.
func (e *exporter) taskNames() map[uint32]string {
	names := maps.Clone(e.Capture.TaskNames)
	if names == nil {
		return e.opt.TaskNames
	}
	maps.Copy(names, e.opt.TaskNames)
	return names
}

// writePrograms writes the tables of the program, and returns the rows of `images`
// for program files.
func (e *exporter) writePrograms() []schema.ImageRegion {
	images := code.Images(e.programs.All, e.programs.Executed)
	for _, file := range code.Idle(images) {
		e.notes = append(e.notes, fmt.Sprintf("nothing was executed in %s: is it the program that ran?", file))
	}
	code.Write(e.out, e.programs.All, e.programs.Executed, e.plan.Dialect)
	return images
}

// manifest describes the dataset, but for its inputs and what its writer knows.
func (e *exporter) manifest() *schema.Manifest {
	m := &schema.Manifest{
		Tool: e.opt.Tool, Description: e.Capture.Description, Labels: e.opt.Labels, Notes: e.notes, Run: e.opt.Run,
		Options: e.now.Options,
	}
	for _, b := range e.plan.Buffers {
		m.Buffers = append(m.Buffers, e.plan.Account(b))
	}
	for i := range e.Capture.Regions {
		m.Images = append(m.Images, code.Region(&e.Capture.Regions[i]))
	}
	for _, s := range e.sources {
		m.Sources = append(m.Sources, e.sourceTotals(s))
	}
	a := &e.Capture.Arguments
	m.Run.Files = filesOf(slices.Concat(a.ELFs, a.Images, a.Symbols))
	e.window.Describe(m, e.plan.Sources)
	return m
}

// filesOf returns where files of the command line are, by their SHA-256.
func filesOf(arguments []capture.FileArgument) map[string]string {
	files := map[string]string{}
	for _, a := range arguments {
		if name, err := filepath.Abs(a.File); err == nil {
			files[hex.EncodeToString(a.Input.SHA256[:])] = name
		}
	}
	return files
}

// sourceTotals returns what the manifest says of a source.
func (e *exporter) sourceTotals(x *exported) schema.SourceTotals {
	if x.kept != nil {
		return *x.kept
	}
	row := x.Totals()
	row.TimestampHz, row.CycleHz = cmp.Or(e.opt.TimestampHz, e.Capture.TimestampHz), e.opt.CycleHz
	row.CallsAtLeast = x.callsAtLeast
	if x.Source.Status == schema.StatusDecoded {
		row.Pages = keep.PagesText(x.pages)
	}
	return row
}
