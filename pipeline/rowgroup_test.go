package pipeline

import (
	"bytes"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/pipeline/rows"
	"github.com/tracelake/tracelake/schema"
)

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
			d := long.decodeStream(t, long.stream(wholePieces),
				decodeOptions{blocks: blocks, workers: 2, submit: func(d *decodedTables, j rows.Job) error {
					if j.Series.Table != tt.level {
						return d.submit(j)
					}
					batch, rows := schema.NewBatch(tt.level), 0
					err := j.Fill(batch, func() error {
						batch.Expand()
						if batch.Rows() > schema.BatchRows {
							t.Fatalf("a batch of %d rows", batch.Rows())
						}
						for _, name := range []string{"executed", "outcome", "cycles", "address", "opcode", "code_block", "first",
							"context_id"} {
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
