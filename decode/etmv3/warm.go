package etmv3

import (
	"math/bits"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// This file is the fast path: P-headers of both modes, and after an indirect branch an
// address of up to four bytes, through code whose blocks are cached and linked. It makes
// what [Decoder.processPacket] makes of them, and leaves everything else to that.

const (
	// maxAtoms is how many atoms a P-header has at most: as many runs, and costs.
	maxAtoms = 16
	// maxWarmBytes is how many bytes are decoded warm at a time, so that ordinals and
	// cycles are near those of their span: see [decode.CountRows.Open].
	maxWarmBytes = 1 << 20
)

// A warm is the state of the fast path besides that of the decoder.
type warm struct {
	at   flow.Cursor // zero: after an indirect branch, before its address
	pos  int         // in the block at it
	part uint32      // for Cursor.Ready
	seq  int64
	timing

	indirect, repeated int64 // branch addresses: see compareBranch
	// Of the last address: where its packet begins and ends, and what seq was. Without
	// one, seq is -1, or as in Decoder.afterBranch.
	addressAt, addressEnd int
	addressSeq            int64
}

// A warmHeader is a P-header for the fast path.
type warmHeader struct {
	count  uint8  // atoms
	idle   bool   // there are cycles alone
	failed uint16 // as Atoms.N
	// In cycle-accurate mode, the cycles before the first atom, before the others, and
	// all; the number of its rows in `cycle_counts`.
	waits, between, cycles uint8
	rows                   uint8
}

// newWarmHeaders returns the P-headers of the mode and version, by their bits 6:1.
func (c *Config) newWarmHeaders() (table [64]warmHeader) {
	for i, a := range c.pheaders() {
		h := &table[i]
		*h = warmHeader{count: a.Count, failed: a.N, waits: a.Waits, between: a.Between, cycles: a.Waits}
		if a.Count > 0 {
			h.cycles += a.Between * (a.Count - 1)
		}
		if h.cycles > 0 {
			h.rows = 1
		}
		h.idle = a.Count == 0 && a.Waits > 0
	}
	return table
}

// decodeWarm decodes packets from Data[i] on, as long as they are warm, and returns
// where it stopped.
func (d *Decoder) decodeWarm(i int) int {
	last := min(i+len(d.rec.Bytes(i))-maxAddressBytes, i+maxWarmBytes) // no packet that begins up to it is cut off
	if i > last || !d.isWarm() {
		return i
	}
	at, pos, part, ok := d.walk.LendInside()
	if !ok {
		return i
	}
	w := warm{at: at, pos: pos, part: part, seq: d.walk.Seq, addressSeq: -1}
	if d.afterBranch {
		w.addressSeq = w.seq
	}
	if d.cfg.CycleAccurate {
		if w.timing, ok = d.beginTiming(last - i + 1); !ok {
			return i
		}
	}
	next := d.warmPackets(i, last, &w)
	if next > i {
		d.warmed += w.seq - d.walk.Seq
		d.cool(&w, next)
	}
	return next
}

// isWarm reports whether the next packets may be decoded warm: only atoms or an address
// are due.
func (d *Decoder) isWarm() bool {
	return d.cfg.OneT32 && !d.packets && !d.inDebug && !d.unsure && !d.unplacedRun.active && (d.walk.Known() || d.pending)
}

// warmPackets is the loop of decodeWarm.
func (d *Decoder) warmPackets(i, last int, w *warm) int {
	data, offsets, headers, counted, space := d.rec.Part.Data, &d.rec.Offsets, &d.headers, d.cfg.CycleAccurate, d.rec.Space()
	runs, n := d.rec.Result.Runs[:cap(d.rec.Result.Runs)], len(d.rec.Result.Runs)
	at, pos, seq := w.at, w.pos, w.seq
packets:
	for i <= last {
		b := data[i]
		if b&0x81 != 0x80 {
			if b&1 == 0 || at.Known() && !w.maybeRepeated(runs[:n], pos, seq) {
				break
			}
			next, length := d.warmBranch(data[i:i+maxAddressBytes], at, space)
			if length == 0 {
				break
			}
			if at.Known() {
				w.repeated++
			} else {
				w.indirect++
			}
			at, pos = next, 0
			w.addressAt, w.addressEnd, w.addressSeq = i, i+length, seq
			i += length
			continue
		}
		h := &headers[b>>1&0x3f]
		if h.idle {
			i = w.pass(data[:last+1], i, offsets, headers, seq)
			continue
		}
		offset, left, failed := int64(offsets.At(i)), int(h.count), uint64(h.failed)
		if left == 0 || !at.Known() {
			break
		}
		if n+maxAtoms > len(runs) {
			runs = room(runs, n)
		}
		if seq == w.seq {
			d.rec.Settle()
		}
		from, fromPos, first := at, pos, n
		for left > 0 {
			if !at.Ready(w.part) && !d.walk.Include(at) {
				at, pos, n = from, fromPos, first
				break packets
			}
			k := min(left, int(at.Instructions())-pos)
			run := &runs[n]
			at.FillInside(run, offset, pos, k, failed&(1<<k-1))
			n++
			if pos, left = pos+k, left-k; pos < int(at.Instructions()) {
				break
			}
			executed := uint8(failed>>(k-1)&1 ^ 1)
			run.Outcome = at.Outcome(executed)
			next := at.Next(executed)
			if !next.Known() {
				next = d.walk.Link(at, executed)
			}
			if !next.Known() && (left > 0 || executed == 0 || !d.warmIndirect(at)) {
				at, pos, n = from, fromPos, first
				break packets
			}
			at, pos = next, 0
			failed >>= k
		}
		i++
		seq += int64(h.count)
		if counted {
			w.packet(h, runs[first:n], offset, seq)
		}
	}
	d.rec.Result.Runs = runs[:n]
	w.at, w.pos, w.seq = at, pos, seq
	return i
}

// warmIndirect reports whether the waypoint at a position is an indirect branch that makes
// no row of its own. It notes the instruction set for the address that follows.
func (d *Decoder) warmIndirect(at flow.Cursor) bool {
	if !at.Indirect() || at.ExceptionReturn() && d.cfg.returnsByOpcode() {
		return false
	}
	d.isa = at.ISA()
	return true
}

// maybeRepeated reports whether a branch address may repeat the target of the direct
// branch that was traced before it, as compareBranch counts it.
func (w *warm) maybeRepeated(runs []schema.Run, pos int, seq int64) bool {
	return pos == 0 && seq > w.addressSeq && seq > w.seq+1 && runs[len(runs)-1].Outcome == schema.Taken
}

// warmBranch goes to the branch address that b begins with, from an indirect branch, or
// repeats it from the target at. The length is 0, and nothing happens, if that is not
// warm.
func (d *Decoder) warmBranch(b []byte, at flow.Cursor, space image.Space) (next flow.Cursor, length int) {
	state := d.isa
	if at.Known() {
		state = at.ISA()
	}
	thumbEE := state == schema.T32EE || d.altISA && state != schema.T32
	word, last := uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16|uint32(b[3])<<24, b[maxAddressBytes-1]
	length = bits.TrailingZeros32(^word&(more|more<<8|more<<16|more<<24))/8 + 1
	sent := uint32(7*length - 1)
	v := word>>1&0x3f | word>>8&0x7f<<6 | word>>16&0x7f<<13 | word>>24&0x7f<<20
	switch {
	case length == maxAddressBytes:
		switch {
		case last&(oldForm|addressBit6|addressJazelle) != 0 || last&(addressThumb|addressARM) == 0:
			return next, 0
		case last&addressThumb == 0:
			state = schema.A32
		case thumbEE:
			state = schema.T32EE
		default:
			state = schema.T32
		}
		v |= uint32(last) << 27
		sent = 32
	case d.cfg.AltBranch && length > 1:
		if sent--; word>>(8*length-2)&1 != 0 { // information bytes
			return next, 0
		}
	}
	shift := uint32(addressShift(state))
	mask := uint32(1)<<(sent+shift) - 1
	to := d.address&^mask | v<<shift&mask
	if next = d.walk.Find(to, state, space); !next.Known() || at.Known() && next != at {
		return next, 0
	}
	d.address, d.isa, d.altISA = to, state, thumbEE
	return next, length
}

// cool gives the state of the fast path back, which ends at Data[end].
func (d *Decoder) cool(w *warm, end int) {
	atoms := w.seq - d.walk.Seq
	d.offset = d.rec.Offset(end - 1)
	if w.addressEnd == end {
		d.offset = d.rec.Offset(w.addressAt)
	}
	d.walk.ResumeInside(w.at, w.pos, w.seq)
	d.pending = !w.at.Known()
	q := &d.rec.Segment.Quality
	q.Branches += w.indirect + w.repeated
	q.BranchesIndirect += w.indirect
	q.BranchesRepeated += w.repeated
	d.afterBranch = w.addressSeq == w.seq
	if d.cfg.CycleAccurate {
		d.endTiming(&w.timing, atoms)
	}
	if atoms > 0 { // see walked
		d.setCancelable(decode.CancelableInstruction)
		d.since.instructions = true
		d.underway = d.started && !d.atoms && atoms == 1 && d.walk.TransfersData()
		d.atoms = true
	}
}

// A timing is the state of cycle-accurate mode in the fast path (§7.3.3, docs/etmv3.md
// §5): see [Decoder.costedAtoms]. Of counts and costs, which are as long as there is room,
// the first n and m are rows.
type timing struct {
	span   *schema.CountSpan
	counts []schema.Count
	costs  []uint32
	n, m   int
	cycle  int64 // in the epoch, since that of the span
	waits  int64 // cycles since the last instruction
}

// beginTiming begins the timing of the fast path, for at most so many bytes. It fails if
// a cost or a count may need more than 32 bits.
func (d *Decoder) beginTiming(bytes int) (t timing, ok bool) {
	r := d.rec.Result
	span, ok := r.Counts.Open(d.walk.Seq, d.rec.Point(), maxAtoms*int64(bytes))
	t = timing{
		span: span, counts: r.Counts.Rows, costs: r.Costs, n: len(r.Counts.Rows), m: len(r.Costs),
		cycle: d.rec.Cycle - span.Cycle.V, waits: d.waits,
	}
	t.counts, t.costs = t.counts[:cap(t.counts)], t.costs[:cap(t.costs)]
	return t, ok && d.waits < schema.CountReach
}

// endTiming gives the timing back, after a number of atoms.
func (d *Decoder) endTiming(t *timing, atoms int64) {
	d.rec.Result.Counts.Rows, d.rec.Result.Costs = t.counts[:t.n], t.costs[:t.m]
	d.rec.Cycle, d.waits = t.span.Cycle.V+t.cycle, t.waits
	if atoms > 0 && d.back.Waits == decode.WaitsPassed {
		d.back.Waits = decode.WaitsTaken
	}
}

// maxCosts is how many atoms a cycle-accurate P-header has at most.
const maxCosts = 8

// pass passes the P-headers from data[i] on that are cycles alone, of which a processor
// that waits makes many, and returns where they end. Before them there are seq
// instructions.
func (t *timing) pass(data []byte, i int, offsets *decode.OffsetCursor, headers *[64]warmHeader, seq int64) int {
	counts, n, cycle, start := t.counts, t.n, t.cycle, t.cycle
	for ; i < len(data) && data[i]&0x81 == 0x80; i++ {
		h := &headers[data[i]>>1&0x3f]
		if !h.idle {
			break
		}
		if n == len(counts) {
			counts = room(counts, n)
		}
		cycle += int64(h.waits)
		x := &counts[n]
		x.Offset, x.Seq, x.Cycle = int64(offsets.At(i)), int32(seq-t.span.Seq), int32(cycle)
		x.Cycles, x.Kind = uint32(h.waits), schema.CountPacket
		n++
	}
	t.counts, t.n, t.cycle, t.waits = counts, n, cycle, t.waits+cycle-start
	return i
}

// packet adds the cycles of a P-header of atoms. Its runs are those given, after which
// there are seq instructions. Which headers follow each other is hard to predict, so there
// are few conditions: slots after the rows are overwritten.
func (t *timing) packet(h *warmHeader, runs []schema.Run, offset, seq int64) {
	if t.n == len(t.counts) || t.m+maxCosts > len(t.costs) {
		t.counts, t.costs = room(t.counts, t.n), room(t.costs, t.m)
	}
	costs := (*[maxCosts]uint32)(t.costs[t.m:])
	for i := range costs {
		costs[i] = uint32(h.between)
	}
	costs[0] = uint32(t.waits) + uint32(h.waits) // since the last instruction
	t.cost(h, runs, costs[0]-uint32(h.between))
	t.m += int(h.count)
	t.waits = 0
	t.cycle += int64(h.cycles)
	x := &t.counts[t.n]
	x.Offset, x.Seq, x.Cycle = offset, int32(seq-1-t.span.Seq), int32(t.cycle)
	x.Cycles, x.Kind = uint32(h.cycles), schema.CountAtom
	t.n += int(h.rows)
}

// cost adds the costs of a P-header to its runs. The first atom costs more than the
// others.
func (t *timing) cost(h *warmHeader, runs []schema.Run, more uint32) {
	between, at := uint32(h.between), t.span.Cycle.V+t.cycle+int64(h.waits)-int64(h.between)
	for i := range runs {
		run := &runs[i]
		cycles := between * uint32(run.Count)
		at += int64(cycles)
		run.Cycle, run.Cycles, run.Flags = at, cycles+more, schema.RunHasFailed|schema.RunHasCosts
		more = 0
	}
}

// room makes room for more than the first n elements of s.
func room[T any](s []T, n int) []T {
	s = slices.Grow(s[:n], max(1024, n/2))
	return s[:cap(s)]
}
