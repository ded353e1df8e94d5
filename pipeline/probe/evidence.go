// Package probe finds out what an input is and whether it would decode, judges what came of a source
// that was decoded, and searches the settings with which a sample of it reads best.
//
// Its API is not stable (docs/guide/library.md).
package probe

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/plan"
	"github.com/tracelake/tracelake/pipeline/probe/reading"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// Evidence is what the stream of a source showed.
type Evidence struct {
	Source  *plan.Source
	Outcome *engine.Outcome  // of decoding it; without rows before
	Reading *reading.Reading // of a source that was decoded, once judged

	lost, unplaced reading.Causes // why bytes were lost, and packets could not be placed
	info           reading.Causes // what packets say otherwise than the registers
	statuses       *Statuses      // of a source with a layout and no cut
	// firstSync is where in the stream packets could first be read; NULL: nowhere in its
	// first part, or nobody has looked.
	firstSync schema.Null[int64]
	kept      *keptSample // of its stream, that trials read
}

// NewEvidence returns that of a source before it is decoded.
func NewEvidence(s *plan.Source) *Evidence { return &Evidence{Source: s, Outcome: &engine.Outcome{}} }

// EvidenceOf returns that of sources before they are decoded.
func EvidenceOf(sources []*plan.Source) (all []*Evidence) {
	for _, s := range sources {
		all = append(all, NewEvidence(s))
	}
	return all
}

// Notes are remarks on a source that was decoded, for the user.
func (e *Evidence) Notes() []string {
	x := e.info.Commonest()
	if x == nil {
		return e.Outcome.Notes
	}
	return append(slices.Clip(e.Outcome.Notes), fmt.Sprintf("source %s: its packets say otherwise than its registers, %d × %s; "+
		"tracelake inspect finds registers that fit", schema.SourceText(e.Source.ID), x.Count, x.Text))
}

// Tap returns sinks that count why bytes were lost and packets not placed, and hand all rows on.
func (e *Evidence) Tap(to stitch.Sinks) stitch.Sinks {
	to.Events = stitch.Tee(to.Events, e.event)
	to.Losses = stitch.Tee(to.Losses, e.loss)
	return to
}

func (e *Evidence) event(_ *stitch.Base, event *schema.Event) {
	switch event.Event {
	case schema.EventInconsistent, schema.EventNoAddress, schema.EventJazelle, schema.EventBadISync:
	default:
		return // missing memory is ranked: see image.Missing
	}
	text := event.Detail
	if p, ok := e.Source.Bound.(decode.RegisterChecker); ok && p.OtherRegisters(event) {
		e.info.Add(text, 1, 1)
	}
	if _, err := strconv.Atoi(text); text == "" || err == nil { // or how many instructions
		text = event.Event.String()
	}
	e.unplaced.Add(text, 1, 1)
}

func (e *Evidence) loss(_ *stitch.Base, l *schema.Loss) {
	if l.Reason == schema.LossUnsynced {
		e.lost.Add("no synchronisation at the start", 1, l.Bytes)
		return
	}
	text := l.Detail
	if text == "" {
		text = l.Reason.String()
	}
	e.lost.Add(text, 1, l.Bytes)
}

// facts returns what the reading of a decoded stream is judged by.
func facts(o *stitch.Outcome) reading.Facts {
	t, q := &o.Totals, &o.Quality
	return reading.Facts{
		Bytes: t.Bytes, Decoded: t.BytesDecoded, Lost: t.BytesLost, Unplaced: t.BytesUnplaced,
		Start:  o.Lost[schema.LossUnsynced].Bytes,
		Checks: q.Branches + q.ISyncs, Agrees: q.BranchesAgree() + q.ISyncsEqual, Empty: o.Empty(),
		Offsets: q.FIFOChecks, OffsetsRight: q.FIFORight,
	}
}

// Agreements returns the checks of a source that was decoded.
func (e *Evidence) Agreements() Agreements {
	o := e.Outcome
	if e.Source.Layout == nil {
		return agreements(&o.Quality, nil)
	}
	q := &o.Quality
	return agreements(q,
		&FIFOAgreement{q.FIFOChecks, q.FIFORight, q.Waits, q.WaitsUnowed, o.Lost[schema.LossReservedHeader].Losses})
}

// Totals returns what a dataset says of a source that was decoded.
func (e *Evidence) Totals() schema.SourceTotals {
	s, o := e.Source, e.Outcome
	t := schema.SourceTotals{
		Source: s.ID, Name: s.Name, Protocol: s.Protocol, Version: s.Version, Core: s.Core,
		Status: schema.SourceStatusNames[s.Status], Problem: s.Problem, Unit: s.Unit().String(),
		Totals: o.Totals, Ends: o.Ends(), Registers: s.RegisterTexts(),
	}
	if s.Buffer != nil {
		t.Buffer = s.Buffer.Name
	}
	if s.Status == schema.StatusDecoded { // what the trace repeats of the program
		q := &o.Quality
		t.Agreement = &schema.Agreement{
			BranchChecks: q.Branches, BranchAgrees: q.BranchesAgree(),
			ISyncChecks: q.ISyncs, ISyncAgrees: q.ISyncsEqual,
		}
	}
	return t
}
