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
	offset, left, exit, branched := d.Offset, uint8(0), flow.AtBlock, false
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
			exit, branched = flow.AfterExecuted, true
			break
		}
		at = next
	}
	d.Offset = offset
	d.Walk.EndRuns(runs[:n], from, seq, d.Walk.Seq-seq)
	d.cool(at, exit, branched, runs[:n], reached)
	if left > 1 {
		p := atomsLeft(left)
		d.analyzeAtomHeader(&p)
	}
	return i
}

// endStretch ends a stretch, of which some executed, at a position. It returns the runs.
func (d *Decoder) endStretch(s *flow.Stretch, at flow.Cursor) []schema.Run {
	d.Rec.Settle()
	d.Walk.EndStretch(s, at, d.Offset)
	return d.Rec.Result.Runs
}

// cool gives a warm walk back to the operations of appendix B.3. branched says that a branch was
// the last packet. runs are all runs so far, reached is LastState.
func (d *Decoder) cool(at flow.Cursor, exit flow.Pause, branched bool, runs []schema.Run, reached decode.PC) {
	if len(runs) > len(d.Rec.Result.Runs) {
		d.Rec.Settle() // only plain packets change spans, so one is due before the first run or not at all
		d.Rec.Result.Runs = runs
	}
	d.address, d.isa = reached.Address, reached.ISA
	d.Walk.Resume(at)
	switch {
	case exit == flow.AtBlock:
	case branched: // to a target that has no block yet
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

// addressBits is how many bits of the address so many address bytes have.
var addressBits = [maxAddressBytes]uint32{1: 6, 2: 12, 3: 19, 4: 26}
