package etmv2

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/decode/record"
	"github.com/tracelake/tracelake/schema"
)

// This file handles the Thumb BL and BLX of these cores, which are two halfwords with
// a status each (docs/etmv2.md §6.2, A12).

// firstHalf handles the status of a first half: it makes no row and does not move the
// position. A second half to which no first one led is as without image.
func (d *Decoder) firstHalf() bool {
	if d.Rec.Half.Second || d.Walk.ISA() != schema.T32 || d.Walk.Next() != 4 {
		return false
	}
	at := d.Walk.PC()
	if h, ok := d.Halfword(at.Address); !ok || !isa.IsPairPrefix(h) {
		d.missing(at.Address)
		return false
	}
	d.Rec.Half = record.Half{Second: true, First: true}
	d.setCancelable(decode.CancelableUnplaced)
	d.Rec.Since.Instructions = true
	d.afterBranch = false
	return true
}

// enterThumb sets the position to an address in Thumb state, which may be the second
// half of a pair.
func (d *Decoder) enterThumb(to decode.PC) {
	if d.isSecondHalf(to.Address) {
		to.Address = (to.Address - 2).In32()
		d.Rec.Half.Second = true
	}
	d.Walk.Goto(to, d.Rec.Security())
}

// isSecondHalf reports whether an address is that of the second half of a pair.
func (d *Decoder) isSecondHalf(address schema.Address) bool {
	h, ok := d.Halfword(address)
	if !ok || !isa.IsPairSuffix(h) {
		return false
	}
	prefix, ok := d.Halfword(address - 2)
	return ok && isa.IsPairPrefix(prefix)
}
