package frame

import (
	"errors"
	"fmt"
	"io"
)

// NewReaderAt returns a reader of the stream with ID id from its byte at a capture offset
// on. The layout is steady: nothing before that is read. It fails with [ErrNoByte] if the
// stream has no byte there, and if reading fails.
func NewReaderAt(r io.ReaderAt, size int64, layout Layout, id uint8, offset int64) (*Reader, error) {
	if offset < 0 || offset >= size {
		return nil, noByte(id, offset)
	}
	p := offset - layout.RingStart // in reading order
	if p < 0 {
		p += size
	}
	if p < layout.Offset {
		return nil, noByte(id, offset)
	}
	layout.SkipTo(p)
	reader := NewReader(r, size, layout, id)
	return reader, reader.beginAt(offset)
}

// beginAt begins with a byte of the first frame. It takes the bytes of the frame before its
// first ID byte for those of the source: if they are not, they are before that byte.
func (r *Reader) beginAt(offset int64) error {
	for len(r.s.data) == 0 {
		s, err := r.walk.next()
		if err != nil {
			return fmt.Errorf("frame at offset 0x%x: %w", offset, err)
		}
		r.s = s
	}
	r.cur = r.id
	r.unpack()
	for len(r.queue) > 0 && r.queue[0].offset != offset {
		r.queue = r.queue[1:]
	}
	if len(r.queue) == 0 {
		return noByte(r.id, offset)
	}
	return nil
}

// ErrNoByte says that a stream has no byte at an offset.
var ErrNoByte = errors.New("no byte of the source")

func noByte(id uint8, offset int64) error {
	return fmt.Errorf("offset 0x%x has %w 0x%02x", offset, ErrNoByte, id)
}
