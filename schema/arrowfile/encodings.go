package arrowfile

import (
	"encoding/binary"
	"math/bits"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/tracelake/tracelake/schema"
)

// This file makes arrays of vectors that are not plain. Arrow has a value for each
// row, so they are expanded, but right where they stay until they are written: in
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

// encoded returns the array of a vector that is not plain. It returns nil for one that is, or
// has to be expanded first.
func (c *column) encoded(v *schema.Vector, rows int, l *loan, code *codeArrays) arrow.Array {
	nulls := 0
	if v.Marks.N > 0 {
		nulls = rows - v.Marks.Count()
	}
	switch {
	case nulls == rows:
		return c.constant(constant{0, true, rows})
	case nulls > 0 && c.Type == schema.Bool && v.Encoding == schema.Narrow:
		return c.build(rows, nulls, bitBuffer(l, &v.Marks), markedBits(l, v))
	case nulls > 0:
		return nil
	case v.Encoding == schema.Repeated && len(v.Repeats) == 1 && v.Step == 0:
		return c.constant(constant{v.Repeats[0].Value, false, rows})
	}
	if values := c.values(v, rows, l, code); values != nil {
		return c.build(rows, 0, nil, values)
	}
	return nil
}

// values returns the values of a vector of which no row is NULL; nil if it has to be expanded
// first, as one of a type that is seldom in its encoding.
func (c *column) values(v *schema.Vector, rows int, l *loan, code *codeArrays) *memory.Buffer {
	wide := c.Type == schema.Uint63 || c.Type == schema.Uint64 || c.Type == schema.Int64
	switch {
	case v.Encoding == schema.OfCode:
		return code.buffer(l, &v.Code, v.Field)
	case v.Encoding == schema.Narrow && c.Type == schema.Bool:
		return bitBuffer(l, &v.Bits)
	case v.Encoding == schema.Narrow && wide:
		return narrow(l, v)
	case v.Encoding != schema.Repeated:
	case c.Type == schema.Enum:
		return repeated(l, v.Repeats, rows, 1, uint8(v.Step))
	case c.Type == schema.Uint8 || c.Type == schema.Uint16 || c.Type == schema.Int32:
		return repeated(l, v.Repeats, rows, 4, int32(v.Step))
	case c.Type == schema.Uint32 || wide:
		return repeated(l, v.Repeats, rows, 8, int64(v.Step))
	}
	return nil
}

// narrow returns numbers that are a byte each.
func narrow(l *loan, v *schema.Vector) *memory.Buffer {
	out, wide, last, steps := numbers[int64](l, len(v.U8), 8), v.Wide, int64(0), v.Column.Rising
	for i, b := range v.U8 {
		x := int64(b)
		if steps {
			x += last
		}
		if b == schema.Escape {
			x, wide = int64(wide[0]), wide[1:]
		}
		out[i], last = x, x
	}
	return memory.NewBufferBytes(arrow.GetBytes(out))
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
