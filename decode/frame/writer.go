package frame

import (
	"errors"
	"fmt"
	"io"

	"github.com/tracelake/tracelake/decode"
)

// repeatFrames is how many frames without an ID byte pass before the current
// source is named again, so that a reader of a ring that wrapped learns it. The
// hardware does so too (ARM DDI 0314H §8.12.1), in the capture TC2 one frame
// earlier. The committed sample was written with this number.
const repeatFrames = 8

// A Writer puts the streams of several sources into frames, in the order their
// bytes are written (docs/containers.md §4). An error in writing stays.
type Writer struct {
	// Placed, if not nil, is called with the capture offset of each byte of a
	// stream, in the order they were written; for the last byte of a stream
	// perhaps not before the next call.
	Placed func(id uint8, offset decode.CaptureOffset)

	w     io.Writer
	every int // frames from FSYNC to FSYNC; 0 in memory
	err   error

	offset int64 // capture offset of out
	frames int   // written
	quiet  int   // frames in a row without an ID byte

	// The current frame. Its mixed bytes and pairs are placed one by one; out
	// has the sync packets between them too.
	out   []byte
	pos   int // even
	aux   uint8
	named bool // it has an ID byte

	cur     uint8 // the current ID, or unknownID
	held    byte  // the last byte of cur, for which there is no second one yet
	holding bool
}

// NewWriter returns a writer of adjacent frames, as in memory.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w, cur: unknownID} }

// NewPortWriter returns a writer of the stream of a trace port, with an FSYNC
// before every so many frames, the first included. It panics if every < 1.
func NewPortWriter(w io.Writer, every int) *Writer {
	if every < 1 {
		panic(fmt.Sprintf("frame: an FSYNC every %d frames", every))
	}
	return &Writer{w: w, every: every, cur: unknownID}
}

// Write appends data to the stream of source id. It fails if id is not the ID of a
// source.
func (w *Writer) Write(id uint8, data []byte) error {
	if !IsSource(id) {
		return fmt.Errorf("trace ID %#02x is not that of a source; give 0x01 to 0x6f", id)
	}
	for len(data) > 0 && w.err == nil {
		data = data[w.put(id, data):]
	}
	return w.err
}

// put places some of data, if only an ID byte for it, and returns how many
// bytes it took.
func (w *Writer) put(id uint8, data []byte) int {
	repeat := w.pos == 0 && w.quiet >= repeatFrames && !w.holding
	switch {
	case id != w.cur || repeat:
		return w.change(id, data)
	case w.holding:
		w.holding = false
		w.pair(w.held, data[0])
		return 1
	case w.pos == lastMixed:
		w.last(data[0])
		return 1
	case len(data) == 1:
		w.held, w.holding = data[0], true
		return 1
	default:
		w.pair(data[0], data[1])
		return 2
	}
}

// change places an ID byte and the byte after it: the byte held of the old source
// (a delayed change), or the first byte of the new one. No byte follows byte 14.
func (w *Writer) change(id uint8, data []byte) (n int) {
	w.begin()
	w.out = append(w.out, id<<1|1)
	switch {
	case w.holding:
		w.holding = false
		w.aux |= 1 << (w.pos / 2)
		w.place(w.cur, w.held)
	case w.pos < lastMixed:
		w.place(id, data[0])
		n = 1
	}
	w.cur, w.named = id, true
	w.advance()
	return n
}

// pair places two bytes of the current source.
func (w *Writer) pair(even, odd byte) {
	w.begin()
	w.mixed(even)
	w.place(w.cur, odd)
	w.advance()
}

// last places byte 14, which is in no pair.
func (w *Writer) last(b byte) {
	w.mixed(b)
	w.advance()
}

// mixed places a data byte where an ID byte could be.
func (w *Writer) mixed(b byte) {
	w.aux |= (b & 1) << (w.pos / 2)
	w.place(w.cur, b&^1)
}

// place appends b, which encodes a byte of source id.
func (w *Writer) place(id uint8, b byte) {
	if w.Placed != nil && IsSource(id) {
		w.Placed(id, decode.CaptureOffset(w.offset+int64(len(w.out))))
	}
	w.out = append(w.out, b)
}

// begin begins a frame if there is no current one, with an FSYNC if it is time.
func (w *Writer) begin() {
	if len(w.out) == 0 && w.every > 0 && w.frames%w.every == 0 {
		w.out = append(w.out, fsync...)
	}
}

// advance moves past a pair, or past byte 14 to the next frame.
func (w *Writer) advance() {
	if w.pos < lastMixed {
		w.pos += 2
		return
	}
	w.out = append(w.out, w.aux)
	w.frames++
	w.quiet++
	if w.named {
		w.quiet = 0
	}
	w.pos, w.aux, w.named = 0, 0, false
	w.emit()
}

// emit writes the current frame.
func (w *Writer) emit() {
	if w.err == nil {
		_, w.err = w.w.Write(w.out)
	}
	w.offset += int64(len(w.out))
	w.out = w.out[:0]
}

// Flush ends the current frame as the formatter does when it stops: with ID 0, then
// zeros. Between frames it does nothing. A writer ends with it.
func (w *Writer) Flush() error {
	if len(w.out) == 0 && !w.holding {
		return w.err
	}
	zeros := []byte{0, 0}
	w.change(NullID, zeros)
	for len(w.out) > 0 {
		w.put(NullID, zeros)
	}
	return w.err
}

// SyncFrame flushes and writes four FSYNCs: no stream continues after them. It
// fails for a trace port, where FSYNCs have no such meaning.
func (w *Writer) SyncFrame() error {
	if w.every > 0 {
		return errors.New("a trace port has no sync frames")
	}
	if err := w.Flush(); err != nil {
		return err
	}
	w.out = append(w.out, syncFrame...)
	w.emit()
	w.cur = unknownID
	return w.err
}

// HalfSync writes an HSYNC before the next pair. It fails in memory, where
// there are none.
func (w *Writer) HalfSync() error {
	if w.every == 0 {
		return errors.New("frames in memory have no HSYNCs; write to a trace port")
	}
	w.begin()
	w.out = append(w.out, hsync...)
	return w.err
}
