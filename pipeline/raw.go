package pipeline

import (
	"errors"
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
}

func newRawStream(data io.ReaderAt, size, ringStart int64) *rawStream {
	return &rawStream{data: data, size: size, ringStart: ringStart}
}

// Next implements [decode.Stream].
func (s *rawStream) Next(p *decode.Piece) (broken bool, err error) {
	if s.read == s.size {
		return false, io.EOF
	}
	at := s.ringStart + s.read
	left := s.size - at
	if left <= 0 {
		at -= s.size
		left = s.ringStart - at
	}
	room := p.Data[len(p.Data):cap(p.Data)]
	if len(room) == 0 {
		room = p.Room(int(min(rawPieceBytes, left)))
	}
	n := min(int64(len(room)), rawPieceBytes, left)
	if got, err := s.data.ReadAt(room[:n], at); int64(got) < n {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return false, fmt.Errorf("read capture at offset 0x%x: %w", at, err)
	}
	p.Data = p.Data[:len(p.Data)+int(n)]
	p.Offsets.Append(decode.CaptureOffset(at), int(n))
	s.read += n
	return false, nil
}
