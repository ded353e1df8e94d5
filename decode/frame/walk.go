package frame

import (
	"io"

	"github.com/tracelake/tracelake/decode"
)

// A kind is what an extent of a buffer is.
type kind uint8

const (
	frames     kind = iota // whole frames
	syncs                  // sync packets
	padding                // whole frames of 00 or FF up to the end
	unaligned              // no frames, or frames of unknown alignment
	realigned              // unaligned, because frames continue at another offset
	incomplete             // the rest of a frame the buffer, or a run, ends in
)

// An extent is a run of bytes of one kind, in reading order.
type extent struct {
	kind   kind
	n      int64 // bytes
	offset int64 // capture offset of the first
	// data are the whole frames, of kind frames. They are adjacent in the
	// buffer, or data is one frame and at has the offset of each of its bytes.
	data []byte
	at   *[frameSize]int64
	// reset says why everything starts anew before these bytes: the current
	// ID is unknown, and no stream continues.
	reset decode.Break
}

// A walker goes through a buffer and finds its frames. What it finds depends
// on the bytes and the layout alone, so every walk of a buffer is the same.
type walker struct {
	in     input
	layout Layout
	err    error
	begun  bool
	tail   tail
	reset  decode.Break // for the next extent

	// Memory-aligned frames.
	runs     []int64   // those of the layout that begin after the position
	suspect  [256]bool // mixed bytes that want a closer look
	searchAt int64     // no such look before this position

	// Frames between sync packets: the current frame, pair by pair.
	seeking bool // for an FSYNC
	early   bool // its first byte was taken for data
	pairs   int
	frame   [frameSize]byte
	at      [frameSize]int64
}

func newWalker(r io.ReaderAt, size int64, layout Layout) *walker {
	w := &walker{
		in:      input{r: r, size: size, ring: layout.RingStart, chunk: chunkBytes},
		layout:  layout,
		runs:    layout.Runs,
		err:     layout.check(size),
		suspect: lostBytes,
		seeking: layout.Sync,
	}
	if !layout.IDs.Empty() {
		for b := 1; b < len(w.suspect); b += 2 {
			w.suspect[b] = w.suspect[b] || !layout.IDs.Has(uint8(b>>1))
		}
	}
	return w
}

// next returns the next extent, which is valid until the next call, or io.EOF.
func (w *walker) next() (extent, error) {
	if !w.begun && w.err == nil {
		w.begun = true
		w.tail, w.err = w.in.tail()
	}
	if w.err != nil {
		return extent{}, w.err
	}
	step := w.aligned
	if w.layout.Sync {
		step = w.synced
	}
	s, err := step()
	if err != nil {
		w.err = err
		return extent{}, err
	}
	s.reset, w.reset = w.reset, decode.NoBreak
	return s, nil
}

// take skips n bytes and returns them as an extent without frames.
func (w *walker) take(k kind, n int64) (extent, error) {
	s := extent{kind: k, n: n, offset: w.in.at(w.in.pos)}
	w.in.skip(n)
	return s, nil
}

// takeFrames takes the frames b, which are at the position.
func (w *walker) takeFrames(b []byte) (extent, error) {
	p := w.in.pos
	if wrap := w.in.untilWrap(p); wrap < frameSize {
		copy(w.frame[:], b)
		for i := range w.at {
			w.at[i] = w.in.at(p + int64(i))
		}
		w.in.skip(frameSize)
		return w.scattered(), nil
	} else if wrap < int64(len(b)) {
		b = b[:wrap&^(frameSize-1)]
	}
	s := extent{kind: frames, n: int64(len(b)), offset: w.in.at(p), data: b}
	w.in.skip(s.n)
	return s, nil
}

// scattered returns the current frame, whose bytes are not adjacent in the buffer.
func (w *walker) scattered() extent {
	return extent{kind: frames, n: frameSize, offset: w.at[0], data: w.frame[:], at: &w.at}
}

