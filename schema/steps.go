package schema

import "slices"

// This file is the forms of numbers that are a byte each, Narrow and Stepped: those of
// `cycle_counts`, which has a row for nearly each byte of cycle-accurate trace.

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

// Step returns the byte of the next row, whose value is x. The first row of a vector has
// to be an Escape, so a Stepper begins with Escape.
func (s *Stepper) Step(x uint64) uint8 {
	d := x - s.Last
	s.Last = x
	if d < Escape {
		return uint8(d)
	}
	return s.Escape(x)
}

// Escape returns the byte of the next row, whose value is x, however far it is.
func (s *Stepper) Escape(x uint64) uint8 {
	s.Last = x
	s.Vector.Wide = append(s.Vector.Wide, x)
	return Escape
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
	default:
		v.noForm()
	}
	from := len(v.U64)
	v.U64 = slices.Grow(v.U64, len(v.U8))[:from+len(v.U8)]
	out, wide, last := v.U64[from:], v.Wide, uint64(0)
	for i, b := range v.U8 {
		x := uint64(b)
		switch {
		case b == Escape:
			x, wide = wide[0], wide[1:]
		case stepped:
			x += last
		}
		out[i], last = x, x
	}
	if v.Column.Nullable {
		repeat(&v.Valid, 1, 0, len(v.U8))
	}
	v.U8, v.Wide = v.U8[:0], v.Wide[:0]
}
