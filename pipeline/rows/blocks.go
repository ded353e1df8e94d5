package rows

import (
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// blocks is the form of rows of `blocks`.
type blocks struct{}

func (blocks) perRow() int64 { return schema.MaxBlockRow }

func (blocks) count(r *stitch.Runs) int64 {
	n := int64(0)
	for i := r.From; i < r.To; i++ {
		n += rowCount(int64(r.Unit.Runs[i].Count), schema.MaxBlockRow)
	}
	return n
}

func (blocks) filler() filler { return &blockFiller{} }

var blocksShared = sharedColumns{
	schema.BlocksSource, schema.BlocksSegment, schema.BlocksEpoch, schema.BlocksTimestamp,
	schema.BlocksContextID, schema.BlocksVMID, schema.BlocksSecurity,
}

// A blockFiller fills batches of `blocks`. What identifies a row of `block_runs` is
// looked up once for a row; the columns that follow from it are in finish.
type blockFiller struct {
	ways  ways // of the batch at hand
	index []uint32
}

// fill implements filler.
func (f *blockFiller) fill(r *runs, batch *schema.Batch, room int) int {
	span, end := r.span()
	v := batch.Columns
	seq, offset := schema.BlocksSeq.In(batch), schema.BlocksByteOffset.In(batch)
	failed := &v[schema.BlocksFailed]
	rows := 0
	for rows < room && int64(rows) < r.rows && r.From < end {
		run := &r.Unit.Runs[r.From]
		n := min(int(run.Count)-r.skip, schema.MaxBlockRow)
		at := uint64(run.Offset)
		if run.Flags&schema.RunHasOffsets != 0 {
			at += uint64(r.Unit.Offsets[r.Place])
		}
		*seq, *offset = append(*seq, uint64(r.Seq)), append(*offset, at)
		if run.Flags&schema.RunHasFailed != 0 {
			failed.Marks.Pad(len(f.index))
			failed.Marks.Append(1, 1)
			failed.U64 = append(failed.U64, run.Failed)
		}
		outcome, last := schema.Untold, r.skip+n == int(run.Count)
		if last {
			outcome = run.Outcome
		}
		if last && run.Flags&(schema.RunHasCycles|schema.RunHasCosts) != 0 {
			f.addCycles(r, run, span, v)
		}
		f.index = append(f.index, f.ways.find(newWay(r.Numbers[run.Block], run.First+uint16(r.skip), uint8(n), outcome)))
		rows++
		r.pass(n)
	}
	r.fillShared(batch, &blocksShared, span, rows)
	return rows
}

// addCycles adds the cycles of the row at hand.
func (f *blockFiller) addCycles(r *runs, run *schema.Run, span *schema.Span, v []schema.Vector) {
	_, at := r.Base.At(schema.Point{Epoch: span.Epoch, Cycle: schema.Of(run.Cycle)})
	cycles, cycle := &v[schema.BlocksCycles], &v[schema.BlocksCycle]
	cycles.Marks.Pad(len(f.index))
	cycles.Marks.Append(1, 1)
	cycles.U32, cycle.U64 = append(cycles.U32, run.Cycles), append(cycle.U64, uint64(at.V))
}

// finish implements filler.
func (f *blockFiller) finish(batch *schema.Batch, n *numbering) {
	v := batch.Columns
	v[schema.BlocksCycle].Marks = v[schema.BlocksCycles].Marks
	for _, c := range [...]int{int(schema.BlocksFailed), int(schema.BlocksCycles), int(schema.BlocksCycle)} {
		v[c].Form = schema.Marked
		v[c].Marks.Pad(len(f.index))
	}
	v[schema.BlocksRun].Entries = n.number(v[schema.BlocksRun].Entries, f.ways.list)
	for _, c := range [...]struct {
		column int
		of     func(way) uint64
	}{
		{int(schema.BlocksCodeBlock), func(w way) uint64 { return uint64(w.block()) }},
		{int(schema.BlocksFirst), func(w way) uint64 { return uint64(w.first()) }},
		{int(schema.BlocksInstructions), func(w way) uint64 { return uint64(w.instructions()) }},
		{int(schema.BlocksOutcome), func(w way) uint64 { return uint64(w.outcome()) }},
		{int(schema.BlocksRun), nil},
	} {
		x := &v[c.column]
		x.Form, x.Index = schema.Indexed, f.index
		for i := 0; c.of != nil && i < len(f.ways.list); i++ {
			x.Entries = append(x.Entries, c.of(f.ways.list[i]))
		}
	}
}

// reset implements filler.
func (f *blockFiller) reset() {
	f.index = f.index[:0]
	f.ways.reset()
}
