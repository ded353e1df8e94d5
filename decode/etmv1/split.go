package etmv1

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file handles BL and BLX of Thumb code, which are two halfwords with a status
// each. The cores have no other instruction of 32 bits in Thumb code, so a halfword
// alone shows which half it is (docs/etmv2.md §6.2).

// A split is the position of the flow inside such a pair.
type split struct {
	// second: the flow is at the second half of the instruction at the position.
	second bool
	// first: a status traced the first half.
	first bool
	// orphan: the flow is at a second half without a first one.
	orphan bool
}

// end leaves the pair.
func (s *split) end() { *s = split{} }

// isPair reports whether an instruction is two halfwords.
func (d *Decoder) isPair(in *isa.Instruction) bool { return d.walk.ISA() == schema.T32 && in.Size == 4 }

// firstHalf handles the first of the two statuses: it makes no row and does not move
// the position. A second half to which no first one led is as without image.
func (d *Decoder) firstHalf() bool {
	if d.split.second || d.split.orphan || d.walk.ISA() != schema.T32 || d.walk.Next() != 4 {
		return false
	}
	if d.halfword(d.walk.PC().Address)>>11 != prefix {
		d.split.orphan = true
		return false
	}
	d.split.second, d.split.first = true, true
	return true
}

// dropHalf drops the first half of an instruction whose second half is not traced.
func (d *Decoder) dropHalf() {
	if d.split.second && d.split.first {
		d.rec.Event(d.key(), schema.EventSplitInstruction, schema.Of(d.walk.PC().Address), "")
	}
	d.split.end()
}

// here returns the position, which must be known, as the trace reports it: after the
// first half of a pair, that of the second half.
func (d *Decoder) here() decode.PC {
	at := d.walk.PC()
	if d.split.second {
		at.Address += 2
	}
	return at
}

// inside returns where the flow goes on that goes to an address: the start of the
// pair, if that is the second half of one.
func (d *Decoder) inside(to decode.PC) decode.PC {
	if to.ISA != schema.T32 || !isSuffix(d.halfword(to.Address)) {
		return to
	}
	if d.halfword(to.Address-2)>>11 == prefix {
		d.split.second = true
		to.Address -= 2
		return to
	}
	d.split.orphan = true
	return to
}

// The five high bits of the halves of a pair.
const (
	prefix    = 0x1E
	suffixBL  = 0x1F
	suffixBLX = 0x1D
)

// isSuffix reports whether a halfword is the second half of a pair.
func isSuffix(h uint16) bool { return h>>11 == suffixBL || h>>11 == suffixBLX }

// halfword reads a halfword of the program, 0 if there is none.
func (d *Decoder) halfword(address schema.Address) uint16 {
	b := d.mem.Fetch(d.rec.Space(), address)
	if len(b) < 2 {
		return 0
	}
	return uint16(b[0]) | uint16(b[1])<<8
}