// aligned is next for memory-aligned frames.
func (w *walker) aligned() (extent, error) {
	p := w.in.pos
	switch {
	case p >= w.in.size:
		return extent{}, io.EOF
	case p < w.layout.Offset:
		return w.take(unaligned, w.layout.Offset-p)
	}
	left, end := w.tail.frames(p), w.runEnd(p)
	switch {
	case left == 0 && w.tail.isPadding(p):
		return w.take(padding, (w.in.size-p)&^(frameSize-1))
	case left == 0, end-p < frameSize:
		return w.take(incomplete, end-p)
	}
	left = min(left, end-p)
	stop := &w.suspect
	if p < w.searchAt {
		stop = &lostBytes
		left = min(left, w.searchAt-p)
	}
	b, err := w.in.ahead(frameSize)
	if err != nil {
		return extent{}, err
	}
	b = b[:min(left, int64(len(b)))&^(frameSize-1)]
	if w.layout.Steady {
		return w.takeFrames(b)
	}
	if n := quiet(b, stop); n > 0 {
		return w.takeFrames(b[:n])
	}
	return w.suspectFrame()
}

// runEnd returns where the run that position p is in ends. At the start of a run, but for the first,
// everything starts anew.
func (w *walker) runEnd(p int64) int64 {
	for len(w.runs) > 0 && w.runs[0] <= p {
		if w.runs[0] == p && p > 0 {
			w.reset = decode.NewRun
		}
		w.runs = w.runs[1:]
	}
	if len(w.runs) > 0 {
		return min(w.runs[0], w.in.size)
	}
	return w.in.size
}

// suspectFrame takes the frame at the position, which has an ID byte that it
// should not have.
func (w *walker) suspectFrame() (extent, error) {
	b, err := w.in.ahead(frameSize)
	if err != nil {
		return extent{}, err
	}
	if isSyncFrame(b) {
		w.reset = decode.Broken
		return w.take(syncs, frameSize)
	}
	if skip, err := w.outOfStep(); err != nil {
		return extent{}, err
	} else if skip > 0 {
		w.reset = decode.Broken
		return w.take(realigned, skip)
	}
	b, err = w.in.ahead(frameSize) // outOfStep may have moved the window
	if err != nil {
		return extent{}, err
	}
	if quiet(b[:frameSize], &lostBytes) == 0 {
		w.reset = decode.Broken
		return w.take(unaligned, frameSize)
	}
	return w.takeFrames(b[:frameSize])
}

// outOfStep returns by how many bytes the frames at the position are out of
// step, 0 if they are not, or if no other alignment is better. Only an odd
// shift can be seen.
func (w *walker) outOfStep() (skip int64, err error) {
	p, ids := w.in.pos, w.layout.IDs
	left := w.tail.frames(p)
	if ids.Empty() || p < w.searchAt || left < windowBytes {
		return 0, nil
	}
	b, err := w.in.ahead(rescoreBytes)
	if err != nil {
		return 0, err
	}
	b = b[:min(left, int64(len(b)), rescoreBytes)]
	here := countParities(b[:windowBytes], ids)[0]
	if here.all-here.good < minBad || here.share() >= minShare {
		return 0, nil
	}
	w.searchAt = p + windowBytes
	if !otherParity(b[:min(len(b), realignBytes)], ids) && !otherParity(b[:windowBytes], ids) {
		return 0, nil
	}
	skip = int64(bestOffset(b, offsetsOf(1), w.layout.Score).best.offset)
	w.searchAt += skip
	return skip, nil
}

// otherParity reports whether the ID bytes of b show that its frames start at an odd
// offset.
func otherParity(b []byte, ids IDSet) bool {
	parities := countParities(b, ids)
	here, there := parities[0], parities[1]
	return there.all >= minEvidence && there.share() >= minShare && there.share() > here.share()
}

// offsetsOf returns the offsets of a parity at which a frame may start.
func offsetsOf(parity int) (offsets []int) {
	for o := parity; o < frameSize; o += 2 {
		offsets = append(offsets, o)
	}
	return offsets
}
