package parquetfile

import (
	"encoding/binary"
	"slices"
)

// Skip leaves out row groups, from the first one on, as long as a column of 64 bits is less
// than a value in all their rows, as their statistics say. It says whether others are left.
// It is for before the first call of [Reader.Next].
func (f *Reader) Skip(column int, least int64) (bool, error) {
	n := slices.Index(f.where.has, column)
	for ; f.group < len(f.footer.RowGroups); f.group++ {
		if n < 0 || !f.isBelow(n, least) {
			return true, nil
		}
	}
	return false, nil
}

// isBelow says whether a column that the file has is less than a value in all rows of the next row
// group. NULL is not.
func (f *Reader) isBelow(column int, least int64) bool {
	s := &f.footer.RowGroups[f.group].Columns[column].MetaData.Statistics
	return s.NullCount == 0 && len(s.MaxValue) == 8 && int64(binary.LittleEndian.Uint64(s.MaxValue)) < least
}
