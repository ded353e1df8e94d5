package decode

import (
	"fmt"
	"slices"
	"sort"
)

// CaptureOffsets are the capture offsets of units that follow each other in a stream.
// They are runs of units, within which the offset rises by one step from unit to unit:
// so they take no more memory than the units do. Wherever adjacent units are not
// adjacent in the capture, a run ends: at an ID byte of a frame, where a ring begins
// again.
//
// The zero value has no unit yet, and a step of one byte. What is appended to it later
// does not change a copy, or a [CaptureOffsets.Slice].
type CaptureOffsets struct {
	runs     []offsetRun // rising; the first has the unit from
	from, to int         // the units, as the runs count them
	step     CaptureOffset
}

// An offsetRun is the units up to the next run.
type offsetRun struct {
	unit int // the first
	at   CaptureOffset
}

// OffsetsFrom returns the offsets of n units: the first is at a capture offset, and
// each other a step of so many bytes after the one before.
func OffsetsFrom(at CaptureOffset, step, n int) CaptureOffsets {
	o := CaptureOffsets{step: CaptureOffset(step)}
	o.Append(at, n)
	return o
}

// Len returns how many units there are.
func (o *CaptureOffsets) Len() int { return o.to - o.from }

// At returns the capture offset of unit i. Those of many units are found faster with
// an [OffsetCursor].
func (o *CaptureOffsets) At(i int) CaptureOffset {
	c := NewOffsetCursor(*o)
	return c.At(i)
}

// Slice returns the offsets of the units from i up to but not including j.
func (o *CaptureOffsets) Slice(i, j int) CaptureOffsets {
	if i < 0 || i > j || j > o.Len() {
		panic(fmt.Sprintf("decode: offsets of units %d to %d of %d", i, j, o.Len()))
	}
	if i == j {
		return CaptureOffsets{step: o.step}
	}
	from, to := o.from+i, o.from+j
	first, last := o.runOf(from, 0), o.runOf(to-1, 0)
	return CaptureOffsets{runs: o.runs[first : last+1 : last+1], from: from, to: to, step: o.step}
}

// Append adds n units: the first at a capture offset, the others adjacent to it.
func (o *CaptureOffsets) Append(at CaptureOffset, n int) {
	if k := len(o.runs) - 1; k < 0 || o.runs[k].at+CaptureOffset(o.to-o.runs[k].unit)*o.stride() != at {
		o.runs = append(o.runs, offsetRun{o.to, at})
	}
	o.to += n
}

// clear removes all units, and keeps the memory of their runs.
func (o *CaptureOffsets) clear() { *o = CaptureOffsets{runs: o.runs[:0], step: o.step} }

// AppendAll adds the units of x, which has the same step.
func (o *CaptureOffsets) AppendAll(x CaptureOffsets) {
	if o.Len() == 0 {
		o.step = x.step
	}
	o.runs = slices.Grow(o.runs, len(x.runs))
	c := NewOffsetCursor(x)
	for i := 0; i < x.Len(); {
		at, _, n := c.Adjacent(i)
		o.Append(at, n)
		i += n
	}
}

// stride is how far apart the units of a run are.
func (o *CaptureOffsets) stride() CaptureOffset { return max(o.step, 1) }

// runOf returns the run of a unit, both as the runs count them, which is not before
// run k.
func (o *CaptureOffsets) runOf(unit, k int) int {
	return k + sort.Search(len(o.runs)-k, func(i int) bool { return o.runs[k+i].unit > unit }) - 1
}

// An OffsetCursor looks up the offsets of units. It is fast for units near each other,
// above all for those in order.
type OffsetCursor struct {
	// The run that was looked up last: its first unit and how many it has, and where
	// unit 0 would be if it were of the run.
	from  int
	units uint
	zero  CaptureOffset
	step  CaptureOffset

	run     int // its number
	offsets CaptureOffsets
}

// NewOffsetCursor returns a cursor of o.
func NewOffsetCursor(o CaptureOffsets) OffsetCursor {
	return OffsetCursor{offsets: o, step: o.stride()}
}

// At returns the capture offset of unit i.
func (c *OffsetCursor) At(i int) CaptureOffset {
	if uint(i-c.from) >= c.units {
		c.seek(i)
	}
	return c.zero + CaptureOffset(i)*c.step
}

// Adjacent returns the capture offset of unit i, and how many units from there on are
// adjacent in the capture: i+1 is a step further on, and so are the others.
func (c *OffsetCursor) Adjacent(i int) (at, step CaptureOffset, n int) {
	at = c.At(i)
	return at, c.step, c.from + int(c.units) - i
}

// seek looks up the run of unit i.
func (c *OffsetCursor) seek(i int) {
	o := &c.offsets
	unit := o.from + i
	switch next := c.run + 1; {
	case i < 0 || i >= o.Len():
		panic(fmt.Sprintf("decode: offset of unit %d of %d", i, o.Len()))
	case unit < o.runs[c.run].unit:
		c.run = o.runOf(unit, 0)
	case next < len(o.runs) && o.runs[next].unit <= unit:
		if c.run = next; next+1 < len(o.runs) && o.runs[next+1].unit <= unit {
			c.run = o.runOf(unit, next+1)
		}
	}
	c.show()
}

// show sets what At needs of the run: its units from the first of the offsets on.
func (c *OffsetCursor) show() {
	o := &c.offsets
	run, end := o.runs[c.run], o.to
	if c.run+1 < len(o.runs) {
		end = min(end, o.runs[c.run+1].unit)
	}
	first := max(run.unit, o.from)
	c.from, c.units = first-o.from, uint(end-first)
	c.zero = run.at - CaptureOffset(run.unit-o.from)*c.step
}
