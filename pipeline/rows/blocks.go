package rows

import (
	"sync"

	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// blocks is the form of rows of `blocks`.
type blocks struct {
	idle *sync.Pool // of *blockFiller
}

func newBlocks() blocks { return blocks{&sync.Pool{}} }

func (blocks) perRow() int64 { return schema.MaxBlockRow }

func (blocks) count(r *stitch.Runs) int64 {
	n := int64(r.To - r.From)
	for i := r.From; i < r.To; i++ {
		if count := r.Unit.Runs[i].Count; count > schema.MaxBlockRow {
			n += rowCount(int64(count), schema.MaxBlockRow) - 1
		}
	}
	return n
}

func (b blocks) filler() filler {
	if f, ok := b.idle.Get().(*blockFiller); ok {
		return f
	}
	return &blockFiller{}
}

func (b blocks) putBack(f filler) {
	f.reset()
	b.idle.Put(f)
}

var blocksShared = sharedColumns{
	schema.BlocksSource, schema.BlocksSegment, schema.BlocksEpoch, schema.BlocksTimestamp,
	schema.BlocksContextID, schema.BlocksVMID, schema.BlocksSecurity,
}

// A blockFiller fills batches of `blocks`. What identifies a row of `block_runs` is
// looked up once for a row; the columns that follow from it are in finish.
type blockFiller struct {
	ways ways // of the batch at hand
}

// fill implements filler.
func (f *blockFiller) fill(r *runs, batch *schema.Batch, room int) int {
	span, end := r.span()
	rows := 0
	room = int(min(int64(room), r.rows))
	for rows < room && r.From < end {
		n := f.fillWhole(r, batch, min(end, r.From+room-rows))
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
	seq, offset := schema.BlocksSeq.In(batch), schema.BlocksByteOffset.In(batch)
	n := min(int(run.Count)-r.skip, schema.MaxBlockRow)
	at := uint64(run.Offset)
	if run.Flags&schema.RunHasOffsets != 0 {
		at += uint64(r.Unit.Offsets[r.Place])
	}
	*seq, *offset = append(*seq, uint64(r.Seq)), append(*offset, at)
	if run.Flags&schema.RunHasFailed != 0 {
		failed := &v[schema.BlocksFailed]
		failed.Marks.Pad(len(*seq) - 1)
		failed.Marks.Append(1, 1)
		failed.U64 = append(failed.U64, run.Failed)
	}
	outcome, last := schema.Untold, r.skip+n == int(run.Count)
	if last {
		outcome = run.Outcome
	}
	if last && run.Flags&timed != 0 {
		f.addCycles(r, run, span, v)
	}
	index := &v[schema.BlocksRun].Index
	*index = append(*index, f.ways.find(newWay(r.Numbers[run.Block], run.First+uint16(r.skip), uint8(n), outcome)))
	r.pass(n)
}

// fillWhole does what fillRun does, for the next runs up to one as far as they are a row
// each, without cycles. It returns how many rows they are.
func (f *blockFiller) fillWhole(r *runs, batch *schema.Batch, end int) int {
	if !r.atWhole() {
		return 0
	}
	list := r.Unit.Runs[r.From:end]
	seq, offset := schema.BlocksSeq.In(batch), schema.BlocksByteOffset.In(batch)
	numbers := &batch.Columns[schema.BlocksRun].Index
	at, next, rows := len(*seq), uint64(r.Seq), 0
	seqs, offsets, index := extend(seq, len(list)), extend(offset, len(list)), extend(numbers, len(list))
	failed := &batch.Columns[schema.BlocksFailed]
	failed.Marks.Pad(at)
	marks := newBitTail(&failed.Marks)
	for i := range list {
		run := &list[i]
		if run.Count > schema.MaxBlockRow || run.Flags&timed != 0 {
			break
		}
		seqs[i], offsets[i] = next, uint64(run.Offset)
		if run.Flags&schema.RunHasOffsets != 0 {
			offsets[i] += uint64(r.Unit.Offsets[r.Place])
			r.Place += int(run.Count)
		}
		has := run.Flags&schema.RunHasFailed != 0
		marks.add(uint64(flag(has)), 1)
		if has {
			failed.U64 = append(failed.U64, run.Failed)
		}
		index[i] = f.ways.find(newWay(r.Numbers[run.Block], run.First, uint8(run.Count), run.Outcome))
		next += uint64(run.Count)
		rows++
	}
	marks.end()
	*seq, *offset, *numbers = (*seq)[:at+rows], (*offset)[:at+rows], (*numbers)[:at+rows]
	r.From, r.Seq = r.From+rows, int64(next)
	return rows
}

// addCycles adds the cycles of the row at hand.
func (f *blockFiller) addCycles(r *runs, run *schema.Run, span *schema.Span, v []schema.Vector) {
	_, at := r.Base.At(schema.Point{Epoch: span.Epoch, Cycle: schema.Of(run.Cycle)})
	cycles, cycle := &v[schema.BlocksCycles], &v[schema.BlocksCycle]
	cycles.Marks.Pad(len(v[schema.BlocksSeq].U64) - 1)
	cycles.Marks.Append(1, 1)
	cycles.U32, cycle.U64 = append(cycles.U32, run.Cycles), append(cycle.U64, uint64(at.V))
}

// finish implements filler.
func (f *blockFiller) finish(batch *schema.Batch, n *numbering) {
	v, index := batch.Columns, batch.Columns[schema.BlocksRun].Index
	v[schema.BlocksCycle].Marks = v[schema.BlocksCycles].Marks
	for _, c := range [...]int{int(schema.BlocksFailed), int(schema.BlocksCycles), int(schema.BlocksCycle)} {
		v[c].Form = schema.Marked
		v[c].Marks.Pad(len(index))
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
		x.Form, x.Index = schema.Indexed, index
		for i := 0; c.of != nil && i < len(f.ways.list); i++ {
			x.Entries = append(x.Entries, c.of(f.ways.list[i]))
		}
	}
}

// reset implements filler.
func (f *blockFiller) reset() { f.ways.reset() }
