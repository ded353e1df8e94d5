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
func (instructions) putBack(filler) {}
func (instructions) reset()         {}

// fill implements filler.
func (f instructions) fill(r *runs, batch *schema.Batch, room int) int {
	span, end := r.span()
	seq, rows := r.Seq, 0
	room = int(min(int64(room), r.rows))
	for rows < room && r.From < end {
		n := fillWhole(r, batch.Columns, end, room-rows)
		if n == 0 {
			n = f.fillRun(r, span, batch.Columns, room-rows)
		}
		rows += n
	}
	batch.Columns[schema.InstructionsSeq].AppendCount(uint64(seq), rows)
	r.fillShared(batch, &instructionsShared, span, rows)
	return rows
}

// fillRun fills in instructions of the next run, at most room, and returns how many.
func (instructions) fillRun(r *runs, span *schema.Span, v []schema.Vector, room int) int {
	run := &r.Unit.Runs[r.From]
	n := min(int(run.Count)-r.skip, room)
	code, offset := &v[schema.InstructionsAddress].Code, &v[schema.InstructionsByteOffset]
	if run.Flags&schema.RunHasOffsets == 0 {
		offset.AppendRepeat(uint64(run.Offset), false, n)
	} else {
		for _, delta := range r.Unit.Offsets[r.Place : r.Place+n] {
			offset.AppendRepeat(uint64(run.Offset)+uint64(delta), false, 1)
		}
	}
	o := outcomes{&v[schema.InstructionsExecuted], &v[schema.InstructionsCycles], &v[schema.InstructionsCycle], code.Rows}
	o.fill(r, run, span, n)
	code.Runs = append(code.Runs, schema.CodeRun{
		Block: r.Unit.Blocks[run.Block], Number: r.Numbers[run.Block], First: run.First + uint16(r.skip), Count: uint16(n),
	})
	code.Rows += n
	r.pass(n)
	return n
}

// fillWhole does what fillRun does, for the next runs up to one as far as they are whole,
// of 64 instructions at most, and without cycles. It returns how many rows they are.
func fillWhole(r *runs, v []schema.Vector, end, room int) int {
	if !r.atWhole() {
		return 0
	}
	code, offset := &v[schema.InstructionsAddress].Code, &v[schema.InstructionsByteOffset]
	marks, values := newBitTail(&v[schema.InstructionsExecuted].Marks), newBitTail(&v[schema.InstructionsExecuted].Bits)
	blocks, numbers := r.Unit.Blocks, r.Numbers
	repeats, rows, at := offset.Repeats, 0, len(code.Runs)
	last := ^uint64(0) // offset of the row before
	if n := len(repeats); n > 0 {
		last = repeats[n-1].Value
	}
	list := r.Unit.Runs[r.From:min(end, r.From+room)]
	to, whole := extend(&code.Runs, len(list)), 0
	for ; whole < len(list); whole++ {
		run := &list[whole]
		n := int(run.Count)
		if n > min(room-rows, 64) || run.Flags&timed != 0 {
			break
		}
		if at := uint64(run.Offset); run.Flags&schema.RunHasOffsets != 0 {
			for _, delta := range r.Unit.Offsets[r.Place : r.Place+n] {
				repeats = appendOffset(repeats, last, at+uint64(delta), 1)
				last = at + uint64(delta)
			}
			r.Place += n
		} else {
			repeats = appendOffset(repeats, last, at, n)
			last = at
		}
		known := 0 // instructions before the last whose outcome is in Failed
		if run.Flags&schema.RunHasFailed != 0 {
			known = n - 1
		}
		value, valid := outcomeExecuted(run.Outcome)
		all := uint64(1)<<known - 1
		marks.add(all|uint64(valid)<<(n-1), n)
		values.add(^run.Failed&all|uint64(value)<<known, known+int(valid))
		to[whole] = schema.CodeRun{Block: blocks[run.Block], Number: numbers[run.Block], First: run.First, Count: run.Count}
		rows += n
	}
	marks.end()
	values.end()
	offset.Form, offset.Repeats = schema.Repeated, repeats
	code.Runs, code.Rows = code.Runs[:at+whole], code.Rows+rows
	r.From, r.Seq = r.From+whole, r.Seq+int64(rows)
	return rows
}

// appendOffset appends n rows of an offset, of which the row before has the last.
func appendOffset(list []schema.Repeat, last, offset uint64, n int) []schema.Repeat {
	if offset == last {
		list[len(list)-1].Rows += int32(n)
		return list
	}
	return append(list, schema.Repeat{Value: offset, Rows: int32(n)})
}

// A bitTail appends to bits, and has the last of them: those of a word that is not full.
type bitTail struct {
	of   *schema.Bits
	word uint64
	n    int // of all bits
}

func newBitTail(b *schema.Bits) bitTail {
	t := bitTail{of: b, n: b.N}
	if b.N&63 != 0 {
		t.word = b.Words[b.N>>6]
		b.Words = b.Words[:b.N>>6]
	}
	return t
}

// add appends the n lowest bits of x, at most 64; the others are 0.
func (t *bitTail) add(x uint64, n int) {
	at := t.n & 63
	t.word |= x << at
	t.n += n
	if at+n >= 64 {
		t.of.Words = append(t.of.Words, t.word)
		t.word = x >> 1 >> (63 - at)
	}
}

// end completes the bits.
func (t *bitTail) end() {
	if t.n&63 != 0 {
		t.of.Words = append(t.of.Words, t.word)
	}
	t.of.N = t.n
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
		{int(schema.InstructionsISA), schema.FieldISA},
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
	ends := r.skip+n == int(run.Count)
	value, valid := uint8(0), uint8(0) // of the last
	if ends {
		value, valid = outcomeExecuted(run.Outcome)
	}
	o.row += n
	switch {
	case run.Flags&schema.RunHasFailed != 0: // so n is 63 at most
		known := n // instructions whose outcome is in Failed: all, but the last of a run
		if ends {
			known--
		}
		all := uint64(1)<<known - 1
		o.executed.Marks.Append(all|uint64(valid)<<known, n)
		o.executed.Bits.Append(^run.Failed>>r.skip&all|uint64(value)<<known, known+int(valid))
	case n <= 64:
		o.executed.Marks.Append(uint64(valid)<<(n-1), n)
		o.executed.Bits.Append(uint64(value), int(valid))
	default:
		o.executed.Marks.Pad(o.row - 1)
		o.executed.Marks.Append(uint64(valid), 1)
		o.executed.Bits.Append(uint64(value), int(valid))
	}
	if ends && run.Flags&schema.RunHasCycles != 0 {
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
	return flag(o == schema.Taken || o == schema.Passed), flag(o != schema.Untold)
}
