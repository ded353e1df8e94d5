package etmv2

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// This file handles the Thumb BL and BLX of these cores, which are two halfwords with
// a status each (docs/etmv2.md §6.2, A12).

// A split is the position of the flow inside such a pair.
type split struct {
	// second: the flow is at the second half of the pair at the position.
	second bool
	// first: a status traced the first half.
	first bool
}

// end leaves the pair.
func (s *split) end() { *s = split{} }

// Halves of a pair, by the five high bits: the cores have no other 32-bit Thumb
// instructions.
const (
	pairPrefix = 0x1e
	suffixBL   = 0x1f
	suffixBLX  = 0x1d
)

func isSuffix(h uint16) bool { return h>>11 == suffixBL || h>>11 == suffixBLX }

// firstHalf handles the status of a first half: it makes no row and does not move the
// position. A second half to which no first one led is as without image.
func (d *Decoder) firstHalf() bool {
	if d.split.second || d.walk.ISA() != schema.T32 || d.walk.Next() != 4 {
		return false
	}
	at := d.walk.PC()
	if h, ok := d.halfword(at.Address); !ok || h>>11 != pairPrefix {
		d.missing(at.Address)
		return false
	}
	d.split = split{second: true, first: true}
	d.setCancelable(decode.CancelableUnplaced)
	d.since.instructions = true
	d.afterBranch = false
	return true
}

// enterThumb sets the position to an address in Thumb state, which may be the second
// half of a pair.
func (d *Decoder) enterThumb(to decode.PC) {
	if d.isSecondHalf(to.Address) {
		to.Address -= 2
		d.split.second = true
	}
	d.walk.Goto(to, d.rec.Security())
}

// isSecondHalf reports whether an address is that of the second half of a pair.
func (d *Decoder) isSecondHalf(address schema.Address) bool {
	h, ok := d.halfword(address)
	if !ok || !isSuffix(h) {
		return false
	}
	prefix, ok := d.halfword(address - 2)
	return ok && prefix>>11 == pairPrefix
}

// dropHalf drops the first half of a pair whose second half is not traced.
func (d *Decoder) dropHalf() {
	if d.split.first {
		d.rec.Event(d.key(), schema.EventSplitInstruction, schema.Of(d.walk.PC().Address), "")
	}
	d.split.end()
}

// here returns the PC, which must be known, as the trace reports it: after the first
// half of a pair, that of the second.
func (d *Decoder) here() decode.PC {
	at := d.walk.PC()
	if d.split.second {
		at.Address += 2
	}
	return at
}

func (d *Decoder) halfword(address schema.Address) (uint16, bool) {
	b := d.mem.Fetch(d.rec.Space(), address)
	if len(b) < 2 {
		return 0, false
	}
	return uint16(b[0]) | uint16(b[1])<<8, true
}
