package seekable

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/zstd"
)

// frameRoom is more than any frame of [FrameBytes] takes: a block that cannot be packed
// has three bytes more for each 128 KiB.
const frameRoom = FrameBytes + FrameBytes/1024 + 64

// Frames are those at the beginning of a file that was not completed, one after another.
type Frames struct {
	file  io.ReaderAt
	at    int64
	ended bool
}

// NewFrames returns the frames of a file.
func NewFrames(file io.ReaderAt) *Frames { return &Frames{file: file} }

// Next returns the next frame, nil if there is none that is whole. Nothing of it was checked
// but where it ends.
func (f *Frames) Next() []byte {
	if f.ended {
		return nil
	}
	b := make([]byte, frameRoom)
	n, _ := f.file.ReadAt(b, f.at) // less, at the end
	size := frameSize(b[:n])
	f.at, f.ended = f.at+int64(size), size == 0
	return bytes.Clone(b[:size])
}

// frameSize returns how many bytes the frame at the start of b has; 0: it is none, or not whole
// in b.
func frameSize(b []byte) int {
	var h zstd.Header
	if h.Decode(b) != nil || h.Skippable {
		return 0
	}
	at := h.HeaderSize
	for last := false; !last; {
		if at+3 > len(b) {
			return 0
		}
		block := int(b[at]) | int(b[at+1])<<8 | int(b[at+2])<<16 // last, type, size
		size := block >> 3
		if block>>1&3 == 1 {
			size = 1 // of a byte that repeats
		}
		last = block&1 != 0
		at += 3 + size
	}
	if h.HasCheckSum {
		at += 4
	}
	if at > len(b) {
		return 0
	}
	return at
}

// Holds says whether a frame holds a block. If it is one that a packer of that level made, it is the
// one which Pack makes.
func (p *Packer) Holds(frame, block []byte) bool {
	data, err := p.decoder.zstd.DecodeAll(frame, make([]byte, 0, len(block)))
	return err == nil && bytes.Equal(data, block)
}
