package read

import (
	"errors"
	"io"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// MaxCount is more than any trace counts: beyond it sums could be wrong.
const MaxCount = 1 << 60

// EachBatch calls do with all rows of a table and source. What do complains of is
// damage.
func EachBatch(d *dataset.Dataset, t *schema.Table, source uint8, do func(*schema.Batch) error) error {
	r := d.Open(t, source)
	defer r.Close()
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := do(b); err != nil {
			return Damaged(d, t, err)
		}
	}
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
