package arrowfile

import (
	"bytes"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/bitmap"
)

// A RowGroup turns batches into record batches, and holds them as they will be
// in the file: Arrow writes one after the other, and compresses then.
type RowGroup struct {
	table   *schema.Table
	schema  *arrow.Schema
	columns []column
	records []arrow.Record
	rows    int64
	lent    loan
	code    codeArrays
}

var _ schema.Encoder = (*RowGroup)(nil)

// NewRowGroup returns an encoder for row groups of t.
func NewRowGroup(t *schema.Table) *RowGroup {
	g := &RowGroup{
		table: t, schema: arrow.NewSchema(fields(t), nil),
		columns: make([]column, len(t.Columns)), lent: loan{of: new(pools)}, code: codeArrays{stamp: 1},
	}
	for i := range g.columns {
		c := &t.Columns[i]
		g.columns[i] = column{Column: c, typ: dataType(c)}
		if c.Type == schema.Enum {
			g.columns[i].names = dictionary(c.Names)
		}
	}
	return g
}

// BatchRows implements [schema.Encoder].
func (g *RowGroup) BatchRows() int { return schema.BatchRows }

// Append adds the rows of b as one record batch. It copies what it keeps.
func (g *RowGroup) Append(b *schema.Batch) error {
	if b.Table != g.table {
		panic(fmt.Sprintf("arrowfile: batch of %s for a row group of %s", b.Table.Name, g.table.Name))
	}
	rows := b.Rows()
	if rows == 0 {
		return nil
	}
	arrays := make([]arrow.Array, len(g.columns))
	g.code.made = false
	for i := range g.columns {
		v := &b.Columns[i]
		if arrays[i] = g.columns[i].encoded(v, rows, &g.lent, &g.code); arrays[i] != nil {
			continue
		}
		v.Expand()
		a, err := g.columns[i].array(v, rows)
		if err != nil {
			return fmt.Errorf("encode %s.%s: %w", g.table.Name, g.columns[i].Name, err)
		}
		arrays[i] = a
	}
	g.records = append(g.records, array.NewRecord(g.schema, arrays, int64(rows)))
	g.rows += int64(rows)
	return nil
}

// Finish returns the row group and readies g for the next.
func (g *RowGroup) Finish() (schema.Chunks, error) {
	c := &Chunks{table: g.table, records: g.records, rows: g.rows, lent: g.lent}
	g.lent = loan{of: g.lent.of}
	g.Reset()
	return c, nil
}

// Reset drops what was appended.
func (g *RowGroup) Reset() {
	g.records, g.rows = nil, 0
	g.code.forget()
	g.lent.giveBack()
}

// Chunks is some record batches. It may be handed to another goroutine.
type Chunks struct {
	table   *schema.Table
	records []arrow.Record
	rows    int64
	lent    loan
}

// Rows returns the number of rows in c.
func (c *Chunks) Rows() int64 { return c.rows }

// A column makes arrays of the vectors of one column.
type column struct {
	*schema.Column
	typ   arrow.DataType
	names *array.Data // of an enum
	last  [3][]byte   // the buffers of the array before
	small []byte      // what last[1] was widened from
	bits  []byte      // scratch

	constants map[constant][2]*memory.Buffer
}

// array returns a copy of v.
func (c *column) array(v *schema.Vector, rows int) (arrow.Array, error) {
	nulls := 0
	var valid *memory.Buffer // nil: all are
	if c.Nullable {
		if nulls = bytes.Count(v.Valid, []byte{0}); nulls > 0 {
			c.bits = bitmap.Append(c.bits[:0], v.Valid)
			valid = c.keep(0, c.bits)
		}
	}
	if c.Type == schema.Enum {
		buffers := []*memory.Buffer{valid, c.keep(1, v.U8)}
		return array.MakeFromData(array.NewDataWithDictionary(c.typ, rows, buffers, nulls, 0, c.names)), nil
	}
	buffers, err := c.buffers(v)
	if err != nil {
		return nil, err
	}
	return array.MakeFromData(array.NewData(c.typ, rows, append([]*memory.Buffer{valid}, buffers...), nil, nulls, 0)), nil
}

// buffers returns the values of v in the layout of its type.
func (c *column) buffers(v *schema.Vector) ([]*memory.Buffer, error) {
	switch c.Type {
	case schema.Uint8:
		return []*memory.Buffer{widen[int32](c, v.U8)}, nil
	case schema.Uint16:
		return []*memory.Buffer{widen[int32](c, v.U16)}, nil
	case schema.Uint32:
		return []*memory.Buffer{widen[int64](c, v.U32)}, nil
	case schema.Int32:
		return []*memory.Buffer{c.keep(1, arrow.Uint32Traits.CastToBytes(v.U32))}, nil
	case schema.Uint63, schema.Uint64, schema.Int64, schema.Float64:
		return []*memory.Buffer{c.keep(1, arrow.Uint64Traits.CastToBytes(v.U64))}, nil
	case schema.Bool:
		c.bits = bitmap.Append(c.bits[:0], v.U8)
		return []*memory.Buffer{c.keep(1, c.bits)}, nil
	case schema.String, schema.JSON:
		return texts(c, v.Str)
	case schema.Bytes:
		return texts(c, v.Bin)
	}
	panic(fmt.Sprintf("arrowfile: no type %d", c.Type))
}

// keep returns a buffer with the bytes of p. If the array before has the same
// bytes, the two share them: columns that are constant or all NULL are half of the
// width of `instructions`, and row groups wait in memory.
func (c *column) keep(i int, p []byte) *memory.Buffer {
	if c.last[i] == nil || !bytes.Equal(c.last[i], p) {
		c.last[i] = append([]byte{}, p...)
	}
	return memory.NewBufferBytes(c.last[i])
}

// widen is keep for numbers that are wider in the file.
func widen[W int32 | int64, T uint8 | uint16 | uint32](c *column, numbers []T) *memory.Buffer {
	if small := arrow.GetBytes(numbers); c.last[1] == nil || !bytes.Equal(c.small, small) {
		wide := make([]W, len(numbers))
		for i, x := range numbers {
			wide[i] = W(x)
		}
		c.last[1], c.small = arrow.GetBytes(wide), append(c.small[:0], small...)
	}
	return memory.NewBufferBytes(c.last[1])
}

// texts returns the offsets and the bytes of values.
func texts[T string | []byte](c *column, values []T) ([]*memory.Buffer, error) {
	offsets := make([]int32, 1, len(values)+1)
	var data []byte
	for _, s := range values {
		data = append(data, s...)
		if len(data) > math.MaxInt32 {
			return nil, fmt.Errorf("%d bytes in a record batch are too many for arrow", len(data))
		}
		offsets = append(offsets, int32(len(data)))
	}
	return []*memory.Buffer{c.keep(1, arrow.Int32Traits.CastToBytes(offsets)), c.keep(2, data)}, nil
}

// dictionary returns the values of an enum.
func dictionary(names []string) *array.Data {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	b.AppendValues(names, nil)
	return b.NewStringArray().Data().(*array.Data)
}
