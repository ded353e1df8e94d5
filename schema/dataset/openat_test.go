package dataset_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Rows of the series that OpenAt is tested with: groups of a few, in several parts.
const (
	groupRows  = 3
	seriesRows = 2*schema.PartRowGroups*groupRows + 7
	openRows   = 2 // the last ones, whose end is not known
)

// endOf is the end of a call in a row: two have the same.
func endOf(row int) int64 { return int64(10 + row/2*5) }

// writeCalls writes a dataset with calls in small row groups.
func writeCalls(t *testing.T, format schema.Format) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	w, err := dataset.Create(dir, dataset.Options{Level: schema.LevelBlocks, Format: format})
	check(t, err)
	series, encoder := w.Series(&schema.Calls, 0x10), w.NewEncoder(&schema.Calls)
	for first := 0; first < seriesRows; first += groupRows {
		b := schema.NewBatchFor(&schema.Calls, encoder)
		for row := first; row < min(first+groupRows, seriesRows); row++ {
			end := schema.Null[int64]{V: endOf(row), OK: row < seriesRows-openRows}
			schema.AppendCalls(b, 0x10, int64(row), 0, end, 0, 0, 0, schema.Null[int64]{}, schema.Null[int64]{}, 0, 0,
				schema.Null[int64]{}, schema.Null[int64]{}, schema.CallReturn)
		}
		check(t, encoder.Append(b))
		chunks, err := encoder.Finish()
		check(t, err)
		check(t, series.Write(chunks))
	}
	check(t, w.Close(&schema.Manifest{Sources: []schema.SourceTotals{{Source: 0x10, Status: "decoded", Unit: "bytes"}}}))
	return dir
}

// A reader that is opened at a value has all rows from there on, and few before; NULL is
// after all values.
func TestOpenAt(t *testing.T) {
	for _, format := range []schema.Format{schema.Parquet, schema.Arrow} {
		d, err := dataset.Open(writeCalls(t, format))
		check(t, err)
		defer d.Close()
		for _, least := range []int64{-1, 0, 10, 11, 24, 25, endOf(191), endOf(192), endOf(193), endOf(200) + 1,
			endOf(seriesRows), 1 << 40} {
			if problem := readsAt(d, least); problem != nil {
				t.Errorf("%v at %d: %v", format, least, problem)
			}
		}
	}
}

func readsAt(d *dataset.Dataset, least int64) error {
	want := 0 // the first row that has to be there
	for want < seriesRows-openRows && endOf(want) < least {
		want++
	}
	r, err := d.OpenAt(&schema.Calls, 0x10, schema.CallsEndSeq, least)
	if err != nil {
		return err
	}
	defer r.Close()
	next := -1
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		for row := range b.Rows() {
			call := int(schema.CallsCall.At(b, row))
			if next < 0 && (call > want || call <= want-groupRows) || next >= 0 && call != next {
				return fmt.Errorf("row %d, after %d rows; the first that is wanted is %d", call, next, want)
			}
			next = call + 1
		}
	}
	if next != seriesRows {
		return fmt.Errorf("it ends at row %d of %d", next, seriesRows)
	}
	return nil
}

// A part that cannot be read is an error, wherever it is looked for.
func TestOpenAtDamaged(t *testing.T) {
	for _, format := range []schema.Format{schema.Parquet, schema.Arrow} {
		dir := writeCalls(t, format)
		d, err := dataset.Open(dir)
		check(t, err)
		defer d.Close()
		name := filepath.Join(dir, schema.Calls.Part(0x10, 1, format))
		b, err := os.ReadFile(name)
		check(t, err)
		check(t, os.WriteFile(name, b[:len(b)/2], 0o666))
		_, err = d.OpenAt(&schema.Calls, 0x10, schema.CallsEndSeq, endOf(seriesRows/2))
		if e, ok := errors.AsType[*dataset.Error](err); !ok || !e.Damaged {
			t.Errorf("%v: %v", format, err)
		}
	}
}
