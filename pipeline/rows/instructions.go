package rows

import (
	"encoding/binary"

	"github.com/tracelake/tracelake/schema"
)

var asInstructions = form{1, func() filler { return &instructionFiller{} }}

var instructionsShared = sharedColumns{
	schema.InstructionsSource, schema.InstructionsSegment, schema.InstructionsEpoch, schema.InstructionsTimestamp,
	schema.InstructionsContextID, schema.InstructionsVMID, schema.InstructionsSecurity,
	schema.InstructionsExceptionLevel, schema.InstructionsTransaction,
}

// An instructionFiller fills batches of `instructions`. No column is filled row by row:
// a run is a few numbers in each of them (schema.Encoding), and a byte a row in those of
// offsets and cycles.
type instructionFiller struct {
	offset, cycle schema.Stepper
}

// fill implements filler.
func (f *instructionFiller) fill(r *runs, batch *schema.Batch, room int) int {
	v := batch.Columns
	f.offset.Vector, f.cycle.Vector = &v[schema.InstructionsByteOffset], &v[schema.InstructionsCycle]
	span, end := r.span()
	seq, rows := r.Seq, 0
	room = int(min(int64(room), r.rows))
	for rows < room && r.From < end {
		n := f.fillWhole(r, span, v, end, room-rows)
		if n == 0 {
			n = f.fillRun(r, span, v, room-rows)
		}
		rows += n
	}
	v[schema.InstructionsAddress].Code.End(r.Unit.Blocks, r.Numbers)
	v[schema.InstructionsSeq].AppendCount(uint64(seq), rows)
	r.fillShared(batch, &instructionsShared, span, rows)
	return rows
}

// fillRun fills in instructions of the next run, at most room, and returns how many.
func (f *instructionFiller) fillRun(r *runs, span *schema.Span, v []schema.Vector, room int) int {
	run := &r.Unit.Runs[r.From]
	n := min(int(run.Count)-r.skip, room)
	code, executed := &v[schema.InstructionsAddress].Code, &v[schema.InstructionsExecuted]
	f.offset.Begin(r.offset())
	steps := f.offset.Vector.Extend(n)
	for i := range steps {
		at := uint64(run.Offset)
		if run.Flags&schema.RunHasOffsets != 0 {
			at += uint64(r.Unit.Offsets[r.Place+i])
		}
		steps[i] = f.offset.Step(at)
	}
	fillOutcome(run, executed, r.skip, n)
	if run.Flags&timed != 0 {
		f.fillCycles(r, run, span, &v[schema.InstructionsCycles], code.Rows, n)
	}
	code.Runs = append(code.Runs, schema.CodeRun{Block: run.Block, First: run.First + uint16(r.skip), Count: uint16(n)})
	code.Rows += n
	r.pass(n)
	return n
}

// most is the most instructions of a whole run: one for each bit of a word.
const most = 64

// fillWhole does what fillRun does, for the next runs up to one as far as they are whole.
// It returns how many rows they are.
func (f *instructionFiller) fillWhole(r *runs, span *schema.Span, v []schema.Vector, end, room int) int {
	if r.skip > 0 {
		return 0
	}
	code, executed := &v[schema.InstructionsAddress].Code, &v[schema.InstructionsExecuted]
	marks, values := newBitTail(&executed.Marks), newBitTail(&executed.Bits)
	list := r.Unit.Runs[r.From:min(end, r.From+room)]
	at, whole, rows := len(code.Runs), 0, 0
	f.offset.Begin(r.offset())
	to, steps := extend(&code.Runs, len(list)), f.offset.Vector.Extend(room+most)
	for ; whole < len(list); whole++ {
		run := &list[whole]
		n := int(run.Count)
		if n > min(room-rows, most) {
			break
		}
		f.fillOffsets(r, run, steps[rows:], n)
		known := 0 // instructions before the last whose outcome is in Failed
		if run.Flags&schema.RunHasFailed != 0 {
			known = n - 1
		}
		value, valid := outcomeExecuted(run.Outcome)
		all := uint64(1)<<known - 1
		marks.add(all|uint64(valid)<<(n-1), n)
		values.add(^run.Failed&all|uint64(value)<<known, known+int(valid))
		to[whole] = schema.CodeRun{Block: run.Block, First: run.First, Count: run.Count}
		if run.Flags&timed != 0 {
			f.fillCycles(r, run, span, &v[schema.InstructionsCycles], code.Rows+rows, n)
			if run.Flags&schema.RunHasCosts != 0 {
				r.Cost += n
			}
		}
		rows += n
	}
	marks.end()
	values.end()
	f.offset.Vector.Drop(room + most - rows)
	code.Runs, code.Rows = code.Runs[:at+whole], code.Rows+rows
	r.From, r.Seq = r.From+whole, r.Seq+int64(rows)
	return rows
}

