package generate

import (
	"errors"
	"io"
	"math/rand/v2"

	"github.com/tracelake/tracelake/bench/snapshot"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/frame"
)

// A buffer is a trace buffer that is being written.
type buffer struct {
	out     io.Writer
	frames  *frame.Writer // nil: no frames
	port    bool
	offsets map[uint8]*Offsets
	err     error
}

func (c *Capture) newBuffer(w io.Writer) *buffer {
	b := &buffer{out: w, offsets: map[uint8]*Offsets{}}
	switch c.Framing {
	case NoFrames:
		return b
	case FramesInMemory:
		b.frames = frame.NewWriter(w)
	case FramesOfPort:
		b.frames, b.port = frame.NewPortWriter(w, framesToSync), true
	}
	for i := range c.Cores {
		b.offsets[c.Cores[i].Source] = new(Offsets)
	}
	b.frames.Placed = func(id uint8, at decode.CaptureOffset) { b.offsets[id].Place(at) }
	return b
}

// stream returns what takes the stream of a source.
func (b *buffer) stream(id uint8) io.Writer {
	if b.frames == nil {
		return b.out
	}
	return snapshot.Framed(b.frames, id)
}

// halfSync writes the HSYNC of a port that has nothing to send for a moment.
func (b *buffer) halfSync(random *rand.Rand) {
	if b.port && random.IntN(2) == 0 && b.err == nil {
		b.err = b.frames.HalfSync()
	}
}

func (b *buffer) flush() error {
	if b.frames == nil {
		return b.err
	}
	return errors.Join(b.err, b.frames.Flush())
}
