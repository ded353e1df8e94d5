package pft

import (
	"encoding/binary"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/schema"
)

// warmTimed is warmCounted, where what ran is only counted.
func (d *Decoder) warmTimed(i, last int, at flow.Cursor) int {
	span, ok := d.Rec.Result.Counts.Open(d.Walk.Seq, d.Rec.Point(), 0)
	if !ok {
		return i
	}
	data, counts := d.Rec.Part.Data, d.Rec.Result.Counts.Rows
	m := len(counts)
	counts = counts[:cap(counts)]
	begun, stretches := d.Rec.Cycle, len(d.Rec.Result.Stretches)
	cycle, start, seq := begun-span.Cycle.V, span.Cycle.V, d.Walk.Seq-span.Seq
	s, part := d.Walk.BeginStretch(at), d.Walk.Part()
	reached := decode.PC{Address: d.address, ISA: d.isa}
	// Of the last packet.
	offset, cycles, branched := d.Offset, uint32(0), false
	keep, sums := d.keptCounts(), packetSums{}
	for i <= last {
		if m == len(counts) {
			counts = room(counts, m)
		}
		h := data[i]
		length, to := 0, decode.PC{}
		if h&1 != 0 {
			to, length = shortBranch(binary.LittleEndian.Uint64(data[i:]), reached.Address, at.ISA())
			if length == 0 || i > last-maxAddressBytes { // a count follows
				break
			}
		} else if h < 0x80 {
			break
		}
		word := binary.LittleEndian.Uint64(data[i+length:])
		count, countLength := uint32(word)>>cyclesShift&0x0f, 1
		if word&cyclesMore != 0 {
			countLength = lengthOfCount(word)
			count = countOf(word, countLength)
		}
		if seq+s.N+at.Instructions() > schema.CountReach || cycle+int64(count) >= schema.CountReach {
			break
		}
		kind, e := schema.CountAtom, ^h>>1&1
		var next flow.Cursor
		switch {
		case length > 0:
			kind, e = schema.CountBranch, 1
			next, ok = d.Walk.BranchTo(at, to, s.N)
		case at.Ready(part, e):
			next = at.Leave(e)
		default:
			next, ok = d.Walk.Special(at, e, s.N)
		}
		if !ok {
			break
		}
		d.Walk.AddCycles(at, e, next, int64(count))
		offset, cycles, branched = int64(d.Rec.Offsets.At(i)), count, length > 0
		i += length + countLength
		cycle += int64(count)
		s.N += at.Instructions()
		s.Last, s.E = at, e
		d.Walk.TimeStep(s.N, start+cycle)
		x := &counts[m]
		x.Offset, x.Seq, x.Cycle, x.Cycles, x.Kind = offset, int32(seq+s.N-1), int32(cycle), count, kind
		m += keep
		sums.add(kind, count)
		if branched {
			d.countBranch(at)
			reached = to
		}
		if at = next; !at.Known() {
			break
		}
	}
	d.Rec.Cycle, d.Rec.Result.Counts.Rows = start+cycle, counts[:m]
	d.addSums(&sums)
	d.Offset = offset
	if s.N > 0 {
		d.Walk.AddCycles(s.Last, s.E, at, -int64(cycles)) // it becomes a run
	}
	d.coolTurns(&s, at, reached, branched)
	if s.N > 0 {
		run := &d.Rec.Result.Runs[len(d.Rec.Result.Runs)-1]
		run.Cycles, run.Cycle, run.Flags = cycles, d.Rec.Cycle, schema.RunHasCycles
		for i := range d.Rec.Result.Stretches[stretches:] {
			d.Rec.Result.Stretches[stretches+i].Cycles = d.Rec.Cycle - int64(cycles) - begun
		}
	}
	return i
}
