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
	atoms, left, s, n, part := -1, uint8(0), d.walk.BeginStretch(at), int64(0), d.walk.Part()
	branched, before, e := false, flow.Cursor{}, uint8(0)
packets:
	for i <= last {
		h := data[i]
		if left = outcomes[h]; left != 0 {
			atoms = i
			i++
			for left > 1 {
				var next flow.Cursor
				now := left & 1
				if at.Ready(part, now) {
					next = at.Leave(now)
				} else {
					var ok bool
					if next, ok = d.walk.Special(at, now, n); !ok {
						break packets
					}
				}
				n += at.Instructions()
				before, e, at = at, now, next
				left >>= 1
				if !at.Known() {
					break packets
				}
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
		next, ok := d.walk.BranchTo(at, to, n)
		if !ok {
			break
		}
		n += at.Instructions()
		d.countBranch(at)
		i += length
		reached = to
		before, at, e = at, next, 1
		if !at.Known() {
			branched = true
			break
		}
	}
	if atoms >= 0 {
		d.offset = int64(d.rec.Offsets.At(atoms))
	}
	if n > 0 {
		d.rec.Settle()
	}
	s.N, s.Last, s.E = n, before, e
	at, exit := d.walk.EndStretch(&s, at, d.offset)
	if branched {
		exit = toAddress
	}
	d.cool(at, exit, d.rec.Result.Runs, reached)
	if left > 1 {
		p := atomsLeft(left)
		d.analyzeAtomHeader(&p)
	}
	return i
}
