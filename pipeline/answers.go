package pipeline

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// An Answer says whether a source can answer a question that users ask.
type Answer struct {
	Question decode.Question `json:"question"`
	Yes      bool            `json:"yes"`
	Seen     int64           `json:"seen"` // in the sample: what answers it
	// Enabled reports that the registers say that it is traced.
	Enabled bool   `json:"enabled"`
	Why     string `json:"why,omitempty"` // it cannot be, if nothing can be set
	Set     string `json:"set,omitempty"` // in the trace unit, so that it is
}

// evidence counts what a sample has that answers questions.
type evidence struct {
	counts, timestamps, contexts int64
}

// sinks returns sinks that count.
func (e *evidence) sinks() stitch.Sinks {
	return stitch.Sinks{
		Counts:     (*counted)(&e.counts),
		Timestamps: stitch.Tee(nil, func(*stitch.Base, *schema.Timestamp) { e.timestamps++ }),
		Contexts: stitch.Tee(nil, func(_ *stitch.Base, c *schema.Context) {
			if c.ContextID.OK {
				e.contexts++
			}
		}),
	}
}

// counted counts rows of `cycle_counts`.
type counted int64

// Add implements [stitch.CountSink].
func (n *counted) Add(_ stitch.Base, counts decode.CountRows) error {
	*n += counted(len(counts.Rows))
	return nil
}

// answers returns what a source can answer, nil if its protocol does not say.
func (e *evidence) answers(s *sourcePlan) []Answer {
	protocol, ok := s.protocol.(decode.Answerer)
	if !ok {
		return nil
	}
	seen := map[decode.Question]int64{
		decode.AskCycles: e.counts, decode.AskTimestamps: e.timestamps, decode.AskContexts: e.contexts,
		decode.AskData: s.outcome.Totals.DataAccesses,
	}
	var answers []Answer
	for _, a := range protocol.Answers() {
		x := Answer{Question: a.Question, Seen: seen[a.Question], Enabled: a.Traced, Why: a.Why}
		// Whether an instruction passed its condition is in each atom.
		if x.Yes = x.Seen > 0 || a.Question == decode.AskConditions && a.Traced; !x.Yes {
			x.Set = a.Set
		}
		answers = append(answers, x)
	}
	return answers
}
