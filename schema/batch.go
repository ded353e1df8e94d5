package schema

import (
	"fmt"
	"slices"
)

// Type says which values a column has. Files store numbers as signed numbers of
// 32 or 64 bits, whatever their range: not every query engine has other types.
type Type uint8

// The types, with the DuckDB type each is read as.
const (
	Uint8   Type = iota // INTEGER, 0 to 2⁸ - 1
	Uint16              // INTEGER, 0 to 2¹⁶ - 1
	Uint32              // BIGINT, 0 to 2³² - 1
	Uint64              // BIGINT, 0 to 2⁶⁴ - 1: the same bits, so negative from 2⁶³ on
	Uint63              // BIGINT, 0 to 2⁶³ - 1
	Int32               // INTEGER
	Int64               // BIGINT
	Bool                // BOOLEAN
	Enum                // VARCHAR, dictionary-encoded: one of Column.Names
	String              // VARCHAR
	JSON                // VARCHAR holding JSON text
	Bytes               // BLOB
	Float64             // DOUBLE, never NaN
)

// MaxUint63 is the greatest value of a Uint63 column.
const MaxUint63 = 1<<63 - 1

// A Column describes one column of a table.
type Column struct {
	Name     string // lower snake case; part of the public format
	Type     Type
	Nullable bool     // NULL means "the trace does not say" unless Doc says otherwise
	Names    []string // values of an Enum, by code
	Unit     string   // "cycles", "bytes" …, "" if it has none
	Doc      string   // one sentence, shown to users
	Hex      bool     // an address or opcode: people read it in hexadecimal
	Rising   bool     // values mostly rise from row to row: worth storing as differences
	Since    int      // first schema version that has it, 0: all that are read; else it is nullable
}

// A Vector is one column of a batch. Exactly one of its value slices is used,
// by the type of the column. If it is plain, that has one value per row, whether
// NULL or not; [Encoding] has the others. Where Marks says which rows have a value, those
// of the others are left out, in any encoding.
type Vector struct {
	Column   *Column
	Encoding Encoding
	U8       []uint8  // Uint8, Bool (0, 1), Enum (code)
	U16      []uint16 // Uint16
	U32      []uint32 // Uint32, Int32 (bit pattern)
	U64      []uint64 // Uint63, Uint64, Int64 and Float64 (bit pattern)
	Str      []string // String, JSON
	Bin      [][]byte // Bytes
	Valid    []uint8  // nullable columns: 1 valid, 0 NULL (the value is then 0)

	Marks   Bits     // if some rows are NULL: 1 for a row that has a value, 0 for NULL; then Valid is not used
	Repeats []Repeat // Repeated
	Step    uint64   // of Repeated: by how much a row is more than the one before in its repeat, 0 or 1
	Code    CodeRuns // OfCode
	Field   CodeField
	Index   []uint32 // Indexed
	Entries []uint64 // each is of a row, in the order that rows first have them
	Absent  []uint8  // of entries, if some are NULL: 1 NULL (the entry is then 0), 0 a value
	Bits    Bits     // Narrow
	Wide    []uint64 // Narrow: the values of the rows that are Escape
}

// Len returns the number of rows in v.
func (v *Vector) Len() int {
	if v.Marks.N > 0 {
		return v.Marks.N
	}
	switch v.Encoding {
	case Repeated:
		n := 0
		for _, r := range v.Repeats {
			n += int(r.Rows)
		}
		return n
	case OfCode:
		return v.Code.Rows
	case Indexed:
		return len(v.Index)
	case Plain, Narrow:
	}
	return len(v.U8) + len(v.U16) + len(v.U32) + len(v.U64) + len(v.Str) + len(v.Bin) + v.Bits.N
}

// A Batch is some rows of one table, column by column. It has one owner at a
// time; a function that takes one must not keep its slices after it returns.
type Batch struct {
	Table   *Table
	Columns []Vector // in the order of Table.Columns
	Limit   int      // rows after which it is full
}

// BatchRows is the number of rows in every batch but the last of a row group, where
// a format has no reason for more ([Encoder]), and the most that readers return.
const BatchRows = 65536

// MaxBatchRows is the most rows in any batch: in a Parquet page.
const MaxBatchRows = RowGroupRows / 2

// NewBatch returns an empty batch for t.
func NewBatch(t *Table) *Batch {
	b := &Batch{Table: t, Columns: make([]Vector, len(t.Columns)), Limit: BatchRows}
	for i := range b.Columns {
		b.Columns[i].Column = &t.Columns[i]
	}
	return b
}

// NewBatchFor returns an empty batch for t, as an encoder wants it.
func NewBatchFor(t *Table, e Encoder) *Batch {
	b := NewBatch(t)
	b.Limit = e.BatchRows()
	return b
}

// Rows returns the number of rows in b. It panics if columns differ in length:
// a row was filled in part.
func (b *Batch) Rows() int {
	n := b.Columns[0].Len()
	for i := range b.Columns {
		v := &b.Columns[i]
		if v.Len() != n || v.isPlain() && v.Column.Nullable && len(v.Valid) != n {
			panic(fmt.Sprintf("schema: %s.%s has %d rows, %s has %d", b.Table.Name, v.Column.Name, v.Len(),
				b.Columns[0].Column.Name, n))
		}
	}
	return n
}

// Grow makes room for n rows more, of plain columns.
func (b *Batch) Grow(n int) {
	for i := range b.Columns {
		v := &b.Columns[i]
		if v.Column.Nullable {
			v.Valid = slices.Grow(v.Valid, n)
		}
		switch v.Column.Type {
		case Uint8, Bool, Enum:
			v.U8 = slices.Grow(v.U8, n)
		case Uint16:
			v.U16 = slices.Grow(v.U16, n)
		case Uint32, Int32:
			v.U32 = slices.Grow(v.U32, n)
		case Uint64, Uint63, Int64, Float64:
			v.U64 = slices.Grow(v.U64, n)
		case String, JSON:
			v.Str = slices.Grow(v.Str, n)
		case Bytes:
			v.Bin = slices.Grow(v.Bin, n)
		}
	}
}

// Reset empties b, preserving capacity.
func (b *Batch) Reset() {
	for i := range b.Columns {
		v := &b.Columns[i]
		clear(v.Str)
		clear(v.Bin)
		v.U8, v.U16, v.U32, v.U64 = v.U8[:0], v.U16[:0], v.U32[:0], v.U64[:0]
		v.Str, v.Bin, v.Valid = v.Str[:0], v.Bin[:0], v.Valid[:0]
		v.Code.Reset()
		v.forget()
	}
}
