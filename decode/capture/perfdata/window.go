package perfdata

import (
	"fmt"
	"io"
)

// How many bytes a window reads at once. What follows a place that was jumped to is
// likely to be trace again, so little is read there, and more as reading goes on.
const (
	leastAhead = 4 << 10
	mostAhead  = 256 << 10 // more than any record has
)

// A window is what was read of a part, of which records are cut.
type window struct {
	part  *Part
	buf   []byte
	from  int64 // of buf, in the part
	ahead int
}

// at returns n bytes, no more than mostAhead, which are valid up to the next call. They are
// inside the part.
func (w *window) at(offset int64, n int) ([]byte, error) {
	end := w.from + int64(len(w.buf))
	if offset < w.from || offset+int64(n) > end {
		if err := w.move(offset, n, offset >= w.from && offset <= end); err != nil {
			return nil, err
		}
	}
	return w.buf[offset-w.from:][:n], nil
}

// move makes the window begin at offset, with n bytes or more.
func (w *window) move(offset int64, n int, goesOn bool) error {
	if w.ahead = max(2*w.ahead, leastAhead); !goesOn {
		w.ahead = leastAhead
	}
	w.ahead = min(w.ahead, mostAhead)
	size := int(min(int64(max(n, w.ahead)), w.part.Size-offset))
	if cap(w.buf) < size {
		w.buf = make([]byte, size)
	}
	w.buf, w.from = w.buf[:size], offset
	if got, err := w.part.Data.ReadAt(w.buf, offset); got < size {
		w.buf = w.buf[:0]
		if err == io.EOF {
			err = io.ErrUnexpectedEOF // it was longer when it was opened
		}
		return fmt.Errorf("%s: reading at offset %#x: %w", w.part.Name, offset, err)
	}
	return nil
}
