package frame

import (
	"bytes"
	"io"

	"github.com/tracelake/tracelake/decode"
)

// synced is walker.next for the stream of a trace port (docs/containers.md §2):
// FSYNCs come before a frame, HSYNCs before any pair of bytes, and no pair of a
// frame begins with FF.
func (w *walker) synced() (extent, error) {
	p := w.in.pos
	if p >= w.in.size {
		return w.cutOff(0)
	}
	if p < w.layout.Offset {
		return w.take(unaligned, w.layout.Offset-p)
	}
	if w.pairs == 0 && w.tail.isPadding(p) {
		return w.take(padding, w.in.size-p)
	}
	if w.seeking {
		return w.seek()
	}
	b, err := w.in.ahead(frameSize)
	if err != nil {
		return extent{}, err
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

// collect gathers pairs of the current frame from b, which is at the position, up
// to the end of the frame or to a sync packet or the loss of alignment before it.
func (w *walker) collect(b []byte) (extent, error) {
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
			return extent{}, err
		}
	}
}

// cutOff takes the pairs collected and the n bytes left as an incomplete frame at
// the end of the buffer.
func (w *walker) cutOff(n int64) (extent, error) {
	n += 2 * int64(w.pairs)
	if n == 0 {
		return extent{}, io.EOF
	}
	w.pairs = 0
	s := extent{kind: incomplete, n: n, offset: w.in.at(w.in.pos)}
	w.in.skip(w.in.size - w.in.pos)
	return s, nil
}

// lost drops the current frame: alignment is lost at b, which is at the position
// and begins with FF. The next FSYNC may begin one byte before.
func (w *walker) lost(b []byte) (extent, error) {
	w.reset, w.seeking = decode.Broken, true
	n := 2 * w.pairs
	if n == 0 {
		return w.seek()
	}
	w.pairs = 0
	s := extent{kind: unaligned, n: int64(n), offset: w.at[0]}
	beside := w.at[n-1] == w.in.at(w.in.pos-1)
	if beside && w.frame[n-1] == fsync[0] && hasPrefix(b, fsync[1:]) {
		w.early = true
		s.n--
	}
	return s, nil
}

// seek takes the bytes before the next FSYNC, or that FSYNC.
func (w *walker) seek() (extent, error) {
	if w.early {
		w.early, w.seeking = false, false
		s := extent{kind: syncs, n: int64(len(fsync)), offset: w.in.at(w.in.pos - 1)}
		w.in.skip(int64(len(fsync)) - 1)
		return s, nil
	}
	b, err := w.in.ahead(len(fsync))
	if err != nil {
		return extent{}, err
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
