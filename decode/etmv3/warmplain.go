package etmv3

import "github.com/tracelake/tracelake/decode/flow"

// This file is the fast path outside cycle-accurate mode.

// plain is runsOf outside cycle-accurate mode: it holds the position and the counts in
// local variables.
func (w *warm) plain(i, last int) int {
	d, at, pos, seq, n, pause := w.d, w.at, w.pos, w.seq, w.n, w.pause
	data, offsets, headers, walk := d.Rec.Part.Data, &d.Rec.Offsets, d.headers, d.Walk
packets:
	for i <= last && pause == flow.AtBlock {
		switch h := &headers[data[i]]; {
		case h.kind == warmAtoms && at.Known():
			if n+maxAtoms > len(w.runs) {
				w.runs = room(w.runs, n)
			}
			if seq == w.from {
				d.Rec.Settle()
			}
			to, inside, walked, stop := walk.Inside(at, pos, w.runs[n:], int(h.count), uint64(h.failed), int64(offsets.At(i)), seq-w.from)
			if walked == 0 || stop == flow.AfterExecuted && d.returnsFrom(to) {
				break packets
			}
			if stop == flow.AfterExecuted && to.Indirect() {
				d.isa, w.left = to.ISA(), to // for the address that follows
				to, inside, stop = flow.Cursor{}, 0, flow.AtBlock
			}
			at, pos, pause = to, inside, stop
			seq += int64(h.count)
			n += walked
			i++
		case h.kind == warmAddress:
			w.at, w.pos, w.seq, w.n = at, pos, seq, n
			length := w.address(data[i : i+maxAddressBytes])
			if length == 0 {
				break packets
			}
			w.addressAt, w.addressEnd, w.addressSeq = i, i+length, seq
			at, pos = w.at, w.pos
			i += length
		default:
			break packets
		}
	}
	w.at, w.pos, w.seq, w.n, w.pause = at, pos, seq, n, pause
	return i
}
