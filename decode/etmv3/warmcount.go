package etmv3

import "github.com/tracelake/tracelake/decode/flow"

// This file is the fast path where what ran is only counted, outside cycle-accurate mode.
// A P-header takes as many steps as it leaves blocks.

// turns is runPackets, where what ran is only counted. It returns where it stopped, and what
// is left of the P-header before, of which some is walked.
func (w *warm) turns(i, last int) (end int, rest Atoms) {
	d, v := w.d, w.d.Walk.BeginVisits(w.at, w.pos, w.d.Rec.Offset(i))
	data, headers, part := d.Rec.Part.Data, d.headers, d.Walk.Part()
	at, pos, size, n := w.at, w.pos, 0, -int64(w.pos) // n: instructions from w.seq up to the start of at
	if at.Known() {
		if !d.Walk.MayEnter(at) {
			return i, rest
		}
		size = int(at.Instructions())
	}
	ready, paths := v.Ready(part), d.Walk.InsidePaths()
	pays := paths.Pay()
	var h *warmHeader // that was walked in part
	from := n         // what n and pos were before it
packets:
	for i <= last {
		if pays && ready == part {
			if i, at, pos, size, n = w.along(paths, &v, at, pos, size, n, i, last); i > last || at.Known() && !d.Walk.MayEnter(at) {
				break
			}
			pays = paths.Pay()
		}
		x := &headers[data[i]]
		if x.kind == warmAddress {
			next, length := w.branchFrom(&v, at, pos, n, i)
			if length == 0 {
				break
			}
			if i, at = i+length, next; !d.Walk.MayEnter(at) {
				break
			}
			size = int(at.Instructions())
			continue
		}
		if x.kind != warmAtoms || !at.Known() {
			break
		}
		from = n + int64(pos)
		for pair := x.pairs; pair != 0; pair >>= pairBits {
			pos += int(pair & pairRun)
			for fails := pair & pairFails; pos >= size || fails != 0; {
				e := uint8(1)
				if pos < size {
					fails = 0
					if pos++; pos < size {
						d.Walk.Fail(at, pos-1)
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
				if pos -= size; !at.Counts(part) && !d.Walk.MayEnter(at) {
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
	if walked := n + int64(pos) - from; h != nil && walked > 0 {
		rest = h.after(uint8(walked))
		v.History = v.History<<walked | h.history>>rest.Count
		i++
	}
	w.endVisits(&v, at, pos, n)
	return i, rest
}

// returnsFrom reports whether the end of the block at c makes a row where it executes: it
// returns from an exception.
func (d *Decoder) returnsFrom(c flow.Cursor) bool {
	return c.Indirect() && c.ExceptionReturn() && d.cfg.returnsByOpcode()
}

// leave leaves the block at c as [flow.Walker.LeaveInside] does.
func (w *warm) leave(v *flow.Visits, c flow.Cursor, e uint8, n int64) flow.Cursor {
	w.d.Rec.Settle() // it may make runs
	return w.d.Walk.LeaveInside(v, c, e, n)
}

// branchFrom is address, at a position before which there are n instructions and pos of the
// block.
func (w *warm) branchFrom(v *flow.Visits, at flow.Cursor, pos int, n int64, i int) (next flow.Cursor, length int) {
	known := at.Known()
	if known && (pos > 0 || v.E == 0 || n <= 1 || w.from+n <= w.addressSeq) {
		return next, 0
	}
	if !known && v.Last.Known() {
		w.d.isa = v.Last.ISA()
	}
	switch next, length = w.d.warmBranch(w.d.Rec.Part.Data[i:i+maxAddressBytes], at); {
	case length == 0:
		return next, 0
	case known:
		w.repeated++
	default:
		w.indirect++
		w.d.Walk.ArriveAt(v, next, n)
	}
	w.addressAt, w.addressEnd, w.addressSeq = i, i+length, w.from+n
	return next, length
}

// endVisits ends what was counted, at a position.
func (w *warm) endVisits(v *flow.Visits, at flow.Cursor, pos int, n int64) {
	if w.seq = w.from + n + int64(pos); w.seq > w.from {
		w.d.Rec.Settle()
	}
	w.d.Walk.EndVisits(v, at, pos, n)
	w.at, w.pos = at, pos
	switch left := v.Last; {
	case at.Known() || !left.Known():
	case v.E == 1 && left.Indirect():
		w.d.isa = left.ISA() // for the address that follows
	default:
		w.at, w.pause = left, flow.AfterFailed+flow.Pause(v.E)
	}
}
