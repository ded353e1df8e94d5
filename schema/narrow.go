package schema

import "slices"

// This file is numbers that are a byte each, [Narrow]: those that rise by a few from row to
// row, as offsets do, or are small, as what an instruction cost.

// Escape is the byte of a row whose value is the next of Vector.Wide.
const Escape = 255

// A Stepper appends to a vector that is Narrow, of a column that is Rising.
type Stepper struct {
	Vector *Vector
	Last   uint64 // value of the last row
}

// Extend appends n rows that have no bytes yet, and returns where these go.
func (v *Vector) Extend(n int) []uint8 {
	at := len(v.U8)
	v.Encoding, v.U8 = Narrow, slices.Grow(v.U8, n)[:at+n]
	return v.U8[at:]
}

// Drop takes back the last n of the rows that Extend added.
func (v *Vector) Drop(n int) { v.U8 = v.U8[:len(v.U8)-n] }

// Begin readies s for a row whose value is x. The first of a vector has to be an Escape.
func (s *Stepper) Begin(x uint64) {
	if len(s.Vector.U8) == 0 {
		s.Last = x + 1 // so the step is as wide as can be
	}
}

// Step returns the byte of the next row, whose value is x. Before the first, Begin was
// called.
func (s *Stepper) Step(x uint64) uint8 {
	d := x - s.Last
	s.Last = x
	if d < Escape {
		return uint8(d)
	}
	return s.escape(x)
}

// escape returns the byte of the next row, whose value is x, which is not a step of a byte.
func (s *Stepper) escape(x uint64) uint8 {
	s.Vector.Wide = append(s.Vector.Wide, x)
	return Escape
}

// Append appends a row whose value is x.
func (s *Stepper) Append(x uint64) {
	s.Begin(x)
	s.Vector.Encoding, s.Vector.U8 = Narrow, append(s.Vector.U8, s.Step(x))
}

// Narrow returns the byte of the next row, whose value is x.
func (v *Vector) Narrow(x uint64) uint8 {
	if x < Escape {
		return uint8(x)
	}
	v.Wide = append(v.Wide, x)
	return Escape
}

// expandNarrow appends the values that the bits or the bytes of v are.
func expandNarrow[T uint8 | uint16 | uint32 | uint64](dst []T, v *Vector) []T {
	for i := range v.Bits.N {
		dst = append(dst, T(v.Bits.At(i)))
	}
	bytes, wide, last := v.U8, v.Wide, uint64(0)
	v.U8 = v.U8[:0]
	dst = slices.Grow(dst, len(bytes))
	for _, b := range bytes {
		x := uint64(b)
		switch {
		case b == Escape:
			x, wide = wide[0], wide[1:]
		case v.Column.Rising:
			x += last
		}
		dst, last = append(dst, T(x)), x
	}
	return dst
}
