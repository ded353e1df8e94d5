package pipeline

import (
	"errors"
	"io"
	"iter"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// A workUnit is the bytes of a stream for one worker: whole segments, or a part
// of a long one. The division into units depends only on the bytes.
type workUnit struct {
	stitch.Unit // its Rows are nil until they are decoded

	parts []decode.Part
	bytes int // in parts

	// A unit whose first part continues a segment receives the decoder from prev;
	// one whose last part is open sends the decoder to next.
	prev, next chan decode.Decoder
}

// split cuts a stream into segments at its cuts, the first I-sync after each
// A-sync, and groups them into units.
func split(stream decode.Stream, protocol decode.Protocol) iter.Seq2[*workUnit, error] {
	return splitBy(stream, protocol, grain{unitBytes * protocol.UnitBytes(), partBytes, chunkBytes})
}

// A grain is how finely a stream is cut up, in bytes: see limits.go.
type grain struct {
	unit, part, chunk int
}

func splitBy(stream decode.Stream, protocol decode.Protocol, g grain) iter.Seq2[*workUnit, error] {
	return func(yield func(*workUnit, error) bool) {
		n := protocol.UnitBytes()
		s := splitter{grain: g.whole(n), protocol: protocol, unitBytes: n, cutter: protocol.NewCutter(), unit: &workUnit{}, more: true}
		s.flush = func(u *workUnit) { s.more = s.more && yield(u, nil) }
		for s.more {
			piece, err := stream.Next()
			if errors.Is(err, io.EOF) {
				s.finish()
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if piece.Break {
				s.breakOff()
			}
			for from := 0; from < len(piece.Data) && s.more; {
				from += s.take(&piece, from)
				s.find(false)
				s.release()
			}
		}
	}
}

// whole returns g in whole units of so many bytes.
func (g grain) whole(unitBytes int) grain {
	up := func(n int) int { return (n + unitBytes - 1) / unitBytes * unitBytes }
	return grain{g.unit, up(g.part), up(g.chunk)}
}

// A splitter holds the bytes of a stream that are in no part yet.
type splitter struct {
	grain     grain
	protocol  decode.Protocol
	unitBytes int // of protocol
	flush     func(*workUnit)
	more      bool // the consumer wants more
	unit      *workUnit

	// The bytes read. Parts are slices of them, so they are only appended to;
	// renew moves on to new memory.
	data    []byte
	offsets decode.CaptureOffsets // of its units
	bytes   int64                 // of the stream, up to the end of data

	cutter  decode.Cutter
	settled int   // all cuts before it are found
	bounds  []int // those in no part yet (decode.Part.Bounds)

	inSegment bool   // a cut was found
	segment   int    // first byte in no part
	before    []byte // before it, if a cut asked for it
	continued bool   // the next part continues a segment,
	broken    bool   // after a break
	next      chan decode.Decoder

	unsynced     schema.Loss // the loss before the first cut
	unsyncedFrom int64       // its place in the stream
}

// take appends bytes of p, from its byte i on, as far as there is room, and
// returns how many.
func (s *splitter) take(p *decode.Piece, i int) int {
	if len(s.data) == cap(s.data) {
		s.renew()
	}
	first := i / s.unitBytes
	if !s.inSegment && s.bytes == s.unsyncedFrom {
		s.unsynced.Offset = int64(p.Offsets.At(first))
	}
	n := min(len(p.Data)-i, cap(s.data)-len(s.data))
	s.data = append(s.data, p.Data[i:i+n]...)
	s.offsets.AppendAll(p.Offsets.Slice(first, first+n/s.unitBytes))
	s.bytes += int64(n)
	return n
}

// find finds the cuts in the bytes read, all of them if last. Otherwise it leaves
// out the last bytes, which the part before a cut still has to show ahead.
func (s *splitter) find(last bool) {
	end := len(s.data)
	if !last {
		end = max(s.settled, end-s.protocol.AheadBytes())
	}
	from := s.settled
	cuts := s.cutter.Find(s.data[from:end:end], last)
	for _, b := range cuts.Bounds {
		s.bounds = append(s.bounds, from+b)
	}
	for _, c := range cuts.At {
		s.cut(from+c.At, &c)
	}
	s.settled = from + cuts.Settled
}

// cut ends a segment, or the loss before the first one, at data[at] and begins the
// next segment.
func (s *splitter) cut(at int, c *decode.Cut) {
	if s.inSegment {
		s.closeParts(at, false)
	} else {
		s.loseUnsynced(s.bytes - int64(len(s.data)-at))
		s.unit.Preserved = c.Preserved
		s.inSegment = true
	}
	s.dropBounds(at)
	s.segment, s.continued, s.broken = at, false, false
	s.before = append([]byte(nil), s.data[at-c.Before:at]...)
	if s.unit.bytes >= s.grain.unit || len(s.unit.parts) >= unitParts {
		s.endUnit()
	}
}

// release makes parts of a long open segment, and drops bytes of no segment.
func (s *splitter) release() {
	if s.inSegment {
		s.openParts(s.settled)
		return
	}
	s.segment = max(s.segment, s.settled)
	s.bounds = s.bounds[:0]
}

// dropBounds drops the bounds up to a position and returns them.
func (s *splitter) dropBounds(to int) []int {
	n := 0
	for n < len(s.bounds) && s.bounds[n] <= to {
		n++
	}
	dropped := s.bounds[:n]
	s.bounds = s.bounds[n:]
	return dropped
}

// openParts makes parts of the open segment as long as more of it is known to
// follow.
func (s *splitter) openParts(known int) {
	for known-s.segment > s.grain.part {
		s.addPart(s.segment+s.grain.part, true, false)
		s.endUnit()
	}
}

// closeParts makes the last parts of the segment that ends at data[at], or
// breaks there.
func (s *splitter) closeParts(at int, broken bool) {
	s.openParts(at)
	s.addPart(at, broken, broken)
}

// addPart makes a part of the bytes of the segment that are in no part, up to to.
func (s *splitter) addPart(to int, open, end bool) {
	p := decode.Part{
		Data: s.data[s.segment:to:to], Offsets: s.offsetsOf(s.segment, to), Ahead: s.ahead(to), Before: s.before,
		Continued: s.continued, Break: s.broken, Open: open, End: end,
	}
	for _, b := range s.dropBounds(to) {
		p.Bounds = append(p.Bounds, b-s.segment)
	}
	s.segment, s.continued, s.broken = to, true, false
	s.before = nil
	s.unit.parts = append(s.unit.parts, p)
	s.unit.bytes += len(p.Data)
	s.unit.Asyncs += len(p.Bounds)
}

// offsetsOf returns the offsets of the units in data[from:to].
func (s *splitter) offsetsOf(from, to int) decode.CaptureOffsets {
	return s.offsets.Slice(from/s.unitBytes, to/s.unitBytes)
}

// ahead returns the bytes after data[to] that a part ending there shows ahead.
func (s *splitter) ahead(to int) []byte {
	end := min(len(s.data), to+s.protocol.AheadBytes())
	return s.data[to:end:end]
}

// breakOff ends everything at a break of the input.
func (s *splitter) breakOff() {
	s.find(true)
	at := len(s.data)
	if s.inSegment {
		s.closeParts(at, true)
		s.broken = true
	} else {
		s.loseUnsynced(s.bytes)
		s.unsynced.Reason = schema.LossDiscontinuity
		s.unsynced.Detail = "the input broke before it"
		s.segment = at
	}
	s.cutter, s.settled = s.protocol.NewCutter(), at
	s.bounds = s.bounds[:0]
}

// loseUnsynced writes the loss before the first cut, which ends at a place in
// the stream.
func (s *splitter) loseUnsynced(to int64) {
	if s.unsynced.Bytes = (to - s.unsyncedFrom) / int64(s.unitBytes); s.unsynced.Bytes > 0 {
		if s.unsynced.Reason == schema.LossDiscontinuity {
			s.unit.Events = append(s.unit.Events, schema.Event{
				Key: s.unsynced.Key, Event: schema.EventDiscontinuity,
			})
		}
		s.unit.Losses = append(s.unit.Losses, s.unsynced)
	}
	s.unsynced, s.unsyncedFrom = schema.Loss{Reason: schema.LossUnsynced}, to
}

// finish ends the stream.
func (s *splitter) finish() {
	s.find(true)
	if s.inSegment {
		s.openParts(len(s.data))
		s.addPart(len(s.data), false, true)
	} else {
		s.loseUnsynced(s.bytes)
	}
	if len(s.unit.parts) > 0 || len(s.unit.Losses) > 0 {
		s.endUnit()
	}
}

// endUnit hands the unit to the consumer.
func (s *splitter) endUnit() {
	u := s.unit
	s.unit = &workUnit{}
	if n := len(u.parts); n > 0 {
		u.prev, s.next = s.next, nil
		if u.parts[n-1].Open {
			u.next = make(chan decode.Decoder, 1)
			s.next = u.next
		}
	}
	s.flush(u)
}

// renew moves the bytes that are in no part, and those where cuts may still be
// found, to the start of new memory.
func (s *splitter) renew() {
	n := min(s.segment, s.settled)
	kept := s.data[n:]
	room := max(s.grain.chunk, 2*len(kept))
	s.data = append(make([]byte, 0, room), kept...)
	rest := s.offsets.Slice(n/s.unitBytes, s.offsets.Len())
	s.offsets = decode.CaptureOffsets{}
	s.offsets.AppendAll(rest)
	s.segment -= n
	s.settled -= n
	for i := range s.bounds {
		s.bounds[i] -= n
	}
}
