package pipeline

import (
	"context"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/plan"
	"github.com/tracelake/tracelake/pipeline/probe"
	"github.com/tracelake/tracelake/pipeline/probe/reading"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/verdict"
)

// QualityOptions say what to look at.
type QualityOptions struct {
	Capture capture.Options
	Sources []uint8 // nil: all
	Workers int     // 0: one for each processor that Go uses
	// Progress, if not nil, is called now and then.
	Progress func(Progress)
}

// A QualityReport says how much of a capture was understood and how far trace
// and program image agree.
type QualityReport struct {
	SchemaVersion int             `json:"schema_version"`
	Input         string          `json:"input"`
	Verdict       verdict.Word    `json:"verdict"`
	Judged        verdict.Verdict `json:"-"` // with what it rests on
	Sources       []SourceQuality `json:"sources"`
	Notes         []string        `json:"notes"`
}

// A SourceQuality is how good the trace of a source is.
type SourceQuality struct {
	Source   string `json:"source"` // as [schema.SourceText] writes it
	Name     string `json:"name,omitempty"`
	Protocol string `json:"protocol,omitempty"`
	Version  string `json:"version,omitempty"`
	Core     string `json:"core,omitempty"`
	Status   string `json:"status"`
	Problem  string `json:"problem,omitempty"` // why it is not decoded
	Unit     string `json:"unit"`
	schema.Totals
	// Verdict and Reading are NULL of a source that was not decoded.
	Verdict     *verdict.Word    `json:"verdict"`
	Reading     *reading.Reading `json:"reading"`
	LossReasons []LossSum        `json:"loss_reasons"`
	plan.Missing
	probe.Agreements
}

// A LossSum is what was lost for one reason.
type LossSum struct {
	Reason string `json:"reason"`
	Losses int64  `json:"losses"`
	Bytes  int64  `json:"bytes"`
}

// Quality decodes a capture like [Export], writes nothing, and reports how good the
// trace is. Of a dataset it decodes the capture again, with the options that were recorded. It fails with a
// [*NothingError] if nothing was decoded.
func Quality(ctx context.Context, input string, opt QualityOptions) (*QualityReport, error) {
	o := Options{Capture: opt.Capture, Sources: opt.Sources, Workers: opt.Workers}
	input, err := o.CaptureOf(input)
	if err != nil {
		return nil, err
	}
	s, err := open(ctx, input, o, nil)
	if err != nil {
		return nil, err
	}
	defer s.close()
	report := &QualityReport{
		SchemaVersion: schema.Version, Input: input, Sources: []SourceQuality{},
		Notes: append([]string{}, s.plan.Notes...),
	}
	at, prober := engine.NewProgressing(s.plan, opt.Progress), probe.New(s.plan, false)
	programs, err := probe.ReadPrograms(s.plan)
	if err != nil {
		return nil, err
	}
	counting := engine.NewCounting(ctx, s.engine.Workers)
	defer func() { _ = counting.Wait() }() // it never fails
	sources := probe.EvidenceOf(s.plan.Sources)
	for _, e := range sources {
		job := engine.Job{Source: e.Source, To: e.Tap(stitch.Sinks{}), Progress: at.Source()}
		programs.Count(&job, counting)
		if e.Outcome, err = s.engine.Decode(ctx, job); err != nil {
			return nil, err
		}
		if err := prober.Judge(ctx, e); err != nil {
			return nil, err
		}
		report.Sources = append(report.Sources, sourceQuality(e))
		report.Notes = append(report.Notes, e.Outcome.Notes...)
	}
	report.Judged = programs.Verdict(sources)
	report.Verdict = report.Judged.Word
	return report, probe.ErrIfEmpty(sources)
}

// sourceQuality says how good the trace of a source is, which was decoded.
func sourceQuality(e *probe.Evidence) SourceQuality {
	s, o := e.Source, e.Outcome
	return SourceQuality{
		Source: schema.SourceText(s.ID), Name: s.Name, Protocol: s.Protocol, Version: s.Version, Core: s.Core,
		Status: schema.SourceStatusNames[s.Status], Problem: s.Problem, Unit: s.Unit().String(),
		Totals: o.Totals, Verdict: e.Word(), Reading: e.Reading, LossReasons: lossReasons(&o.Lost), Missing: plan.MissingIn(&o.Missing, e.Source.Unfound),
		Agreements: e.Agreements(),
	}
}

// lossReasons returns the sums of the reasons there were.
func lossReasons(lost *stitch.LossSums) []LossSum {
	sums := []LossSum{}
	for reason, sum := range lost {
		if sum.Losses > 0 {
			sums = append(sums, LossSum{Reason: schema.LossReasonNames[reason], Losses: sum.Losses, Bytes: sum.Bytes})
		}
	}
	return sums
}
