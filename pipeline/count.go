package pipeline

import (
	"context"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/tally"
	"github.com/tracelake/tracelake/schema"
)

// CountOptions say what to decode and what to count.
type CountOptions struct {
	Capture capture.Options
	Workers int  // at least 1
	Tally   bool // what ran is counted, too, as for `counts` and `edges`
}

// Count decodes a capture like [Export] and writes nothing: it returns the totals,
// at the cost of decoding and counting alone.
func Count(ctx context.Context, input string, opt CountOptions) (schema.Totals, error) {
	var totals schema.Totals
	s, err := openSession(ctx, input, sessionOptions{capture: opt.Capture, workers: opt.Workers})
	if err != nil {
		return totals, err
	}
	defer s.close()
	for _, src := range s.plan.sources {
		if src.status != schema.StatusDecoded {
			continue
		}
		if err := s.count(ctx, src, opt.Tally); err != nil {
			return totals, err
		}
		totals.Add(src.outcome.Totals)
	}
	return totals, nil
}

// count decodes a source and counts what ran.
func (s *session) count(ctx context.Context, src *sourcePlan, what bool) error {
	if !what {
		return s.decode(ctx, src, stitch.Sinks{}, nil)
	}
	jobs := engine.NewCounting(ctx, s.tokens)
	defer jobs.Wait()
	t := tally.New(jobs)
	if err := s.decode(ctx, src, t.Sinks(stitch.Sinks{}), nil); err != nil {
		return err
	}
	_, _, err := t.Finish()
	return err
}
