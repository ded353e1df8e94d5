package pipeline

import (
	"fmt"
	"io"

	"github.com/tracelake/tracelake/decode"
)

// rawPieceBytes is how much of a raw stream is read at a time.
const rawPieceBytes = 256 << 10

// A rawStream is a buffer that holds the bytes of one source, in reading order: a
// ring starts at its oldest byte.
type rawStream struct {
	data      io.ReaderAt
	size      int64
	ringStart int64
	read      int64
	buf       []byte
}

func newRawStream(data io.ReaderAt, size, ringStart int64) *rawStream {
	return &rawStream{data: data, size: size, ringStart: ringStart, buf: make([]byte, rawPieceBytes)}
}

// Next implements [decode.Stream].
func (s *rawStream) Next() (decode.Piece, error) {
	if s.read == s.size {
		return decode.Piece{}, io.EOF
	}
	at := s.ringStart + s.read
	left := s.size - at
	if left <= 0 {
		at -= s.size
		left = s.ringStart - at
	}
	n := min(int64(len(s.buf)), left)
	if _, err := io.ReadFull(io.NewSectionReader(s.data, at, n), s.buf[:n]); err != nil {
		return decode.Piece{}, fmt.Errorf("read capture at offset 0x%x: %w", at, err)
	}
	s.read += n
	return decode.Piece{Data: s.buf[:n], Offsets: decode.OffsetsFrom(decode.CaptureOffset(at), 1, int(n))}, nil
}
