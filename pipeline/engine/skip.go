package engine

import "github.com/tracelake/tracelake/decode"

// This file is how a splitter finds the end of a unit without looking at all of its
// bytes, where cuts can be looked for anywhere (decode.AnywhereCutter): it skips
// as many bytes as a unit has at least, and looks for the next cut from there on. The
// worker finds the cuts between. Where there is no cut for as many bytes again, the
// splitter goes back and finds all cuts itself (find), as in other streams.

// A skip is where a splitter looks for the end of the unit that begins at its segment.
type skip struct {
	may     bool // cuts can be looked for anywhere
	on      bool
	cutter  decode.Cutter
	looked  int // it looked for cuts before it, from where it began
	settled int // and there is none before this
}

// skipStep is how far it looks at a time.
const skipStep = 2 << 10

// beginSkip begins a unit at the start of the segment, which is that of a cut.
func (s *splitter) beginSkip() {
	at := s.segment + s.grain.Unit
	s.skip = skip{may: true, on: true, cutter: s.protocol.NewCutter(), looked: at, settled: at}
}

// skips looks for the end of the unit at hand in the next bytes read. It reports whether
// there may be more.
func (s *splitter) skips() bool {
	l, limit := &s.skip, s.segment+2*s.grain.Unit
	end := min(len(s.Data)-s.protocol.AheadBytes(), limit, l.looked+skipStep)
	if end <= l.looked {
		return false
	}
	l.looked = end
	cuts := l.cutter.Find(s.Data[l.settled:end:end], false)
	switch {
	case len(cuts.At) > 0:
		at := l.settled + cuts.At[0].At
		s.skipTo(at, false)
		s.showBefore(at, cuts.At[0].Before)
		s.endUnit()
		s.beginSkip()
		return true
	case end == limit:
		s.endSkip(limit)
		return true
	}
	l.settled += cuts.Settled
	return true
}

// skipTo makes the part of the unit at hand, which ends at a cut or with the stream.
func (s *splitter) skipTo(to int, end bool) {
	s.unit.uncut, s.unit.partBytes = s.protocol, s.grain.Part
	s.unit.add(&decode.Part{
		Data: s.Data[s.segment:to:to], Offsets: s.offsetsOf(s.segment, to), Ahead: s.ahead(to),
		Before: s.before, BeforeOffset: s.beforeAt, End: end,
	}, s.chunk)
	s.segment, s.before, s.beforeAt = to, nil, 0
}

// endSkip goes back to the start of the unit and finds the cuts before Data[to].
func (s *splitter) endSkip(to int) {
	if !s.skip.on {
		return
	}
	s.skip.on = false
	s.cutter, s.settled, s.looked = s.protocol.NewCutter(), s.segment, s.segment
	s.bounds = s.bounds[:0]
	s.find(to, false)
}
