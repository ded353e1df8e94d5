package pipeline

import (
	"bytes"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/schema"
)

// A cancel reaches back as far as pendingRows rows; beyond, it finds nothing.
func TestHoldIsBounded(t *testing.T) {
	async := []byte{0, 0, 0, 0, 0, 0x80}
	periodic := []byte{8, 1, 0x04, 0x80, 0, 0}
	cancel := []byte{0x81, 0x80, 0x81, 0x80, 0x48, 0x3c}
	for _, tt := range []struct {
		name      string
		between   []byte // a segment without an atom
		n         int
		cancelled bool
	}{
		{"few triggers", bytes.Repeat([]byte{0x0c}, 100), 10, true},
		{"as many rows as may wait", bytes.Repeat([]byte{0x0c}, 1000), 64, true},
		{"more rows than may wait", bytes.Repeat([]byte{0x0c}, 1000), 80, false},
		{"more bytes than may wait", append(make([]byte, 60_000), 0x80), 80, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			data := slices.Concat(async, []byte{8, 0x21, 0x00, 0x80, 0, 0, 0x84})
			for range tt.n {
				data = slices.Concat(data, async, periodic, tt.between)
			}
			data = slices.Concat(data, cancel, []byte{0x84})
			tr := (&trace{id: 0x10, protocol: fuzzETMv3(t, 3<<5|1<<8), memory: fuzzMemory()}).with(data)
			for _, part := range []int{1 << 20, 100_000} {
				d := tr.decodeStream(t, tr.stream(wholePieces),
					decodeOptions{workers: 2, grain: engine.Grain{Unit: 1, Part: part, Chunk: 1 << 20}})
				want := int64(2)
				if tt.cancelled {
					want = 1
				}
				if got := d.totals.Instructions; got != want || d.rows(&schema.Instructions) != int(want) {
					t.Errorf("in parts of %d: %d instructions, want %d", part, got, want)
				}
				event := d.column(&schema.Events, "event")
				last := schema.EventKind(event.U8[event.Len()-1])
				if (last == schema.EventCancelled) != tt.cancelled || !tt.cancelled && last != schema.EventInconsistent {
					t.Errorf("in parts of %d: the last event is %s", part, last)
				}
			}
		})
	}
}
