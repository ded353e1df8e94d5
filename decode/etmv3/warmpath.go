package etmv3

import "github.com/tracelake/tracelake/decode/flow"

// This file is the fast path along paths that are remembered, outside cycle-accurate mode: a
// P-header takes one step.

// along takes the P-headers from Data[i] on that have a path, and branch addresses between
// them, from a position on, before whose block there are n instructions. It returns where it
// stopped, and the position there, of which the block may not be one to enter.
func (w *warm) along(paths *flow.InsidePaths, v *flow.Visits, at flow.Cursor, pos, size int, n int64, i, last int) (int, flow.Cursor, int, int, int64) {
	data, headers, walk := w.d.rec.Part.Data, w.d.headers, w.d.walk
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

// alongRuns is plain, as long as it pays to look for paths, and is plain from there on.
func (w *warm) alongRuns(paths *flow.RunPaths, i, last int) int {
	d, at, pos, seq, n, taken, seed := w.d, w.at, w.pos, w.seq, w.n, 0, uint32(0)
	data, offsets, headers := d.rec.Part.Data, &d.rec.Offsets, d.headers
	if at.Known() {
		seed = at.Seed(pos)
	}
	for i <= last && w.pause == flow.AtBlock {
		h := &headers[data[i]]
		if h.kind == warmAtoms && at.Known() && seq > w.from && n+maxAtoms <= len(w.runs) {
			if p := paths.Find(at, pos, seed, data[i]); p != nil {
				n += p.Walk(w.runs[n:], int64(offsets.At(i)))
				if p.Leaves > 0 {
					d.walk.RunSteps(p, seq-w.from)
				}
				seq += int64(h.count)
				if at, pos, seed = p.To, p.Pos, p.Seed; !at.Known() {
					d.isa, w.left = p.Left.ISA(), p.Left // for the address that follows
				}
				taken++
				i++
				continue
			}
		}
		w.at, w.pos, w.seq, w.n = at, pos, seq, n
		end := i + w.packet(i)
		if end == i {
			break
		}
		if h.kind == warmAtoms {
			paths.Took(taken)
			if taken = 0; w.pause == flow.AtBlock {
				d.walk.RememberRuns(at, pos, data[i], w.runs[n:w.n], seq-w.from, w.at, w.pos, w.left)
			}
			if !paths.Pay() {
				return w.plain(end, last)
			}
		}
		i, at, pos, seq, n = end, w.at, w.pos, w.seq, w.n
		if at.Known() {
			seed = at.Seed(pos)
		}
	}
	paths.Took(taken)
	w.at, w.pos, w.seq, w.n = at, pos, seq, n
	return i
}
