package stitch

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// An Outcome is what a source came to.
type Outcome struct {
	Totals   schema.Totals
	Missing  image.Missing // memory that was wanted and is in no image
	Quality  decode.Quality
	Lost     LossSums
	Asyncs   int64              // after the first cut
	FirstCut schema.Null[int64] // capture offset of the first I-sync decoded
}

// Empty says that no instruction and no data access was decoded.
func (o *Outcome) Empty() bool { return o.Totals.Instructions == 0 && o.Totals.DataAccesses == 0 }

// LossSums are what was lost, by [schema.LossReason].
type LossSums [schema.LossUnconfigured + 1]LossSum

// A LossSum is what was lost for one reason.
type LossSum struct {
	Losses, Bytes int64
}

// lose counts losses of no part.
func (o *Outcome) lose(losses []schema.Loss) {
	for _, l := range losses {
		o.Totals.Bytes += l.Bytes
		o.Totals.BytesLost += l.Bytes
	}
	o.Totals.Losses += int64(len(losses))
	o.Lost.add(losses)
}

func (s *LossSums) add(losses []schema.Loss) {
	for _, l := range losses {
		s[l.Reason].Losses++
		s[l.Reason].Bytes += l.Bytes
	}
}
