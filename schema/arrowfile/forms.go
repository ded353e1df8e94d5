package arrowfile

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/tracelake/tracelake/schema"
)

// This file makes arrays of vectors that are not plain. Arrow has a value for each
// row, so forms are expanded, but right where they stay until they are written: in
// memory that is used again. What [schema.Vector.Expand] makes is the same.

// A loan is memory for arrays, lent until they are written.
type loan struct {
	of   *pools
	lent []lentWords
}

// pools have memory that is not in use, by how much it is: of a byte, four and eight
// for each row of a batch, and more for what copies reach past the last.
type pools [3]sync.Pool

var poolWords = [...]int{schema.BatchRows/8 + overCopy, schema.BatchRows/2 + overCopy, schema.BatchRows + overCopy}

type lentWords struct {
	words *[]uint64
	pool  int
}

// words returns n words that are not initialised.
func (l *loan) words(n int) []uint64 {
	for i, size := range poolWords {
		if n > size {
			continue
		}
		p, _ := l.of[i].Get().(*[]uint64)
		if p == nil {
			s := make([]uint64, size)
			p = &s
		}
		l.lent = append(l.lent, lentWords{p, i})
		return (*p)[:n]
	}
	return make([]uint64, n)
}

// giveBack ends the use of all of it.
func (l *loan) giveBack() {
	for _, x := range l.lent {
		l.of[x.pool].Put(x.words)
	}
	l.lent = nil
}

// numbers returns n numbers of so many bytes that are not initialised.
func numbers[T int32 | int64 | uint8](l *loan, n, size int) []T {
	return arrow.GetData[T](arrow.GetBytes(l.words((n*size + 7) / 8)))[:n]
}

// A constant is a column in which all rows have one value.
type constant struct {
	value uint64
	null  bool
	rows  int
}

// maxConstants is how many constants of a column are kept.
const maxConstants = 16

// formed returns the array of a vector in a form. It returns nil for a form that has
// to be expanded first.
func (c *column) formed(v *schema.Vector, rows int, l *loan, code *codeArrays) arrow.Array {
	switch v.Form {
	case schema.Repeated:
		if len(v.Repeats) == 1 {
			return c.constant(constant{v.Repeats[0].Value, v.Repeats[0].Null, rows})
		}
		return c.repeats(v, rows, l, 0)
	case schema.Counted:
		return c.repeats(v, rows, l, 1)
	case schema.Marked:
		valid := v.Marks.Count()
		if valid == 0 {
			return c.constant(constant{0, true, rows})
		}
		if c.Type == schema.Bool {
			return c.build(rows, rows-valid, bitBuffer(l, &v.Marks), markedBits(l, v))
		}
	case schema.OfCode:
		return c.build(rows, 0, nil, code.buffer(l, &v.Code, v.Field))
	case schema.Stepped:
		if v.Marks.N == 0 {
			return c.build(rows, 0, nil, stepped(l, v))
		}
	case schema.Plain, schema.Indexed, schema.Narrow:
	}
	return nil
}

// stepped returns numbers that come as steps.
func stepped(l *loan, v *schema.Vector) *memory.Buffer {
	out, wide, last := numbers[int64](l, len(v.U8), 8), v.Wide, int64(0)
	for i, b := range v.U8 {
		last += int64(b)
		if b == schema.Escape {
			last, wide = int64(wide[0]), wide[1:]
		}
		out[i] = last
	}
	return memory.NewBufferBytes(arrow.GetBytes(out))
}

// repeats returns the array of repeats, each value a step more than the one before; nil
// if some are NULL, or of a type that seldom repeats.
func (c *column) repeats(v *schema.Vector, rows int, l *loan, step int64) arrow.Array {
	if slices.ContainsFunc(v.Repeats, func(r schema.Repeat) bool { return r.Null }) {
		return nil
	}
	switch c.Type {
	case schema.Enum:
		return c.build(rows, 0, nil, repeated(l, v.Repeats, rows, 1, uint8(step)))
	case schema.Uint8, schema.Uint16, schema.Int32:
		return c.build(rows, 0, nil, repeated(l, v.Repeats, rows, 4, int32(step)))
	case schema.Uint32, schema.Uint63, schema.Int64:
		return c.build(rows, 0, nil, repeated(l, v.Repeats, rows, 8, step))
	}
	return nil
}

// build returns an array of these buffers.
func (c *column) build(rows, nulls int, valid, values *memory.Buffer) arrow.Array {
	buffers := []*memory.Buffer{valid, values}
	if c.Type == schema.Enum {
		return array.MakeFromData(array.NewDataWithDictionary(c.typ, rows, buffers, nulls, 0, c.names))
	}
	return array.MakeFromData(array.NewData(c.typ, rows, buffers, nil, nulls, 0))
}

// constant returns the array of a constant. Its memory is kept, for all batches that
// have it.
func (c *column) constant(x constant) arrow.Array {
	nulls := 0
	if x.null {
		nulls = x.rows
	}
	b, ok := c.constants[x]
	if !ok {
		v := schema.Vector{Column: c.Column}
		v.AppendRepeat(x.value, x.null, x.rows)
		v.Expand()
		last := c.last
		c.last = [3][]byte{}
		a, err := c.array(&v, x.rows)
		if err != nil {
			panic(err) // only texts are too long
		}
		c.last = last
		b = [2]*memory.Buffer(a.Data().Buffers())
		if c.constants == nil || len(c.constants) == maxConstants {
			c.constants = map[constant][2]*memory.Buffer{}
		}
		c.constants[x] = b
	}
	return c.build(x.rows, nulls, b[0], b[1])
}

// repeated returns numbers of so many bytes that repeat, or count up. They are written
// overCopy at a time.
func repeated[T int64 | int32 | uint8](l *loan, list []schema.Repeat, rows, size int, step T) *memory.Buffer {
	out, at := numbers[T](l, rows+overCopy, size), 0
	for i := range list {
		x, n := T(list[i].Value), int(list[i].Rows)
		for k := 0; k < n; k += overCopy {
			to := (*[overCopy]T)(out[at+k:])
			for j := range to {
				to[j] = x
				x += step
			}
		}
		at += n
	}
	return memory.NewBufferBytes(arrow.GetBytes(out[:rows]))
}

// bitBuffer returns bits as they are, in whole bytes.
func bitBuffer(l *loan, b *schema.Bits) *memory.Buffer {
	out := numbers[uint8](l, 8*len(b.Words), 1)
	for i, w := range b.Words {
		binary.LittleEndian.PutUint64(out[8*i:], w)
	}
	return memory.NewBufferBytes(out[:(b.N+7)/8])
}

// markedBits returns the values of the rows that have one in their places, and 0 in
// others.
func markedBits(l *loan, v *schema.Vector) *memory.Buffer {
	out := numbers[uint8](l, 8*len(v.Marks.Words), 1)
	next := 0
	for i, w := range v.Marks.Words {
		x := uint64(0)
		for ; w != 0; w &= w - 1 {
			x |= uint64(v.Bits.At(next)) << bits.TrailingZeros64(w)
			next++
		}
		binary.LittleEndian.PutUint64(out[8*i:], x)
	}
	return memory.NewBufferBytes(out[:(v.Marks.N+7)/8])
}
