package plan

import (
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
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
	source := func(status schema.SourceStatus, protocol decode.Protocol) *Source {
		return &Source{Source: &capture.Source{}, Status: status, Bound: protocol}
	}
	without := source(schema.StatusDecoded, dataProtocol{data: false})
	with := source(schema.StatusDecoded, dataProtocol{data: true})
	empty := source(schema.StatusEmpty, nil)
	for _, c := range []struct {
		name    string
		sources []*Source
		want    bool
	}{
		{"no source", nil, false},
		{"instructions only", []*Source{empty, without}, false},
		{"one of two", []*Source{without, with}, true},
	} {
		p := &Plan{Sources: c.sources}
		if got := p.TracesData(); got != c.want {
			t.Errorf("%s: data traced %v, want %v", c.name, got, c.want)
		}
	}
}
