package dataset_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/internal/small"
)

// A run that reaches beyond its block, or has no block, makes rows for the
// instructions there are, possibly none, as the join of the view does.
func TestExpandWithoutCode(t *testing.T) {
	for _, tt := range []struct {
		first, count uint16
		block        uint32
		want         int
		last         bool // the last row is the last of the run
	}{
		{1, 3, 0, 3, true},
		{0, 4, 0, 4, true},
		{2, 3, 0, 2, false},
		{4, 1, 0, 0, false},
		{0xffff, 0xffff, 0, 0, false},
		{0, 0, 0, 0, false},
		{0, 1, 1, 0, false},
		{0, 1, 0xffffffff, 0, false},
	} {
		w := small.New()
		w.Options.Level = schema.LevelBlocks
		w.Delete(&schema.Blocks, 0x10, 1, 2)
		w.Delete(&schema.CodeBlocks, 0x10, 4, 7) // what is left has positions 0 to 3
		w.Set(&schema.Blocks, 0x10, 0, fmt.Sprintf("code_block=%d first=%d instructions=%d", int32(tt.block), tt.first, tt.count))
		d, err := dataset.Open(w.Write(t))
		check(t, err)
		x, err := d.Expand(0x10)
		check(t, err)
		rows := 0
		b, err := x.Next()
		if err == nil {
			rows = b.Rows()
		} else if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if rows != tt.want || rows > 0 && x.LastOfRun(rows-1) != tt.last {
			t.Errorf("%+v: %d rows, the last one of the run: %v", tt, rows, rows > 0 && x.LastOfRun(rows-1))
		}
		check(t, x.Close())
	}
}
