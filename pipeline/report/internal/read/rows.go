package read

import (
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// MaxCount is more than any trace counts: beyond it sums could be wrong.
const MaxCount = 1 << 60

// EachBatch calls do with all rows of a table and source. What do complains of is
// damage.
func EachBatch(d *dataset.Dataset, t *schema.Table, source uint8, do func(*schema.Batch) error) error {
	for b, err := range d.BatchesOf(t, source) {
		if err != nil {
			return err
		}
		if err := do(b); err != nil {
			return Damaged(d, t, err)
		}
	}
	return nil
}

// Damaged is the error for rows of a table that contradict one another.
func Damaged(d *dataset.Dataset, t *schema.Table, err error) error {
	return &dataset.Error{
		File: d.Dir, Problem: "table " + t.Name + ": " + err.Error(), Remedy: "export again",
		Damaged: true, Err: err,
	}
}

// Null returns a cell that may be NULL.
func Null(b *schema.Batch, row int, column schema.IndexU64) schema.Null[int64] {
	return schema.Null[int64]{V: int64(column.At(b, row)), OK: !b.Columns[column].Null(row)}
}

// Null32 returns a cell that may be NULL.
func Null32(b *schema.Batch, row int, column schema.IndexU32) (n schema.Null[uint32]) {
	if !b.Columns[column].Null(row) {
		n = schema.Of(column.At(b, row))
	}
	return n
}

// Ordinal returns a cell that has an ordinal, -1 if it is NULL.
func Ordinal(b *schema.Batch, row int, column schema.IndexU32) int32 {
	if n := Null32(b, row, column); n.OK {
		return int32(n.V)
	}
	return -1
}

// Branches says whether an instruction of a kind can leave the straight line.
func Branches(k schema.Kind) bool { return k != schema.KindOther && k != schema.KindBarrier }

// A Place is an instruction of a source.
type Place struct {
	Dir    string
	Source uint8
	Seq    int64
	Row    schema.Null[int64] // number of its row of `calls`, or of `exceptions`; NULL: there is none
}

// An Index numbers keys in the order in which they come.
type Index[K comparable] map[K]int

// Of returns the number of a key, and whether it is new: then it is the highest.
func (x Index[K]) Of(key K) (n int, isNew bool) {
	n, ok := x[key]
	if !ok {
		n = len(x)
		x[key] = n
	}
	return n, !ok
}

// An Exception is type and number of an exception, which may be NULL.
type Exception struct {
	Type   schema.Null[schema.ExceptionType]
	Number schema.Null[uint16]
}

// ExceptionAt returns the exception that two columns of a row say.
func ExceptionAt(b *schema.Batch, row int, kind schema.IndexU8, number schema.IndexU16) Exception {
	kinds, numbers := &b.Columns[kind], &b.Columns[number]
	return Exception{
		schema.Null[schema.ExceptionType]{V: schema.ExceptionType(kinds.U8[row]), OK: !kinds.Null(row)},
		schema.Null[uint16]{V: numbers.U16[row], OK: !numbers.Null(row)},
	}
}

func (x Exception) String() string {
	return schema.ExceptionText(x.Type, x.Number)
}
