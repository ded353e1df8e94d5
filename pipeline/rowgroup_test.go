package pipeline

import (
	"bytes"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Row groups are cut by the ordinal of their rows alone, in whatever pieces rows
// come.
func TestTableRowGroups(t *testing.T) {
	const n = 2*schema.RowGroupRows + 5
	var groups []int
	next := int64(0)
	events := &table[schema.Event]{series: &dataset.Series{Table: &schema.Events}, write: fillEvent, submit: func(j job) error {
		batch, rows := schema.NewBatch(&schema.Events), 0
		err := j.fill(batch, func() error {
			if batch.Rows() > schema.BatchRows {
				t.Fatalf("a batch of %d rows", batch.Rows())
			}
			for _, offset := range batch.Columns[3].U64 {
				if int64(offset) != next {
					t.Fatalf("row %d is %d", next, offset)
				}
				next++
			}
			rows += batch.Rows()
			batch.Reset()
			return nil
		})
		groups = append(groups, rows)
		return err
	}}
	if schema.Events.Columns[3].Name != "byte_offset" {
		t.Fatal("column 3 is not byte_offset")
	}
	at := int64(0)
	for size := 1; at < n; size = size*3 + 1 {
		rows := make([]schema.Event, min(int64(size), n-at))
		for i := range rows {
			rows[i].Offset = at
			at++
		}
		if err := events.add(base{}, rows); err != nil {
			t.Fatal(err)
		}
	}
	if err := events.flush(); err != nil {
		t.Fatal(err)
	}
	if want := []int{schema.RowGroupRows, schema.RowGroupRows, 5}; !slices.Equal(groups, want) {
		t.Errorf("row groups of %d rows, want %d", groups, want)
	}
}

// Runs become row groups of the size of their level; what they become does not
// depend on where a group ends.
func TestRunRowGroups(t *testing.T) {
	need.FullRun(t, "more than a million instructions twice")
	const times = 6
	tr := sampleTrace(t)
	long := tr.with(bytes.Repeat(tr.data, times))
	for _, tt := range []struct {
		level *schema.Table
		limit int
	}{
		{&schema.Instructions, 1048576},
		{&schema.Blocks, 262144},
	} {
		t.Run(tt.level.Name, func(t *testing.T) {
			blocks := tt.level == &schema.Blocks
			one := tr.decodeStream(t, tr.stream(wholePieces), decodeOptions{blocks: blocks})
			perTime := one.rows(tt.level)
			var groups []int
			row := 0
			want := one.tables[tt.level.Name]
			d := long.decodeStream(t, long.stream(wholePieces), decodeOptions{blocks: blocks, workers: 2, submit: func(d *decodedTables, j job) error {
				if j.series.Table != tt.level {
					return d.submit(j)
				}
				batch, rows := schema.NewBatch(tt.level), 0
				err := j.fill(batch, func() error {
					if batch.Rows() > schema.BatchRows {
						t.Fatalf("a batch of %d rows", batch.Rows())
					}
					for _, name := range []string{"executed", "outcome", "cycles", "address", "opcode", "code_block", "first", "context_id"} {
						for c := range batch.Columns {
							if batch.Columns[c].Column.Name != name {
								continue
							}
							for i := range batch.Rows() {
								if !sameCell(&batch.Columns[c], i, &want.Columns[c], (row+i)%perTime) {
									t.Fatalf("row %d differs in %s from row %d of one time", row+i, name, (row+i)%perTime)
								}
							}
						}
					}
					row += batch.Rows()
					rows += batch.Rows()
					batch.Reset()
					return nil
				})
				groups = append(groups, rows)
				return err
			}})
			if got := d.totals.Instructions; got != times*one.totals.Instructions {
				t.Errorf("%d instructions, want %d", got, times*one.totals.Instructions)
			}
			if want := []int{tt.limit, times*perTime - tt.limit}; !slices.Equal(groups, want) {
				t.Errorf("row groups of %d rows, want %d", groups, want)
			}
		})
	}
}
