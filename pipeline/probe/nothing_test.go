package probe

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/plan"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// The causes that nothing was decoded are listed separately, the worst first:
// sources with a decoder before those without, many bytes before few. A source is
// named once.
func TestNothingWorstFirst(t *testing.T) {
	source := func(id uint8, name string, status schema.SourceStatus, bytes int64) *Evidence {
		return NewEvidence(&plan.Source{
			Source: &capture.Source{ID: id, Name: name}, Status: status, Bytes: bytes, Problem: name + " is not supported", Buffer: &plan.Buffer{Buffer: &capture.Buffer{}, Data: strings.NewReader("\x00\x01\x02\x03"), Framed: true},
		})
	}
	sources := []*Evidence{
		source(1, "empty", schema.StatusEmpty, 0),
		source(2, "ITM", schema.StatusUnsupported, 9000),
		source(3, "few", schema.StatusDecoded, 10),
		source(4, "0x04", schema.StatusDecoded, 1000),
		source(5, "", schema.StatusUnconfigured, 9001),
	}
	nothing, ok := errors.AsType[*plan.NothingError](ErrIfEmpty(sources))
	if !ok {
		t.Fatal("no NothingError")
	}
	want := []string{"source 0x04: ", "source 0x03 (few): ", "source 0x05 has 9001 bytes, ", "ITM is not supported", "source 0x01 (empty) has no bytes"}
	if !slices.EqualFunc(nothing.Causes, want, strings.HasPrefix) {
		t.Errorf("got  %q\nwant %q", nothing.Causes, want)
	}
	sources[4].Outcome.Totals.DataAccesses = 1
	if err := ErrIfEmpty(sources); err != nil {
		t.Errorf("with a data access: %v", err)
	}
}

// A source of data only has decoded something.
func TestDataAccessesAreSomething(t *testing.T) {
	for _, accesses := range []int64{1, 0} {
		o := stitch.Outcome{Totals: schema.Totals{Segments: 1, DataAccesses: accesses}}
		e := &Evidence{Source: &plan.Source{Source: &capture.Source{}, Buffer: &plan.Buffer{Buffer: &capture.Buffer{}, Data: strings.NewReader("\x00\x01\x02\x03")}}, Outcome: &engine.Outcome{Outcome: o}}
		if err := ErrIfEmpty([]*Evidence{e}); (err == nil) != (accesses > 0) {
			t.Errorf("%d data accesses: %v", accesses, err)
		}
	}
}

// Where memory is missing, and packets agree with what there is, no other settings are tried: a trial
// would need a protocol, which this plan does not have.
func TestMissingMemoryIsNotTried(t *testing.T) {
	e := NewEvidence(&plan.Source{
		Source: &capture.Source{ID: 1, Memory: image.New(image.Region{Address: 0x8000, Bytes: make([]byte, 4)})}, Status: schema.StatusDecoded,
	})
	o := &e.Outcome.Outcome
	o.Totals.Bytes, o.Totals.BytesDecoded, o.Totals.BytesUnplaced, o.Totals.Instructions = 1000, 1000, 300, 5000
	o.Quality.Branches, o.Quality.BranchesIndirect = 100, 100
	o.Missing.Add(0x9000, 12)
	if err := New(&plan.Plan{}, false).Judge(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if want := "30.00 % not matched to code: 12 × no program memory at 0x00009000: give it with -e FILE or --image FILE@ADDR"; e.Reading.String() != want {
		t.Errorf("%s, want %s", e.Reading, want)
	}
}
