package etmv3

import (
	"math/bits"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/schema"
)

// This file is the fast path: P-headers of both modes, branch addresses after an indirect
// branch, and those that repeat the target of a direct one, through code whose blocks are
// cached and linked. It makes what [Decoder.processPacket] makes of them, and leaves
// everything else to that. timing.go is what it does in cycle-accurate mode.

const (
	// maxAtoms is how many atoms a P-header has at most: as many runs.
	maxAtoms = 16
	// maxWarmBytes is how many bytes are decoded warm at a time, so that ordinals and
	// cycles are near those of their span: see [decode.CountRows.Open].
	maxWarmBytes = 1 << 20
)

// A warm is the fast path at work: the position in the program, and what it writes.
type warm struct {
	d     *Decoder
	at    flow.Cursor // zero: after an indirect branch, before its address
	left  flow.Cursor // the block that ends with that branch, if it was walked warm
	pos   int         // in the block at it
	pause flow.Pause  // after the waypoint there, where no walk went on yet
	seq   int64
	from  int64 // seq at the start
	runs  []schema.Run
	n     int // runs; the others are room
	timing

	indirect, repeated int64 // branch addresses: see compareBranch
	// Of the last address: where its packet begins and ends, and what seq was. Without
	// one, seq is -1, or as in Decoder.afterBranch.
	addressAt, addressEnd int
	addressSeq            int64
}

// decodeWarm decodes packets from Data[i] on, as long as they are warm, and returns
// where it stopped.
func (d *Decoder) decodeWarm(i int) int {
	last := min(i+len(d.Rec.Bytes(i))-maxAddressBytes, i+maxWarmBytes) // no packet that begins up to it is cut off
	if i > last || !d.isWarm() {
		return i
	}
	at, pos, ok := d.Walk.LendInside()
	if !ok {
		return i
	}
	runs, seq := d.Rec.Result.Runs, d.Walk.Seq
	w := warm{d: d, at: at, pos: pos, seq: seq, from: seq, runs: runs[:cap(runs)], n: len(runs), addressSeq: -1}
	if d.afterBranch {
		w.addressSeq = seq
	}
	if d.cfg.CycleAccurate {
		if w.timing, ok = d.beginTiming(last - i + 1); !ok {
			return i
		}
	}
	var end int
	var rest Atoms
	switch {
	case d.turns:
		end, rest = w.turns(i, last)
	case d.cfg.CycleAccurate:
		end = w.cyclePackets(i, last)
	default:
		end = w.runPackets(i, last)
	}
	if !d.turns {
		d.Walk.EndRuns(w.runs[:w.n], len(runs), seq, w.seq-seq)
		d.Rec.Result.Runs = w.runs[:w.n]
	}
	if end == i {
		return i
	}
	w.cool(end)
	if rest.Count > 0 && !d.plainAtoms(&rest) {
		d.Rec.Segment.Row.BytesUnplaced++
	}
	return end
}

// isWarm reports whether the next packets may be decoded warm: only atoms or an address
// are due.
func (d *Decoder) isWarm() bool {
	return d.cfg.OneT32 && !d.Packets && !d.inDebug && !d.unsure && !d.Rec.Unplaced.Active && (d.Walk.Known() || d.pending)
}

// runPackets decodes packets from Data[i] on, as long as they are warm, and writes their runs. It
// holds the position and the counts in local variables.
func (w *warm) runPackets(i, last int) int {
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
			offset := int64(offsets.At(i))
			to, inside, walked, stop := walk.Inside(at, pos, w.runs[n:], int(h.count), uint64(h.failed), offset, seq-w.from)
			if walked == 0 || stop == flow.AfterExecuted && d.returnsFrom(to) {
				break packets
			}
			if stop == flow.AfterExecuted && to.Indirect() {
				d.isa, w.left = to.ISA(), to // for the address that follows
				to, inside, stop = flow.Cursor{}, 0, flow.AtBlock
			}
			at, pos, pause = to, inside, stop
			seq += int64(h.count)
			if d.cfg.CycleAccurate {
				w.cost(h, w.runs[n:n+walked], offset, seq)
			}
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
		case h.kind == warmCycles:
			w.wait(h, int64(offsets.At(i)), seq)
			i++
		default:
			break packets
		}
	}
	w.at, w.pos, w.seq, w.n, w.pause = at, pos, seq, n, pause
	return i
}

