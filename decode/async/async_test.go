package async_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode/async"
	"github.com/tracelake/tracelake/decode/pft"
)

// An A-sync counts once, or twice if 16 good packets, or good packets up to the
// end, follow it.
func TestRateSyncs(t *testing.T) {
	const reserved = 0x02 // header of no packet
	sync := []byte{0, 0, 0, 0, 0, 0x80}
	atoms := func(n int) []byte { return bytes.Repeat([]byte{0x84}, n) }
	for _, tt := range []struct {
		name string
		b    []byte
		want int
	}{
		{"none", atoms(20), 0},
		{"nothing after it", sync, 1},
		{"3 packets to the end", slices.Concat(sync, atoms(3)), 2},
		{"15 packets, then none", slices.Concat(sync, atoms(15), []byte{reserved}), 1},
		{"16 packets, then none", slices.Concat(sync, atoms(16), []byte{reserved}), 2},
		{"a packet is cut off", slices.Concat(sync, atoms(3), []byte{8, 0}), 1},
		{"two", slices.Concat(sync, atoms(20), sync, atoms(2)), 4},
	} {
		if got := async.RateSyncs(&pft.Config{}, tt.b); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}
