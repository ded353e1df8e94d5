package rows

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// Whole runs become the same rows as runs do one by one, in batches of any length.
func TestWholeRuns(t *testing.T) {
	for _, tt := range []struct {
		table  *schema.Table
		form   form
		fillBy func(f filler, r *runs, batch *schema.Batch, room int) int // one run
	}{
		{&schema.Instructions, asInstructions, func(f filler, r *runs, batch *schema.Batch, room int) int {
			seq, span := r.Seq, &r.Spans[0]
			x, v := f.(*instructionFiller), batch.Columns
			x.offset.Vector, x.cycle.Vector = &v[schema.InstructionsByteOffset], &v[schema.InstructionsCycle]
			n := x.fillRun(r, span, v, room)
			v[schema.InstructionsAddress].Code.End(r.Unit.Blocks, r.Numbers)
			v[schema.InstructionsSeq].AppendCount(uint64(seq), n)
			r.fillShared(batch, &instructionsShared, span, n)
			return n
		}},
		{&schema.Blocks, asBlocks, func(f filler, r *runs, batch *schema.Batch, _ int) int {
			x, v := f.(*blockFiller), batch.Columns
			x.seq.Vector, x.offset.Vector, x.cycle.Vector = &v[schema.BlocksSeq], &v[schema.BlocksByteOffset], &v[schema.BlocksCycle]
			x.fillRun(r, batch, &r.Spans[0])
			r.fillShared(batch, &blocksShared, &r.Spans[0], 1)
			return 1
		}},
	} {
		for _, limit := range []int{50, 100_000} {
			for seed := range uint64(6) {
				name := fmt.Sprintf("%s, %d rows a batch, seed %d", tt.table.Name, limit, seed)
				fast := fillAs(tt.table, tt.form, limit, randomRuns(seed, tt.form), func(f filler, r *runs, b *schema.Batch, room int) int { return f.fill(r, b, room) })
				plain := fillAs(tt.table, tt.form, limit, randomRuns(seed, tt.form), tt.fillBy)
				if !reflect.DeepEqual(fast, plain) {
					t.Errorf("%s: the rows of whole runs are others than those of one by one", name)
				}
			}
		}
	}
}

// fillAs fills batches of some rows, and returns all cells of each, column by column.
func fillAs(table *schema.Table, form form, limit int, r runs, fill func(f filler, r *runs, b *schema.Batch, room int) int) (cells []string) {
	f, turn := form.filler(), (&blockRuns{numbers: map[way]uint32{}}).next()
	for r.rows > 0 {
		batch := schema.NewBatch(table)
		for room := limit; room > 0 && r.rows > 0; {
			n := fill(f, &r, batch, room)
			room, r.rows = room-n, r.rows-int64(n)
		}
		f.finish(batch, turn)
		batch.Expand()
		for i := range batch.Columns {
			v := &batch.Columns[i]
			cells = append(cells, fmt.Sprintf("%s %x %d %d %d %x", v.Column.Name, v.U8, v.U16, v.U32, v.U64, v.Valid))
		}
	}
	return cells
}

// randomRuns returns runs with and without outcomes, offsets and cycles, some of them
// longer than a row of `blocks`.
func randomRuns(seed uint64, form form) runs {
	r := rand.New(rand.NewPCG(seed, 0))
	unit, numbers := &decode.Result{}, []uint32{}
	for i := range 20 {
		n := 1 + r.IntN(130)
		numbers = append(numbers, uint32(i))
		unit.Blocks = append(unit.Blocks, &schema.Block{
			Address: make([]schema.Address, n), Opcode: make([]uint32, n), Size: make([]uint8, n), Kind: make([]uint8, n),
		})
	}
	instructions, offset, often := int64(0), int64(0), r.IntN(3)
	for range 400 {
		b := r.Uint32N(20)
		first := r.IntN(len(unit.Blocks[b].Address))
		x := schema.Run{Offset: offset, Block: b, First: uint16(first), Count: uint16(1 + r.IntN(len(unit.Blocks[b].Address)-first)), Outcome: schema.Outcome(r.IntN(4))}
		if x.Count <= schema.MaxBlockRow && r.IntN(3) < often {
			x.Flags |= schema.RunHasFailed
			x.Failed = r.Uint64() & r.Uint64() & (1<<(x.Count-1) - 1)
		}
		if r.IntN(4) < often {
			x.Flags |= schema.RunHasOffsets
			for range x.Count {
				unit.Offsets = append(unit.Offsets, r.Uint32N(3))
			}
		}
		if r.IntN(9) < often {
			x.Flags |= schema.RunHasCycles
			x.Cycles = r.Uint32N(9)
		}
		offset += r.Int64N(3)
		unit.Runs = append(unit.Runs, x)
		instructions += int64(x.Count)
	}
	of := stitch.Runs{
		Unit: unit, Numbers: numbers, Spans: []schema.Span{{Timestamp: schema.TimestampCarried}},
		To: len(unit.Runs), Places: len(unit.Offsets), Seq: 1000, Instructions: instructions,
	}
	return runs{Runs: of, rows: form.count(&of, false)}
}
