package rows

import (
	"math/rand/v2"
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
		{"alike", false, []int{349_507, 349_520, 973}}, // 8 MiB at 24 bytes a row, 128 for their segment, and more for short pieces
		{"late", true, []int{80_659, 80_659, 80_659, 80_659, 80_659, 80_659, 80_659, 80_659, 54_728}},
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
			if err := counts.add(stitch.Base{}, part); err != nil {
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

// Rows of `cycle_counts` are those of the counts, whatever a number is relative to, and
// also where batches end between them: some are NULL, some higher than a byte, some lower
// than the row before.
func TestCountValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	var part decode.CountRows
	at := schema.CycleCount{Point: schema.Point{Epoch: 1, Cycle: schema.Of[int64](0)}}
	for i := range 5000 {
		at.Seq += r.Int64N(4)
		at.Offset += 1 + r.Int64N(3)
		at.Cycles = schema.Of(r.Int64N(9))
		switch {
		case i%100 == 7:
			at.Offset += 4000
			at.Cycles.V = 5000
		case i%1000 == 999:
			at.Epoch++
			at.Cycle.V, at.Offset = 0, r.Int64N(1000) // of a ring
		case i > 3000 && i%333 == 3:
			at.Cycles = schema.Null[int64]{}
		}
		at.Cycle.V += at.Cycles.V
		at.Kind = schema.CountKind(i % 3)
		part.Append(at)
	}
	group, next := countGroup{{stitch.Base{}, part}}, 0
	batch := schema.NewBatch(&schema.CycleCounts)
	batch.Limit = 800
	bytes := 0
	err := group.fill(batch, func() error {
		if batch.Columns[schema.CycleCountsSeq].Encoding == schema.Narrow {
			bytes++
		}
		batch.Expand()
		for i := range batch.Rows() {
			want := part.At(next)
			got := want
			got.Seq, got.Offset = int64((*schema.CycleCountsSeq.In(batch))[i]), int64((*schema.CycleCountsByteOffset.In(batch))[i])
			got.Epoch = int32((*schema.CycleCountsEpoch.In(batch))[i])
			got.Cycle = null(&batch.Columns[schema.CycleCountsCycle], i)
			got.Cycles = null(&batch.Columns[schema.CycleCountsCycles], i)
			got.Kind = schema.CountKind((*schema.CycleCountsKind.In(batch))[i])
			if got != want {
				t.Fatalf("row %d is %+v, want %+v", next, got, want)
			}
			next++
		}
		batch.Reset()
		return nil
	})
	if err != nil || next != 5000 || bytes != 7 {
		t.Errorf("%d rows, %d batches with numbers of a byte, %v", next, bytes, err)
	}
}

// null returns a number of a plain column.
func null(v *schema.Vector, row int) schema.Null[int64] {
	return schema.Null[int64]{V: int64(v.U64[row]), OK: v.Valid[row] == 1}
}
