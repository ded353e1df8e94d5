package rows

import "github.com/tracelake/tracelake/schema"

var asBlocks = form{schema.MaxBlockRow, func() filler { return &blockFiller{} }}

var blocksShared = sharedColumns{
	schema.BlocksSource, schema.BlocksSegment, schema.BlocksEpoch, schema.BlocksTimestamp,
	schema.BlocksContextID, schema.BlocksVMID, schema.BlocksSecurity,
	schema.BlocksExceptionLevel, schema.BlocksTransaction,
}

// A blockFiller fills batches of `blocks`. The shape of a row is looked up once; the
// columns that follow from it are in finish.
type blockFiller struct {
	shapes             shapes // of the batch at hand
	seq, offset, cycle schema.Stepper
}

// fill implements filler.
func (f *blockFiller) fill(r *runs, batch *schema.Batch, room int) int {
	v := batch.Columns
	f.seq.Vector, f.offset.Vector, f.cycle.Vector = &v[schema.BlocksSeq], &v[schema.BlocksByteOffset], &v[schema.BlocksCycle]
	span, end := r.span()
	rows := 0
	room = int(min(int64(room), r.rows))
	for rows < room && r.From < end {
		n := f.fillWhole(r, batch, span, min(end, r.From+room-rows))
		if n == 0 {
			f.fillRun(r, batch, span)
			n = 1
		}
		rows += n
	}
	r.fillShared(batch, &blocksShared, span, rows)
	return rows
}

// fillRun fills in a row of the next run.
func (f *blockFiller) fillRun(r *runs, batch *schema.Batch, span *schema.Span) {
	v, run := batch.Columns, &r.Unit.Runs[r.From]
	n := min(int(run.Count)-r.skip, schema.MaxBlockRow)
	at := uint64(run.Offset)
	if run.Flags&schema.RunHasOffsets != 0 {
		at += uint64(r.Unit.Offsets[r.Place])
	}
	f.seq.Append(uint64(r.Seq))
	f.offset.Append(at)
	outcome, last := schema.Unknown, r.skip+n == int(run.Count)
	switch {
	case last:
		outcome = run.Outcome
	case run.Flags&schema.RunHasFailed != 0:
		outcome = schema.Passed
	}
	shape := newShape(run, r.Numbers[run.Block], run.First+uint16(r.skip), uint8(n), outcome)
	if shape.failed != none && run.Count > schema.MaxBlockRow && outcome == schema.NotTaken {
		shape.failed = 1 << (n - 1)
	}
	index := &v[schema.BlocksRun].Index
	if last && run.Flags&timed != 0 {
		f.addCycles(r, run, span, &v[schema.BlocksCycles], len(*index))
	}
	*index = append(*index, f.shapes.find(shape))
	r.pass(n)
}

// fillWhole does what fillRun does, for the next runs up to one as far as they are a row
// each. It returns how many rows they are.
func (f *blockFiller) fillWhole(r *runs, batch *schema.Batch, span *schema.Span, end int) int {
	if r.skip > 0 {
		return 0
	}
	list := r.Unit.Runs[r.From:end]
	numbers, cycles := &batch.Columns[schema.BlocksRun].Index, &batch.Columns[schema.BlocksCycles]
	at, next, rows := len(*numbers), uint64(r.Seq), 0
	f.seq.Begin(next)
	f.offset.Begin(r.offset())
	seqs, offsets, index := f.seq.Vector.Extend(len(list)), f.offset.Vector.Extend(len(list)), extend(numbers, len(list))
	for i := range list {
		run := &list[i]
		if run.Count > schema.MaxBlockRow {
			break
		}
		offset := uint64(run.Offset)
		if run.Flags&schema.RunHasOffsets != 0 {
			offset += uint64(r.Unit.Offsets[r.Place])
			r.Place += int(run.Count)
		}
		seqs[i], offsets[i] = f.seq.Step(next), f.offset.Step(offset)
		index[i] = f.shapes.find(newShape(run, r.Numbers[run.Block], run.First, uint8(run.Count), run.Outcome))
		if run.Flags&timed != 0 {
			f.addCycles(r, run, span, cycles, at+i)
			if run.Flags&schema.RunHasCosts != 0 {
				r.Cost += int(run.Count)
			}
		}
		next += uint64(run.Count)
		rows++
	}
	f.seq.Vector.Drop(len(list) - rows)
	f.offset.Vector.Drop(len(list) - rows)
	*numbers = (*numbers)[:at+rows]
	r.From, r.Seq = r.From+rows, int64(next)
	return rows
}

// addCycles adds the cycles of a row.
func (f *blockFiller) addCycles(r *runs, run *schema.Run, span *schema.Span, cycles *schema.Vector, row int) {
	_, at := r.Base.At(schema.Point{Epoch: span.Epoch, Cycle: schema.Of(run.Cycle)})
	cycles.Marks.Pad(row)
	cycles.Marks.Append(1, 1)
	cycles.U8 = append(cycles.U8, cycles.Narrow(uint64(run.Cycles)))
	f.cycle.Append(uint64(at.V))
}

// finish implements filler.
func (f *blockFiller) finish(batch *schema.Batch, n *numbering) {
	v, index := batch.Columns, batch.Columns[schema.BlocksRun].Index
	finishCycles(&v[schema.BlocksCycles], &v[schema.BlocksCycle], len(index))
	v[schema.BlocksRun].Entries = n.number(v[schema.BlocksRun].Entries, f.shapes.list)
	for _, c := range [...]struct {
		column int
		of     func(way) uint64
	}{
		{int(schema.BlocksCodeBlock), func(w way) uint64 { return uint64(w.block()) }},
		{int(schema.BlocksFirst), func(w way) uint64 { return uint64(w.first()) }},
		{int(schema.BlocksInstructions), func(w way) uint64 { return uint64(w.instructions()) }},
		{int(schema.BlocksOutcome), func(w way) uint64 { return uint64(w.outcome()) }},
		{int(schema.BlocksRun), nil},
		{int(schema.BlocksFailed), nil},
	} {
		x := &v[c.column]
		x.Encoding, x.Index = schema.Indexed, index
		for i := 0; c.of != nil && i < len(f.shapes.list); i++ {
			x.Entries = append(x.Entries, c.of(f.shapes.list[i].way))
		}
	}
	failed := &v[schema.BlocksFailed]
	for _, x := range f.shapes.list {
		failed.Entries, failed.Absent = append(failed.Entries, x.failed&^none), append(failed.Absent, uint8(x.failed/none))
	}
	f.shapes.reset()
}
