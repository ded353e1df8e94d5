package schema

import "slices"

// This file is the forms of numbers that are a byte each, Narrow and Stepped: those that
// rise by a few from row to row, as offsets do, or are small, as what an instruction cost.

// Escape is the byte of a row whose value is the next of Vector.Wide.
const Escape = 255

// A Stepper appends to a vector that is Stepped.
type Stepper struct {
	Vector *Vector
	Last   uint64 // value of the last row
}

// Extend appends n rows that have no bytes yet, and returns where these go.
func (v *Vector) Extend(form Form, n int) []uint8 {
	at := len(v.U8)
	v.Form, v.U8 = form, slices.Grow(v.U8, n)[:at+n]
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
	s.Vector.Form, s.Vector.U8 = Stepped, append(s.Vector.U8, s.Step(x))
}

// Narrow returns the byte of the next row, whose value is x.
func (v *Vector) Narrow(x uint64) uint8 {
	if x < Escape {
		return uint8(x)
	}
	v.Wide = append(v.Wide, x)
	return Escape
}

// expandBytes expands Narrow, or Stepped, each row of which is above the one before.
func (v *Vector) expandBytes(stepped bool) {
	switch v.Column.Type {
	case Uint63, Int64:
		v.U64 = appendBytes(v.U64, v, stepped)
	case Uint32, Int32:
		v.U32 = appendBytes(v.U32, v, stepped)
	default:
		v.noForm()
	}
	n := len(v.U8)
	v.U8, v.Wide = v.U8[:0], v.Wide[:0]
	switch {
	case v.Marks.N > 0:
		v.spreadMarked()
	case v.Column.Nullable:
		repeat(&v.Valid, 1, 0, n)
	}
}

// appendBytes appends the values that the bytes of v are.
func appendBytes[T uint32 | uint64](dst []T, v *Vector, stepped bool) []T {
	wide, last := v.Wide, uint64(0)
	dst = slices.Grow(dst, len(v.U8))
	for _, b := range v.U8 {
		x := uint64(b)
		switch {
		case b == Escape:
			x, wide = wide[0], wide[1:]
		case stepped:
			x += last
		}
		dst, last = append(dst, T(x)), x
	}
	return dst
}
