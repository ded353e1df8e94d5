package seekable

import (
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
)

// Best is the level that packs best.
const Best = "best"

// Levels are how hard a [Packer] tries, in order; the last is [Best].
func Levels() []string {
	var names []string
	for l := zstd.SpeedFastest; l <= zstd.SpeedBestCompression; l++ {
		names = append(names, l.String())
	}
	return names
}

// A Packer makes frames. It is safe for concurrent use.
type Packer struct {
	encoder *zstd.Encoder
	decoder *Decoder
}

// NewPacker returns a packer of one of [Levels]. The same bytes give the same frame.
func NewPacker(level string) (*Packer, error) {
	ok, l := zstd.EncoderLevelFromString(level)
	if !ok {
		return nil, fmt.Errorf("level %q is not known", level)
	}
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(l), zstd.WithWindowSize(FrameBytes), zstd.WithEncoderCRC(true),
		zstd.WithSingleSegment(true))
	if err != nil {
		return nil, err
	}
	d, err := NewDecoder()
	if err != nil {
		return nil, err
	}
	return &Packer{e, d}, nil
}

// Pack returns the frame of a block of at most [FrameBytes], not empty.
func (p *Packer) Pack(block []byte) []byte {
	return p.encoder.EncodeAll(block, make([]byte, 0, len(block)/4))
}

// A Writer writes frames and the seek table of them.
type Writer struct {
	out   io.Writer
	table *table
}

// NewWriter returns a writer to out.
func NewWriter(out io.Writer) *Writer { return &Writer{out, newTable(0)} }

// Add writes the next frame, which holds size bytes.
func (w *Writer) Add(frame []byte, size int) error {
	if len(frame) > math.MaxUint32 {
		return fmt.Errorf("a frame of %d bytes does not fit a seek table", len(frame))
	}
	if _, err := w.out.Write(frame); err != nil {
		return err
	}
	w.table.add(int64(len(frame)), int64(size))
	return nil
}

// Close writes the seek table. It does not close what it writes to.
func (w *Writer) Close() error {
	b, err := w.table.bytes()
	if err == nil {
		_, err = w.out.Write(b)
	}
	return err
}

// Size returns how many bytes the frames hold.
func (w *Writer) Size() int64 { return w.table.start[w.table.frames()] }
