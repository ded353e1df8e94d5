package rows

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Rows of `blocks` name the row of `block_runs` that says how they ran, by first use,
// however their row groups are filled side by side.
func TestBlockRuns(t *testing.T) {
	const n, blocks = 2*schema.BlocksRowGroupRows + 1000, 500
	r := rand.New(rand.NewPCG(1, 0))
	unit, numbers := &decode.Result{}, make([]uint32, blocks)
	for i := range numbers {
		numbers[i] = uint32(i)
		unit.Blocks = append(unit.Blocks, &schema.Block{Address: make([]schema.Address, 8)})
	}
	instructions := int64(0)
	for i := range n { // later ones are of more blocks
		x := schema.Run{Block: r.Uint32N(1 + uint32(i)*blocks/n), Count: uint16(1 + r.IntN(4)), First: uint16(r.IntN(4)), Outcome: schema.Outcome(r.IntN(4))}
		unit.Runs = append(unit.Runs, x)
		instructions += int64(x.Count)
	}
	var jobs []Job
	tables := New(Output{
		Series: func(t *schema.Table) *dataset.Series {
			if t != &schema.Blocks && t != &schema.BlockRuns {
				return nil
			}
			return &dataset.Series{Table: t}
		},
		Submit: func(j Job) error { jobs = append(jobs, j); return nil },
	})
	if err := tables.Sinks.Runs.Add(stitch.Runs{Unit: unit, Numbers: numbers, Spans: []schema.Span{{Timestamp: schema.TimestampCarried}}, To: n, Instructions: instructions}); err != nil {
		t.Fatal(err)
	}
	if err := tables.Flush(); err != nil {
		t.Fatal(err)
	}
	filled := fillAll(t, jobs, schema.MaxBatchRows)
	dimension := filled[len(filled)-1]
	row, known := 0, uint32(0)
	for _, b := range filled[:len(filled)-1] {
		for i := range b.Rows() {
			x, run := &unit.Runs[row], schema.BlocksRun.At(b, i)
			if run > known {
				t.Fatalf("row %d has run %d, the next new one is %d", row, run, known)
			}
			known = max(known, run+1)
			k := int(run)
			if schema.BlockRunsCodeBlock.At(dimension, k) != x.Block || schema.BlockRunsFirst.At(dimension, k) != x.First ||
				schema.BlockRunsInstructions.At(dimension, k) != x.Count || schema.BlockRunsOutcome.At(dimension, k) != uint8(x.Outcome) ||
				schema.BlocksCodeBlock.At(b, i) != x.Block || schema.BlocksFirst.At(b, i) != x.First ||
				schema.BlocksInstructions.At(b, i) != x.Count || schema.BlocksOutcome.At(b, i) != uint8(x.Outcome) {
				t.Fatalf("row %d is not run %d", row, run)
			}
			row++
		}
	}
	if row != n || dimension.Rows() != int(known) {
		t.Errorf("%d rows, want %d; %d rows of block_runs, want %d", row, n, dimension.Rows(), known)
	}
}

// fillAll fills all jobs at once, and returns what each has.
func fillAll(t *testing.T, jobs []Job, limit int) []*schema.Batch {
	t.Helper()
	filled := make([]*schema.Batch, len(jobs))
	var all sync.WaitGroup
	for i := range jobs {
		all.Go(func() {
			b := schema.NewBatch(jobs[i].Series.Table)
			b.Limit = limit
			if err := jobs[i].Fill(b, func() error { return nil }); err != nil { // one batch each
				t.Error(err)
			}
			b.Expand()
			filled[i] = b
		})
	}
	all.Wait()
	return filled
}
