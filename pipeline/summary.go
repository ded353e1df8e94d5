package pipeline

import (
	"github.com/tracelake/tracelake/pipeline/plan"
	"github.com/tracelake/tracelake/pipeline/probe"
	"github.com/tracelake/tracelake/pipeline/probe/reading"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/verdict"
)

// A Summary is the result of an export, for people to read.
type Summary struct {
	Verdict verdict.Verdict
	Sources []SourceSummary
	Totals  schema.Totals
	Tables  map[string]schema.Files
	Notes   []string
	// Copied is how many row groups were not encoded, since those of the dataset that is
	// replaced are the same.
	Copied int
	// PacketsOnly reports that no program was asked for.
	PacketsOnly bool
}

// A SourceSummary is the result of decoding a source.
type SourceSummary struct {
	schema.SourceTotals
	Reading *reading.Reading // nil of a source that was not decoded
	// Kept says that redecode did not decode it: it is as it was.
	Kept bool
	plan.Missing
	probe.Agreements
}

func (e *exporter) summary(m *schema.Manifest) *Summary {
	sum := &Summary{Verdict: e.verdict, Totals: m.Totals, Tables: m.Tables, Notes: m.Notes, PacketsOnly: e.opt.PacketsOnly}
	for i, totals := range m.Sources {
		s := e.sources[i]
		if s.previous != nil {
			sum.Copied += s.previous.Copied
		}
		sum.Sources = append(sum.Sources,
			SourceSummary{totals, s.Reading, s.kept != nil, plan.MissingIn(&s.Outcome.Missing, s.Source.Unfound), s.Agreements()})
	}
	return sum
}
