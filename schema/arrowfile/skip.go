package arrowfile

import (
	"fmt"
	"sort"
)

// Skip leaves out record batches, from the first one on, whose last row has less than a value
// in a column of 64 bits. It says whether others are left. Values of the column must not fall
// from row to row; NULL is after all of them. It is for before the first call of
// [Reader.Next].
func (f *Reader) Skip(column int, least int64) (left bool, err error) {
	defer damaged(&err)
	n := sort.Search(f.ipc.NumRecords(), func(i int) bool {
		if err != nil {
			return true
		}
		f.records = i
		f.batch.Reset()
		if e := f.read(); e != nil {
			err = fmt.Errorf("record batch %d: %w", i, e)
			return true
		}
		v, last := &f.batch.Columns[column], f.batch.Rows()-1
		return last >= 0 && (v.Null(last) || int64(v.U64[last]) >= least)
	})
	f.records = n
	f.batch.Reset()
	return n < f.ipc.NumRecords(), err
}
