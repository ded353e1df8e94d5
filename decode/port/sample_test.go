package port

import (
	"slices"
	"testing"
)

// Alike ends before the first record of another status, at odd and even places, whatever
// the data pins carry.
func TestAlike(t *testing.T) {
	for status := range uint8(3) {
		for n := 1; n < 8; n++ {
			var records []byte
			for range n {
				records = append(records, status|1<<4, 0, 0xff, 0x12)
			}
			for _, rest := range [][]byte{nil, {status + 1, 0, 0, 0}, {status + 1, 0, 0, 0, status, 0, 0, 0}} {
				if got := Alike(slices.Concat(records, rest), status); got != n {
					t.Errorf("%d records of status %d, then %x: %d", n, status, rest, got)
				}
			}
		}
	}
}
