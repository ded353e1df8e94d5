package pipeline

import (
	"io"

	"github.com/tracelake/tracelake/decode"
)

// sampleOf returns the sample of a stream: its first bytes, or those from the first
// synchronisation on if that is not among them.
func (s *sourcePlan) sampleOf(stream decode.Stream) decode.Stream {
	if s.firstSync.V > int64(s.sample/2) {
		stream = &skippedStream{Stream: stream, unitBytes: s.unitBytes(), left: s.firstSync.V}
	}
	return &sampledStream{Stream: stream, left: s.sample}
}

// A sampledStream ends early.
type sampledStream struct {
	decode.Stream
	left int
}

// Next implements [decode.Stream].
func (s *sampledStream) Next() (decode.Piece, error) {
	if s.left == 0 {
		return decode.Piece{}, io.EOF
	}
	p, err := s.Stream.Next()
	p.Data = p.Data[:min(len(p.Data), s.left)]
	s.left -= len(p.Data)
	return p, err
}

// A skippedStream begins late.
type skippedStream struct {
	decode.Stream
	unitBytes int64
	left      int64 // bytes to leave out
}

// Next implements [decode.Stream].
func (s *skippedStream) Next() (decode.Piece, error) {
	for {
		p, err := s.Stream.Next()
		if err != nil || s.left == 0 {
			return p, err
		}
		n := min(s.left, int64(len(p.Data)))
		s.left -= n
		if int64(len(p.Data)) == n {
			continue
		}
		p.Offsets = p.Offsets.Slice(int(n/s.unitBytes), p.Offsets.Len())
		p.Data = p.Data[n:]
		return p, nil
	}
}
