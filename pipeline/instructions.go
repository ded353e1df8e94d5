package pipeline

import (
	"context"
	"iter"

	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/probe"
	"github.com/tracelake/tracelake/pipeline/rows"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Instructions decodes the capture at input and goes through the rows that `instructions` has after
// [Export], source by source. It writes nothing. Of opt it takes Capture, Sources, Window, Workers,
// Families, AllowNothing and Progress.
//
// An error comes last, with no instruction: a [*NothingError] if nothing was decoded. Once the loop is
// left, the decoders have ended.
func Instructions(ctx context.Context, input string, opt Options) iter.Seq2[schema.Instruction, error] {
	return func(yield func(schema.Instruction, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		d := &instructionDecode{batches: make(chan *schema.Batch), seen: make(chan struct{}, 1)}
		go func() {
			defer close(d.batches)
			d.err = d.run(ctx, input, opt)
		}()
		defer func() {
			stop()
			for range d.batches { // until it has ended
			}
		}()
		if d.each(yield) && d.err != nil {
			yield(schema.Instruction{}, d.err)
		}
	}
}

// An instructionDecode decodes a capture for a loop in another goroutine.
type instructionDecode struct {
	batches chan *schema.Batch // of `instructions`, in order
	seen    chan struct{}      // the loop has seen the last batch
	err     error              // once batches is closed
}

// each yields the instructions of all batches, and says whether the loop went through all.
func (d *instructionDecode) each(yield func(schema.Instruction, error) bool) (done bool) {
	for b := range d.batches {
		for i := range b.Rows() {
			if !yield(schema.InstructionOf(b, i), nil) {
				return false
			}
		}
		d.seen <- struct{}{}
	}
	return true
}

// run decodes all sources.
func (d *instructionDecode) run(ctx context.Context, input string, opt Options) error {
	input, err := opt.OfDataset(input)
	if err != nil {
		return err
	}
	s, err := open(ctx, input, opt, nil)
	if err != nil {
		return err
	}
	defer s.close()
	at := engine.NewProgressing(s.plan, opt.Progress)
	sources := probe.EvidenceOf(s.plan.Sources)
	for _, e := range sources {
		if err := d.decode(ctx, s, e, at.Source()); err != nil {
			return err
		}
	}
	if opt.AllowNothing {
		return nil
	}
	return probe.ErrIfEmpty(sources)
}

// decode decodes a source.
func (d *instructionDecode) decode(ctx context.Context, s *session, e *probe.Evidence, progress func(*schema.Totals),
) (err error) {
	t := rows.New(rows.Output{Series: instructionsAlone, Submit: func(j rows.Job) error { return d.submit(ctx, j) }})
	job := engine.Job{Source: e.Source, To: e.Tap(t.Sinks), Progress: progress}
	s.window.Job(&job)
	if e.Outcome, err = s.engine.Decode(ctx, job); err != nil {
		return err
	}
	return t.Flush()
}

// instructionsAlone returns a series of `instructions`, and nil of other tables.
func instructionsAlone(t *schema.Table) *dataset.Series {
	if t != &schema.Instructions {
		return nil
	}
	return &dataset.Series{Table: t}
}

// submit hands the rows of a row group to the loop, batch by batch.
func (d *instructionDecode) submit(ctx context.Context, j rows.Job) error {
	batch := schema.NewBatch(&schema.Instructions)
	return j.Fill(batch, func() error {
		batch.Expand()
		if err := engine.Send(ctx, d.batches, batch); err != nil {
			return err
		}
		select {
		case <-d.seen:
		case <-ctx.Done():
			return ctx.Err()
		}
		batch.Reset()
		return nil
	})
}
