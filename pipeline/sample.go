package pipeline

import (
	"errors"
	"io"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
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

// A keptSample is a sample of a stream of bytes, kept so that every attempt reads it.
type keptSample struct {
	firstSync schema.Null[int64] // of its source, by which it was taken
	bytes     int64
	pieces    []keptPiece
}

type keptPiece struct {
	decode.Piece
	broken bool // the input broke before it
}

// keep returns what is left of a stream of bytes.
func keep(stream decode.Stream) (*keptSample, error) {
	k := &keptSample{}
	for {
		var p keptPiece
		p.Room(attemptChunk)
		var err error
		if p.broken, err = stream.Next(&p.Piece); errors.Is(err, io.EOF) {
			return k, nil
		}
		if err != nil {
			return nil, err
		}
		k.bytes += int64(len(p.Data))
		k.pieces = append(k.pieces, p)
	}
}

// forget drops what is kept for attempts at the source.
func (s *sourcePlan) forget() { s.kept = nil }

// stream returns the sample as a stream.
func (k *keptSample) stream() decode.Stream { return &keptStream{left: k.pieces} }

type keptStream struct {
	left []keptPiece
	at   int // in the first
}

// Next implements [decode.Stream].
func (s *keptStream) Next(p *decode.Piece) (broken bool, err error) {
	if len(s.left) == 0 {
		return false, io.EOF
	}
	k, from := &s.left[0], s.at
	s.at = len(k.Data)
	if room := cap(p.Data) - len(p.Data); room > 0 {
		s.at = min(s.at, from+room)
	}
	p.Data = append(p.Data, k.Data[from:s.at]...)
	p.Offsets.AppendAll(k.Offsets.Slice(from, s.at))
	if s.at == len(k.Data) {
		s.left, s.at = s.left[1:], 0
	}
	return k.broken && from == 0, nil
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
