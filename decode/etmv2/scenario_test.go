package etmv2

import (
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/decodetest"
	"github.com/tracelake/tracelake/decode/port"
)

// The segments of every scenario, which pipeline compares with its rows, have the same
// rows of their own in parts of any size, and each sample is decoded or lost once.
func TestScenarios(t *testing.T) {
	scenarios, err := decodetest.ReadAll("testdata/scenario", Family())
	if err != nil || len(scenarios) < 100 {
		t.Fatalf("%d scenarios: %v", len(scenarios), err)
	}
	for _, s := range scenarios {
		p, _, err := Bind(decode.Source{Registers: s.Registers})
		if err != nil {
			t.Fatal(err)
		}
		c, b := p.(*Config), s.Stream()
		whole := decodeParts(c, s.Memory(), b, len(b), true)
		counted := int64(0)
		for i := range whole.Segments {
			row := &whole.Segments[i].Row
			if counted += row.Bytes; row.Bytes != row.BytesDecoded+row.BytesLost {
				t.Errorf("%s: %+v", s.Name, row)
			}
		}
		if at := c.NewCutter().Find(b, true).At; len(at) > 0 && counted != int64(len(b)-at[0].At)/port.SampleBytes {
			t.Errorf("%s: %d samples", s.Name, counted)
		}
		for size := 1; size < 12; size += 3 {
			if got, want := rows(decodeParts(c, s.Memory(), b, size*port.SampleBytes, size == 1)), rows(whole); got != want {
				t.Errorf("%s: in parts of %d samples:\n%s\nwant\n%s", s.Name, size, got, want)
			}
		}
	}
}
