package sample

import (
	"math/rand/v2"

	"github.com/tracelake/tracelake/schema"
)

// Narrow returns rows of `cycle_counts` twice: with numbers that are a byte each as far as
// that can be, and plain. With a variety of 0 numbers hardly change, with much of it most
// are more than a byte.
func Narrow(r *rand.Rand, rows, variety int) (encoded, plain *schema.Batch) {
	encoded, plain = schema.NewBatch(&schema.CycleCounts), schema.NewBatch(&schema.CycleCounts)
	for i := range encoded.Columns {
		switch f, p := &encoded.Columns[i], &plain.Columns[i]; {
		case f.Column.Rising:
			step(r, f, p, rows, variety)
		case f.Column.Type == schema.Int64:
			narrow(r, f, p, rows, variety)
		default:
			repeat(r, f, p, rows, variety)
		}
	}
	return encoded, plain
}

func step(r *rand.Rand, encoded, plain *schema.Vector, rows, variety int) {
	s := schema.Stepper{Vector: encoded}
	x, steady := r.Uint64N(1<<40), r.Uint64N(9)
	encoded.Encoding = schema.Narrow
	nulls := encoded.Column.Nullable && variety > 0 && r.IntN(3) > 0
	for i := range rows {
		if skip(r, encoded, plain, nulls) {
			continue
		}
		switch {
		case i == 0 || r.IntN(1000) < variety: // down too
			x = r.Uint64N(1 << 40)
		case r.IntN(500) == 0:
			x += 250 + r.Uint64N(10)
		case variety == 0 || i/2000%2 == 0:
			x += steady
		default:
			x += r.Uint64N(uint64(20 * variety))
		}
		s.Append(x)
		appendValue(plain, x, true)
	}
}

func narrow(r *rand.Rand, encoded, plain *schema.Vector, rows, variety int) {
	encoded.Encoding = schema.Narrow
	nulls := encoded.Column.Nullable && variety > 0 && r.IntN(3) > 0
	for range rows {
		if skip(r, encoded, plain, nulls) {
			continue
		}
		x := r.Uint64N(1 + 10*uint64(variety))
		if r.IntN(1000) < variety {
			x = r.Uint64N(1 << (8 + min(variety, 40)))
		}
		encoded.U8 = append(encoded.U8, encoded.Narrow(x))
		appendValue(plain, x, true)
	}
}

// skip may make the next row NULL, if some are, and else marks it.
func skip(r *rand.Rand, encoded, plain *schema.Vector, nulls bool) bool {
	switch {
	case nulls && r.IntN(20) == 0:
		appendValue(plain, 0, false)
		encoded.Marks.Pad(encoded.Marks.N + 1)
		return true
	case nulls:
		encoded.Marks.Append(1, 1)
	}
	return false
}
