package etmv1

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/port"
)

// A lister lists the samples of a stream for people, each branch with its address. The
// lengths of data are not known without the program.
type lister struct {
	cfg    *Config
	frames framer

	from     int64 // sample at which the next call begins
	busy     int64 // up to here samples have an address packet offset
	branches []branch
}

// NewLister implements [decode.Listing].
func (c *Config) NewLister() decode.Lister { return &lister{cfg: c, frames: newFramer(c)} }

// List implements [decode.Lister].
func (l *lister) List(b []byte, last bool, emit func(at, units int, text decode.PacketText) error) (int, error) {
	l.frames.through(b, l.from, last, l.take)
	end := l.frames.firstBranch()
	i := l.from
	for i < end {
		units := droppable(b[(i-l.from)*port.SampleBytes : (end-l.from)*port.SampleBytes])
		if i+units == end && i > l.from && units > 0 && !last { // the run may go on
			break
		}
		units = max(units, 1)
		if err := emit(int(i-l.from)*port.SampleBytes, int(units), l.line(b, i)); err != nil {
			return 0, err
		}
		i += units
	}
	settled := int(i-l.from) * port.SampleBytes
	l.from = i
	return settled, nil
}

// take takes the branches that are settled.
func (l *lister) take() {
	for b := l.frames.settled(); b != nil; b = l.frames.settled() {
		l.branches = append(l.branches, *b)
	}
}

// droppable returns how many samples at the start of b a capture device may leave out.
func droppable(b []byte) (n int64) {
	for len(b) > 0 && port.At(b).Droppable() {
		n++
		b = b[port.SampleBytes:]
	}
	return n
}

// line describes the sample i.
func (l *lister) line(b []byte, i int64) decode.PacketText {
	t := l.cfg.sampleText(port.At(b[(i-l.from)*port.SampleBytes:]))
	switch {
	case len(l.branches) > 0 && l.branches[0].at == i:
		x := &l.branches[0]
		if x.address.Bytes > 0 {
			t.Add("at", decode.UnitIndex(x.address.start-l.from))
		}
		l.cfg.addBranch(&t, x)
		l.branches = l.branches[1:]
		l.busy = i + 1 + int64(x.window)
	case i < l.busy:
		addOffset(&t)
	}
	return t
}
