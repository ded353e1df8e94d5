package probe

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

// seen counts what a sample has that answers questions.
type seen struct {
	counts, timestamps, contexts int64
}

// sinks returns sinks that count.
func (n *seen) sinks() stitch.Sinks {
	return stitch.Sinks{
		Counts:     (*counted)(&n.counts),
		Timestamps: stitch.Tee(nil, func(*stitch.Base, *schema.Timestamp) { n.timestamps++ }),
		Contexts: stitch.Tee(nil, func(_ *stitch.Base, c *schema.Context) {
			if c.ContextID.OK {
				n.contexts++
			}
		}),
	}
}

// counted counts rows of `cycle_counts`.
type counted int64

// Add implements [stitch.CountSink].
func (n *counted) Add(_ stitch.Base, counts decode.CountRows, _ []schema.CountSum) error {
	*n += counted(len(counts.Rows))
	return nil
}

// Gap implements [stitch.CountSink].
func (n *counted) Gap(stitch.Base, int64) {}

// answers returns what a source can answer, nil if its protocol does not say.
func (n *seen) answers(e *Evidence) []Answer {
	protocol, ok := e.Source.Bound.(decode.Answerer)
	if !ok {
		return nil
	}
	counts := map[decode.Question]int64{
		decode.AskCycles: n.counts, decode.AskTimestamps: n.timestamps, decode.AskContexts: n.contexts,
		decode.AskData: e.Outcome.Totals.DataAccesses,
	}
	var answers []Answer
	for _, a := range protocol.Answers() {
		x := Answer{Question: a.Question, Seen: counts[a.Question], Enabled: a.Traced, Why: a.Why}
		// Whether an instruction passed its condition is in each atom.
		if x.Yes = x.Seen > 0 || a.Question == decode.AskConditions && a.Traced; !x.Yes {
			x.Set = a.Set
		}
		answers = append(answers, x)
	}
	return answers
}
