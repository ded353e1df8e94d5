package window

import (
	"errors"
	"fmt"
	"io"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/async"
	"github.com/tracelake/tracelake/pipeline/plan"
)

// peekUnits is how many units of a stream are looked at to find its first cut, beside what its decoder has
// to see before it.
const peekUnits = 4 << 10

// A piece is one of a stream.
type piece struct {
	decode.Piece
	before decode.Break
}

// A peekedStream is a stream whose first pieces were looked at.
type peekedStream struct {
	decode.Stream
	first []piece
}

// peek reads the first pieces of a stream: until there are some units, or it breaks.
func peek(stream decode.Stream, units int) (*peekedStream, error) {
	s := &peekedStream{Stream: stream}
	for n := 0; n < units; n = s.units() {
		var p piece
		var err error
		if p.before, err = stream.Next(&p.Piece); errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		s.first = append(s.first, p)
		if p.before != decode.NoBreak {
			break
		}
	}
	return s, nil
}

// units counts those that were read.
func (s *peekedStream) units() (n int) {
	for i := range s.first {
		n += s.first[i].Offsets.Len()
	}
	return n
}

// data returns the bytes that were read, up to a break.
func (s *peekedStream) data() (b []byte) {
	for i := range s.first {
		if s.first[i].before != decode.NoBreak && i > 0 {
			break
		}
		b = append(b, s.first[i].Data...)
	}
	return b
}

// Next implements [decode.Stream].
func (s *peekedStream) Next(p *decode.Piece) (before decode.Break, err error) {
	if len(s.first) == 0 {
		return s.Stream.Next(p)
	}
	k := &s.first[0]
	s.first = s.first[1:]
	p.Data = append(p.Data, k.Data...)
	p.Offsets.AppendAll(k.Offsets)
	return k.before, nil
}

// ErrNoCut says that a segment cannot begin where an index says.
var ErrNoCut = errors.New("there is no segment")

// CheckCut returns the stream of a source, if there is a cut after so many bytes of it, at a
// capture offset: decoders rely on it.
func CheckCut(s *plan.Source, stream decode.Stream, lead int, offset int64) (decode.Stream, error) {
	peeked, err := peek(stream, lead/s.Bound.UnitBytes()+peekUnits)
	if err != nil {
		return nil, err
	}
	b := peeked.data()
	if len(b) <= lead || peeked.offset(lead/s.Bound.UnitBytes()) != offset || !cutAt(s.Bound, b, lead) {
		return nil, fmt.Errorf("%w of source %s at offset 0x%x", ErrNoCut, s.Name, offset)
	}
	return peeked, nil
}

// offset returns the capture offset of a unit that was read.
func (s *peekedStream) offset(unit int) int64 {
	for i := range s.first {
		n := s.first[i].Offsets.Len()
		if unit < n {
			return int64(s.first[i].Offsets.At(unit))
		}
		unit -= n
	}
	return -1
}

// cutAt reports whether a segment can begin at b[lead].
func cutAt(p decode.Protocol, b []byte, lead int) bool {
	if parser, ok := p.(async.Parser); ok {
		n, found := parser.FindISync(b[lead:])
		return n == 0 && found == async.ISyncFound
	}
	cuts := p.NewCutter().Find(b, true).At
	return len(cuts) > 0 && cuts[0].At == lead && cuts[0].Before == lead
}
