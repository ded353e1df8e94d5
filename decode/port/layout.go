package port

import (
	"fmt"
	"io"

	"github.com/tracelake/tracelake/decode"
)

// A capture is how the samples of a source are in a buffer. It implements
// [decode.Layout].
type capture struct {
	cfg *Config
	grid
	size  int64 // bytes
	valid int64 // cells that have samples, from the first one on
	first int64 // the cell with the oldest sample
	set   bool  // by the registers of the ETB
}

// Layout returns how the samples are in a buffer of size bytes. It fails if the layout
// does not fit the size, or the write pointer of the ETB is not in it.
func (c *Config) Layout(size int64) (decode.Layout, error) {
	l := &capture{cfg: c, grid: c.grid(), size: size}
	l.valid = l.cells(size)
	switch {
	case size < l.head || l.cell == dumpRecordBytes && (size-l.head)%dumpRecordBytes != 0:
		return nil, &FormatError{
			Layout: c.CaptureLayout,
			Problem: fmt.Sprintf("a file of %d bytes is expected to have a header of %d and whole records of %d", size, l.head,
				l.cell),
			Remedy: "check that the file is whole; --reg LAYOUT=WORD names another layout",
		}
	case !c.ring.given:
		return l, nil
	case c.ring.pointer > uint64(l.valid) || c.ring.full && c.ring.pointer == uint64(l.valid):
		return nil, &FormatError{
			Layout: c.CaptureLayout, Problem: fmt.Sprintf("ETBRWP=%d is not in a capture of %d words", c.ring.pointer, l.valid),
			Remedy: "correct ETBRWP or ETBSTS", Err: decode.ErrRing,
		}
	}
	l.set = true
	if c.ring.full {
		l.first = int64(c.ring.pointer)
	} else {
		l.valid = int64(c.ring.pointer)
	}
	return l, nil
}

// Name implements [decode.Layout].
func (l *capture) Name() string { return l.cfg.CaptureLayout.String() }

// Units implements [decode.Layout].
func (l *capture) Units() int64 { return l.valid * int64(l.slots) }

// Rest implements [decode.Layout].
func (l *capture) Rest() int64 {
	if l.valid < l.cells(l.size) {
		return 0
	}
	return (l.size - l.head) % int64(l.cell)
}

// Overhead implements [decode.Layout]: the header, and words of an ETB that are not
// valid.
func (l *capture) Overhead() int64 { return l.size - l.valid*int64(l.cell) - l.Rest() }

// Stream implements [decode.Layout].
func (l *capture) Stream(buf io.ReaderAt, ringStart int64) decode.Stream {
	s := &stream{capture: l, buf: buf, slot: l.cfg.slot(), at: l.first, left: l.valid}
	if ringStart != 0 {
		s.at, s.err = l.turnTo(ringStart)
	}
	return s
}

// turnTo returns the cell at the start of a ring.
func (l *capture) turnTo(ringStart int64) (int64, error) {
	fail := func(format string, args ...any) (int64, error) {
		return 0, &FormatError{
			Layout: l.cfg.CaptureLayout, Offset: ringStart, Problem: fmt.Sprintf(format, args...),
			Remedy: "correct --ring-start, or leave it out", Err: decode.ErrRing,
		}
	}
	record := int64(l.cell * l.turn)
	switch at := ringStart - l.head; {
	case l.set:
		return fail("a ring starts here by --ring-start, and by ETBRWP elsewhere")
	case at < 0 || at >= l.valid*int64(l.cell):
		return fail("the ring cannot start here: samples are from 0x%x to 0x%x", l.head, l.offset(l.valid))
	case at%record != 0:
		return fail("the ring cannot start within a record of %d bytes: the next one is at 0x%x", record,
			l.head+(at/record+1)*record)
	default:
		return at / int64(l.cell), nil
	}
}
