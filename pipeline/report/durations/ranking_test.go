package durations_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
)

// A ranking has the five longest, of equal ones the earlier first.
func TestRanking(t *testing.T) {
	for _, tt := range []struct {
		took []int64 // of what begins at 9, 8, 7 ...
		want string
	}{
		{nil, ""},
		{[]int64{3}, "3 at 9"},
		{[]int64{1, 2, 3, 4, 5}, "5 at 5, 4 at 6, 3 at 7, 2 at 8, 1 at 9"},
		{[]int64{1, 2, 3, 4, 5, 6}, "6 at 4, 5 at 5, 4 at 6, 3 at 7, 2 at 8"},
		{[]int64{6, 5, 4, 3, 2, 1}, "6 at 9, 5 at 8, 4 at 7, 3 at 6, 2 at 5"},
		{[]int64{2, 2, 2, 2, 2, 2, 2}, "2 at 3, 2 at 4, 2 at 5, 2 at 6, 2 at 7"},
		{[]int64{2, 2, 7, 2, 2, 2, 1}, "7 at 7, 2 at 4, 2 at 5, 2 at 6, 2 at 8"},
	} {
		var r durations.Ranking
		for i, took := range tt.took {
			r.Add(durations.Lasted{Took: took, At: read.Place{Seq: int64(9 - i)}})
		}
		var got []string
		for _, l := range r {
			got = append(got, fmt.Sprintf("%d at %d", l.Took, l.At.Seq))
		}
		if got := strings.Join(got, ", "); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.took, got, tt.want)
		}
	}
}
