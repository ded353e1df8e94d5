package plan

import (
	"context"
	"io"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/frame"
)

// A Buffer is a buffer with the counts of its bytes.
type Buffer struct {
	*capture.Buffer
	Data   io.ReaderAt // fails once the plan's context is done
	Looked int64       // how many bytes of it are looked at
	// Of a window without an index: only some bytes are decoded, those from here on.
	Clipped bool
	From    int64
	Framed  bool
	Layout  frame.Layout
	Index   *frame.Census // of a framed buffer: what its bytes are

	inStep bool // the frames that were counted were in step: see Range
}

// A Range is capture offsets near which packets are listed; To is below 0 at the end.
type Range struct{ From, To int64 }

// rangeAhead is how much after a range is looked at to find the sources.
const rangeAhead = 64 << 10

// limit leaves a range of a buffer to count the bytes of, if it is read from its start.
func (n *Range) limit(b *Buffer) {
	if n == nil || b.RingStart != 0 {
		return
	}
	b.From = min(n.From, b.Looked)
	if n.To >= 0 && n.To < b.Looked-rangeAhead {
		b.Looked = max(n.To, b.From) + rangeAhead
	}
}

// unlimit makes all of a buffer be read again. Frames that were in step may not be so further
// on.
func (n *Range) unlimit(b *Buffer, layout frame.Layout) {
	if n == nil {
		return
	}
	b.From, b.Looked, b.Layout = 0, b.Size, layout
}

// contextReaderAt is an io.ReaderAt that fails once its context is done.
type contextReaderAt struct {
	ctx context.Context
	io.ReaderAt
}

// ReadAt implements [io.ReaderAt].
func (r contextReaderAt) ReadAt(p []byte, off int64) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.ReaderAt.ReadAt(p, off)
}

// Triggers calls found with the capture offset of each trigger of the buffer.
func (b *Buffer) Triggers(found func(offset int64) error) error {
	if b.Index == nil || b.Index.Overhead.Trigger == 0 {
		return nil
	}
	r := frame.NewReader(b.Data, b.Looked, b.Layout, frame.TriggerID)
	return decode.EachPiece(r, func(piece *decode.Piece, _ decode.Break) error {
		for i := range piece.Data {
			if err := found(int64(piece.Offsets.At(i))); err != nil {
				return err
			}
		}
		return nil
	})
}
