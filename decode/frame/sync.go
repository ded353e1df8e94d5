package frame

import (
	"bytes"
	"io"
)

// synced is walker.next for the stream of a trace port (docs/containers.md §2):
// FSYNCs stand before a frame, HSYNCs before any pair of bytes, and no pair
// of a frame begins with FF.
func (w *walker) synced() (stretch, error) {
	p := w.in.pos
	if p >= w.in.size {
		return w.cutOff(0)
	}
	if w.pairs == 0 && w.tail.isPadding(p) {
		return w.take(padding, w.in.size-p)
	}
	if w.seeking {
		return w.seek()
	}
	b, err := w.in.ahead(frameSize)
	if err != nil {
		return stretch{}, err
	}
	if w.pairs > 0 {
		return w.collect(b)
	}
	if hasPrefix(b, fsync) {
		return w.take(syncs, int64(len(fsync)))
	}
	if n := quiet(b[:min(w.tail.frames(p), int64(len(b)))], &lostBytes); n > 0 {
		return w.takeFrames(b[:n])
	}
	return w.collect(b)
}

// collect gathers pairs of the frame at hand from b, which stands at the
// position, up to the frame's end or to whatever comes before.
func (w *walker) collect(b []byte) (stretch, error) {
	for {
		switch {
		case len(b) < len(hsync):
			return w.cutOff(int64(len(b)))
		case hasPrefix(b, hsync):
			return w.take(syncs, int64(len(hsync)))
		case b[0] == lostByte:
			return w.lost(b)
		}
		for i := range 2 {
			w.frame[2*w.pairs+i] = b[i]
			w.at[2*w.pairs+i] = w.in.at(w.in.pos + int64(i))
		}
		w.in.skip(2)
		if w.pairs++; w.pairs == frameSize/2 {
			w.pairs = 0
			return w.scattered(), nil
		}
		var err error
		if b, err = w.in.ahead(len(hsync) + 1); err != nil {
			return stretch{}, err
		}
	}
}

// cutOff takes the n bytes left and the pairs at hand as the rest of a frame
// that the buffer ends in.
func (w *walker) cutOff(n int64) (stretch, error) {
	n += 2 * int64(w.pairs)
	if n == 0 {
		return stretch{}, io.EOF
	}
	w.pairs = 0
	s := stretch{kind: incomplete, n: n, offset: w.in.at(w.in.pos)}
	w.in.skip(w.in.size - w.in.pos)
	return s, nil
}

// lost drops the frame at hand: alignment is lost at b, which stands at the
// position and begins with FF. The next FSYNC may begin one byte before.
func (w *walker) lost(b []byte) (stretch, error) {
	w.reset, w.seeking = true, true
	n := 2 * w.pairs
	if n == 0 {
		return w.seek()
	}
	w.pairs = 0
	s := stretch{kind: unaligned, n: int64(n), offset: w.at[0]}
	beside := w.at[n-1] == w.in.at(w.in.pos-1)
	if beside && w.frame[n-1] == fsync[0] && hasPrefix(b, fsync[1:]) {
		w.early = true
		s.n--
	}
	return s, nil
}

// seek takes what stands before the next FSYNC, or that FSYNC.
func (w *walker) seek() (stretch, error) {
	if w.early {
		w.early, w.seeking = false, false
		s := stretch{kind: syncs, n: int64(len(fsync)), offset: w.in.at(w.in.pos - 1)}
		w.in.skip(int64(len(fsync)) - 1)
		return s, nil
	}
	b, err := w.in.ahead(len(fsync))
	if err != nil {
		return stretch{}, err
	}
	left := w.tail.data(w.in.pos)
	last := int64(len(b)) >= left
	b = b[:min(left, int64(len(b)))]
	n := bytes.Index(b, []byte(fsync))
	switch {
	case n == 0:
		w.seeking = false
		return w.take(syncs, int64(len(fsync)))
	case n < 0 && last:
		n = len(b)
	case n < 0:
		n = len(b) - (len(fsync) - 1) // the rest may be the start of one
	}
	return w.take(unaligned, int64(n))
}
