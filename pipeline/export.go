package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// Options say what to export and how.
type Options struct {
	Capture     capture.Options
	Level       schema.Level
	Format      schema.Format
	Codec       string          // "" is the default of the format
	Tables      []*schema.Table // beside those always written; nil: those written by default
	Sources     []uint8         // to decode; nil: all
	Workers     int             // at least 1
	Overwrite   bool
	Labels      map[string]string
	TimestampHz uint64 // 0: as the snapshot says
	CycleHz     uint64 // 0: not known

	Tool schema.Tool
	Run  schema.Export // what the manifest says of this run
	// Progress, if not nil, is called now and then, by one goroutine at a time.
	Progress func(Progress)
}

// Progress is how far an export has come.
type Progress struct {
	Bytes, Total int64 // of the streams to decode
	Instructions int64
}

// Export turns the capture at input into a dataset in dir. It fails with a
// [*NothingError] if nothing was decoded; whenever it fails, it leaves no
// dataset and no file that looks like part of one.
func Export(ctx context.Context, input, dir string, opt Options) (*Summary, error) {
	c, err := capture.Open(input, opt.Capture)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if err := c.Check(); err != nil {
		return nil, err
	}
	p, err := makePlan(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := p.choose(opt.Sources); err != nil {
		return nil, err
	}
	encoding, err := newEncoding(opt.Format, opt.Codec)
	if err != nil {
		return nil, err
	}
	inputs, err := hashInputs(ctx, c)
	if err != nil {
		return nil, err
	}
	out, err := newOutput(dir, opt.Overwrite, encoding, fileMeta(inputs))
	if err != nil {
		return nil, err
	}
	e := &exporter{opt: opt, capture: c, plan: p, out: out, tables: opt.tables(p.tracesData()), tokens: newWorkers(opt.Workers)}
	m, err := e.run(ctx)
	if err != nil {
		return nil, errors.Join(err, out.abandon())
	}
	m.Inputs = inputs
	if err := out.commit(m, schema.Views(e.tables, opt.Format)); err != nil {
		return nil, errors.Join(err, out.abandon())
	}
	return e.summary(m), nil
}

// tables returns the tables to write, in the order of the schema, for a capture
// that traces data or does not.
func (o *Options) tables(data bool) []*schema.Table {
	var tables []*schema.Table
	for _, t := range schema.Tables() {
		if t.Level != schema.AnyLevel && t.Level != o.Level {
			continue
		}
		byDefault := t.Written == schema.ByDefault || t.Written == schema.WhenTraced && data
		wanted := t.Written == schema.Always || o.Tables == nil && byDefault
		if wanted || slices.Contains(o.Tables, t) {
			tables = append(tables, t)
		}
	}
	return tables
}

// An exporter runs one export.
type exporter struct {
	opt     Options
	capture *capture.Capture
	plan    *plan
	out     *output
	tables  []*schema.Table
	tokens  workers
	jobs    chan job

	totals   []schema.Totals // by source of the plan
	missing  []image.Missing // likewise
	quality  []decode.Quality
	progress Progress
}

// run decodes all sources and writes all tables.
func (e *exporter) run(ctx context.Context) (*schema.Manifest, error) {
	e.jobs = make(chan job)
	e.totals = make([]schema.Totals, len(e.plan.sources))
	e.missing = make([]image.Missing, len(e.plan.sources))
	e.quality = make([]decode.Quality, len(e.plan.sources))
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return e.encode(ctx) })
	g.Go(func() error {
		defer close(e.jobs)
		return e.decode(ctx)
	})
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if err := e.plan.nothing(e.totals, e.missing); err != nil {
		return nil, err
	}
	if err := e.out.closeParts(e.tables, e.plan.sources[0].ID); err != nil {
		return nil, err
	}
	return e.manifest(), nil
}

// encode makes row groups of the jobs and writes them in order.
func (e *exporter) encode(ctx context.Context) error {
	jobs := func(yield func(job, error) bool) {
		for j := range e.jobs {
			if !yield(j, nil) {
				return
			}
		}
	}
	c := &coders{encoding: e.out.encoding}
	return ordered(ctx, e.tokens, jobs, c.encode, func(r encoded) error { return r.series.write(r.chunks) })
}

