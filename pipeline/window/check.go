package window

import (
	"fmt"

	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// A check compares the segments of a window with those of the index, and hands them on: an
// index of another capture shows at the first of them.
type check struct {
	to   stitch.Sink[schema.Segment] // may be nil
	want []Segment
	// other reports that a segment has other instructions in the index: that was decoded
	// with other program memory.
	other bool
}

// add is a [stitch.Sink]. It fails at a segment that is not that of the index.
func (c *check) add(b stitch.Base, rows []schema.Segment) error {
	for i := range rows {
		if len(c.want) == 0 {
			break
		}
		want, got := &c.want[0], &rows[i]
		c.want = c.want[1:]
		if got.Offset != want.ByteOffset || got.Bytes != want.Bytes || got.Address != want.Address ||
			got.Reason != want.Reason {
			return fmt.Errorf("segment %d is %s; the index says %s", want.Segment.V,
				text(got.Offset, got.Bytes, got.Address), text(want.ByteOffset, want.Bytes, want.Address))
		}
		c.other = c.other || got.Instructions != want.Instructions
	}
	return c.to.Add(b, rows)
}

// text says what tells a segment from others.
func text(offset, bytes int64, address schema.Null[schema.Address]) string {
	at := "no address"
	if address.OK {
		at = address.V.Hex()
	}
	return fmt.Sprintf("%d long at offset 0x%x, from %s", bytes, offset, at)
}

// finish fails if a segment did not come.
func (c *check) finish() error {
	if len(c.want) > 0 {
		return fmt.Errorf("there is no segment %d at offset 0x%x, as the index says", c.want[0].Segment.V,
			c.want[0].ByteOffset)
	}
	return nil
}
