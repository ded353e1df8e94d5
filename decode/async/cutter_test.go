package async_test

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/async"
	"github.com/tracelake/tracelake/decode/pft"
)

// How a stream is divided into calls of Find changes neither cuts nor bounds.
func TestCutterInPieces(t *testing.T) {
	words := strings.NewReplacer("A", "000000000080", "I", "080080000021", "e", "84", "x", "02", " ", "")
	for _, tt := range []struct {
		name, stream string
		cfg          pft.Config
		at, bounds   []int
	}{
		{"two", "A I e A e I e", pft.Config{}, []int{6, 20}, []int{6, 19}},
		{"a bad packet before the I-sync", "A I e A x I e A I", pft.Config{}, []int{6, 33}, []int{6, 19, 33}},
		{"long A-syncs", "00 00 A I 00 A I", pft.Config{}, []int{8, 21}, []int{8, 21}},
		{"an I-sync of ten bytes cut off by an A-sync", "A 08 A I 00000000", pft.Config{ContextIDBytes: 4}, []int{13},
			[]int{6, 13}},
		{"no I-sync", "A e e", pft.Config{}, nil, []int{6}},
	} {
		stream, err := hex.DecodeString(words.Replace(tt.stream))
		if err != nil {
			t.Fatal(err)
		}
		for size := 1; size <= len(stream); size++ {
			var at, bounds []int
			c := async.NewCutter(&tt.cfg)
			settled := 0
			for end := min(size, len(stream)); ; end = min(end+size, len(stream)) {
				last := end == len(stream)
				cuts := c.Find(stream[settled:end], last)
				for _, cut := range cuts.At {
					at = append(at, settled+cut.At)
				}
				for _, b := range cuts.Bounds {
					bounds = append(bounds, settled+b)
				}
				settled += cuts.Settled
				if last {
					break
				}
			}
			if !slices.Equal(at, tt.at) || !slices.Equal(bounds, tt.bounds) {
				t.Errorf("%s, %d bytes at a time: cuts %v, bounds %v, want %v, %v", tt.name, size, at, bounds, tt.at, tt.bounds)
			}
		}
	}
}
