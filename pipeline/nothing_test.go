package pipeline

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/schema"
)

// The causes that nothing was decoded are listed separately, the worst first:
// sources with a decoder before those without, many bytes before few. A source is
// named once.
func TestNothingWorstFirst(t *testing.T) {
	source := func(id uint8, name string, status schema.SourceStatus, bytes int64) *sourcePlan {
		return &sourcePlan{Source: &capture.Source{ID: id, Name: name}, status: status, bytes: bytes, problem: name + " is not supported", buffer: &bufferPlan{framed: true}}
	}
	p := &plan{sources: []*sourcePlan{
		source(1, "empty", schema.StatusEmpty, 0),
		source(2, "ITM", schema.StatusUnsupported, 9000),
		source(3, "few", schema.StatusDecoded, 10),
		source(4, "0x04", schema.StatusDecoded, 1000),
		source(5, "", schema.StatusUnconfigured, 9001),
	}}
	nothing, ok := errors.AsType[*NothingError](p.errIfEmpty())
	if !ok {
		t.Fatal("no NothingError")
	}
	want := []string{"source 0x04: ", "source 0x03 (few): ", "source 0x05 has 9001 bytes, ", "ITM is not supported", "source 0x01 (empty) has no bytes"}
	if !slices.EqualFunc(nothing.Causes, want, strings.HasPrefix) {
		t.Errorf("got  %q\nwant %q", nothing.Causes, want)
	}
	p.sources[4].outcome.Totals.DataAccesses = 1
	if err := p.errIfEmpty(); err != nil {
		t.Errorf("with a data access: %v", err)
	}
}