// address goes to the branch address that b begins with, from an indirect branch, or
// repeats the target of a direct one. It returns the length, or 0 if that is not warm.
func (w *warm) address(b []byte) int {
	known := w.at.Known()
	if known && !w.mayRepeat() {
		return 0
	}
	next, length := w.d.warmBranch(b, w.at)
	switch {
	case length == 0:
		return 0
	case known:
		w.repeated++
	default:
		w.indirect++
		if w.left.Known() {
			w.d.Walk.NoteArrival(w.left, next, w.seq-w.from)
		}
	}
	w.at, w.pos = next, 0
	return length
}

// mayRepeat reports whether a branch address may repeat the target of the direct branch
// that was traced before it, as compareBranch counts it.
func (w *warm) mayRepeat() bool {
	return w.pos == 0 && w.seq > w.addressSeq && w.seq > w.from+1 && w.runs[w.n-1].Outcome == schema.Taken
}

// warmBranch reads the branch address that b begins with, after an indirect branch or at
// the target that it may repeat. The length is 0, and nothing happens, if that is not
// warm.
func (d *Decoder) warmBranch(b []byte, at flow.Cursor) (next flow.Cursor, length int) {
	state := d.isa
	if at.Known() {
		state = at.ISA()
	}
	thumbEE := state == schema.T32EE || d.altISA && state != schema.T32
	word, last := uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16|uint32(b[3])<<24, b[maxAddressBytes-1]
	length = bits.TrailingZeros32(^word&(more|more<<8|more<<16|more<<24))/8 + 1
	sent := uint32(7*length - 1)
	v := word>>1&0x3f | word>>8&0x7f<<6 | word>>16&0x7f<<13 | word>>24&0x7f<<20
	switch {
	case length == maxAddressBytes:
		switch {
		case last&(oldForm|addressBit6|addressJazelle) != 0 || last&(addressThumb|addressARM) == 0:
			return next, 0
		case last&addressThumb == 0:
			state = schema.A32
		case thumbEE:
			state = schema.T32EE
		default:
			state = schema.T32
		}
		v |= uint32(last) << 27
		sent = 32
	case d.cfg.AltBranch && length > 1:
		if sent--; word>>(8*length-2)&1 != 0 { // information bytes
			return next, 0
		}
	}
	shift := uint32(addressShift(state))
	mask := uint32(1)<<(sent+shift) - 1
	to := d.address&^schema.Address(mask) | schema.Address(v<<shift&mask)
	if next = d.Walk.AddressCursor(decode.PC{Address: to, ISA: state}, d.Rec.Security()); !next.Known() || at.Known() && next != at {
		return next, 0
	}
	d.address, d.isa, d.altISA = to, state, thumbEE
	return next, length
}

// cool gives the state of the fast path back, which ends at Data[end].
func (w *warm) cool(end int) {
	d, atoms := w.d, w.seq-w.from
	d.Offset = d.Rec.Offset(end - 1)
	if w.addressEnd == end {
		d.Offset = d.Rec.Offset(w.addressAt)
	}
	d.Walk.Seq = w.seq
	if d.pending = !w.at.Known(); d.pending {
		d.Walk.Lose()
	} else {
		d.Walk.ResumeInside(w.at, w.pos, w.pause)
	}
	q := &d.Rec.Segment.Quality
	q.Branches += w.indirect + w.repeated
	q.BranchesIndirect += w.indirect
	q.BranchesRepeated += w.repeated
	d.afterBranch = w.addressSeq == w.seq
	if d.cfg.CycleAccurate {
		d.endTiming(&w.timing, atoms)
	}
	if atoms > 0 { // see walked
		d.setCancelable(decode.CancelableInstruction)
		d.Rec.Since.Instructions = true
		d.underway = d.started && !d.atoms && atoms == 1 && d.Walk.TransfersData()
		d.atoms = true
	}
}

// room makes room for more than the first n elements of s.
func room[T any](s []T, n int) []T {
	s = slices.Grow(s[:n], max(1024, n/8))
	return s[:cap(s)]
}
