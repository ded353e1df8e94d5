package etmv3

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file is about 32-bit T32 instructions that are traced as two, an atom for
// each half (ETMIDR[18] = 0, docs/etmv3.md §4.3).

// A split is where the flow is in such an instruction.
type split struct {
	// second: the flow is at the second half of the instruction at the position.
	second bool
	// first: an atom traced the first half.
	first bool
	left  leftPlaces
}

// end says that the flow is in no such instruction.
func (s *split) end() { s.second, s.first = false, false }

// A twin decodes segments a second time, as ones that begin inside an
// instruction: only the segment before knows whether they do.
type twin struct {
	decoder *Decoder // nil until it is wanted
	// held counts the instructions in blocks of what it decoded of the unit of.
	of   *decode.Result
	held int
}

// firstHalf takes the first of two atoms of a 32-bit T32 instruction
// (docs/etmv3.md §4.3): it makes no row and no move.
func (d *Decoder) firstHalf() bool {
	if d.split.second || d.walk.ISA() != schema.T32 && d.walk.ISA() != schema.T32EE || d.walk.Next() != 4 {
		return false
	}
	d.split.second, d.split.first = true, true
	d.acted(decode.CancelableUnplaced)
	d.afterBranch = false
	return true
}

// dropHalf drops the first half of an instruction whose second half does not
// come.
func (d *Decoder) dropHalf() {
	if d.split.second && d.split.first {
		d.rec.Event(d.key(), schema.EventSplitInstruction, schema.Of(d.walk.PC().Address), "")
	}
	d.split.end()
}

// toSecondHalf puts the position after the first half of an instruction, which an
// atom traced or did not.
func (d *Decoder) toSecondHalf(at decode.PC, traced bool) {
	d.walk.Goto(at, d.rec.Space())
	d.split.second, d.split.first = true, traced
}

// here returns the position in the program, which is known, as the trace has it:
// inside an instruction whose first half was traced.
func (d *Decoder) here() decode.PC {
	at := d.walk.PC()
	if d.split.second {
		at.Address += 2
	}
	return at
}

// secondHalf says whether the flow, which goes to an address, begins inside an
// instruction there: if an exception of the segment left it there, as it was then.
func (d *Decoder) secondHalf(address uint32) bool {
	if half, ok := d.split.left.half(address); ok {
		return half
	}
	return d.inPair(address)
}

// leave takes note of where an exception leaves the flow, which matters in T32
// code alone: of the address to which it returns, in the midst of an instruction
// or not, and of the other place near it where one begins. A handler that does
// what an instruction could not do returns after it.
func (d *Decoder) leave(address uint32, half bool) {
	begins := address - 2
	if first, ok := d.halfword(address); !half {
		if begins = address + 2; ok && isa.Is32Bit(first) {
			begins += 2
		}
	}
	d.split.left.add(leftAt{begins, false})
	d.split.left.add(leftAt{address, half})
}

// leftAt is an address, and whether it is in the midst of an instruction.
type leftAt struct {
	address uint32
	half    bool
}

// leftPlaces are the last ones of a segment, for as many levels of exceptions as
// there are likely to be.
type leftPlaces struct {
	last [16]leftAt
	n    int
}

func (l *leftPlaces) add(at leftAt) {
	l.last[l.n%len(l.last)] = at
	l.n++
}

// half says whether an address was in the midst of an instruction when it was
// left last, if it was.
func (l *leftPlaces) half(address uint32) (half, ok bool) {
	for i := l.n - 1; i >= max(0, l.n-len(l.last)); i-- {
		if at := l.last[i%len(l.last)]; at.address == address {
			return at.half, true
		}
	}
	return false, false
}

// inPair says whether the halfword at address is the second one of a BL or BLX
// that is traced as two instructions (docs/etmv3.md §4.3); that of a BLX is
// even. What looks like the first one may be the end of another instruction. So
// inPair scans back to the nearest halfword below 0xE800, which is always a whole
// instruction or the end of one, and counts forward from there.
func (d *Decoder) inPair(address uint32) bool {
	prefix, ok := d.halfword(address - 2)
	suffix, ok2 := d.halfword(address)
	isBL, isBLX := suffix>>11 == 0x1f, suffix>>11 == 0x1d && suffix&1 == 0
	if !ok || !ok2 || prefix>>11 != 0x1e || !isBL && !isBLX {
		return false
	}
	n := uint32(1) // halfwords before address that may be first ones
	for ; n < maxPairs; n++ {
		if h, ok := d.halfword(address - 2*n - 2); !ok || !isa.Is32Bit(h) {
			break
		}
	}
	return n%2 == 1
}

// maxPairs is how many halfwords inPair looks at: in a longer run, which is no
// code, no instruction is in two halves.
const maxPairs = 64

func (d *Decoder) halfword(address uint32) (uint16, bool) {
	b := d.mem.Fetch(d.rec.Space(), address)
	if len(b) < 2 {
		return 0, false
	}
	return uint16(b[0]) | uint16(b[1])<<8, true
}

// mayBeInside says whether the segment may begin inside an instruction whose
// first half was traced before it. Only the segment before knows. In a BL or BLX
// there is no other way.
func (d *Decoder) mayBeInside() bool {
	at := d.rec.Segment.Start.At.V
	if d.cfg.OneT32 || d.second || !d.walk.Known() || d.split.second || at.ISA != schema.T32 && at.ISA != schema.T32EE {
		return false
	}
	first, ok := d.halfword(at.Address - 2)
	return ok && d.rec.Segment.Start.Reason == schema.ISyncPeriodic && isa.Is32Bit(first)
}

// maxInside is how many instructions there may be in the blocks of all that is
// decoded twice of a unit, as many as in its own: no code comes near it, but
// hostile streams could fill the memory.
const maxInside = 8 << 20

// decodeInside decodes a segment as one that begins inside an instruction, unless
// too much of the unit was.
func (d *Decoder) decodeInside(of *decode.Result, part decode.Part) *decode.Result {
	if of != d.twin.of {
		d.twin.of, d.twin.held = of, 0
	}
	if d.twin.held > maxInside {
		return nil
	}
	if d.twin.decoder == nil {
		d.twin.decoder = newDecoder(&d.cfg, d.mem, d.packets)
		d.twin.decoder.second = true
	}
	u := &decode.Result{}
	d.twin.decoder.Decode(u, part)
	for _, b := range u.Blocks {
		d.twin.held += len(b.Address)
	}
	return u
}
