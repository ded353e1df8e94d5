package decode

import (
	"fmt"
	"slices"
	"sort"
)

// CaptureOffsets are the capture offsets of units that follow each other in a stream.
// They are runs of units that lie in the capture in one [Form]: adjacent bytes, or the
// data of frames without an ID byte. So they take far less memory than the units do. A
// run ends where units do not follow each other in that form: at an ID byte of a frame,
// where a ring begins again.
//
// The zero value has no unit yet, and the form of adjacent bytes. What is appended to it
// later does not change a copy, or a [CaptureOffsets.Slice].
type CaptureOffsets struct {
	runs     []offsetRun // rising; the first has the unit from
	from, to int         // the units, as the runs count them
	form     Form
}

// An offsetRun is the units up to the next run.
type offsetRun struct {
	unit int // the first
	at   CaptureOffset
}

// A Form is how the units of a stream lie in the capture, as far as nothing is between
// them that is not between all: the offset rises by Step bytes from unit to unit, and by
// Skip more after each group of Group units. The zero value is that of adjacent bytes.
type Form struct {
	Step  int // 0 is 1
	Group int // 0: there are no groups
	Skip  int
}

// after returns how far from the first unit of a run unit n of it is.
func (f *Form) after(n int) CaptureOffset {
	d := n * max(f.Step, 1)
	if f.Group > 0 {
		d += n / f.Group * f.Skip
	}
	return CaptureOffset(d)
}

// OffsetsFrom returns the offsets of n units in a form: the first is at a capture
// offset.
func OffsetsFrom(at CaptureOffset, n int, form Form) CaptureOffsets {
	o := CaptureOffsets{form: form}
	o.Append(at, n)
	return o
}

// SetForm sets the form. That of a stream is always the same: with units, the form
// stays.
func (o *CaptureOffsets) SetForm(form Form) {
	if o.Len() == 0 {
		o.form = form
	}
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
		return CaptureOffsets{form: o.form}
	}
	from, to := o.from+i, o.from+j
	first, last := o.runOf(from, 0), o.runOf(to-1, 0)
	return CaptureOffsets{runs: o.runs[first : last+1 : last+1], from: from, to: to, form: o.form}
}

// Append adds n units in the form: the first, which begins a group unless it follows the
// last unit in its own, is at a capture offset. It may have the rest of that group then,
// but no more.
func (o *CaptureOffsets) Append(at CaptureOffset, n int) {
	if k := len(o.runs) - 1; k < 0 || o.runs[k].at+o.form.after(o.to-o.runs[k].unit) != at {
		o.runs = append(o.runs, offsetRun{o.to, at})
	}
	o.to += n
}

// clear removes all units, and keeps the memory of their runs.
func (o *CaptureOffsets) clear() { *o = CaptureOffsets{runs: o.runs[:0], form: o.form} }

// AppendAll adds the units of x, which has the same form.
func (o *CaptureOffsets) AppendAll(x CaptureOffsets) {
	o.SetForm(x.form)
	o.runs = slices.Grow(o.runs, len(x.runs))
	c := NewOffsetCursor(x)
	for i := 0; i < x.Len(); {
		at, _, n := c.Adjacent(i)
		o.Append(at, n)
		i += n
	}
}

// runOf returns the run of a unit, both as the runs count them, which is not before
// run k.
func (o *CaptureOffsets) runOf(unit, k int) int {
	return k + sort.Search(len(o.runs)-k, func(i int) bool { return o.runs[k+i].unit > unit }) - 1
}

// An OffsetCursor looks up the offsets of units. It is fast for units near each other,
// above all for those in order.
type OffsetCursor struct {
	// The group of a run that was looked up last, or all of a run without groups: its
	// first unit and how many it has, and where unit 0 would be if it were of it.
	from  int
	units uint
	zero  CaptureOffset
	step  CaptureOffset

	run     int // its number
	offsets CaptureOffsets
}

// NewOffsetCursor returns a cursor of o.
func NewOffsetCursor(o CaptureOffsets) OffsetCursor {
	return OffsetCursor{offsets: o, step: CaptureOffset(max(o.form.Step, 1))}
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

// seek looks up the group of unit i.
func (c *OffsetCursor) seek(i int) {
	o := &c.offsets
	if i < 0 || i >= o.Len() {
		panic(fmt.Sprintf("decode: offset of unit %d of %d", i, o.Len()))
	}
	unit, end := o.from+i, c.runEnd()
	if group := o.form.Group; c.units == uint(group) && i-c.from < 2*group && i > c.from && unit < end {
		c.from += group // the next one
		c.zero += CaptureOffset(o.form.Skip)
		c.units = uint(min(group, end-o.from-c.from))
		return
	}
	switch {
	case unit < o.runs[c.run].unit:
		c.run = o.runOf(unit, 0)
	case unit >= end:
		if c.run++; unit >= c.runEnd() {
			c.run = o.runOf(unit, c.run)
		}
	}
	c.show(unit)
}

// runEnd returns the unit after the run, as the runs count them.
func (c *OffsetCursor) runEnd() int {
	if next := c.run + 1; next < len(c.offsets.runs) {
		return min(c.offsets.to, c.offsets.runs[next].unit)
	}
	return c.offsets.to
}

// show sets what At needs of the group of a unit of the run, as the runs count it.
func (c *OffsetCursor) show(unit int) {
	o := &c.offsets
	run, end := o.runs[c.run], c.runEnd()
	first := run.unit
	if group := o.form.Group; group > 0 {
		first += (unit - first) / group * group
		end = min(end, first+group)
	}
	c.zero = run.at + o.form.after(first-run.unit) - CaptureOffset(first-o.from)*c.step
	first = max(first, o.from)
	c.from, c.units = first-o.from, uint(end-first)
}
