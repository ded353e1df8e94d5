package frame

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// An input is a window that moves over a buffer in reading order: from the start,
// or from the oldest byte of a ring and round.
type input struct {
	r     io.ReaderAt
	size  int64
	ring  int64  // where reading begins in the buffer
	chunk int    // bytes read at a time
	pos   int64  // of win[0], in reading order
	win   []byte // what was read and not skipped
	store []byte
}

// ahead returns the window, which is at least n bytes or all that are left. It is
// valid until the next call.
func (in *input) ahead(n int) ([]byte, error) {
	have := len(in.win)
	if have >= n || in.pos+int64(have) >= in.size {
		return in.win, nil
	}
	want := int(min(int64(max(n, in.chunk)), in.size-in.pos))
	if len(in.store) < want {
		store := make([]byte, max(want, in.chunk))
		copy(store, in.win)
		in.store = store
	} else {
		copy(in.store, in.win)
	}
	if err := in.read(in.store[have:want], in.pos+int64(have)); err != nil {
		return nil, err
	}
	in.win = in.store[:want]
	return in.win, nil
}

// skip moves the window n bytes on. They need not be in it.
func (in *input) skip(n int64) {
	in.pos += n
	in.win = in.win[min(n, int64(len(in.win))):]
}

// at returns the capture offset of position p of the reading order.
func (in *input) at(p int64) int64 {
	p += in.ring
	if p >= in.size {
		p -= in.size
	}
	return p
}

// untilWrap returns how many bytes from position p on are adjacent in the buffer.
func (in *input) untilWrap(p int64) int64 { return in.size - in.at(p) }

// read fills b from position p of the reading order.
func (in *input) read(b []byte, p int64) error {
	for len(b) > 0 {
		part := b[:min(int64(len(b)), in.untilWrap(p))]
		n, err := in.r.ReadAt(part, in.at(p))
		if n < len(part) {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("read capture at offset 0x%x: %w", in.at(p)+int64(n), err)
		}
		p += int64(n)
		b = b[n:]
	}
	return nil
}

// tail finds the run of 00 or FF bytes at the end: what the formatter was
// stopped with, or memory never written.
func (in *input) tail() (tail, error) {
	b := make([]byte, min(int64(in.chunk), in.size))
	var value byte
	for end := in.size; end > 0; {
		b = b[:min(int64(len(b)), end)]
		if err := in.read(b, end-int64(len(b))); err != nil {
			return tail{}, err
		}
		if end == in.size {
			value = b[len(b)-1]
			if value != 0x00 && value != 0xFF {
				return tail{start: in.size, size: in.size}, nil
			}
		}
		for i, x := range slices.Backward(b) {
			if x != value {
				return tail{value, end - int64(len(b)-1-i), in.size}, nil
			}
		}
		end -= int64(len(b))
	}
	return tail{value, 0, in.size}, nil
}

// A tail is the run of equal bytes a buffer ends with.
type tail struct {
	value byte
	start int64 // in reading order
	size  int64 // of the buffer
}

// isPadding reports whether all from position p on is padding, whatever the
// current ID (docs/containers.md §3): two frames of zeros or more, or one of FF.
func (t tail) isPadding(p int64) bool {
	least := int64(frameSize)
	if t.value == 0 {
		least = 2 * frameSize
	}
	return p >= t.start && t.size-p >= least
}

// frames returns how many bytes of whole frames there are from position p,
// where a frame starts, to the padding or the end.
func (t tail) frames(p int64) int64 {
	const most = frameSize - 1
	if end := p + (max(t.start-p, 0)+most)&^most; t.isPadding(end) {
		return end - p
	}
	return (t.size - p) &^ most
}

// data returns how many bytes there are from position p to the padding or the
// end, wherever frames start.
func (t tail) data(p int64) int64 {
	if end := max(p, t.start); t.isPadding(end) {
		return end - p
	}
	return t.size - p
}
