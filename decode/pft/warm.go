package pft

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
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

// decodeWarm decodes packets from Data[i] on, as far as they are warm, and returns
// where it stopped.
func (d *Decoder) decodeWarm(i int) int {
	data := d.rec.Part.Data
	last := min(i+len(d.rec.Bytes(i))-maxAddressBytes, len(data)-8) // where a packet may begin
	if i > last || outcomes[data[i]] == 0 || d.packets || d.cfg.CycleAccurate {
		return i
	}
	at, part, ok := d.walk.Lend()
	if !ok {
		return i
	}
	d.rec.Settle()

	n := len(d.rec.Result.Runs)
	runs := d.rec.Result.Runs[:cap(d.rec.Result.Runs)]
	seq, address, state, space := d.walk.Seq, d.address, d.isa, d.rec.Space()
	offset, branches := int64(0), int64(0)
	stack := d.cfg.ReturnStack
	left, e, undecided := uint8(0), uint8(0), false

packets:
	for i <= last {
		if n+maxAtoms > len(runs) {
			runs = slices.Grow(runs[:n], 1024)
			runs = runs[:cap(runs)]
		}
		h := data[i]
		offset = d.rec.Offset(i)
		if left = outcomes[h]; left != 0 {
			i++
			for left > 1 {
				if !at.Ready(part) && !d.walk.Admit(at) {
					break packets
				}
				e = left & 1
				left >>= 1
				at.Fill(&runs[n], offset, e)
				n++
				seq += at.Instructions()
				next := at.Next(e)
				if e&at.Special() != 0 {
					switch f, link := at.Waypoint(); {
					case f == isa.Direct:
						if stack && next.Known() {
							d.walk.PushCursor(at)
						}
					case f == isa.Indirect:
						next = flow.Cursor{}
						if top := d.walk.Top(); stack && !link && top.Known() && top.Space() == space {
							if next = top.Next(0); next.Known() {
								d.walk.Pop()
							}
						}
					default:
						next = at.Next(0)
					}
				}
				if !next.Known() {
					undecided = true
					break packets
				}
				at = next
			}
			continue
		}
		if h&1 == 0 || !at.Ready(part) && !d.walk.Admit(at) {
			break
		}
		f, link := at.Waypoint()
		to, toISA, length := shortBranch(binary.LittleEndian.Uint64(data[i:]), address, at.ISA())
		if length == 0 || f != isa.Indirect {
			break
		}
		i += length
		at.Fill(&runs[n], offset, 1)
		n++
		seq += at.Instructions()
		branches++
		if stack && link {
			d.walk.PushCursor(at)
		}
		address, state = to, toISA
		next := d.walk.Find(to, toISA, space)
		if !next.Known() {
			undecided = true
			e = 2
			break
		}
		at = next
	}
	d.rec.Result.Runs = runs[:n]
	d.walk.Resume(at, seq)
	d.offset, d.address, d.isa = offset, address, state
	d.rec.Segment.Quality.Branches += branches
	d.rec.Segment.Quality.BranchesIndirect += branches
	if undecided {
		if e == 2 {
			d.walk.Goto(decode.PC{Address: address, ISA: state}, space)
		} else {
			d.leaveWaypoint(e == 1)
		}
	}
	if left > 1 {
		p := atomsLeft(left)
		d.analyzeAtomHeader(&p)
	}
	return i
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

// addressBits is how many bits of the address so many address bytes have.
var addressBits = [maxAddressBytes]uint32{1: 6, 2: 12, 3: 19, 4: 26}
