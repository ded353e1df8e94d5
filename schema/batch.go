package schema

import "fmt"

// Type says which values a column has. Numbers are stored in files as signed
// numbers of 32 or 64 bits, whatever their range: not every query engine has
// others.
type Type uint8

// The types, with the DuckDB type each is read as.
const (
	Uint8  Type = iota // INTEGER, 0 to 2⁸ - 1
	Uint16             // INTEGER, 0 to 2¹⁶ - 1
	Uint32             // BIGINT, 0 to 2³² - 1
	Uint63             // BIGINT, 0 to 2⁶³ - 1
	Int32              // INTEGER
	Int64              // BIGINT
	Bool               // BOOLEAN
	Enum               // VARCHAR, dictionary-encoded: one of Column.Names
	String             // VARCHAR
	JSON               // VARCHAR holding JSON text
	Bytes              // BLOB
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
	Rising   bool     // values mostly rise from row to row: worth storing as differences
}

// A Vector is one column of a batch. Exactly one of its value slices is used,
// by the type of the column, with one value per row whether NULL or not.
type Vector struct {
	Column *Column
	U8     []uint8  // Uint8, Bool (0, 1), Enum (code)
	U16    []uint16 // Uint16
	U32    []uint32 // Uint32, Int32 (bit pattern)
	U64    []uint64 // Uint63, Int64 (bit pattern)
	Str    []string // String, JSON
	Bin    [][]byte // Bytes
	Valid  []uint8  // nullable columns: 1 valid, 0 NULL (the value is then 0)
}

// Len returns the number of rows in v.
func (v *Vector) Len() int {
	return len(v.U8) + len(v.U16) + len(v.U32) + len(v.U64) + len(v.Str) + len(v.Bin)
}

// Truncate drops all rows of v but the first n.
func (v *Vector) Truncate(n int) {
	v.U8, v.U16, v.U32, v.U64 = v.U8[:min(n, len(v.U8))], v.U16[:min(n, len(v.U16))], v.U32[:min(n, len(v.U32))], v.U64[:min(n, len(v.U64))]
	v.Str, v.Bin, v.Valid = v.Str[:min(n, len(v.Str))], v.Bin[:min(n, len(v.Bin))], v.Valid[:min(n, len(v.Valid))]
}

// A Batch is some rows of one table, column by column. It has one owner at a
// time; whoever is handed one may keep no slice of it beyond the call.
type Batch struct {
	Table   *Table
	Columns []Vector // in the order of Table.Columns
}

// BatchRows is the number of rows in every batch but the last of a row group:
// one Parquet page, one Arrow record batch.
const BatchRows = 65536

// NewBatch returns an empty batch for t.
func NewBatch(t *Table) *Batch {
	b := &Batch{Table: t, Columns: make([]Vector, len(t.Columns))}
	for i := range b.Columns {
		b.Columns[i].Column = &t.Columns[i]
	}
	return b
}

// Rows returns the number of rows in b. It panics if columns differ in length:
// a row was filled in part.
func (b *Batch) Rows() int {
	n := b.Columns[0].Len()
	for i := range b.Columns {
		v := &b.Columns[i]
		if v.Len() != n || v.Column.Nullable && len(v.Valid) != n {
			panic(fmt.Sprintf("schema: %s.%s has %d rows, %s has %d", b.Table.Name, v.Column.Name, v.Len(), b.Columns[0].Column.Name, n))
		}
	}
	return n
}

// Reset empties b, preserving capacity.
func (b *Batch) Reset() {
	for i := range b.Columns {
		v := &b.Columns[i]
		clear(v.Str)
		clear(v.Bin)
		v.U8, v.U16, v.U32, v.U64 = v.U8[:0], v.U16[:0], v.U32[:0], v.U64[:0]
		v.Str, v.Bin, v.Valid = v.Str[:0], v.Bin[:0], v.Valid[:0]
	}
}

// A Row appends the cells of one row to a batch, in the order of the table's
// columns. Its methods panic if the column has another type.
type Row struct {
	b *Batch
	i int
}

