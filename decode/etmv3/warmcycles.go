package etmv3

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/schema"
)

// cyclePackets is runPackets in cycle-accurate mode. P-headers that are cycles alone, and those
// that stay in their block or end with it, are in its loop, with all counters in local
// variables; all else is for that. Slots after the rows are overwritten.
func (w *warm) cyclePackets(i, last int) int {
	data, offsets, headers, part := w.d.Rec.Part.Data, &w.d.Rec.Offsets, w.d.headers, w.d.Walk.Part()
	at, pos, size, index := w.at, w.pos, 0, uint32(0) // of size 0: the first atoms are for runPackets, which settles
	runs, n, costs, paid, counts, rows := w.runs, w.n, w.costs, w.paid, w.counts, w.rows
	start, cycle, waits, seq := w.span.Cycle.V, w.cycle, uint32(w.waits), int32(w.seq-w.span.Seq)
	zero, step, until := decode.CaptureOffset(0), decode.CaptureOffset(0), i // capture offsets up to Data[until]
	for i <= last {
		if n == len(runs) || paid+maxCosts > len(costs) || rows == len(counts) {
			runs, costs, counts = room(runs, n), room(costs, paid), room(counts, rows)
		}
		if i >= until {
			var adjacent int
			zero, step, adjacent = offsets.Adjacent(i)
			zero -= decode.CaptureOffset(i) * step
			until = i + adjacent
		}
		h, x := &headers[data[i]], &counts[rows]
		offset := int64(zero + decode.CaptureOffset(i)*step)
		if h.kind == warmCycles {
			cycle += int64(h.waits)
			waits += uint32(h.waits)
			x.Offset, x.Seq, x.Cycle = offset, seq, int32(cycle)
			x.Cycles, x.Kind = uint32(h.waits), schema.CountPacket
			rows -= w.keep
			w.alone, w.aloneCycles = w.alone+1, w.aloneCycles+int64(h.waits)
			i++
			continue
		}
		run, end := &runs[n], pos+int(h.count)
		run.Block, run.First, run.Outcome = index, uint16(pos), h.outcome
		if end >= size || h.kind != warmAtoms {
			var next flow.Cursor
			if end == size && h.kind == warmAtoms {
				next = at.After(h.last)
			}
			nextIndex, nextSize := next.Within(part)
			if nextSize == 0 {
				w.at, w.pos, w.runs, w.n, w.costs, w.paid, w.counts, w.rows = at, pos, runs, n, costs, paid, counts, rows
				w.cycle, w.waits, w.seq = cycle, int64(waits), int64(seq)+w.span.Seq
				from := i
				if i = w.runPackets(i, i); i == from || w.pause != flow.AtBlock {
					return i
				}
				at, pos, runs, n, costs, paid, counts, rows = w.at, w.pos, w.runs, w.n, w.costs, w.paid, w.counts, w.rows
				cycle, waits, seq = w.cycle, uint32(w.waits), int32(w.seq-w.span.Seq)
				if index, size = at.Within(part); w.seq == w.from {
					size = 0
				}
				continue
			}
			run.Outcome = at.Outcome(h.last)
			at, index, size, end = next, nextIndex, nextSize, 0
		}
		pos = end
		cycle += int64(h.cycles)
		first, between := waits+uint32(h.waits), uint32(h.between)
		run.Offset, run.Failed, run.Count = offset, uint64(h.failed), uint16(h.count)
		run.Cycle, run.Cycles, run.Flags = start+cycle, waits+uint32(h.cycles), schema.RunHasFailed|schema.RunHasCosts
		n++
		slots := (*[maxCosts]uint32)(costs[paid:])
		slots[0], slots[1], slots[2], slots[3] = first, between, between, between
		if h.count > 4 {
			slots[4], slots[5], slots[6], slots[7] = between, between, between, between
		}
		paid += int(h.count)
		waits = 0
		seq += int32(h.count)
		x.Offset, x.Seq, x.Cycle = offset, seq-1, int32(cycle)
		x.Cycles, x.Kind = uint32(h.cycles), schema.CountAtom
		rows += int(h.rows) & w.keep
		w.withAtoms += int64(h.rows)
		i++
	}
	w.at, w.pos, w.runs, w.n, w.costs, w.paid, w.counts, w.rows = at, pos, runs, n, costs, paid, counts, rows
	w.cycle, w.waits, w.seq = cycle, int64(waits), int64(seq)+w.span.Seq
	return i
}
