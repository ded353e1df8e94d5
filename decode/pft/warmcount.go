package pft

import (
	"encoding/binary"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
)

// This file is the fast path where what ran is only counted.

// warmTurns is warmAtoms, where what ran is only counted.
func (d *Decoder) warmTurns(i, last int, at flow.Cursor) int {
	data := d.rec.Part.Data
	reached := decode.PC{Address: d.address, ISA: d.isa}
	seq, atoms, left, exit := d.walk.Seq, -1, uint8(0), flow.AtBlock
	d.walk.BeginStretch(at)
	for i <= last {
		var n int
		if at, n, left, exit = d.walk.CountAtoms(at, data[i:last+1], &outcomes); n > 0 {
			i += n
			atoms = i - 1
		}
		if left > 1 || exit != flow.AtBlock || i > last || data[i]&1 == 0 {
			break
		}
		to, length := shortBranch(binary.LittleEndian.Uint64(data[i:]), reached.Address, at.ISA())
		if length == 0 {
			break
		}
		next, ok := d.walk.CountBranch(at, to)
		if !ok {
			break
		}
		d.countBranch(at)
		i += length
		if reached = to; !next.Known() {
			exit = toAddress
			break
		}
		at = next
	}
	if atoms >= 0 {
		d.offset = int64(d.rec.Offsets.At(atoms))
	}
	if d.walk.Seq > seq {
		d.rec.Settle()
		d.walk.EndStretch(at, exit, d.offset)
	}
	d.cool(at, exit, d.rec.Result.Runs, reached)
	if left > 1 {
		p := atomsLeft(left)
		d.analyzeAtomHeader(&p)
	}
	return i
}
