package etmv3

import "github.com/tracelake/tracelake/decode/flow"

// This file is the fast path along paths that are remembered, outside cycle-accurate mode: a
// P-header takes one step.

// along takes the P-headers from Data[i] on that have a path, and branch addresses between
// them, from a position on, before whose block there are n instructions. It returns where it
// stopped, and the position there, of which the block may not be one to enter.
func (w *warm) along(paths *flow.InsidePaths, v *flow.Visits, at flow.Cursor, pos, size int, n int64, i, last int) (int, flow.Cursor, int, int, int64) {
	data, headers, walk := w.d.Rec.Part.Data, w.d.headers, w.d.Walk
	left, prev, e, history := v.Last, v.Prev, v.E, v.History
	seed, taken := uint32(0), 0
	if at.Known() {
		seed = at.Seed(pos)
	}
packets:
	for ; i <= last; taken++ {
		switch x := &headers[data[i]]; {
		case x.kind == warmAtoms && at.Known():
			p := paths.Take(at, pos, seed, data[i])
			if p == nil {
				walk.Remember(at, pos, data[i], int(x.count), uint64(x.failed))
				break packets
			}
			if p.Leaves {
				walk.InsideSteps(seed, data[i], n)
			}
			i++
			at, pos, size, seed = p.To, int(p.Pos), int(p.Size), p.Seed
			n += int64(p.N)
			history = history<<x.count | x.history
			if p.Last.Known() {
				prev, left, e = left, p.Last, p.E
				if p.Prev.Known() {
					prev = p.Prev
				}
			}
		case x.kind == warmAddress:
			v.Last, v.E = left, e
			next, length := w.branchFrom(v, at, pos, n, i)
			if length == 0 {
				break packets
			}
			i += length
			if at, pos, size, seed = next, 0, int(next.Instructions()), next.Seed(0); !walk.MayEnter(at) {
				break packets
			}
		default:
			break packets
		}
	}
	v.Last, v.Prev, v.E, v.History = left, prev, e, history
	paths.Took(taken)
	return i, at, pos, size, n
}
