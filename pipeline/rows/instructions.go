package rows

import (
	"slices"

	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// instructions is the form of rows of `instructions`. No column is filled row by row:
// a run is a few numbers in each of them (schema.Form).
type instructions struct{}

func (instructions) perRow() int64              { return 1 }
func (instructions) count(r *stitch.Runs) int64 { return r.Instructions }

var instructionsShared = sharedColumns{
	schema.InstructionsSource, schema.InstructionsSegment, schema.InstructionsEpoch, schema.InstructionsTimestamp,
	schema.InstructionsContextID, schema.InstructionsVMID, schema.InstructionsSecurity,
}

func (instructions) filler() filler { return instructions{} }
func (instructions) reset()         {}

func (instructions) fill(r *runs, batch *schema.Batch, room int) int {
	span, end := r.span()
	seq, rows := r.Seq, 0
	room = int(min(int64(room), r.rows))
	v := batch.Columns
	code, isa, offset := v[schema.InstructionsAddress].Code.Runs, &v[schema.InstructionsISA], &v[schema.InstructionsByteOffset]
	outcome := outcomes{&v[schema.InstructionsExecuted], &v[schema.InstructionsCycles], &v[schema.InstructionsCycle], v[schema.InstructionsAddress].Code.Rows}
	for rows < room && r.From < end {
		run := &r.Unit.Runs[r.From]
		block := r.Unit.Blocks[run.Block]
		n := min(int(run.Count)-r.skip, room-rows)
		code = append(code, schema.CodeRun{Block: block, Number: r.Numbers[run.Block], First: run.First + uint16(r.skip), Count: uint16(n)})
		isa.AppendRepeat(uint64(block.Key.ISA), false, n)
		if run.Flags&schema.RunHasOffsets == 0 {
			offset.AppendRepeat(uint64(run.Offset), false, n)
		} else {
			for _, delta := range r.Unit.Offsets[r.Place : r.Place+n] {
				offset.AppendRepeat(uint64(run.Offset)+uint64(delta), false, 1)
			}
		}
		outcome.fill(r, run, span, n)
		rows += n
		r.pass(n)
	}
	v[schema.InstructionsAddress].Code = schema.CodeRuns{Runs: code, Rows: v[schema.InstructionsAddress].Code.Rows + rows}
	v[schema.InstructionsSeq].AppendCount(uint64(seq), rows)
	r.fillShared(batch, &instructionsShared, span, rows)
	return rows
}

// finish implements form: the columns that come from the code share it, and those of
// outcomes end with the last row.
func (instructions) finish(batch *schema.Batch, _ *numbering) {
	v := batch.Columns
	code := v[schema.InstructionsAddress].Code
	for _, c := range [...]struct {
		column int
		field  schema.CodeField
	}{
		{int(schema.InstructionsAddress), schema.FieldAddress},
		{int(schema.InstructionsOpcode), schema.FieldOpcode},
		{int(schema.InstructionsSize), schema.FieldSize},
		{int(schema.InstructionsKind), schema.FieldKind},
	} {
		v[c.column].Form, v[c.column].Code, v[c.column].Field = schema.OfCode, code, c.field
	}
	v[schema.InstructionsCycle].Marks = v[schema.InstructionsCycles].Marks
	for _, c := range [...]int{int(schema.InstructionsExecuted), int(schema.InstructionsCycles), int(schema.InstructionsCycle)} {
		v[c].Form = schema.Marked
		v[c].Marks.Pad(code.Rows)
	}
}

// outcomes are the columns of which a run says something of its last instruction
// alone, unless RunHasFailed or RunHasCosts: their rows are NULL but where marked.
type outcomes struct {
	executed, cycles, cycle *schema.Vector
	row                     int
}

// fill takes the next n instructions of a run.
func (o *outcomes) fill(r *runs, run *schema.Run, span *schema.Span, n int) {
	if run.Flags&schema.RunHasCosts != 0 {
		o.fillCosts(r, run, span, n)
	}
	known := 0 // instructions before the last
	ends := r.skip+n == int(run.Count)
	if run.Flags&schema.RunHasFailed != 0 {
		known = n
		if ends {
			known--
		}
		o.executed.Marks.Append(1<<known-1, known)
		o.executed.Bits.Append(^run.Failed>>r.skip&(1<<known-1), known)
	}
	o.row += n
	if !ends {
		o.executed.Marks.Pad(o.row)
		return
	}
	o.executed.Marks.Pad(o.row - 1)
	value, valid := outcomeExecuted(run.Outcome)
	o.executed.Marks.Append(uint64(valid), 1)
	o.executed.Bits.Append(uint64(value), int(valid))
	if run.Flags&schema.RunHasCycles != 0 {
		_, at := r.Base.At(schema.Point{Epoch: span.Epoch, Cycle: schema.Of(run.Cycle)})
		o.mark(o.row-1, 1)
		o.cycles.U32, o.cycle.U64 = append(o.cycles.U32, run.Cycles), append(o.cycle.U64, uint64(at.V))
	}
}

// mark says that n rows from one on have cycles.
func (o *outcomes) mark(row, n int) {
	o.cycles.Marks.Pad(row)
	for ; n > 0; n -= 64 {
		m := min(n, 64)
		o.cycles.Marks.Append(^uint64(0)>>(64-m), m)
	}
}

// fillCosts takes what the next n instructions of a run cost.
func (o *outcomes) fillCosts(r *runs, run *schema.Run, span *schema.Span, n int) {
	costs := r.Unit.Costs[r.Cost : r.Cost+int(run.Count)-r.skip]
	_, at := r.Base.At(schema.Point{Epoch: span.Epoch, Cycle: schema.Of(run.Cycle)})
	cycle := at.V // after the last
	for _, cost := range costs {
		cycle -= int64(cost)
	}
	o.mark(o.row, n)
	o.cycles.U32 = append(o.cycles.U32, costs[:n]...)
	o.cycle.U64 = slices.Grow(o.cycle.U64, n)
	for _, cost := range costs[:n] {
		cycle += int64(cost)
		o.cycle.U64 = append(o.cycle.U64, uint64(cycle))
	}
}

// outcomeExecuted returns `executed` and whether it is told.
func outcomeExecuted(o schema.Outcome) (executed, valid uint8) {
	switch o {
	case schema.Taken, schema.Passed:
		return 1, 1
	case schema.NotTaken:
		return 0, 1
	case schema.Untold:
	}
	return 0, 0
}
