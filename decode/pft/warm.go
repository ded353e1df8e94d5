package pft

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
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

// maxAtoms is how many atoms a packet has at most.
const maxAtoms = 5

// atomsLeft returns the packet of atoms as the table outcomes has them.
func atomsLeft(left uint8) Packet {
	n := bits.Len8(left) - 1
	return Packet{Kind: Atom, Len: 1, Atoms: ^left & (1<<n - 1), AtomCount: uint8(n)}
}

// decodeWarm decodes packets from Data[i] on, as long as they are warm, and returns
// where it stopped. If it decodes any, the first is of atoms.
func (d *Decoder) decodeWarm(i int) int {
	data := d.rec.Part.Data
	// Packets begin before last, so that neither the end of what they may reach nor
	// that of the data cuts one off, or eight bytes of it.
	longest := maxAddressBytes
	if d.cfg.CycleAccurate {
		longest += maxCyclesBytes
	}
	last := min(i+len(d.rec.Bytes(i)), len(data)-8) - longest
	if i > last || data[i]&0x81 != 0x80 || d.packets {
		return i
	}
	at, part, ok := d.walk.Lend()
	switch {
	case !ok:
		return i
	case d.cfg.CycleAccurate:
		return d.warmCounted(i, last, at, part)
	}
	return d.warmAtoms(i, last, at, part)
}

// warmAtoms is decodeWarm outside cycle-accurate mode, at a position in a part.
func (d *Decoder) warmAtoms(i, last int, at flow.Cursor, part uint32) int {
	d.rec.Settle()
	data, runs, n := d.rec.Part.Data, d.rec.Result.Runs, len(d.rec.Result.Runs)
	runs = runs[:cap(runs)]
	seq, address, state, space := d.walk.Seq, d.address, d.isa, d.rec.Space()
	offset, branches, left, exit := d.offset, int64(0), uint8(0), toBlock
packets:
	for i <= last {
		if n+maxAtoms > len(runs) {
			runs = room(runs, n)
		}
		h := data[i]
		offset = int64(d.rec.Offsets.At(i))
		if left = outcomes[h]; left != 0 {
			i++
			for left > 1 {
				if !at.Ready(part) && !d.walk.Admit(at) {
					break packets
				}
				e := left & 1
				left >>= 1
				at.Fill(&runs[n], offset, e)
				n++
				seq += at.Instructions()
				next := at.Next(e)
				if e&at.Special() != 0 {
					next = d.warmSuccessor(at, space)
				}
				if !next.Known() {
					exit = warmExit(e)
					break packets
				}
				at = next
			}
			continue
		}
		if h&1 == 0 {
			break
		}
		f, _ := at.Waypoint()
		to, toISA, length := shortBranch(binary.LittleEndian.Uint64(data[i:]), address, at.ISA())
		if length == 0 || f != isa.Indirect || !at.Ready(part) && !d.walk.Admit(at) {
			break
		}
		i += length
		at.Fill(&runs[n], offset, 1)
		n++
		seq += at.Instructions()
		branches++
		address, state = to, toISA
		next := d.warmBranch(at, to, toISA, space)
		if !next.Known() {
			exit = toAddress
			break
		}
		at = next
	}
	d.rec.Result.Runs = runs[:n]
	d.offset, d.address, d.isa = offset, address, state
	d.cool(at, seq, branches, exit)
	if left > 1 {
		p := atomsLeft(left)
		d.analyzeAtomHeader(&p)
	}
	return i
}

// warmCounted is decodeWarm in cycle-accurate mode: one atom a packet, and a count in
// each.
func (d *Decoder) warmCounted(i, last int, at flow.Cursor, part uint32) int {
	span, ok := d.rec.Result.Counts.Reach(d.walk.Seq, d.rec.Point())
	if !ok {
		return i
	}
	d.rec.Settle()
	data, runs, counts := d.rec.Part.Data, d.rec.Result.Runs, d.rec.Result.Counts.Rows
	n, m := len(runs), len(counts)
	runs, counts = runs[:cap(runs)], counts[:cap(counts)]
	seq, cycle := d.walk.Seq-span.Seq, d.rec.Cycle-span.Cycle.V
	address, state, space := d.address, d.isa, d.rec.Space()
	offset, branches, exit := d.offset, int64(0), toBlock
	for i <= last {
		h := data[i]
		e, kind, length := h>>1&1^1, schema.CountAtom, 0
		to, toISA := address, state
		if h&1 != 0 {
			e, kind = 1, schema.CountBranch
			f, _ := at.Waypoint()
			if to, toISA, length = shortBranch(binary.LittleEndian.Uint64(data[i:]), address, at.ISA()); length == 0 || f != isa.Indirect {
				break
			}
		} else if h < 0x80 {
			break
		}
		word := binary.LittleEndian.Uint64(data[i+length:])
		countLength := countLength(word)
		cycles := countOf(word, countLength)
		if seq+at.Instructions() > schema.CountReach || cycle+int64(cycles) >= schema.CountReach || !at.Ready(part) && !d.walk.Admit(at) {
			break
		}
		if n == len(runs) || m == len(counts) {
			runs, counts = room(runs, n), room(counts, m)
		}
		offset = int64(d.rec.Offsets.At(i))
		i += length + countLength
		seq += at.Instructions()
		cycle += int64(cycles)
		run := &runs[n]
		at.Fill(run, offset, e)
		run.Cycles, run.Cycle, run.Flags = cycles, span.Cycle.V+cycle, schema.RunHasCycles
		n++
		x := &counts[m]
		x.Offset, x.Seq, x.Cycle, x.Cycles, x.Kind = offset, int32(seq-1), int32(cycle), cycles, kind
		m++
		next := at.Next(e)
		if length > 0 {
			e = uint8(toAddress)
			branches++
			address, state = to, toISA
			next = d.warmBranch(at, to, toISA, space)
		} else if e&at.Special() != 0 {
			next = d.warmSuccessor(at, space)
		}
		if !next.Known() {
			exit = warmExit(e)
			break
		}
		at = next
	}
	d.rec.Result.Runs, d.rec.Result.Counts.Rows = runs[:n], counts[:m]
	d.rec.Cycle = span.Cycle.V + cycle
	d.offset, d.address, d.isa = offset, address, state
	d.cool(at, span.Seq+seq, branches, exit)
	return i
}

