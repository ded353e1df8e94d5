package pipeline

import (
	"cmp"

	"github.com/tracelake/tracelake/pipeline/code"
	"github.com/tracelake/tracelake/pipeline/keep"
	"github.com/tracelake/tracelake/pipeline/plan"
	"github.com/tracelake/tracelake/pipeline/probe"
	"github.com/tracelake/tracelake/pipeline/probe/verdict"
	"github.com/tracelake/tracelake/schema"
)

// A Summary is the result of an export, for people to read.
type Summary struct {
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
	Verdict *verdict.Verdict // nil of a source that was not decoded
	// Kept says that redecode did not decode it: it is as it was.
	Kept bool
	plan.Missing
	probe.Agreements
}

func (e *exporter) summary(m *schema.Manifest) *Summary {
	sum := &Summary{Totals: m.Totals, Tables: m.Tables, Notes: m.Notes, PacketsOnly: e.opt.PacketsOnly}
	for i, totals := range m.Sources {
		s := e.sources[i]
		if s.previous != nil {
			sum.Copied += s.previous.Copied
		}
		sum.Sources = append(sum.Sources, SourceSummary{totals, s.Verdict, s.kept != nil, plan.MissingIn(&s.Outcome.Missing), s.Agreements()})
	}
	return sum
}

// manifest describes the dataset, but for its inputs and what its writer knows.
func (e *exporter) manifest() *schema.Manifest {
	m := &schema.Manifest{
		Tool: e.opt.Tool, Description: e.Capture.Description, Labels: e.opt.Labels, Notes: e.notes, Run: e.opt.Run, Options: e.now.Options,
	}
	for _, b := range e.plan.Buffers {
		m.Buffers = append(m.Buffers, e.plan.Account(b))
	}
	for i := range e.Capture.Regions {
		m.Images = append(m.Images, code.Region(&e.Capture.Regions[i]))
	}
	for _, s := range e.sources {
		m.Sources = append(m.Sources, e.sourceTotals(s))
	}
	e.window.Describe(m, e.plan.Sources)
	return m
}

// sourceTotals returns what the manifest says of a source.
func (e *exporter) sourceTotals(x *exported) schema.SourceTotals {
	if x.kept != nil {
		return *x.kept
	}
	s := x.Source
	row := schema.SourceTotals{
		Source: s.ID, Name: s.Name, Protocol: s.Protocol, Version: s.Version, Core: s.Core,
		Status: schema.SourceStatusNames[s.Status], Problem: s.Problem, Unit: s.Unit().String(), Totals: x.Outcome.Totals,
		TimestampHz: cmp.Or(e.opt.TimestampHz, e.Capture.TimestampHz), CycleHz: e.opt.CycleHz, Registers: s.RegisterTexts(),
		CallsLeftOut: x.callsLeftOut,
	}
	if s.Buffer != nil {
		row.Buffer = s.Buffer.Name
	}
	if s.Status == schema.StatusDecoded { // what the trace repeats of the program
		q := &x.Outcome.Quality
		row.Agreement = &schema.Agreement{BranchChecks: q.Branches, BranchAgrees: q.BranchesAgree(), ISyncChecks: q.ISyncs, ISyncAgrees: q.ISyncsEqual}
		row.Pages = keep.PagesText(x.pages)
	}
	return row
}
