package etmv3

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file handles 32-bit T32 instructions that are traced as two, with an atom
// for each half (ETMIDR[18] = 0, docs/etmv3.md §4.3).

// A twin decodes segments a second time, as if they began inside an instruction:
// only the previous segment knows whether they do.
type twin struct {
	decoder *Decoder // nil until needed
	// held counts the instructions in the blocks of what the twin decoded for the
	// result of.
	of   *decode.Result
	held int
}

// firstHalf handles the first of the two atoms of a 32-bit T32 instruction
// (docs/etmv3.md §4.3): it makes no row and does not move the position.
func (d *Decoder) firstHalf() bool {
	if d.Rec.Half.Second || d.Walk.ISA() != schema.T32 && d.Walk.ISA() != schema.T32EE || d.Walk.Next() != 4 {
		return false
	}
	d.Rec.Half.Second, d.Rec.Half.First = true, true
	d.setCancelable(decode.CancelableUnplaced)
	d.afterBranch = false
	return true
}

// toSecondHalf sets the position to the second half of the instruction at a PC.
// traced reports whether an atom traced the first half.
func (d *Decoder) toSecondHalf(at decode.PC, traced bool) {
	d.Walk.Goto(at, d.Rec.Security())
	d.Rec.Half.Second, d.Rec.Half.First = true, traced
}

// secondHalf reports whether an address that the flow goes to is the second half
// of an instruction. An earlier exception of the segment at that address knows;
// otherwise the code is inspected.
func (d *Decoder) secondHalf(address schema.Address) bool {
	if half, ok := d.returns.half(address); ok {
		return half
	}
	return d.inPair(address)
}

// noteReturn notes the return address of an exception, which matters in T32 code
// only, and whether it is the second half of an instruction. It also notes where
// that instruction starts (if it is) or the next one does (if not), since a handler
// that completes an instruction returns after it.
func (d *Decoder) noteReturn(address schema.Address, half bool) {
	begins := (address - 2).In32()
	if first, ok := d.Halfword(address); !half {
		size := schema.Address(2)
		if ok && isa.Is32Bit(first) {
			size = 4
		}
		begins = (address + size).In32()
	}
	d.returns.add(returnPoint{begins, false})
	d.returns.add(returnPoint{address, half})
}

// A returnPoint is an address, and whether it is the second half of an instruction.
type returnPoint struct {
	address schema.Address
	half    bool
}

// returnPoints are the last ones of a segment: enough for nested exceptions.
type returnPoints struct {
	last [16]returnPoint
	n    int
}

func (r *returnPoints) add(at returnPoint) {
	r.last[r.n%len(r.last)] = at
	r.n++
}

// half reports whether an address was the second half of an instruction when an
// exception was last taken there. ok is false if none was.
func (r *returnPoints) half(address schema.Address) (half, ok bool) {
	for i := r.n - 1; i >= max(0, r.n-len(r.last)); i-- {
		if at := r.last[i%len(r.last)]; at.address == address {
			return at.half, true
		}
	}
	return false, false
}

// inPair reports whether the halfword at address is the second half of a BL or BLX
// that is traced as two instructions (docs/etmv3.md §4.3); that of a BLX is even.
// What looks like a first half may be the end of another instruction. So inPair
// scans back to the nearest halfword below 0xE800, which is always a whole
// instruction or the end of one, and counts forward from there.
func (d *Decoder) inPair(address schema.Address) bool {
	prefix, ok := d.Halfword(address - 2)
	suffix, ok2 := d.Halfword(address)
	isBL, isBLX := suffix>>11 == 0x1f, suffix>>11 == 0x1d && suffix&1 == 0
	if !ok || !ok2 || prefix>>11 != 0x1e || !isBL && !isBLX {
		return false
	}
	n := schema.Address(1) // halfwords before address that may be first halves
	for ; n < maxPairs; n++ {
		if h, ok := d.Halfword(address - 2*n - 2); !ok || !isa.Is32Bit(h) {
			break
		}
	}
	return n%2 == 1
}

// maxPairs bounds the halfwords that inPair inspects: a longer run of them is no
// code.
const maxPairs = 64

// mayBeInside reports whether the segment may begin inside an instruction whose
// first half was traced before it: only the previous segment knows. Inside a BL or
// BLX, setTo has already found the second half.
func (d *Decoder) mayBeInside() bool {
	at := d.Rec.Segment.Start.At.V
	if d.cfg.OneT32 || d.second || !d.Walk.Known() || d.Rec.Half.Second || at.ISA != schema.T32 && at.ISA != schema.T32EE {
		return false
	}
	first, ok := d.Halfword(at.Address - 2)
	return ok && d.Rec.Segment.Start.Reason == schema.ISyncPeriodic && isa.Is32Bit(first)
}

// maxInside bounds the instructions in the blocks of all that is decoded twice for
// one result, like those of the result itself: no code comes near it, but a hostile
// stream could fill the memory.
const maxInside = 8 << 20

// decodeInside decodes a segment as if it began inside an instruction, unless
// maxInside is reached.
func (d *Decoder) decodeInside(of *decode.Result, part decode.Part) *decode.Result {
	if of != d.twin.of {
		d.twin.of, d.twin.held = of, 0
	}
	if d.twin.held > maxInside {
		return nil
	}
	if d.twin.decoder == nil {
		d.twin.decoder = newDecoder(&d.cfg, d.Mem, d.Packets)
		d.twin.decoder.second = true
	}
	result := &decode.Result{}
	d.twin.decoder.Decode(result, part)
	for _, b := range result.Blocks {
		d.twin.held += len(b.Address)
	}
	return result
}
