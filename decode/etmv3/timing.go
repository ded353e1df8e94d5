package etmv3

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// A timing is the state of cycle-accurate mode in the fast path (§7.3.3, docs/etmv3.md
// §5): see [Decoder.costedAtoms]. Of counts and costs, which are as long as there is room,
// the first rows and paid are in use. Where counts are summed up, the slot after the rows is
// overwritten by each.
type timing struct {
	span   *schema.CountSpan
	counts []schema.Count
	costs  []uint32
	rows   int
	paid   int
	cycle  int64 // in the epoch, since that of the span
	waits  int64 // cycles since the last instruction
	// Of packets since the start: those of cycles alone, what they counted, and those with atoms.
	alone, aloneCycles, withAtoms int64
	keep                          int // -1: counts have rows; 0: they are summed up
}

// beginTiming begins the timing of the fast path, for at most so many bytes. It fails if
// a cost or a count may need more than 32 bits.
func (d *Decoder) beginTiming(bytes int) (t timing, ok bool) {
	counts, costs := d.Rec.Result.Counts.Rows, d.Rec.Result.Costs
	span, ok := d.Rec.Result.Counts.Open(d.Walk.Seq, d.Rec.Point(), maxAtoms*int64(bytes))
	keep := -1
	if d.Rec.Summed {
		keep = 0
	}
	return timing{
		keep: keep,
		span: span, counts: counts[:cap(counts)], costs: costs[:cap(costs)], rows: len(counts), paid: len(costs),
		cycle: d.Rec.Cycle - span.Cycle.V, waits: d.waits,
	}, ok && d.waits < schema.CountReach
}

// endTiming gives the timing back, after a number of atoms.
func (d *Decoder) endTiming(t *timing, atoms int64) {
	d.Rec.Result.Counts.Rows, d.Rec.Result.Costs = t.counts[:t.rows], t.costs[:t.paid]
	if d.Rec.Summed {
		d.Rec.Sum(schema.CountPacket, t.alone, t.aloneCycles)
		d.Rec.Sum(schema.CountAtom, t.withAtoms, t.span.Cycle.V+t.cycle-d.Rec.Cycle-t.aloneCycles)
	}
	d.Rec.Cycle, d.waits = t.span.Cycle.V+t.cycle, t.waits
	if atoms > 0 {
		d.kept = 0
		d.back.Waited(decode.WaitsTaken)
	}
}

// wait adds the cycles of a P-header that is cycles alone, before which there are seq
// instructions.
func (t *timing) wait(h *warmHeader, offset, seq int64) {
	if t.rows == len(t.counts) {
		t.counts = room(t.counts, t.rows)
	}
	t.cycle += int64(h.waits)
	t.waits += int64(h.waits)
	x := &t.counts[t.rows]
	x.Offset, x.Seq, x.Cycle = offset, int32(seq-t.span.Seq), int32(t.cycle)
	x.Cycles, x.Kind = uint32(h.waits), schema.CountPacket
	t.rows -= t.keep
	t.alone, t.aloneCycles = t.alone+1, t.aloneCycles+int64(h.waits)
}

// maxCosts is how many atoms a cycle-accurate P-header has at most.
const maxCosts = 8

// cost adds the cycles of a P-header of atoms. Its runs are those given, after which
// there are seq instructions. Slots after the rows are overwritten.
func (t *timing) cost(h *warmHeader, runs []schema.Run, offset, seq int64) {
	if t.rows == len(t.counts) || t.paid+maxCosts > len(t.costs) {
		t.counts, t.costs = room(t.counts, t.rows), room(t.costs, t.paid)
	}
	costs, between := (*[maxCosts]uint32)(t.costs[t.paid:]), uint32(h.between)
	costs[0] = uint32(t.waits) + uint32(h.waits) // since the last instruction
	costs[1], costs[2], costs[3], costs[4], costs[5], costs[6], costs[7] = between, between, between, between, between,
		between, between
	t.paid += int(h.count)
	at, more := t.span.Cycle.V+t.cycle+int64(h.waits)-int64(between), costs[0]-between
	for i := range runs { // the first atom costs more than the others
		run := &runs[i]
		cycles := between * uint32(run.Count)
		at += int64(cycles)
		run.Cycle, run.Cycles, run.Flags = at, cycles+more, schema.RunHasFailed|schema.RunHasCosts
		more = 0
	}
	t.waits = 0
	t.cycle += int64(h.cycles)
	x := &t.counts[t.rows]
	x.Offset, x.Seq, x.Cycle = offset, int32(seq-1-t.span.Seq), int32(t.cycle)
	x.Cycles, x.Kind = uint32(h.cycles), schema.CountAtom
	t.rows += int(h.rows) & t.keep
	t.withAtoms += int64(h.rows)
}
