package etmv1

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file handles BL and BLX of Thumb code, which are two halfwords with a status
// each. The cores have no other instruction of 32 bits in Thumb code, so a halfword
// alone shows which half it is (docs/etmv2.md §6.2).

// firstHalf handles the first of the two statuses: it makes no row and does not move
// the position. A second half to which no first one led is as without image.
func (d *Decoder) firstHalf() bool {
	if d.Rec.Half.Second || d.Rec.Half.Orphan || d.Walk.ISA() != schema.T32 || d.Walk.Next() != 4 {
		return false
	}
	if h, _ := d.Halfword(d.Walk.PC().Address); !isa.IsPairPrefix(h) {
		d.Rec.Half.Orphan = true
		return false
	}
	d.Rec.Half.Second, d.Rec.Half.First = true, true
	return true
}

// inside returns where the flow goes on that goes to an address: the start of the
// pair, if that is the second half of one.
func (d *Decoder) inside(to decode.PC) decode.PC {
	if to.ISA != schema.T32 {
		return to
	}
	if h, _ := d.Halfword(to.Address); !isa.IsPairSuffix(h) {
		return to
	}
	if h, _ := d.Halfword(to.Address - 2); isa.IsPairPrefix(h) {
		d.Rec.Half.Second = true
		to.Address = (to.Address - 2).In32()
		return to
	}
	d.Rec.Half.Orphan = true
	return to
}
