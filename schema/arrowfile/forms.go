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
// row, so forms are expanded, but right where they stay until they are written: in
// memory that is used again. What [schema.Vector.Expand] makes is the same.

// A loan is memory for arrays, lent until they are written.
type loan struct {
	of   *pools
	lent []lentWords
}

// pools have memory that is not in use, by how much it is: of a byte, four and eight
// for each row of a batch.
type pools [3]sync.Pool

var poolWords = [...]int{schema.BatchRows / 8, schema.BatchRows / 2, schema.BatchRows}

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
func (c *column) formed(v *schema.Vector, rows int, l *loan) arrow.Array {
	if v.Form == schema.Marked && v.Marks.Count() == 0 {
		return c.constant(constant{0, true, rows})
	}
	switch v.Form {
	case schema.Repeated:
		if len(v.Repeats) == 1 {
			return c.constant(constant{v.Repeats[0].Value, v.Repeats[0].Null, rows})
		}
	case schema.Marked:
		if c.Type == schema.Bool {
			return c.build(rows, rows-v.Marks.Count(), bitBuffer(l, &v.Marks), markedBits(l, v))
		}
	case schema.Counted, schema.OfCode, schema.Plain, schema.Indexed, schema.Narrow, schema.Stepped:
	}
	switch {
	case c.Type == schema.Enum && v.Form == schema.OfCode && v.Field == schema.FieldKind:
		return c.build(rows, 0, nil, codeKinds(l, &v.Code))
	case c.Type == schema.Uint8 && v.Form == schema.OfCode && v.Field == schema.FieldSize:
		return c.build(rows, 0, nil, codeSizes(l, &v.Code))
	case c.Type == schema.Uint32 && v.Form == schema.OfCode:
		return c.build(rows, 0, nil, codeWords(l, &v.Code, v.Field))
	case c.Type == schema.Int64 && !c.Nullable && (v.Form == schema.Repeated || v.Form == schema.Counted):
		return c.build(rows, 0, nil, repeated(l, v.Repeats, rows, v.Form == schema.Counted))
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

// repeated returns numbers that repeat, or count up.
func repeated(l *loan, list []schema.Repeat, rows int, counted bool) *memory.Buffer {
	out, at := numbers[int64](l, rows, 8), 0
	step := int64(0)
	if counted {
		step = 1
	}
	for i := range list {
		x := int64(list[i].Value)
		for range list[i].Rows {
			out[at] = x
			x += step
			at++
		}
	}
	return memory.NewBufferBytes(arrow.GetBytes(out))
}

// codeWords returns addresses, or opcodes.
func codeWords(l *loan, code *schema.CodeRuns, field schema.CodeField) *memory.Buffer {
	out, at := numbers[int64](l, code.Rows, 8), 0
	for i := range code.Runs {
		r := &code.Runs[i]
		from := r.Block.Address
		if field == schema.FieldOpcode {
			from = r.Block.Opcode
		}
		from = from[r.First:][:r.Count]
		to := out[at:][:len(from)]
		for k, x := range from {
			to[k] = int64(x)
		}
		at += len(from)
	}
	return memory.NewBufferBytes(arrow.GetBytes(out))
}

func codeSizes(l *loan, code *schema.CodeRuns) *memory.Buffer {
	out, at := numbers[int32](l, code.Rows, 4), 0
	for i := range code.Runs {
		r := &code.Runs[i]
		from := r.Block.Size[r.First:][:r.Count]
		to := out[at:][:len(from)]
		for k, x := range from {
			to[k] = int32(x)
		}
		at += len(from)
	}
	return memory.NewBufferBytes(arrow.GetBytes(out))
}

func codeKinds(l *loan, code *schema.CodeRuns) *memory.Buffer {
	out, at := numbers[uint8](l, code.Rows, 1), 0
	for i := range code.Runs {
		r := &code.Runs[i]
		at += copy(out[at:], r.Block.Kind[r.First:][:r.Count])
	}
	return memory.NewBufferBytes(arrow.GetBytes(out))
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
