package pipeline

import (
	"context"
	"fmt"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/schema"
)

// Count decodes a capture like [Export], with this many workers, and writes
// nothing: what decoding alone costs, and what it comes to.
func Count(ctx context.Context, input string, opt capture.Options, workerCount int) (schema.Totals, error) {
	var totals schema.Totals
	c, err := capture.Open(input, opt)
	if err != nil {
		return totals, err
	}
	defer c.Close()
	if err := c.Check(); err != nil {
		return totals, err
	}
	p, err := makePlan(ctx, c)
	if err != nil {
		return totals, err
	}
	for _, s := range p.sources {
		if s.status != schema.StatusDecoded {
			continue
		}
		st := newStitcher(s.ID, s.protocol.TimestampCode(), tables{})
		pool := &decoders{new: func() decode.Decoder { return s.protocol.NewDecoder(s.Memory, false) }}
		err := ordered(ctx, newWorkers(workerCount), split(s.stream(), s.protocol), pool.decode, st.stitch)
		if err == nil {
			err = st.finish()
		}
		if err != nil {
			return totals, fmt.Errorf("source 0x%02x: %w", s.ID, err)
		}
		totals.Add(st.totals)
	}
	return totals, nil
}
