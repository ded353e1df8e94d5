package pipeline

import (
	"context"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/plan"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/tally"
	"github.com/tracelake/tracelake/schema"
)

// CountOptions say what to decode and what to count.
type CountOptions struct {
	Capture capture.Options
	Workers int  // 0: one for each processor that Go uses
	Tally   bool // what ran is counted, too, as for `counts` and `edges`
}

// Count decodes a capture like [Export] and writes nothing: it returns the totals,
// at the cost of decoding and counting alone.
func Count(ctx context.Context, input string, opt CountOptions) (schema.Totals, error) {
	var totals schema.Totals
	s, err := open(ctx, input, Options{Capture: opt.Capture, Workers: opt.Workers}, nil)
	if err != nil {
		return totals, err
	}
	defer s.close()
	for _, src := range s.plan.Decoded() {
		o, err := s.count(ctx, src, opt.Tally)
		if err != nil {
			return totals, err
		}
		totals.Add(o.Totals)
	}
	return totals, nil
}

// count decodes a source and counts what ran.
func (s *session) count(ctx context.Context, src *plan.Source, what bool) (*engine.Outcome, error) {
	if !what {
		return s.engine.Decode(ctx, engine.Job{Source: src})
	}
	jobs := engine.NewCounting(ctx, s.engine.Workers)
	defer func() { _ = jobs.Wait() }() // it never fails
	t := tally.New(jobs, nil)
	o, err := s.engine.Decode(ctx, engine.Job{Source: src, To: t.Sinks(stitch.Sinks{})})
	if err == nil {
		_, _, err = t.Finish()
	}
	return o, err
}
