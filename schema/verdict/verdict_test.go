package verdict

import (
	"slices"
	"testing"

	"github.com/tracelake/tracelake/schema"
)

// The worst cause comes first: where most bytes were lost or are of no known code, that, and not the gaps it leads to.
func TestWorstFirst(t *testing.T) {
	for _, tt := range []struct {
		name           string
		lost, unplaced int64 // of 1,000 bytes
		want           []Kind
	}{
		{"gaps only", 0, 0, []Kind{Gaps}},
		{"some lost", 100, 0, []Kind{Gaps, Lost}},
		{"some of both", 100, 200, []Kind{Gaps, Lost, Unplaced}},
		{"most lost", 700, 0, []Kind{Lost, Gaps}},
		{"most unplaced", 0, 710, []Kind{Unplaced, Gaps}},
		{"most unplaced, some lost", 100, 710, []Kind{Unplaced, Lost, Gaps}},
		{"most lost, some unplaced", 710, 100, []Kind{Lost, Unplaced, Gaps}},
	} {
		v := Judge(&Facts{Sources: []schema.SourceTotals{{
			Status: schema.SourceStatusNames[schema.StatusDecoded],
			Totals: schema.Totals{Gaps: 24, Counters: schema.Counters{
				Bytes: 1000, BytesDecoded: 1000 - tt.lost, BytesLost: tt.lost, BytesUnplaced: tt.unplaced, Instructions: 500,
			}},
		}}})
		var got []Kind
		for _, f := range v.Findings {
			got = append(got, f.Kind)
		}
		if v.Word != GoodWithGaps || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %s, %v, want %v", tt.name, v.Word, got, tt.want)
		}
	}
}
