package pft

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/schema"
)

// This file is the fast path: atoms, and branch addresses without exception and
// information, through code whose blocks are cached and linked. It makes what
// [Decoder.decodePackets] makes of them by the operations of appendix B.3, and leaves
// everything else to that.

// outcomes has for each atom header its atoms under a stop bit, the oldest in bit 0; 1 is
// E. It is 0 for all other headers.
var outcomes = func() (table [256]uint8) {
	for h := 0x80; h < 0x100; h += 2 {
		var p Packet
		if parseAtoms(&p, byte(h)) == nil {
			stop := uint8(1) << p.AtomCount
			table[h] = stop | ^p.Atoms&(stop-1)
		}
	}
	return table
}()

// longestWarm is how long an atom with its count and a branch address without one are at
// most.
const longestWarm = max(maxCyclesBytes, maxAddressBytes)

// maxAtoms is how many atoms a packet has at most.
const maxAtoms = 5

// atomsLeft returns the packet of atoms as the table outcomes has them.
func atomsLeft(left uint8) Packet {
	n := bits.Len8(left) - 1
	return Packet{Kind: Atom, Len: 1, Atoms: ^left & (1<<n - 1), AtomCount: uint8(n)}
}

// decodeWarm decodes packets from Data[i] on, as long as they are warm, and returns
// where it stopped.
func (d *Decoder) decodeWarm(i int) int {
	data := d.Rec.Part.Data
	// Packets begin at last or before, so that neither the end of what they may reach
	// cuts one off, nor the end of the data eight bytes from where it begins.
	last := min(i+len(d.Rec.Bytes(i))-longestWarm, len(data)-8)
	if i > last || data[i]&0x81 == 0 || d.Packets {
		return i
	}
	at := d.Walk.Lend()
	switch {
	case !at.Known():
		return i
	case d.cfg.CycleAccurate && d.turns:
		return d.warmTimed(i, last, at)
	case d.cfg.CycleAccurate:
		return d.warmCounted(i, last, at)
	case d.turns:
		return d.warmTurns(i, last, at)
	}
	return d.warmAtoms(i, last, at)
}

// warmAtoms is decodeWarm outside cycle-accurate mode.
func (d *Decoder) warmAtoms(i, last int, at flow.Cursor) int {
	data, runs, n := d.Rec.Part.Data, d.Rec.Result.Runs, len(d.Rec.Result.Runs)
	from, seq := n, d.Walk.Seq
	runs = runs[:cap(runs)]
	reached := decode.PC{Address: d.address, ISA: d.isa}
	offset, left, exit := d.Offset, uint8(0), flow.AtBlock
	for i <= last {
		if n+maxAtoms > len(runs) {
			runs = room(runs, n)
		}
		h := data[i]
		if atoms := outcomes[h]; atoms != 0 {
			offset = int64(d.Rec.Offsets.At(i))
			i++
			var walked int
			at, walked, left, exit = d.Walk.Atoms(at, runs[n:], atoms, offset)
			if n += walked; left > 1 || exit != flow.AtBlock {
				break
			}
			continue
		}
		if h&1 == 0 {
			break
		}
		to, length := shortBranch(binary.LittleEndian.Uint64(data[i:]), reached.Address, at.ISA())
		if length == 0 {
			break
		}
		next, ok := d.Walk.Branch(at, &runs[n], int64(d.Rec.Offsets.At(i)), to)
		if !ok {
			break
		}
		d.countBranch(at)
		n++
		i += length
		if reached = to; !next.Known() {
			exit = toAddress
			break
		}
		at = next
	}
	d.Offset = offset
	d.Walk.EndRuns(runs[:n], from, seq, d.Walk.Seq-seq)
	d.cool(at, exit, runs[:n], reached)
	if left > 1 {
		p := atomsLeft(left)
		d.analyzeAtomHeader(&p)
	}
	return i
}

// warmCounted is decodeWarm in cycle-accurate mode: one atom a packet, and a count in
// each.
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
	offset, exit := d.Offset, flow.AtBlock
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
		cycles, countLength := uint32(word)>>cyclesShift&0x0f, 1
		if word&cyclesMore != 0 {
			countLength = lengthOfCount(word)
			cycles = countOf(word, countLength)
		}
		if d.Walk.Seq+at.Instructions()-span.Seq > schema.CountReach || cycle+int64(cycles) >= schema.CountReach {
			break
		}
		offset = int64(d.Rec.Offsets.At(i))
		run, kind, e := &runs[n], schema.CountAtom, ^h>>1&1
		var next flow.Cursor
		if length == 0 {
			next, ok = d.Walk.Step(at, run, e, offset)
		} else {
			next, ok = d.Walk.Branch(at, run, offset, to)
			kind = schema.CountBranch
		}
		if !ok {
			break
		}
		i += length + countLength
		cycle += int64(cycles)
		run.Cycles, run.Cycle, run.Flags = cycles, start+cycle, schema.RunHasCycles
		n++
		x := &counts[m]
		x.Offset, x.Seq, x.Cycle, x.Cycles, x.Kind = offset, int32(d.Walk.Seq-1-span.Seq), int32(cycle), cycles, kind
		m += keep
		sums.add(kind, cycles)
		pause := flow.AfterFailed + flow.Pause(e)
		if length > 0 {
			d.countBranch(at)
			reached, pause = to, toAddress
		}
		if !next.Known() {
			exit = pause
			break
		}
		at = next
	}
	d.Rec.Cycle, d.Rec.Result.Counts.Rows = start+cycle, counts[:m]
	d.addSums(&sums)
	d.Offset = offset
	d.cool(at, exit, runs[:n], reached)
	return i
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

