package generate

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
)

// Offsets has the places of the latest bytes of one stream in the capture: it
// forgets a byte once keptOffsets more have a place. Its zero value is that of a
// stream without a place yet.
type Offsets struct {
	placed int64 // bytes that have a place
	last   []decode.CaptureOffset
}

// keptOffsets is how many bytes of a stream a row may be late.
const keptOffsets = 1 << 20

// Place gives the next byte of the stream its place.
func (o *Offsets) Place(at decode.CaptureOffset) {
	if o.last == nil {
		o.last = make([]decode.CaptureOffset, keptOffsets)
	}
	o.last[o.placed%keptOffsets] = at
	o.placed++
}

// Known says whether the byte at a position in the stream has a place.
func (o *Offsets) Known(position int64) bool { return position < o.placed }

// At returns the place of the byte at a position, which is known. It fails if
// that is forgotten.
func (o *Offsets) At(position int64) (int64, error) {
	if o.placed-position > keptOffsets {
		return 0, fmt.Errorf("generate: where byte %d of the stream lies was forgotten: %d bytes were written since",
			position, o.placed-position)
	}
	return int64(o.last[position%keptOffsets]), nil
}
