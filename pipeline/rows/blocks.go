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

var blocksShared = sharedColumns{
	schema.BlocksSource, schema.BlocksSegment, schema.BlocksEpoch, schema.BlocksTimestamp,
	schema.BlocksContextID, schema.BlocksVMID, schema.BlocksSecurity,
}

func (blocks) fill(r *runs, batch *schema.Batch, room int) int {
	span, end := r.span()
	var (
		seq, offset         = schema.BlocksSeq.In(batch), schema.BlocksByteOffset.In(batch)
		number              = schema.BlocksCodeBlock.In(batch)
		instructions, first = schema.BlocksInstructions.In(batch), schema.BlocksFirst.In(batch)
	)
	rows := 0
	for rows < room && int64(rows) < r.rows && r.From < end {
		run := &r.Unit.Runs[r.From]
		n := min(int(run.Count)-r.skip, schema.MaxBlockRow)
		at := uint64(run.Offset)
		if run.Flags&schema.RunHasOffsets != 0 {
			at += uint64(r.Unit.Offsets[r.Place])
		}
		*seq, *offset = append(*seq, uint64(r.Seq)), append(*offset, at)
		*number = append(*number, r.Numbers[run.Block])
		*instructions, *first = append(*instructions, uint16(n)), append(*first, run.First+uint16(r.skip))
		r.fillRunOutcome(batch, run, span, r.skip+n == int(run.Count))
		rows++
		r.pass(n)
	}
	r.fillShared(batch, &blocksShared, span, rows)
	return rows
}

func (blocks) finish(*schema.Batch) {}

// fillRunOutcome appends what a run tells of its instructions; of the last, and
// of cycles, only with its last row.
func (r *runs) fillRunOutcome(batch *schema.Batch, run *schema.Run, span *schema.Span, last bool) {
	outcome, failed := schema.Untold, schema.Null[uint64]{}
	cycles, cycle := schema.Null[uint32]{}, schema.Null[uint64]{}
	if run.Flags&schema.RunHasFailed != 0 {
		failed = schema.Of(run.Failed)
	}
	if last {
		outcome = run.Outcome
	}
	if last && run.Flags&(schema.RunHasCycles|schema.RunHasCosts) != 0 {
		_, at := r.Base.At(schema.Point{Epoch: span.Epoch, Cycle: schema.Of(run.Cycle)})
		cycles, cycle = schema.Of(run.Cycles), schema.Of(uint64(at.V))
	}
	v, outcomes := batch.Columns, schema.BlocksOutcome.In(batch)
	*outcomes = append(*outcomes, uint8(outcome))
	appendNull(schema.BlocksFailed.In(batch), &v[schema.BlocksFailed].Valid, failed)
	appendNull(schema.BlocksCycles.In(batch), &v[schema.BlocksCycles].Valid, cycles)
	appendNull(schema.BlocksCycle.In(batch), &v[schema.BlocksCycle].Valid, cycle)
}
