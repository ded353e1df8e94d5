package pft

import (
	"encoding/binary"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/schema"
)

// warmTimed is warmCounted, where what ran is only counted.
func (d *Decoder) warmTimed(i, last int, at flow.Cursor) int {
	span, ok := d.rec.Result.Counts.Open(d.walk.Seq, d.rec.Point(), 0)
	if !ok {
		return i
	}
	data, counts := d.rec.Part.Data, d.rec.Result.Counts.Rows
	m := len(counts)
	counts = counts[:cap(counts)]
	begun, stretches := d.rec.Cycle, len(d.rec.Result.Stretches)
	cycle, start, seq := begun-span.Cycle.V, span.Cycle.V, d.walk.Seq-span.Seq
	s, part := d.walk.BeginStretch(at), d.walk.Part()
	reached := decode.PC{Address: d.address, ISA: d.isa}
	// Of the last packet.
	offset, cycles, branched := d.offset, uint32(0), false
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
			next, ok = d.walk.BranchTo(at, to, s.N)
		case at.Ready(part, e):
			next = at.Leave(e)
		default:
			next, ok = d.walk.Special(at, e, s.N)
		}
		if !ok {
			break
		}
		d.walk.AddCycles(at, e, next, int64(count))
		offset, cycles, branched = int64(d.rec.Offsets.At(i)), count, length > 0
		i += length + countLength
		cycle += int64(count)
		s.N += at.Instructions()
		s.Last, s.E = at, e
		d.walk.TimeStep(s.N, start+cycle)
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
	d.rec.Cycle, d.rec.Result.Counts.Rows = start+cycle, counts[:m]
	d.addSums(&sums)
	d.offset = offset
	if s.N > 0 {
		d.walk.AddCycles(s.Last, s.E, at, -int64(cycles)) // it becomes a run
	}
	d.coolTurns(&s, at, reached, branched)
	if s.N > 0 {
		run := &d.rec.Result.Runs[len(d.rec.Result.Runs)-1]
		run.Cycles, run.Cycle, run.Flags = cycles, d.rec.Cycle, schema.RunHasCycles
		for i := range d.rec.Result.Stretches[stretches:] {
			d.rec.Result.Stretches[stretches+i].Cycles = d.rec.Cycle - int64(cycles) - begun
		}
	}
	return i
}
