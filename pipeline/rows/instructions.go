package rows

import (
	"slices"

	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// instructions is the form of rows of `instructions`.
type instructions struct{}

func (instructions) perRow() int64              { return 1 }
func (instructions) count(r *stitch.Runs) int64 { return r.Instructions }

var instructionsShared = sharedColumns{
	schema.InstructionsSource, schema.InstructionsSegment, schema.InstructionsEpoch, schema.InstructionsTimestamp,
	schema.InstructionsContextID, schema.InstructionsVMID, schema.InstructionsSecurity,
}

func (instructions) fill(r *runs, batch *schema.Batch, room int) int {
	span, end := r.span()
	first, seq, rows := batch.Columns[schema.InstructionsSeq].Len(), r.Seq, 0
	room = int(min(int64(room), r.rows))
	address, opcode := extend(schema.InstructionsAddress.In(batch), room), extend(schema.InstructionsOpcode.In(batch), room)
	size, kind := extend(schema.InstructionsSize.In(batch), room), extend(schema.InstructionsKind.In(batch), room)
	isa, offset := extend(schema.InstructionsISA.In(batch), room), extend(schema.InstructionsByteOffset.In(batch), room)
	outcome := newOutcomes(batch, room)
	for rows < room && r.From < end {
		run := &r.Unit.Runs[r.From]
		block := r.Unit.Blocks[run.Block]
		n := min(int(run.Count)-r.skip, room-rows)
		lo := int(run.First) + r.skip
		copy(address[rows:], block.Address[lo:lo+n])
		copy(opcode[rows:], block.Opcode[lo:lo+n])
		copy(size[rows:], block.Size[lo:lo+n])
		copy(kind[rows:], block.Kind[lo:lo+n])
		for i := rows; i < rows+n; i++ {
			isa[i], offset[i] = uint8(block.Key.ISA), uint64(run.Offset)
		}
		if run.Flags&schema.RunHasOffsets != 0 {
			for i, delta := range r.Unit.Offsets[r.Place : r.Place+n] {
				offset[rows+i] += uint64(delta)
			}
		}
		outcome.fill(r, run, span, rows, n)
		rows += n
		r.pass(n)
	}
	for _, i := range [...]int{
		int(schema.InstructionsAddress), int(schema.InstructionsOpcode), int(schema.InstructionsSize), int(schema.InstructionsKind),
		int(schema.InstructionsISA), int(schema.InstructionsByteOffset),
		int(schema.InstructionsExecuted), int(schema.InstructionsCycles), int(schema.InstructionsCycle),
	} {
		batch.Columns[i].Truncate(first + rows)
	}
	ordinals := extend(schema.InstructionsSeq.In(batch), rows)
	for i := range ordinals {
		ordinals[i] = uint64(seq + int64(i))
	}
	r.fillShared(batch, &instructionsShared, span, rows)
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

func newOutcomes(batch *schema.Batch, rows int) outcomes {
	v := batch.Columns
	o := outcomes{
		executed: extend(schema.InstructionsExecuted.In(batch), rows), executedValid: extend(&v[schema.InstructionsExecuted].Valid, rows),
		cycles: extend(schema.InstructionsCycles.In(batch), rows), cyclesValid: extend(&v[schema.InstructionsCycles].Valid, rows),
		cycle: extend(schema.InstructionsCycle.In(batch), rows), cycleValid: extend(&v[schema.InstructionsCycle].Valid, rows),
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
		_, at := r.Base.At(schema.Point{Epoch: span.Epoch, Cycle: schema.Of(run.Cycle)})
		o.cycles[last], o.cyclesValid[last] = run.Cycles, 1
		o.cycle[last], o.cycleValid[last] = uint64(at.V), 1
	}
}

// fillCosts tells what n instructions of a run cost, the first of them row i.
func (o *outcomes) fillCosts(r *runs, run *schema.Run, span *schema.Span, i, n int) {
	costs := r.Unit.Costs[r.Cost : r.Cost+int(run.Count)-r.skip]
	_, at := r.Base.At(schema.Point{Epoch: span.Epoch, Cycle: schema.Of(run.Cycle)})
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
