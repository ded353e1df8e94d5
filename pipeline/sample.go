package pipeline

import (
	"io"

	"github.com/tracelake/tracelake/decode"
)

// sampleOf returns the sample of a stream: its first bytes, or those from the first
// synchronisation on if that is not among them.
func (s *sourcePlan) sampleOf(stream decode.Stream) decode.Stream {
	if s.firstSync.V > int64(s.sample/2) {
		stream = &skippedStream{Stream: stream, unitBytes: int(s.unitBytes()), left: s.firstSync.V}
	}
	return &sampledStream{Stream: stream, unitBytes: int(s.unitBytes()), left: s.sample}
}

// A sampledStream ends early.
type sampledStream struct {
	decode.Stream
	unitBytes int
	left      int // bytes to give
}

// Next implements [decode.Stream].
func (s *sampledStream) Next(p *decode.Piece) (broken bool, err error) {
	if s.left == 0 {
		return false, io.EOF
	}
	from := len(p.Data)
	broken, err = s.Stream.Next(p)
	if excess := len(p.Data) - from - s.left; excess > 0 {
		p.Drop(excess, s.unitBytes)
	}
	s.left -= len(p.Data) - from
	return broken, err
}

// A skippedStream begins late.
type skippedStream struct {
	decode.Stream
	unitBytes int
	left      int64 // bytes to leave out
}

// Next implements [decode.Stream].
func (s *skippedStream) Next(p *decode.Piece) (broken bool, err error) {
	var skipped decode.Piece
	for s.left > 0 {
		skipped.Clear()
		if broken, err = s.Stream.Next(&skipped); err != nil {
			return broken, err
		}
		n := int(min(s.left, int64(len(skipped.Data))))
		s.left -= int64(n)
		if n < len(skipped.Data) {
			p.Data = append(p.Data, skipped.Data[n:]...)
			p.Offsets.AppendAll(skipped.Offsets.Slice(n/s.unitBytes, skipped.Offsets.Len()))
			return broken, nil
		}
	}
	return s.Stream.Next(p)
}