// fillOffsets writes the offsets of a whole run of n instructions, and zeros past them.
func (f *instructionFiller) fillOffsets(r *runs, run *schema.Run, steps []uint8, n int) {
	if run.Flags&schema.RunHasOffsets != 0 {
		for i, delta := range r.Unit.Offsets[r.Place : r.Place+n] {
			steps[i] = f.offset.Step(uint64(run.Offset) + uint64(delta))
		}
		r.Place += n
		return
	}
	binary.LittleEndian.PutUint64(steps, uint64(f.offset.Step(uint64(run.Offset))))
	for i := 8; i < n; i += 8 {
		binary.LittleEndian.PutUint64(steps[i:], 0)
	}
}

// finish implements filler: the columns that come from the code share it, and those of
// outcomes and cycles end with the last row.
func (f *instructionFiller) finish(batch *schema.Batch, _ *numbering) {
	v := batch.Columns
	code := v[schema.InstructionsAddress].Code
	for _, c := range [...]struct {
		column int
		field  schema.CodeField
	}{
		{int(schema.InstructionsAddress), schema.FieldAddress},
		{int(schema.InstructionsOpcode), schema.FieldOpcode},
		{int(schema.InstructionsSize), schema.FieldSize},
		{int(schema.InstructionsISA), schema.FieldISA},
		{int(schema.InstructionsKind), schema.FieldKind},
	} {
		v[c.column].Encoding, v[c.column].Code, v[c.column].Field = schema.OfCode, code, c.field
	}
	executed := &v[schema.InstructionsExecuted]
	executed.Encoding = schema.Narrow
	executed.Marks.Pad(code.Rows)
	finishCycles(&v[schema.InstructionsCycles], &v[schema.InstructionsCycle], code.Rows)
}

// finishCycles ends `cycles` and `cycle` with the last of so many rows: they have the same
// marks.
func finishCycles(cycles, cycle *schema.Vector, rows int) {
	cycles.Marks.Pad(rows)
	cycle.Marks = cycles.Marks
	cycles.Encoding, cycle.Encoding = schema.Narrow, schema.Narrow
}

// fillOutcome says whether the next n instructions of a run were executed. A run says so
// of its last instruction alone, unless RunHasFailed.
func fillOutcome(run *schema.Run, executed *schema.Vector, skip, n int) {
	marks, values := &executed.Marks, &executed.Bits
	known := n // instructions before the last of the run
	ends := skip+n == int(run.Count)
	if ends {
		known--
	}
	if run.Flags&schema.RunHasFailed == 0 {
		marks.Pad(marks.N + known)
		known = 0
	}
	for failed := run.Failed >> skip; known > 0; {
		k := min(known, schema.MaxBlockRow)
		all := uint64(1)<<k - 1
		marks.Append(all, k)
		values.Append(^failed&all, k)
		failed, known = failed>>k, known-k
	}
	if ends {
		value, valid := outcomeExecuted(run.Outcome)
		marks.Append(uint64(valid), 1)
		values.Append(uint64(value), int(valid))
	}
}

// fillCycles takes what the next n instructions of a run cost, of which the first is in a
// row: each of them, or the last of the run.
func (f *instructionFiller) fillCycles(r *runs, run *schema.Run, span *schema.Span, cycles *schema.Vector, row, n int) {
	_, at := r.Base.At(schema.Point{Epoch: span.Epoch, Cycle: schema.Of(run.Cycle)})
	cycle := at.V // after the last
	if run.Flags&schema.RunHasCosts == 0 {
		if r.skip+n < int(run.Count) {
			return
		}
		mark(cycles, row+n-1, 1)
		cycles.U8 = append(cycles.U8, cycles.Narrow(uint64(run.Cycles)))
		f.cycle.Append(uint64(cycle))
		return
	}
	costs := r.Unit.Costs[r.Cost : r.Cost+int(run.Count)-r.skip]
	for _, cost := range costs {
		cycle -= int64(cost)
	}
	costs = costs[:n]
	mark(cycles, row, n)
	f.cycle.Begin(uint64(cycle) + uint64(costs[0]))
	all, steps := cycles.Extend(n), f.cycle.Vector.Extend(n)
	for i, cost := range costs {
		cycle += int64(cost)
		all[i], steps[i] = cycles.Narrow(uint64(cost)), f.cycle.Step(uint64(cycle))
	}
}

// mark says that n rows from one on have a value.
func mark(v *schema.Vector, row, n int) {
	v.Marks.Pad(row)
	v.Marks.Repeat(true, n)
}

// outcomeExecuted returns `executed` and whether it is told.
func outcomeExecuted(o schema.Outcome) (executed, valid uint8) {
	return flag(o == schema.Taken || o == schema.Passed), flag(o != schema.Unknown)
}
