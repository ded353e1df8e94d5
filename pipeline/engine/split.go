package engine

import (
	"errors"
	"io"
	"iter"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// Units are the units of a stream, in order, or why there are no more.
type Units = iter.Seq2[*Unit, error]

// Split cuts a stream into units: whole segments, each of which begins at a cut, the
// first I-sync after an A-sync, or a part of a long one. lead is how many bytes come before
// a cut that is known, which the decoder of its segment has to see: then nothing is lost before it.
func Split(stream decode.Stream, protocol decode.Protocol, lead int) Units {
	return SplitBy(stream, protocol, Usual(protocol), lead)
}

// Usual is the grain of a protocol.
func Usual(protocol decode.Protocol) Grain {
	return Grain{UnitBytes * protocol.UnitBytes(), PartBytes, ChunkBytes}
}

// ReadBy is the usual grain of bytes that are read in so small chunks.
func ReadBy(chunk int) Grain { return Grain{UnitBytes, PartBytes, chunk} }

// A Grain is how finely a stream is cut up, in bytes: see limits.go.
type Grain struct {
	Unit, Part, Chunk int
}

// NoLead says that a stream does not begin at a cut that is known.
const NoLead = -1

// SplitBy is Split with another grain than the usual one.
func SplitBy(stream decode.Stream, protocol decode.Protocol, g Grain, lead int) Units {
	return func(yield func(*Unit, error) bool) {
		s := newSplitter(protocol, g)
		s.lead = lead
		s.flush = func(u *Unit) { s.more = s.more && yield(u, nil) }
		for s.more {
			err := s.read(stream)
			if errors.Is(err, io.EOF) {
				s.finish()
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// whole returns g in whole units of so many bytes.
func (g Grain) whole(unitBytes int) Grain {
	up := func(n int) int { return (n + unitBytes - 1) / unitBytes * unitBytes }
	return Grain{g.Unit, up(g.Part), up(g.Chunk)}
}

// A splitter holds the bytes of a stream that are in no part yet.
type splitter struct {
	grain     Grain
	protocol  decode.Protocol
	unitBytes int // of protocol
	flush     func(*Unit)
	more      bool // the consumer wants more
	unit      *Unit

	// The bytes read. Parts are slices of them, so they are only appended to, until
	// renew takes another chunk.
	*chunk
	chunks *chunks
	bytes  int64 // of the stream, up to the end of Data

	cutter  decode.Cutter
	looked  int   // cuts before it were looked for
	settled int   // all cuts before it are found
	bounds  []int // those in no part yet (decode.Part.Bounds)
	skip    skip

	lead      int          // position of the cut that is known from the start, or below 0
	inSegment bool         // a cut was found
	segment   int          // first byte in no part
	before    []byte       // before it, if a cut asked for it,
	beforeAt  int64        // from this capture offset on
	continued bool         // the next part continues a segment,
	after     decode.Break // after a break
	next      chan decode.Decoder

	unsynced      schema.Loss  // the loss before the first cut
	unsyncedFrom  int64        // its place in the stream
	unsyncedAfter decode.Break // what is before it
}

func newSplitter(protocol decode.Protocol, g Grain) *splitter {
	n := protocol.UnitBytes()
	s := &splitter{
		grain: g.whole(n), protocol: protocol, unitBytes: n, more: true, unit: &Unit{}, lead: NoLead,
		chunk: &chunk{}, chunks: &chunks{}, cutter: protocol.NewCutter(),
	}
	_, s.skip.may = s.cutter.(decode.AnywhereCutter)
	return s
}

// read reads the next units of the stream, and makes parts and units as far as cuts are
// known.
func (s *splitter) read(stream decode.Stream) error {
	if cap(s.Data)-len(s.Data) < leastRoom {
		s.renew()
	}
	from := len(s.Data)
	before, err := stream.Next(&s.Piece)
	if err != nil {
		return err
	}
	if before != decode.NoBreak {
		s.breakOff(from, before)
	}
	if !s.inSegment && s.bytes == s.unsyncedFrom {
		s.unsynced.Offset = int64(s.Offsets.At(from / s.unitBytes))
	}
	s.bytes += int64(len(s.Data) - from)
	if s.lead >= 0 && !s.inSegment {
		if len(s.Data) <= s.lead {
			return nil
		}
		s.beginSegment(s.lead, s.lead)
	}
	for s.more && s.looks() {
	}
	return nil
}

// looks looks for cuts in the next bytes read. It reports whether there may be more.
func (s *splitter) looks() bool {
	if s.skip.on {
		return s.skips()
	}
	s.find(min(len(s.Data), s.looked+lookBytes), false)
	s.settle()
	return s.skip.on || s.looked < len(s.Data)
}

// find finds the cuts in the bytes up to to, all of them if last. Otherwise it leaves
// out the last bytes, which the part before a cut still has to show ahead. It ends
// early where a skip begins.
func (s *splitter) find(to int, last bool) {
	s.looked = to
	if !last {
		to = max(s.settled, min(to, len(s.Data)-s.protocol.AheadBytes()))
	}
	from := s.settled
	cuts := s.cutter.Find(s.Data[from:to:to], last)
	for _, b := range cuts.Bounds {
		s.bounds = append(s.bounds, from+b)
	}
	for _, c := range cuts.At {
		if s.cut(from+c.At, &c); s.skip.on {
			return
		}
	}
	s.settled = from + cuts.Settled
}

// cut ends a segment, or the loss before the first one, at data[at] and begins the
// next segment.
func (s *splitter) cut(at int, c *decode.Cut) {
	switch {
	case at <= s.lead:
		return
	case s.inSegment:
		s.closeParts(at, false)
	default:
		s.loseUnsynced(s.bytes - int64(len(s.Data)-at))
		s.unit.Preserved = c.Preserved
		s.tell(at-c.Before, at)
	}
	s.beginSegment(at, c.Before)
}

// tell has the bytes before the first cut say what they can, though they are lost.
func (s *splitter) tell(from, to int) {
	teller, ok := s.protocol.(decode.Teller)
	if !ok {
		return
	}
	told, offsets := teller.Tell(s.Data[from:to:to]), s.offsetsOf(from, to)
	at := decode.NewOffsetCursor(offsets)
	for _, e := range told.Events {
		e.Offset = int64(at.At(int(e.Offset)))
		s.unit.Events = append(s.unit.Events, e)
	}
	at = decode.NewOffsetCursor(offsets)
	for _, t := range told.Timestamps {
		t.Offset = int64(at.At(int(t.Offset)))
		s.unit.Timestamps = append(s.unit.Timestamps, t)
	}
}

// beginSegment begins a segment at Data[at], whose decoder has to see so many bytes before
// it.
func (s *splitter) beginSegment(at, before int) {
	_, s.bounds = boundsIn(s.bounds, 0, at)
	s.segment, s.inSegment, s.continued, s.after = at, true, false, decode.NoBreak
	s.showBefore(at, before)
	if s.unit.Bytes >= s.grain.Unit || len(s.unit.Parts) >= unitParts {
		s.endUnit()
	}
	if s.skip.may && len(s.unit.Parts) == 0 {
		s.beginSkip()
	}
}

// showBefore keeps the bytes that the decoder of the segment at Data[at] has to see before it.
func (s *splitter) showBefore(at, before int) {
	if before > 0 {
		s.before = append([]byte(nil), s.Data[at-before:at]...)
		s.beforeAt = int64(s.Offsets.At((at - before) / s.unitBytes))
	}
}

// settle makes parts of a long open segment, and drops bytes of no segment.
func (s *splitter) settle() {
	if s.inSegment {
		s.openParts(s.settled)
		return
	}
	s.segment = max(s.segment, s.settled)
	s.bounds = s.bounds[:0]
}

// openParts makes parts of the open segment as long as more of it is known to
// follow.
func (s *splitter) openParts(known int) {
	for known-s.segment > s.grain.Part {
		s.addPart(s.segment+s.grain.Part, true, false)
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
		Data: s.Data[s.segment:to:to], Offsets: s.offsetsOf(s.segment, to), Ahead: s.ahead(to),
		Before: s.before, BeforeOffset: s.beforeAt,
		Continued: s.continued, Break: s.after, Open: open, End: end,
	}
	p.Bounds, s.bounds = boundsIn(s.bounds, s.segment, to)
	s.segment, s.continued, s.after = to, true, decode.NoBreak
	s.before, s.beforeAt = nil, 0
	s.unit.add(&p, s.chunk)
}

// offsetsOf returns the offsets of the units in data[from:to].
func (s *splitter) offsetsOf(from, to int) decode.CaptureOffsets {
	return s.Offsets.Slice(from/s.unitBytes, to/s.unitBytes)
}

// ahead returns the bytes after data[to] that a part ending there shows ahead.
func (s *splitter) ahead(to int) []byte {
	end := min(len(s.Data), to+s.protocol.AheadBytes())
	return s.Data[to:end:end]
}

// breakOff ends everything at a break of the input, before Data[at].
func (s *splitter) breakOff(at int, before decode.Break) {
	may := s.skip.may
	s.skip.may = false
	s.endSkip(at)
	s.find(at, true)
	if s.inSegment {
		s.closeParts(at, true)
		s.after = before
	} else {
		s.loseUnsynced(s.bytes)
		s.unsynced.Reason, s.unsynced.Detail = before.Loss()
		s.unsyncedAfter = before
		s.segment = at
	}
	s.cutter, s.settled, s.looked = s.protocol.NewCutter(), at, at
	s.bounds = s.bounds[:0]
	s.skip.may = may
}

// loseUnsynced writes the loss before the first cut, which ends at a place in
// the stream.
func (s *splitter) loseUnsynced(to int64) {
	if s.unsynced.Bytes = (to - s.unsyncedFrom) / int64(s.unitBytes); s.unsynced.Bytes > 0 {
		if s.unsyncedAfter != decode.NoBreak {
			s.unit.Events = append(s.unit.Events, schema.Event{
				Key: s.unsynced.Key, Event: schema.EventDiscontinuity,
			})
		}
		s.unit.Losses = append(s.unit.Losses, s.unsynced)
	}
	s.unsynced, s.unsyncedFrom, s.unsyncedAfter = schema.Loss{Reason: schema.LossUnsynced}, to, decode.NoBreak
}

// finish ends the stream.
func (s *splitter) finish() {
	at := len(s.Data)
	if !s.skip.on {
		s.find(at, true)
	}
	switch {
	case s.skip.on:
		s.skipTo(at, true)
	case s.inSegment:
		s.openParts(at)
		s.addPart(at, false, true)
	default:
		s.loseUnsynced(s.bytes)
	}
	if len(s.unit.Parts) > 0 || len(s.unit.Losses) > 0 {
		s.endUnit()
	}
}

// endUnit hands the unit to the consumer.
func (s *splitter) endUnit() {
	u := s.unit
	s.unit = &Unit{}
	if n := len(u.Parts); n > 0 {
		u.prev, s.next = s.next, nil
		if u.Parts[n-1].Open {
			u.next = make(chan decode.Decoder, 1)
			s.next = u.next
		}
	}
	s.flush(u)
}

// renew moves the bytes that are in no part, and those where cuts may still be
// found, to the start of other memory.
func (s *splitter) renew() {
	n := s.segment
	if !s.skip.on {
		n = min(n, s.settled)
	}
	old := s.chunk
	kept := old.Data[n:]
	s.chunk = s.chunks.get(max(s.grain.Chunk, 2*len(kept)))
	s.Data = append(s.Data, kept...)
	s.Offsets.AppendAll(old.Offsets.Slice(n/s.unitBytes, old.Offsets.Len()))
	old.release()
	s.segment -= n
	s.settled -= n
	s.looked -= n
	s.skip.looked -= n
	s.skip.settled -= n
	s.lead = max(s.lead-n, NoLead)
	for i := range s.bounds {
		s.bounds[i] -= n
	}
}
