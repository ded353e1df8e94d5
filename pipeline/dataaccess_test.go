package pipeline

import (
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// A dataProtocol is one that only says whether it traces data.
type dataProtocol struct {
	decode.Protocol
	data bool
}

func (p dataProtocol) TracesData() bool { return p.data }

// The table is there by default if a source that is decoded traces data; else
// only where it is named.
func TestDataAccessesWhenTraced(t *testing.T) {
	source := func(status schema.SourceStatus, protocol decode.Protocol) *sourcePlan {
		return &sourcePlan{Source: &capture.Source{}, status: status, protocol: protocol}
	}
	without := source(schema.StatusDecoded, dataProtocol{data: false})
	with := source(schema.StatusDecoded, dataProtocol{data: true})
	empty := source(schema.StatusEmpty, nil)
	for _, c := range []struct {
		name    string
		sources []*sourcePlan
		want    bool
	}{
		{"no source", nil, false},
		{"instructions only", []*sourcePlan{empty, without}, false},
		{"one of two", []*sourcePlan{without, with}, true},
	} {
		p := &plan{sources: c.sources}
		if got := p.tracesData(); got != c.want {
			t.Errorf("%s: data traced %v, want %v", c.name, got, c.want)
		}
	}
}

// A source of data only has decoded something.
func TestDataAccessesAreSomething(t *testing.T) {
	for _, accesses := range []int64{1, 0} {
		o := stitch.Outcome{Totals: schema.Totals{Segments: 1, DataAccesses: accesses}}
		p := &plan{sources: []*sourcePlan{{Source: &capture.Source{}, buffer: &bufferPlan{}, outcome: o}}}
		if err := p.errIfEmpty(); (err == nil) != (accesses > 0) {
			t.Errorf("%d data accesses: %v", accesses, err)
		}
	}
}
