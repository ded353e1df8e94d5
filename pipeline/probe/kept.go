package probe

import (
	"errors"
	"io"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// A keptSample is a sample of a stream of bytes, kept so that every trial reads it.
type keptSample struct {
	firstSync schema.Null[int64] // of its source, by which it was taken
	bytes     int64
	pieces    []keptPiece
}

type keptPiece struct {
	decode.Piece
	before decode.Break
}

// keep returns what is left of a stream of bytes.
func keep(stream decode.Stream) (*keptSample, error) {
	k := &keptSample{}
	for {
		var p keptPiece
		p.Room(trialChunk)
		var err error
		if p.before, err = stream.Next(&p.Piece); errors.Is(err, io.EOF) {
			return k, nil
		}
		if err != nil {
			return nil, err
		}
		k.bytes += int64(len(p.Data))
		k.pieces = append(k.pieces, p)
	}
}

// A keptStream is a sample as a stream.
type keptStream struct {
	left []keptPiece
	at   int // in the first
}

// Next implements [decode.Stream].
func (s *keptStream) Next(p *decode.Piece) (before decode.Break, err error) {
	if len(s.left) == 0 {
		return decode.NoBreak, io.EOF
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
	if from > 0 {
		return decode.NoBreak, nil
	}
	return k.before, nil
}
