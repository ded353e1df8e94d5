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
	restarts restarts
}

// Ends returns what is normal at the ends of the stream.
func (o *Outcome) Ends() schema.Ends {
	return schema.Ends{
		Gaps:     o.restarts.atEnds(o.Totals.Instructions),
		Unsynced: o.Lost[schema.LossUnsynced].Bytes, Truncated: o.Lost[schema.LossTruncated].Bytes,
	}
}

// restarts are the places where trace started again, counted in instructions, as far as the ends need them.
type restarts struct {
	atStart int64
	last    [2]struct{ at, times int64 } // the last two places, the later first
}

// nearEnd is how many instructions there are at most between an end of a stream and a restart at that end: trace is
// often turned on for one before it begins.
const nearEnd = 1

// add adds a restart after so many instructions, which do not fall.
func (r *restarts) add(at int64) {
	switch {
	case at <= nearEnd:
		r.atStart++
	case r.last[0].at == at:
		r.last[0].times++
	default:
		r.last[1] = r.last[0]
		r.last[0].at, r.last[0].times = at, 1
	}
}

// atEnds counts the restarts at the ends of so many instructions.
func (r *restarts) atEnds(instructions int64) int64 {
	n := r.atStart
	for _, x := range r.last {
		if x.at >= instructions-nearEnd {
			n += x.times
		}
	}
	return n
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
