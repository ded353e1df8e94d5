package probe

import (
	"io"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/plan"
	"github.com/tracelake/tracelake/schema"
)

// A sample is the first bytes of a source, or those from the first synchronisation on if that is not
// among them.
type sample struct {
	*plan.Source
	bytes     int
	firstSync schema.Null[int64]
}

// stream returns the bytes of the sample; notes are as of [plan.Source.Stream].
func (s *sample) stream(notes *[]string) decode.Stream {
	stream := s.Stream(notes)
	if s.firstSync.V > int64(s.bytes/2) {
		stream = plan.After(stream, s.UnitBytes(), s.firstSync.V)
	}
	return plan.First(stream, s.UnitBytes(), s.bytes)
}

// as returns the first bytes of a source as another protocol reads them, or from
// where packets can first be read if that is in the same place of the stream.
func (e *Evidence) as(p decode.Protocol, bytes int) (*sample, error) {
	other, err := e.Source.As(p)
	if err != nil {
		return nil, err
	}
	s := &sample{Source: other, bytes: bytes}
	if sameLayout(e.Source.Layout, other.Layout) {
		s.firstSync = e.firstSync
	}
	return s, nil
}

// trialStream returns the stream of a sample, and how many bytes it has if that is
// known. Bytes of the buffer are read once for all trials.
func (e *Evidence) trialStream(sample *sample) (stream decode.Stream, bytes schema.Null[int64], err error) {
	if sample.Layout != nil {
		return sample.stream(nil), bytes, nil
	}
	if e.kept == nil || e.kept.firstSync != sample.firstSync {
		k, err := keep(sample.stream(nil))
		if err != nil {
			return nil, bytes, err
		}
		k.firstSync, e.kept = sample.firstSync, k
	}
	return &keptStream{left: e.kept.pieces}, schema.Of(e.kept.bytes), nil
}

// sameLayout reports whether a place in the stream is the same place of the buffer in
// both layouts. nil is the bytes of the buffer.
func sameLayout(a, b decode.Layout) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Name() == b.Name() && a.Units() == b.Units()
}

// findSync sets where packets could first be read, as far as one protocol knows.
func (e *Evidence) findSync(p decode.Protocol) error {
	const overlap = 64 // what a synchronisation may have before and after the end of a piece
	start, err := e.as(p, inspectBytes)
	if err != nil {
		return err
	}
	start.firstSync = schema.Null[int64]{}
	var b []byte
	at := int64(0) // of b
	return decode.EachPiece(start.stream(nil), func(piece *decode.Piece, _ decode.Break) error {
		b = append(b, piece.Data...)
		n, ok := p.Resync(b)
		if ok {
			e.firstSync = schema.Of(at + int64(n))
			return io.EOF
		}
		if n = min(n, len(b)-overlap); n > 0 {
			at, b = at+int64(n), append(b[:0], b[n:]...)
		}
		return nil
	})
}

// countStatuses counts the statuses in the first bytes of the source's stream, nil if
// its protocol has none.
func (e *Evidence) countStatuses() (*Statuses, error) {
	listing, ok := e.Source.Bound.(decode.Listing)
	if !ok {
		return nil, nil
	}
	s, err := e.as(e.Source.Bound, sampleBytes)
	if err != nil {
		return nil, err
	}
	return statusesOf(s.stream(nil), e.Source.Bound, listing)
}
