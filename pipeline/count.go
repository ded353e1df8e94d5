package pipeline

import (
	"context"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// Count decodes a capture like [Export], with this many workers, and writes
// nothing: it returns the totals, at the cost of decoding alone.
func Count(ctx context.Context, input string, opt capture.Options, workerCount int) (schema.Totals, error) {
	var totals schema.Totals
	s, err := openSession(ctx, input, sessionOptions{capture: opt, workers: workerCount})
	if err != nil {
		return totals, err
	}
	defer s.close()
	for _, src := range s.plan.sources {
		if src.status != schema.StatusDecoded {
			continue
		}
		if err := s.decode(ctx, src, stitch.Sinks{}, nil); err != nil {
			return totals, err
		}
		totals.Add(src.outcome.Totals)
	}
	return totals, nil
}
