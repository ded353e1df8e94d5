package pipeline

import "github.com/tracelake/tracelake/decode"

// This file is how a splitter finds the end of a unit without looking at all of its
// bytes, where cuts can be looked for anywhere (decode.AnywhereCutter): it leaps over
// as many bytes as a unit has at least, and looks for the next cut from there on. The
// worker finds the cuts between. Where there is no cut for as many bytes again, the
// splitter goes back and finds all cuts itself (find), as in other streams.

// A leap is where a splitter looks for the end of the unit that begins at its segment.
type leap struct {
	may     bool // cuts can be looked for anywhere
	on      bool
	cutter  decode.Cutter
	looked  int // it looked for cuts before it, from where it began
	settled int // and there is none before this
}

// leapStep is how far it looks at a time.
const leapStep = 2 << 10

// beginLeap begins a unit at the start of the segment, which is that of a cut.
func (s *splitter) beginLeap() {
	at := s.segment + s.grain.unit
	s.leap = leap{may: true, on: true, cutter: s.protocol.NewCutter(), looked: at, settled: at}
}

// leaps looks for the end of the unit at hand in the next bytes read. It reports whether
// there may be more.
func (s *splitter) leaps() bool {
	l, limit := &s.leap, s.segment+2*s.grain.unit
	end := min(len(s.Data), limit, l.looked+leapStep)
	if end <= l.looked {
		return false
	}
	l.looked = end
	cuts := l.cutter.Find(s.Data[l.settled:end:end], false)
	switch {
	case len(cuts.At) > 0:
		s.leapTo(l.settled+cuts.At[0].At, false)
		s.endUnit()
		s.beginLeap()
		return true
	case end == limit:
		s.endLeap(limit)
		return true
	}
	l.settled += cuts.Settled
	return true
}

// leapTo makes the part of the unit at hand, which ends at a cut or with the stream.
func (s *splitter) leapTo(to int, end bool) {
	s.unit.uncut, s.unit.partBytes = s.protocol, s.grain.part
	s.unit.add(&decode.Part{Data: s.Data[s.segment:to:to], Offsets: s.offsetsOf(s.segment, to), End: end}, s.chunk)
	s.segment = to
}

// endLeap goes back to the start of the unit and finds the cuts before Data[to].
func (s *splitter) endLeap(to int) {
	if !s.leap.on {
		return
	}
	s.leap.on = false
	s.cutter, s.settled, s.looked = s.protocol.NewCutter(), s.segment, s.segment
	s.bounds = s.bounds[:0]
	s.find(to, false)
}
