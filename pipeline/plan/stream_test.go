package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
)

// TestRawRuns: a piece ends where a run does, and the next one begins another; not the first, wherever reading begins.
func TestRawRuns(t *testing.T) {
	b := &Buffer{
		Buffer: &capture.Buffer{Runs: []int64{0, 3, 4, 8}},
		Data:   strings.NewReader("0123456789"), Looked: 10,
	}
	for after, want := range map[int64][]string{
		0: {"012 false", "3 true", "4567 true", "89 true"},
		3: {"3 false", "4567 true", "89 true"},
		5: {"567 false", "89 true"},
		9: {"9 false"},
	} {
		var got []string
		err := decode.EachPiece(newRawStream(b, after), func(p *decode.Piece, before decode.Break) error {
			got = append(got, fmt.Sprint(string(p.Data), " ", before == decode.NewRun))
			return nil
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("after %d: %q, want %q (%v)", after, got, want, err)
		}
	}
}