// decode makes jobs of everything there is to tell.
func (e *exporter) decode(ctx context.Context) error {
	submit := func(j job) error {
		select {
		case e.jobs <- j:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for _, s := range e.plan.sources {
		if s.status == schema.StatusDecoded {
			e.progress.Total += s.bytes
		}
	}
	for i, s := range e.plan.sources {
		var err error
		switch {
		case s.status == schema.StatusDecoded:
			err = e.decodeSource(ctx, i, submit)
		case s.bytes > 0:
			err = e.loseSource(i, submit)
		}
		if err != nil {
			return err
		}
	}
	if err := e.triggers(submit); err != nil {
		return err
	}
	return e.dimensions(submit)
}

// decodeSource decodes the stream of a source.
func (e *exporter) decodeSource(ctx context.Context, i int, submit func(job) error) error {
	s := e.plan.sources[i]
	st := newStitcher(s.ID, s.protocol.TimestampCode(), e.sourceTables(s.ID, submit))
	pool := &decoders{new: func() decode.Decoder {
		return s.protocol.NewDecoder(s.Memory, st.tables.packets != nil)
	}}
	before := e.progress
	err := ordered(ctx, e.tokens, split(s.stream(), s.protocol), pool.decode, func(d decoded) error {
		if err := st.stitch(d); err != nil {
			return err
		}
		e.report(before, &st.totals)
		return nil
	})
	if err == nil {
		err = st.finish()
	}
	if err != nil {
		return fmt.Errorf("source 0x%02x: %w", s.ID, err)
	}
	e.totals[i], e.missing[i], e.quality[i] = st.totals, st.missing, st.quality
	e.plan.doubt(s, &st.quality)
	return nil
}

// report tells how far the export has come with the totals of a source.
func (e *exporter) report(before Progress, t *schema.Totals) {
	e.progress.Bytes = before.Bytes + t.Bytes
	e.progress.Instructions = before.Instructions + t.Instructions
	if e.opt.Progress != nil {
		e.opt.Progress(e.progress)
	}
}

// loseSource accounts for the bytes of a source that is not decoded.
func (e *exporter) loseSource(i int, submit func(job) error) error {
	s := e.plan.sources[i]
	piece, err := s.stream().Next()
	if err != nil {
		return fmt.Errorf("source 0x%02x: %w", s.ID, err)
	}
	loss := schema.Loss{Key: schema.Key{Offset: int64(piece.Offset(0))}, Bytes: s.bytes, Reason: s.lossReason(), Detail: s.problem}
	e.totals[i] = schema.Totals{Bytes: s.bytes, BytesLost: s.bytes, Losses: 1}
	t := e.sourceTables(s.ID, submit)
	return errors.Join(t.losses.add(base{source: s.ID}, []schema.Loss{loss}), t.losses.flush())
}

// triggers makes events of the trigger ID: of the capture, not of a source.
func (e *exporter) triggers(submit func(job) error) error {
	t := e.sourceTables(frame.TriggerID, submit)
	for _, b := range e.plan.buffers {
		err := b.triggers(func(offset int64) error {
			return t.events.add(base{source: frame.TriggerID}, []schema.Event{{Key: schema.Key{Offset: offset}, Event: schema.EventTrigger}})
		})
		if err != nil {
			return err
		}
	}
	return t.events.flush()
}

// sourceTables returns the tables of a source that are to be written.
func (e *exporter) sourceTables(id uint8, submit func(job) error) tables {
	f := tableMaker{e, id, submit}
	t := tables{
		codeBlocks: makeTable(f, &schema.CodeBlocks, fillCodeBlock),
		exceptions: makeTable(f, &schema.Exceptions, fillException),
		counts:     makeTable(f, &schema.CycleCounts, fillCycleCount),
		timestamps: makeTable(f, &schema.Timestamps, fillTimestamp),
		contexts:   makeTable(f, &schema.Contexts, fillContext),
		accesses:   makeTable(f, &schema.DataAccesses, fillDataAccess),
		events:     makeTable(f, &schema.Events, fillEvent),
		losses:     makeTable(f, &schema.Losses, fillLoss),
		segments:   makeTable(f, &schema.Segments, fillSegment),
		packets:    makeTable(f, &schema.Packets, fillPacket),
	}
	for _, level := range []*schema.Table{&schema.Instructions, &schema.Blocks} {
		if slices.Contains(e.tables, level) {
			t.runs = &runTable{series: e.out.newSeries(level, id), submit: submit, blocks: level == &schema.Blocks}
		}
	}
	return t
}

type tableMaker struct {
	*exporter
	source uint8
	submit func(job) error
}

// makeTable returns the table that collects rows of t, nil if it is not wanted.
func makeTable[T any](f tableMaker, t *schema.Table, fill func(*schema.Row, *base, *T)) *table[T] {
	if !slices.Contains(f.tables, t) {
		return nil
	}
	return &table[T]{series: f.out.newSeries(t, f.source), submit: f.submit, fill: fill}
}
