package rows

import (
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Row groups of counts are cut by their rows alone, also where each row has a span of its
// own, and every cell is that of its row.
func TestCountRowGroups(t *testing.T) {
	for _, tt := range []struct {
		name   string
		late   bool
		groups []int
	}{
		{"alike", false, []int{655_342, 44_658}}, // 15 MiB at 24 bytes a row, 128 for their segment, and more for short pieces
		{"late", true, []int{151_236, 151_236, 151_236, 151_236, 95_056}},
	} {
		const n = 700_000
		var groups []int
		next := int64(0)
		counts := &countTable{series: &dataset.Series{Table: &schema.CycleCounts}, submit: func(j Job) error {
			batch, rows := schema.NewBatch(&schema.CycleCounts), 0
			err := j.Fill(batch, func() error {
				batch.Expand()
				for i, seq := range *schema.CycleCountsSeq.In(batch) {
					cycles := (*schema.CycleCountsCycles.In(batch))[i]
					if int64(seq) != next || int64(cycles) != next%9 || (*schema.CycleCountsLate.In(batch))[i] != flag(tt.late) {
						t.Fatalf("%s: row %d is %d, of %d cycles", tt.name, next, seq, cycles)
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
		for size, at := 1, int64(0); at < n; size = size*3 + 1 {
			var part decode.CountRows
			for range min(int64(size), n-at) {
				part.Append(schema.CycleCount{Key: schema.Key{Seq: at}, Cycles: schema.Of(at % 9), Late: tt.late})
				at++
			}
			if err := counts.Add(stitch.Base{}, part); err != nil {
				t.Fatal(err)
			}
		}
		if err := counts.flush(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(groups, tt.groups) {
			t.Errorf("%s: row groups of %d rows, want %d", tt.name, groups, tt.groups)
		}
	}
}