// Row starts a row of b.
func (b *Batch) Row() *Row { return &Row{b: b} }

func (r *Row) next(valid bool, types ...Type) *Vector {
	v := &r.b.Columns[r.i]
	r.i++
	fits := false
	for _, t := range types {
		fits = fits || t == v.Column.Type
	}
	if !fits || !valid && !v.Column.Nullable {
		panic(fmt.Sprintf("schema: wrong value for %s.%s", r.b.Table.Name, v.Column.Name))
	}
	if v.Column.Nullable {
		v.Valid = append(v.Valid, btou(valid))
	}
	return v
}

func btou(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// Uint8 appends to a Uint8 column.
func (r *Row) Uint8(x uint8) { v := r.next(true, Uint8); v.U8 = append(v.U8, x) }

// Uint16 appends to a Uint16 column.
func (r *Row) Uint16(x uint16) { v := r.next(true, Uint16); v.U16 = append(v.U16, x) }

// Uint32 appends to a Uint32 column.
func (r *Row) Uint32(x uint32) { v := r.next(true, Uint32); v.U32 = append(v.U32, x) }

// Int32 appends to an Int32 column.
func (r *Row) Int32(x int32) { v := r.next(true, Int32); v.U32 = append(v.U32, uint32(x)) }

// Int64 appends to an Int64 column.
func (r *Row) Int64(x int64) { v := r.next(true, Int64); v.U64 = append(v.U64, uint64(x)) }

// Bool appends to a Bool column.
func (r *Row) Bool(x bool) { v := r.next(true, Bool); v.U8 = append(v.U8, btou(x)) }

// Enum appends a code to an Enum column.
func (r *Row) Enum(code uint8) { v := r.next(true, Enum); v.U8 = append(v.U8, code) }

// String appends to a String or JSON column.
func (r *Row) String(s string) { v := r.next(true, String, JSON); v.Str = append(v.Str, s) }

// Bytes appends to a Bytes column; the slice is kept until the batch is reset.
func (r *Row) Bytes(p []byte) { v := r.next(true, Bytes); v.Bin = append(v.Bin, p) }

// NullBool appends to a nullable Bool column.
func (r *Row) NullBool(x Null[bool]) {
	v := r.next(x.OK, Bool)
	v.U8 = append(v.U8, btou(x.OK && x.V))
}

// NullUint8 appends to a nullable Uint8 column.
func (r *Row) NullUint8(x Null[uint8]) { v := r.next(x.OK, Uint8); v.U8 = append(v.U8, x.V) }

// NullUint16 appends to a nullable Uint16 column.
func (r *Row) NullUint16(x Null[uint16]) { v := r.next(x.OK, Uint16); v.U16 = append(v.U16, x.V) }

// NullUint32 appends to a nullable Uint32 column.
func (r *Row) NullUint32(x Null[uint32]) { v := r.next(x.OK, Uint32); v.U32 = append(v.U32, x.V) }

// NullUint63 appends to a nullable Uint63 column.
func (r *Row) NullUint63(x Null[uint64]) {
	if x.V > MaxUint63 {
		panic(fmt.Sprintf("schema: %d in %s", x.V, r.b.Table.Name))
	}
	v := r.next(x.OK, Uint63)
	v.U64 = append(v.U64, x.V)
}

// NullInt32 appends to a nullable Int32 column.
func (r *Row) NullInt32(x Null[int32]) { v := r.next(x.OK, Int32); v.U32 = append(v.U32, uint32(x.V)) }

// NullInt64 appends to a nullable Int64 column.
func (r *Row) NullInt64(x Null[int64]) { v := r.next(x.OK, Int64); v.U64 = append(v.U64, uint64(x.V)) }

// NullEnum appends a code to a nullable Enum column.
func (r *Row) NullEnum(code Null[uint8]) { v := r.next(code.OK, Enum); v.U8 = append(v.U8, code.V) }

// NullString appends to a nullable String or JSON column; "" is NULL.
func (r *Row) NullString(s string) {
	v := r.next(s != "", String, JSON)
	v.Str = append(v.Str, s)
}