// toAddress is a pause beside those of a walk: after a branch packet, whose target has no
// block yet.
const toAddress = flow.AfterExecuted + 1

// cool gives a warm walk back to the operations of appendix B.3. runs are all runs so far,
// reached is LastState.
func (d *Decoder) cool(at flow.Cursor, exit flow.Pause, runs []schema.Run, reached decode.PC) {
	if len(runs) > len(d.Rec.Result.Runs) {
		d.Rec.Settle() // only plain packets change spans, so one is due before the first run or not at all
		d.Rec.Result.Runs = runs
	}
	d.address, d.isa = reached.Address, reached.ISA
	d.Walk.Resume(at)
	switch exit {
	case flow.AtBlock:
	case toAddress:
		d.Walk.Goto(reached, d.Rec.Security())
	default:
		d.leaveWaypoint(exit == flow.AfterExecuted)
	}
}

// countBranch counts a branch packet that agrees with the waypoint of the block at a
// position, as compareBranch does.
func (d *Decoder) countBranch(at flow.Cursor) {
	if at.Indirect() {
		d.Rec.Segment.Quality.IndirectBranch()
	} else {
		d.Rec.Segment.Quality.RepeatedBranch()
	}
}

// room returns rows with room for more than the n that there are.
func room[T any](rows []T, n int) []T {
	rows = slices.Grow(rows[:n], max(1024, n/8))
	return rows[:cap(rows)]
}

// shortBranch resolves the branch address that a word begins with, of 1 to 5 bytes, from
// the address before and the instruction set (§4.5.4). Its length is 0 if it has
// information bytes or is of Jazelle state.
func shortBranch(word uint64, before schema.Address, state schema.ISA) (to decode.PC, length int) {
	v := uint32(word>>1)&0x3f | uint32(word>>8)&0x7f<<6 | uint32(word>>16)&0x7f<<13 | uint32(word>>24)&0x7f<<20
	end := ^uint32(word) & (more | more<<8 | more<<16 | more<<24)
	if end == 0 {
		return longBranch(v, byte(word>>32))
	}
	length = bits.TrailingZeros32(end)/8 + 1
	if length > 1 && word>>(8*length-2)&1 != 0 {
		return decode.PC{}, 0
	}
	shift := uint32(1)
	if state == schema.A32 {
		shift = 2
	}
	mask := uint32(1)<<(addressBits[length]+shift) - 1
	return decode.PC{Address: before&^schema.Address(mask) | schema.Address(v<<shift&mask), ISA: state}, length
}

// longBranch is shortBranch of five bytes: 27 bits, and the fifth byte.
func longBranch(v uint32, fifth byte) (to decode.PC, length int) {
	switch {
	case fifth&(addressBit6|addressJazelle) != 0:
		return decode.PC{}, 0
	case fifth&addressThumb != 0:
		return decode.PC{Address: schema.Address((v | uint32(fifth)<<27) << 1), ISA: schema.T32}, maxAddressBytes
	}
	return decode.PC{Address: schema.Address((v | uint32(fifth)<<27) << 2), ISA: schema.A32}, maxAddressBytes
}

// lengthOfCount returns the length of the cycle count that a word begins with (§4.4), as
// parseCycles does.
func lengthOfCount(word uint64) int {
	const last = more<<8 | more<<16 | more<<24
	end := ^(word<<1&more|word&last)&(more|last) | more<<32
	return bits.TrailingZeros64(end)/8 + 1
}

// countOf returns the cycle count of n bytes that a word begins with.
func countOf(word uint64, n int) uint32 {
	v := word>>cyclesShift&0x0f | word>>8&0x7f<<4 | word>>16&0x7f<<11 | word>>24&0x7f<<18 | word>>32&0x7f<<25
	return uint32(v & (1<<(7*n-3) - 1))
}

// addressBits is how many bits of the address so many address bytes have.
var addressBits = [maxAddressBytes]uint32{1: 6, 2: 12, 3: 19, 4: 26}
