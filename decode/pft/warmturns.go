package pft

import (
	"encoding/binary"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
)

// warmTurns is warmAtoms where what ran is only counted: a stretch has all but the last block.
func (d *Decoder) warmTurns(i, last int, at flow.Cursor) int {
	data, part := d.Rec.Part.Data, d.Walk.Part()
	s := d.Walk.BeginStretch(at)
	reached := decode.PC{Address: d.address, ISA: d.isa}
	// Of the stretch: the last packet of atoms, those that are left of it, the instructions,
	// the block that executed last and its outcome.
	header, left, n, before, e := -1, uint8(0), int64(0), flow.Cursor{}, uint8(0)
	branched := false // the last packet is a branch
packets:
	for i <= last {
		h := data[i]
		if left = outcomes[h]; left != 0 {
			header, branched = i, false
			i++
			if p := d.Walk.Path(at, left); p != nil {
				if p.Steps {
					d.Walk.PathSteps(p, n)
				}
				before, e, at, left = p.Last, p.E, p.To, 0
				n += int64(p.N)
				continue
			}
			for left > 1 && at.Known() {
				var next flow.Cursor
				now := left & 1
				if at.Ready(part, now) {
					next = at.Leave(now)
				} else {
					var ok bool
					if next, ok = d.Walk.Special(at, now, n); !ok {
						break packets
					}
				}
				n += at.Instructions()
				before, e, at = at, now, next
				left >>= 1
			}
			if !at.Known() {
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
		next, ok := d.Walk.BranchTo(at, to, n)
		if !ok {
			break
		}
		d.countBranch(at)
		n += at.Instructions()
		before, e, at = at, 1, next
		reached, branched = to, true
		if i += length; !at.Known() {
			break
		}
	}
	s.N, s.Last, s.E = n, before, e
	if header >= 0 {
		d.Offset = int64(d.Rec.Offsets.At(header))
	}
	runs := d.Rec.Result.Runs
	if n > 0 {
		runs = d.endStretch(&s, at)
	}
	at, exit := s.Exit(at)
	d.cool(at, exit, branched, runs, reached)
	if left > 1 {
		p := atomsLeft(left)
		d.analyzeAtomHeader(&p)
	}
	return i
}
