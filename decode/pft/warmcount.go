package pft

import (
	"encoding/binary"
	"math/bits"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/schema"
)

// warmCounted is decodeWarm in cycle-accurate mode: one atom a packet, and a count in each.
func (d *Decoder) warmCounted(i, last int, at flow.Cursor) int {
	span, ok := d.Rec.Result.Counts.Open(d.Walk.Seq, d.Rec.Point(), 0)
	if !ok {
		return i
	}
	data, runs, counts := d.Rec.Part.Data, d.Rec.Result.Runs, d.Rec.Result.Counts.Rows
	n, m := len(runs), len(counts)
	runs, counts = runs[:cap(runs)], counts[:cap(counts)]
	cycle, start := d.Rec.Cycle-span.Cycle.V, span.Cycle.V
	reached := decode.PC{Address: d.address, ISA: d.isa}
	offset, exit, branched := d.Offset, flow.AtBlock, false
	keep, sums := d.keptCounts(), packetSums{}
	for i <= last {
		if n == len(runs) || m == len(counts) {
			runs, counts = room(runs, n), room(counts, m)
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
			count, countLength = longCount(word)
		}
		if d.Walk.Seq+at.Instructions()-span.Seq > schema.CountReach || cycle+int64(count) >= schema.CountReach {
			break
		}
		offset = int64(d.Rec.Offsets.At(i))
		run, kind, e := &runs[n], schema.CountAtom, ^h>>1&1
		var next flow.Cursor
		if length == 0 {
			next, ok = d.Walk.Step(at, run, e, offset)
		} else {
			next, ok = d.Walk.Branch(at, run, offset, to)
			kind, e = schema.CountBranch, 1
		}
		if !ok {
			break
		}
		i += length + countLength
		cycle += int64(count)
		run.Cycles, run.Cycle, run.Flags = count, start+cycle, schema.RunHasCycles
		n++
		x := &counts[m]
		x.Offset, x.Seq, x.Cycle, x.Cycles, x.Kind = offset, int32(d.Walk.Seq-1-span.Seq), int32(cycle), count, kind
		m += keep
		sums.add(kind, count)
		if branched = length > 0; branched {
			d.countBranch(at)
			reached = to
		}
		if !next.Known() {
			exit = flow.AfterFailed + flow.Pause(e)
			break
		}
		at = next
	}
	d.Rec.Cycle, d.Rec.Result.Counts.Rows, d.Offset = start+cycle, counts[:m], offset
	d.addSums(&sums)
	d.cool(at, exit, branched, runs[:n], reached)
	return i
}

// warmTimed is warmCounted where what ran is only counted: a stretch has all but the last block.
func (d *Decoder) warmTimed(i, last int, at flow.Cursor) int {
	span, ok := d.Rec.Result.Counts.Open(d.Walk.Seq, d.Rec.Point(), 0)
	if !ok {
		return i
	}
	data, counts, part := d.Rec.Part.Data, d.Rec.Result.Counts.Rows, d.Walk.Part()
	m := len(counts)
	counts = counts[:cap(counts)]
	begun := d.Rec.Cycle - span.Cycle.V
	cycle, start, seq := begun, span.Cycle.V, d.Walk.Seq-span.Seq
	s := flow.Stretch{First: at}
	reached := decode.PC{Address: d.address, ISA: d.isa}
	offset, cycles, branched := d.Offset, uint32(0), false // of the last packet
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
			count, countLength = longCount(word)
		}
		now, seqAfter := cycle+int64(count), seq+s.N+at.Instructions()
		if seqAfter > schema.CountReach || now >= schema.CountReach {
			break
		}
		from, kind, e := int64(d.Rec.Offsets.At(i)), schema.CountAtom, ^h>>1&1
		var next flow.Cursor
		switch {
		case length > 0:
			next, ok = d.Walk.BranchTimed(&s, at, to, count, start+now)
		case at.Ready(part, e):
			next = at.LeaveTimed(e, count)
		default:
			next, ok = d.Walk.SpecialTimed(&s, at, e, count, start+now)
		}
		if !ok {
			break
		}
		if branched = length > 0; branched {
			kind, e, reached = schema.CountBranch, 1, to
			d.countBranch(at)
		}
		x := &counts[m]
		x.Offset, x.Seq, x.Cycle, x.Cycles, x.Kind = from, int32(seqAfter-1), int32(now), count, kind
		m += keep
		sums.add(kind, count)
		offset, cycles, cycle = from, count, now
		i += length + countLength
		s.N, s.Last, s.E = seqAfter-seq, at, e
		if at = next; !at.Known() {
			break
		}
	}
	d.Rec.Cycle, d.Rec.Result.Counts.Rows, d.Offset = start+cycle, counts[:m], offset
	d.addSums(&sums)
	runs := d.Rec.Result.Runs
	if s.N > 0 {
		runs = d.endTimed(&s, at, cycles, cycle-int64(cycles)-begun)
	}
	at, exit := s.Exit(at)
	d.cool(at, exit, branched, runs, reached)
	return i
}

// endTimed ends a stretch at a position as endStretch does: the last block took so many cycles,
// and those before it before cycles.
func (d *Decoder) endTimed(s *flow.Stretch, at flow.Cursor, cycles uint32, before int64) []schema.Run {
	d.Walk.AddCycles(s.Last, s.E, at, -int64(cycles)) // it becomes a run
	stretches := len(d.Rec.Result.Stretches)
	runs := d.endStretch(s, at)
	run := &runs[len(runs)-1]
	run.Cycles, run.Cycle, run.Flags = cycles, d.Rec.Cycle, schema.RunHasCycles
	for i := range d.Rec.Result.Stretches[stretches:] {
		d.Rec.Result.Stretches[stretches+i].Cycles = before
	}
	return runs
}

// packetSums are the counts of atoms and of branch addresses: how many, and their cycles.
type packetSums [schema.CountBranch + 1]struct{ counts, cycles int64 }

func (s *packetSums) add(kind schema.CountKind, cycles uint32) {
	x := &s[kind&1] // no bounds to check: atoms are 0, branch addresses 1
	x.counts, x.cycles = x.counts+1, x.cycles+int64(cycles)
}

// keptCounts is how many rows a count has in the fast path: 1, or 0 where counts are summed
// up. Then the slot after the rows is overwritten by each.
func (d *Decoder) keptCounts() int {
	if d.Rec.Summed {
		return 0
	}
	return 1
}

// addSums records the counts of the fast path, where they have no rows.
func (d *Decoder) addSums(s *packetSums) {
	if !d.Rec.Summed {
		return
	}
	for kind, x := range s {
		d.Rec.Sum(schema.CountKind(kind), x.counts, x.cycles)
	}
}

// longCount returns the cycle count of more than a byte that a word begins with, and its length,
// as parseCycles does (§4.4).
func longCount(word uint64) (cycles uint32, n int) {
	const last = more<<8 | more<<16 | more<<24
	n = bits.TrailingZeros64(^word&last|more<<32)/8 + 1
	v := word>>cyclesShift&0x0f | word>>8&0x7f<<4 | word>>16&0x7f<<11 | word>>24&0x7f<<18 | word>>32&0x7f<<25
	return uint32(v & (1<<(7*n-3) - 1)), n
}
