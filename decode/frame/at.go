package frame

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/tracelake/tracelake/decode"
)

// ErrNoByte says that a stream has no byte at an offset, where that shows.
var ErrNoByte = errors.New("no byte of the source")

// NewReaderAt returns a reader of the stream with ID id from its byte at a capture offset
// on. The layout is steady, or that of a trace port without a ring: nothing before that is
// read, or of a trace port what follows the last FSYNC. So that the byte is one of the source
// is taken for granted where no ID byte read says otherwise; else it fails with [ErrNoByte].
// It fails if reading fails.
func NewReaderAt(r io.ReaderAt, size int64, layout Layout, id uint8, offset int64) (*Reader, error) {
	p := offset - layout.RingStart // in reading order
	if p < 0 {
		p += size
	}
	if offset < 0 || offset >= size || p < layout.Offset {
		return nil, noByte(id, offset)
	}
	if layout.Sync {
		at, err := lastFSYNC(input{r: r, size: size, ring: layout.RingStart}, p)
		if err != nil {
			return nil, err
		}
		p = at
	}
	layout.SkipTo(p)
	reader := NewReader(r, size, layout, id)
	return reader, reader.beginAt(offset)
}

// lastFSYNC returns where the last FSYNC before a position begins, or the start.
func lastFSYNC(in input, before int64) (int64, error) {
	b := make([]byte, chunkBytes)
	for to := before; to > 0; {
		from := max(0, to-chunkBytes)
		part := b[:to-from]
		if err := in.read(part, from); err != nil {
			return 0, err
		}
		if i := bytes.LastIndex(part, []byte(fsync)); i >= 0 {
			return from + int64(i), nil
		}
		if from == 0 {
			break
		}
		to = from + int64(len(fsync)) - 1 // one may be in both parts
	}
	return 0, nil
}

// beginAt begins with a byte. The current ID is taken for that of the source until another
// comes: where it is not, all the bytes are before that byte, and left out.
func (r *Reader) beginAt(offset int64) error {
	for r.cur = r.id; ; {
		s, err := r.walk.next()
		if errors.Is(err, io.EOF) {
			return noByte(r.id, offset)
		}
		if err != nil {
			return err
		}
		if r.s = s; s.reset != decode.NoBreak {
			r.cur = unknownID
		}
		r.s.reset = decode.NoBreak
		for len(r.s.data) > 0 {
			begins := r.s.offset
			r.unpack()
			for len(r.queue) > 0 && r.queue[0].offset != offset {
				r.queue = r.queue[1:]
			}
			switch {
			case len(r.queue) > 0:
				return nil
			case r.walk.layout.Steady, begins > offset: // it is in the first frame, or before this one
				return noByte(r.id, offset)
			}
		}
	}
}

func noByte(id uint8, offset int64) error {
	return fmt.Errorf("offset 0x%x has %w 0x%02x", offset, ErrNoByte, id)
}
