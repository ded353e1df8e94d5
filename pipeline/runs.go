package pipeline

import (
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// runs is a stretch of the runs of one part of a segment, on its way to become
// rows of `instructions` or of `blocks`.
type runs struct {
	base    base
	unit    *decode.Result
	numbers []uint32      // of the unit's blocks
	spans   []schema.Span // of the part
	from    int           // index of the first run
	to      int           // behind the last
	skip    int           // instructions of the first run that are already rows
	cost    int           // index of the next cost
	costs   int           // index after the last
	seq     int64         // of the first instruction
	rows    int64         // of the table they become
}

// bytes is about what the runs take up in memory, as [runTable] counts.
func (r *runs) bytes() int64 { return runBytes*int64(r.to-r.from) + costBytes*int64(r.costs-r.cost) }

// rowCount returns the rows that so many instructions of one run become.
func rowCount(instructions int64, blocks bool) int64 {
	if !blocks {
		return instructions
	}
	return (instructions + schema.MaxBlockRow - 1) / schema.MaxBlockRow
}

// blockRows counts the rows of `blocks` in r.
func (r *runs) blockRows() int64 {
	n := int64(0)
	for i := r.from; i < r.to; i++ {
		n += rowCount(int64(r.unit.Runs[i].Count), true)
	}
	return n
}

// advance drops the first n rows of r.
func (r *runs) advance(n int64, blocks bool) {
	r.rows -= n
	if r.rows == 0 {
		return
	}
	for n > 0 {
		left := int64(r.unit.Runs[r.from].Count) - int64(r.skip)
		take := min(left, n)
		if blocks {
			take = min(left, n*schema.MaxBlockRow)
			n -= rowCount(take, true)
		} else {
			n -= take
		}
		r.pass(int(take))
	}
}

// pass moves the start of r over n instructions of its first run.
func (r *runs) pass(n int) {
	run := &r.unit.Runs[r.from]
	r.seq += int64(n)
	r.skip += n
	if run.Flags&schema.RunHasCosts != 0 {
		r.cost += n
	}
	if r.skip == int(run.Count) {
		r.from, r.skip = r.from+1, 0
	}
}

// span returns what holds for the first run, and the run up to which it does.
func (r *runs) span() (*schema.Span, int) {
	for len(r.spans) > 1 && r.spans[1].Run <= r.from {
		r.spans = r.spans[1:]
	}
	if len(r.spans) > 1 {
		return &r.spans[0], r.spans[1].Run
	}
	return &r.spans[0], r.to
}

// The columns of `instructions`, in the order of schema.Instructions.
const (
	insSource = iota
	insSeq
	insSegment
	insByteOffset
	insAddress
	insSize
	insISA
	insOpcode
	insKind
	insExecuted
	insCycles
	insEpoch
	insCycle
	insTimestamp
	insContextID
	insVMID
	insSecurity
)

// fillInstructions appends rows of `instructions` to batch, at most room and no
// more than one span has, and returns how many.
func (r *runs) fillInstructions(batch *schema.Batch, room int) int {
	span, end := r.span()
	v := batch.Columns
	first, seq, rows := len(v[insAddress].U32), r.seq, 0
	room = int(min(int64(room), r.rows))
	address, opcode := extend(&v[insAddress].U32, room), extend(&v[insOpcode].U32, room)
	size, kind := extend(&v[insSize].U8, room), extend(&v[insKind].U8, room)
	isa, offset := extend(&v[insISA].U8, room), extend(&v[insByteOffset].U64, room)
	outcome := newOutcomes(v, room)
	for rows < room && r.from < end {
		run := &r.unit.Runs[r.from]
		block := r.unit.Blocks[run.Block]
		n := min(int(run.Count)-r.skip, room-rows)
		lo := int(run.First) + r.skip
		copy(address[rows:], block.Address[lo:lo+n])
		copy(opcode[rows:], block.Opcode[lo:lo+n])
		copy(size[rows:], block.Size[lo:lo+n])
		copy(kind[rows:], block.Kind[lo:lo+n])
		for i := rows; i < rows+n; i++ {
			isa[i], offset[i] = uint8(block.Key.ISA), uint64(run.Offset)
		}
		outcome.fill(r, run, span, rows, n)
		rows += n
		r.pass(n)
	}
	for _, c := range []int{insAddress, insOpcode, insSize, insKind, insISA, insByteOffset, insExecuted, insCycles, insCycle} {
		v[c].Truncate(first + rows)
	}
	ordinals := extend(&v[insSeq].U64, rows)
	for i := range ordinals {
		ordinals[i] = uint64(seq + int64(i))
	}
	r.fillShared(v, instructionsShared, span, rows)
	return rows
}

// outcomes are the columns of which a run tells its last instruction alone,
// unless RunHasFailed. They begin as NULL.
type outcomes struct {
	executed, executedValid []uint8
	cycles                  []uint32
	cyclesValid             []uint8
	cycle                   []uint64
	cycleValid              []uint8
}

func newOutcomes(v []schema.Vector, rows int) outcomes {
	o := outcomes{
		executed: extend(&v[insExecuted].U8, rows), executedValid: extend(&v[insExecuted].Valid, rows),
		cycles: extend(&v[insCycles].U32, rows), cyclesValid: extend(&v[insCycles].Valid, rows),
		cycle: extend(&v[insCycle].U64, rows), cycleValid: extend(&v[insCycle].Valid, rows),
	}
	clear(o.executed)
	clear(o.executedValid)
	clear(o.cycles)
	clear(o.cyclesValid)
	clear(o.cycle)
	clear(o.cycleValid)
	return o
}

// fill tells of n instructions of a run, the first of them row i.
func (o *outcomes) fill(r *runs, run *schema.Run, span *schema.Span, i, n int) {
	if run.Flags&schema.RunHasFailed != 0 {
		for k := range n {
			o.executed[i+k], o.executedValid[i+k] = uint8(run.Failed>>(r.skip+k)&1^1), 1
		}
	}
	if run.Flags&schema.RunHasCosts != 0 {
		o.fillCosts(r, run, span, i, n)
	}
	if r.skip+n != int(run.Count) {
		return
	}
	last := i + n - 1
	o.executed[last], o.executedValid[last] = outcomeExecuted(run.Outcome)
	if run.Flags&schema.RunHasCycles != 0 {
		_, at := r.base.at(schema.Point{Epoch: span.Epoch, Cycle: schema.Of(run.Cycle)})
		o.cycles[last], o.cyclesValid[last] = run.Cycles, 1
		o.cycle[last], o.cycleValid[last] = uint64(at.V), 1
	}
}

// fillCosts tells what n instructions of a run cost, the first of them row i.
func (o *outcomes) fillCosts(r *runs, run *schema.Run, span *schema.Span, i, n int) {
	costs := r.unit.Costs[r.cost : r.cost+int(run.Count)-r.skip]
	_, at := r.base.at(schema.Point{Epoch: span.Epoch, Cycle: schema.Of(run.Cycle)})
	cycle := at.V
	for k, cost := range slices.Backward(costs) {
		if k < n {
			o.cycles[i+k], o.cyclesValid[i+k] = cost, 1
			o.cycle[i+k], o.cycleValid[i+k] = uint64(cycle), 1
		}
		cycle -= int64(cost)
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

// sharedColumns are the columns in which all rows of a span are alike.
type sharedColumns struct {
	source, segment, epoch, timestamp, contextID, vmid, security int
}

var (
	instructionsShared = sharedColumns{insSource, insSegment, insEpoch, insTimestamp, insContextID, insVMID, insSecurity}
	blocksShared       = sharedColumns{blkSource, blkSegment, blkEpoch, blkTimestamp, blkContextID, blkVMID, blkSecurity}
)

// fillShared appends what all rows of a span have in common.
func (r *runs) fillShared(v []schema.Vector, c sharedColumns, s *schema.Span, rows int) {
	segment := schema.Null[uint32]{V: uint32(r.base.segment.V), OK: r.base.segment.OK}
	timestamp := timestampOf(r.base, r.unit, s.Timestamp)
	repeat(&v[c.source].U8, r.base.source, rows)
	repeatNull(&v[c.segment].U32, &v[c.segment].Valid, segment, rows)
	repeat(&v[c.epoch].U32, uint32(r.base.epoch+s.Epoch), rows)
	repeatNull(&v[c.timestamp].U64, &v[c.timestamp].Valid, timestamp, rows)
	repeatNull(&v[c.contextID].U32, &v[c.contextID].Valid, s.ContextID, rows)
	repeatNull(&v[c.vmid].U8, &v[c.vmid].Valid, r.base.vmidOr(s.VMID), rows)
	repeatNull(&v[c.security].U8, &v[c.security].Valid, schema.Of(uint8(s.Security)), rows)
}

// The columns of `blocks`, in the order of schema.Blocks.
const (
	blkSource = iota
	blkSeq
	blkSegment
	blkByteOffset
	blkCodeBlock
	blkInstructions
	blkFirst
	blkFailed
	blkOutcome
	blkCycles
	blkEpoch
	blkCycle
	blkTimestamp
	blkContextID
	blkVMID
	blkSecurity
)

// fillBlocks appends rows of `blocks` to batch, at most room and no more than
// one span has, and returns how many.
func (r *runs) fillBlocks(batch *schema.Batch, room int) int {
	span, end := r.span()
	v := batch.Columns
	rows := 0
	for rows < room && int64(rows) < r.rows && r.from < end {
		run := &r.unit.Runs[r.from]
		n := min(int(run.Count)-r.skip, schema.MaxBlockRow)
		v[blkSeq].U64 = append(v[blkSeq].U64, uint64(r.seq))
		v[blkByteOffset].U64 = append(v[blkByteOffset].U64, uint64(run.Offset))
		v[blkCodeBlock].U32 = append(v[blkCodeBlock].U32, r.numbers[run.Block])
		v[blkInstructions].U16 = append(v[blkInstructions].U16, uint16(n))
		v[blkFirst].U16 = append(v[blkFirst].U16, run.First+uint16(r.skip))
		r.fillRunOutcome(v, run, span, r.skip+n == int(run.Count))
		rows++
		r.pass(n)
	}
	r.fillShared(v, blocksShared, span, rows)
	return rows
}

// fillRunOutcome appends what a run tells of its instructions; of the last, and
// of cycles, only with its last row.
func (r *runs) fillRunOutcome(v []schema.Vector, run *schema.Run, span *schema.Span, last bool) {
	outcome, failed := schema.Untold, schema.Null[uint64]{}
	cycles, cycle := schema.Null[uint32]{}, schema.Null[uint64]{}
	if run.Flags&schema.RunHasFailed != 0 {
		failed = schema.Of(run.Failed)
	}
	if last {
		outcome = run.Outcome
	}
	if last && run.Flags&(schema.RunHasCycles|schema.RunHasCosts) != 0 {
		_, at := r.base.at(schema.Point{Epoch: span.Epoch, Cycle: schema.Of(run.Cycle)})
		cycles, cycle = schema.Of(run.Cycles), schema.Of(uint64(at.V))
	}
	v[blkOutcome].U8 = append(v[blkOutcome].U8, uint8(outcome))
	appendNull(&v[blkFailed].U64, &v[blkFailed].Valid, failed)
	appendNull(&v[blkCycles].U32, &v[blkCycles].Valid, cycles)
	appendNull(&v[blkCycle].U64, &v[blkCycle].Valid, cycle)
}

// extend makes s longer by n and returns what was added, not initialised.
func extend[T any](s *[]T, n int) []T {
	first := len(*s)
	*s = slices.Grow(*s, n)[:first+n]
	return (*s)[first:]
}

// repeat appends n times x.
func repeat[T any](s *[]T, x T, n int) {
	added := extend(s, n)
	if n == 0 {
		return
	}
	added[0] = x
	for done := 1; done < n; done *= 2 {
		copy(added[done:], added[:done])
	}
}

// appendNull appends a value that may be NULL.
func appendNull[T any](s *[]T, valid *[]uint8, x schema.Null[T]) {
	ok := uint8(0)
	if x.OK {
		ok = 1
	}
	*s, *valid = append(*s, x.V), append(*valid, ok)
}

// repeatNull appends n times a value that may be NULL.
func repeatNull[T any](s *[]T, valid *[]uint8, x schema.Null[T], n int) {
	repeat(s, x.V, n)
	ok := uint8(0)
	if x.OK {
		ok = 1
	}
	repeat(valid, ok, n)
}