// A warmExit is why a warm walk ended, and where it goes on.
type warmExit uint8

const (
	afterFailed   warmExit = iota // after the waypoint, which failed its condition
	afterExecuted                 // after the waypoint, which was executed: by its flow
	toAddress                     // at the address of a branch packet
	toBlock                       // at the block: the packet is not warm
)

// cool gives the walk back to the operations of appendix B.3.
func (d *Decoder) cool(at flow.Cursor, seq, branches int64, exit warmExit) {
	d.rec.Segment.Quality.Branches += branches
	d.rec.Segment.Quality.BranchesIndirect += branches
	d.walk.Resume(at, seq)
	switch exit {
	case toBlock:
	case toAddress:
		d.walk.Goto(decode.PC{Address: d.address, ISA: d.isa}, d.rec.Space())
	default:
		d.leaveWaypoint(exit == afterExecuted)
	}
}

// room returns rows with room for more than the n that there are.
func room[T any](rows []T, n int) []T {
	rows = slices.Grow(rows[:n], max(1024, n/2))
	return rows[:cap(rows)]
}

// warmBranch returns where a branch packet leads from the waypoint at a position, the zero
// Cursor if that is not warm. It pushes the return address.
func (d *Decoder) warmBranch(at flow.Cursor, to uint32, state schema.ISA, space image.Space) flow.Cursor {
	if _, link := at.Waypoint(); link && d.cfg.ReturnStack {
		d.walk.PushCursor(at)
	}
	return d.walk.Find(to, state, space)
}

// warmSuccessor returns where the executed waypoint at a position leads, as leaveWaypoint
// does. It returns the zero Cursor, and does nothing, if that is not warm.
func (d *Decoder) warmSuccessor(at flow.Cursor, space image.Space) flow.Cursor {
	switch f, link := at.Waypoint(); {
	case f == isa.Direct:
		next := at.Next(1)
		if next.Known() && d.cfg.ReturnStack {
			d.walk.PushCursor(at)
		}
		return next
	case f != isa.Indirect:
		return at.Next(0)
	case link || !d.cfg.ReturnStack:
		return flow.Cursor{}
	}
	top := d.walk.Top()
	if !top.Known() || top.Space() != space || !top.Next(0).Known() {
		return flow.Cursor{}
	}
	d.walk.Pop()
	return top.Next(0)
}

// shortBranch resolves the branch address that a word begins with, of 1 to 5 bytes. Its
// length is 0 if it has information bytes or is of Jazelle state.
func shortBranch(word uint64, address uint32, in schema.ISA) (to uint32, state schema.ISA, length int) {
	v := uint32(word>>1)&0x3f | uint32(word>>8)&0x7f<<6 | uint32(word>>16)&0x7f<<13 | uint32(word>>24)&0x7f<<20
	end := ^uint32(word) & (more | more<<8 | more<<16 | more<<24)
	if end == 0 { // five bytes
		fifth := uint32(word>>32) & 0xff
		if fifth&(addressBit6|addressJazelle) != 0 {
			return 0, 0, 0
		}
		v |= fifth << 27
		if fifth&addressThumb != 0 {
			return v << 1, schema.T32, 5
		}
		return v << 2, schema.A32, 5
	}
	length = bits.TrailingZeros32(end)/8 + 1
	if length > 1 && word>>(8*length-2)&1 != 0 {
		return 0, 0, 0
	}
	shift := uint32(1)
	if in == schema.A32 {
		shift = 2
	}
	mask := uint32(1)<<(addressBits[length]+shift) - 1
	return address&^mask | v<<shift&mask, in, length
}

// countLength returns the length of the cycle count that a word begins with (§4.4), as
// parseCycles does.
func countLength(word uint64) int {
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
