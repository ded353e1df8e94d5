package probe

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/pipeline/probe/identify"
	"github.com/tracelake/tracelake/pipeline/probe/reading"

	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/pipeline/plan"
	"github.com/tracelake/tracelake/schema"
)

// ErrIfEmpty fails with a [*plan.NothingError] if no instruction and no data access
// was decoded.
func ErrIfEmpty(sources []*Evidence) error {
	return errUnless(sources, func(e *Evidence) bool { return !e.Outcome.Empty() })
}

// ErrIfNoPackets fails with a [*plan.NothingError] if no packet was decoded.
func ErrIfNoPackets(sources []*Evidence) error {
	return errUnless(sources, func(e *Evidence) bool { return e.Outcome.Totals.BytesDecoded > 0 })
}

// errUnless fails with a [*plan.NothingError] unless there is something of a source.
func errUnless(sources []*Evidence, something func(*Evidence) bool) error {
	if slices.ContainsFunc(sources, something) {
		return nil
	}
	if len(sources) == 0 {
		return &plan.NothingError{Causes: []string{"the capture has no trace source"}}
	}
	nothing := &plan.NothingError{Word: (&Programs{}).Verdict(sources).Word}
	for _, e := range slices.SortedStableFunc(slices.Values(sources), compareLoss) {
		cause := e.reason()
		if r := e.Reading; r != nil && r.Remedy != nil {
			cause += ": " + r.Remedy.String()
		}
		nothing.Causes = append(nothing.Causes, cause)
		if missing := plan.MissingIn(&e.Outcome.Missing, e.Source.Unfound); len(missing.Wanted) > 0 {
			nothing.Missing = append(nothing.Missing, plan.SourceMissing{Source: e.Source.ID, Missing: missing})
		}
	}
	return nothing
}

// compareLoss orders sources of which nothing was decoded by how much was expected
// of them: first those that have a decoder, then by bytes.
func compareLoss(a, b *Evidence) int {
	decodable := func(e *Evidence) int {
		if e.Source.Status == schema.StatusDecoded {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(decodable(a), decodable(b)), cmp.Compare(b.Source.Bytes, a.Source.Bytes))
}

// reason says why nothing of a source was decoded.
func (e *Evidence) reason() string {
	s := e.Source
	name := "source " + schema.SourceText(s.ID)
	if s.Name != "" && s.Name != schema.SourceText(s.ID) {
		name += " (" + s.Name + ")"
	}
	switch {
	case s.Status == schema.StatusUnconfigured:
		return fmt.Sprintf("%s has %d bytes, but is not configured: is a trace ID wrong?", name, s.Bytes)
	case s.Status == schema.StatusUnsupported:
		return problem(s)
	case s.Status == schema.StatusEmpty:
		return fmt.Sprintf("%s has no bytes: is its trace ID right?", name)
	case e.Outcome.Totals.Segments == 0 && s.Layout != nil:
		return e.noCut(name)
	case e.Outcome.Totals.Segments == 0:
		return fmt.Sprintf("%s: no synchronisation (%s) in %d bytes of %s; %s", name, s.Sync.Needs, s.Bytes,
			s.Protocol, syncHint(s))
	}
	if missing := e.Outcome.Missing.Ranges(); len(missing) > 0 {
		return fmt.Sprintf("%s: no program memory at %s, where it runs; "+
			"give the program with -e FILE or --image FILE@ADDR", name, missing[0].First.Hex())
	}
	return name + ": its packets report no instruction"
}

// problem says why a source is not decoded, and what to do with it if that is known.
func problem(s *plan.Source) string {
	if do := identify.Do(s.Type); s.Problem != "" && do != "" {
		return s.Problem + ": " + do
	}
	return s.Problem
}

// syncHint says what to try with a stream that does not synchronise.
func syncHint(s *plan.Source) string {
	b := s.Buffer
	found, err := identify.Content(b.Name, b.Data)
	switch {
	case err == nil && found.Streams[s.ID] != nil:
		return "it is " + found.Streams[s.ID].What
	case err == nil && found.Kind != identify.Unknown:
		return b.Name + " is " + found.What
	case b.Framed:
		return "check its protocol and registers, and look at its bytes with `tracelake packets`"
	case looksFramed(b):
		return "the file looks like formatter frames: add --framed"
	}
	return "if this is formatted data add --framed, else check --protocol and --reg"
}

// looksFramed says whether a buffer that was read as one stream may be formatter
// frames: as frames, it would have a source.
func looksFramed(b *plan.Buffer) bool {
	found, err := frame.Detect(b.Data, b.Looked, frame.DetectOptions{})
	if err != nil {
		return false
	}
	census, err := frame.Scan(b.Data, b.Looked, found.Layout)
	if err != nil {
		return false
	}
	for id, n := range census.Streams {
		if n > 0 && frame.IsSource(uint8(id)) {
			return true
		}
	}
	return false
}

// noCut says of a source with a layout what its samples are, in which no decoder can
// begin.
func (e *Evidence) noCut(name string) string {
	what := ""
	if n := e.statuses; n != nil {
		what = fmt.Sprintf(" (of the first %s samples: %s; with TRACESYNC or a Trace FIFO Offset %s)",
			figures.Thousands(n.Samples), n, figures.Thousands(n.Marks))
	}
	if e.Reading == nil || e.Reading.Remedy == nil {
		what += "; check --reg LAYOUT=WORD, PORTSIZE=N and --protocol (tracelake inspect tries them)"
	}
	return fmt.Sprintf("%s: no sample of %s from which %s can be decoded%s", name, figures.Thousands(e.Source.Bytes),
		e.Source.Protocol, what)
}

// reasonOf returns the commonest cause of what a reading names, nil if none was
// counted.
func (e *Evidence) reasonOf(r *reading.Reading) *reading.Cause {
	if r.Nothing {
		return &reading.Cause{Count: 1, Text: e.reason()}
	}
	switch r.Problem {
	case reading.Lost:
		return e.lost.Commonest()
	case reading.Misaligned:
		return e.unplaced.Commonest()
	case reading.Unplaced:
		if missing := e.lacking(); missing != nil {
			remedy := "give it with -e FILE or --image FILE@ADDR"
			if file := e.Source.Unfound.At(missing.First); file != nil {
				remedy = file.Name + " " + file.Problem + "; " + file.Remedy
			}
			return &reading.Cause{Count: missing.Stops, Text: "no program memory at " + missing.First.Hex() + ": " + remedy}
		}
		return e.unplaced.Commonest()
	case reading.Contradicted, reading.NoProblem:
	}
	return nil
}

// lacking returns the memory that was wanted most often, nil if anything else is more often why
// instructions are not placed.
func (e *Evidence) lacking() *image.MissingRange {
	most, missing := e.unplaced.Commonest(), e.Outcome.Missing.Ranges()
	if len(missing) == 0 || most != nil && most.Count > missing[0].Stops {
		return nil
	}
	return &missing[0]
}
