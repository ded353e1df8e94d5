package etmv3

import "github.com/tracelake/tracelake/decode/flow"

// This file is the fast path where what ran is only counted, outside cycle-accurate mode.
// A P-header takes as many steps as it leaves blocks.

// count is decodeWarm, where what ran is only counted.
func (w *warm) count(i, last int) int {
	end, rest := w.turns(i, last)
	if end == i {
		return i
	}
	w.cool(end)
	if rest.Count > 0 && !w.d.plainAtoms(&rest) {
		w.d.rec.Segment.Row.BytesUnplaced++
	}
	return end
}

// turns is packets, where what ran is only counted. It returns where it stopped, and what
// is left of the P-header before, of which some is walked.
func (w *warm) turns(i, last int) (end int, rest Atoms) {
	d, v := w.d, w.d.walk.BeginVisits(w.at, w.pos, w.d.rec.Offset(i))
	data, headers, part := d.rec.Part.Data, d.headers, d.walk.Part()
	at, pos, size, n := w.at, w.pos, 0, -int64(w.pos) // n: instructions from w.seq up to the start of at
	ready, paths := v.Ready(part), d.walk.InsidePaths()
	if at.Known() {
		if !d.walk.MayEnter(at) {
			return i, rest
		}
		size = int(at.Instructions())
	}
	var h *warmHeader // that was walked in part
	from := n         // what n and pos were before it
packets:
	for i <= last {
		x := &headers[data[i]]
		if x.kind == warmAddress {
			next, length := w.branchFrom(&v, at, pos, n, data[i:i+maxAddressBytes])
			if length == 0 {
				break
			}
			w.addressAt, w.addressEnd, w.addressSeq = i, i+length, w.from+n
			i += length
			if at = next; !d.walk.MayEnter(at) {
				break
			}
			size = int(at.Instructions())
			continue
		}
		if x.kind != warmAtoms || !at.Known() {
			break
		}
		if ready == part && paths.Looking() {
			was := i
			if i, at, pos, size, n = along(paths, &v, d.headers, data[:last+1], i, at, pos, size, n); i > was {
				continue
			}
			d.walk.Remember(at, pos, data[i], int(x.count), uint64(x.failed))
		}
		from = n + int64(pos)
		for pair := x.pairs; pair != 0; pair >>= pairBits {
			pos += int(pair & pairRun)
			for fails := pair & pairFails; pos >= size || fails != 0; {
				e := uint8(1)
				if pos < size {
					fails = 0
					if pos++; pos < size {
						d.walk.Fail(at, pos-1)
						break
					}
					e = 0
				}
				before := at
				if at.Ready(ready, e) {
					at = at.Leave(e)
				} else if e == 1 && d.returnsFrom(at) {
					pos, h = size-1, x
					break packets
				} else {
					at, ready = w.leave(&v, at, e, n), part
				}
				v.Prev, v.Last, v.E = v.Last, before, e
				n += int64(size)
				if pos -= size; !at.Counts(part) && !d.walk.MayEnter(at) {
					if pos = 0; at.Known() || n < from+int64(x.count) || !before.Indirect() || e == 0 {
						h = x
						break packets
					}
					break // its address follows
				}
				size = int(at.Instructions())
			}
		}
		v.History = v.History<<x.count | x.history
		i++
	}
	if h != nil {
		if walked := n + int64(pos) - from; walked > 0 {
			rest = h.after(uint8(walked))
			v.History = v.History<<walked | h.history>>rest.Count
			i++
		}
	}
	w.endVisits(&v, at, pos, n)
	return i, rest
}

// along takes the P-headers from data[i] on whose paths are remembered. It returns where it
// stopped, the position, and how many instructions were before its block.
func along(paths *flow.InsidePaths, v *flow.Visits, headers *[256]warmHeader, data []byte, i int, at flow.Cursor, pos, size int, n int64) (end int, to flow.Cursor, inside, of int, before int64) {
	last, prev, e, history := v.Last, v.Prev, v.E, v.History
	for seed := at.Seed(pos); i < len(data); i++ {
		x := &headers[data[i]]
		if x.kind != warmAtoms || !at.Known() {
			break
		}
		p := paths.Take(at, pos, seed, data[i])
		if p == nil {
			break
		}
		at, pos, size, seed = p.To, int(p.Pos), int(p.Size), p.Seed()
		n += int64(p.N)
		history = history<<x.count | x.history
		if p.Last.Known() {
			prev, last, e = last, p.Last, p.E
			if p.Prev.Known() {
				prev = p.Prev
			}
		}
	}
	v.Last, v.Prev, v.E, v.History = last, prev, e, history
	return i, at, pos, size, n
}

// returnsFrom reports whether the end of the block at c makes a row where it executes: it
// returns from an exception.
func (d *Decoder) returnsFrom(c flow.Cursor) bool {
	return c.Indirect() && c.ExceptionReturn() && d.cfg.returnsByOpcode()
}

// leave leaves the block at c as [flow.Walker.LeaveInside] does.
func (w *warm) leave(v *flow.Visits, c flow.Cursor, e uint8, n int64) flow.Cursor {
	w.d.rec.Settle() // it may make runs
	return w.d.walk.LeaveInside(v, c, e, n)
}

// branchFrom is address, at a position before which there are n instructions and pos of the
// block.
func (w *warm) branchFrom(v *flow.Visits, at flow.Cursor, pos int, n int64, b []byte) (next flow.Cursor, length int) {
	known := at.Known()
	if known && (pos > 0 || v.E == 0 || n <= 1 || w.from+n <= w.addressSeq) {
		return next, 0
	}
	if !known && v.Last.Known() {
		w.d.isa = v.Last.ISA()
	}
	switch next, length = w.d.warmBranch(b, at); {
	case length == 0:
	case known:
		w.repeated++
	default:
		w.indirect++
		w.d.walk.ArriveAt(v, next, n)
	}
	return next, length
}

// endVisits ends what was counted, at a position.
func (w *warm) endVisits(v *flow.Visits, at flow.Cursor, pos int, n int64) {
	if w.seq = w.from + n + int64(pos); w.seq > w.from {
		w.d.rec.Settle()
	}
	w.d.walk.EndVisits(v, at, pos, n)
	w.at, w.pos = at, pos
	switch left := v.Last; {
	case at.Known() || !left.Known():
	case v.E == 1 && left.Indirect():
		w.d.isa = left.ISA() // for the address that follows
	default:
		w.at, w.pause = left, flow.AfterFailed+flow.Pause(v.E)
	}
}
