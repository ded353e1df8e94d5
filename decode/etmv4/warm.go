package etmv4

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/schema"
)

// This file is the fast path: atoms and addresses, through code whose blocks are cached and linked,
// without speculation. It makes what [Decoder.packet] makes of them, and leaves everything else
// to that. warmcount.go has cycle counts beside them.

const (
	// longestWarm is how long an address without a context is at most.
	longestWarm = 1 + 8
	// atomsAtOnce is how many atoms are walked at once: as many as a path has.
	atomsAtOnce = 5
)

// warmAtoms are the atoms of the headers from firstAtom on, under a stop bit, the oldest in bit 0;
// 1 is E.
var warmAtoms = func() (t [0x100 - firstAtom]uint32) {
	for i, a := range &atomHeaders {
		t[i] = 1<<a.count | a.atoms
	}
	return t
}()

// A warm is the fast path at work.
type warm struct {
	d *Decoder
	// at is the position. It is zero after the waypoint of the block at left, which was left last, by
	// the outcome e: where that leads is not told yet, or not warm.
	at, left flow.Cursor
	e        uint8
	told     bool // the last packet is an address

	packet int    // the last one begins at Data[packet]
	end    int    // and ends before Data[end]
	header int    // the last one of atoms begins at Data[header]
	rest   uint32 // of which these are left, as warmAtoms has them

	indirect, repeated int64 // addresses: see Decoder.address

	held // what waits, where cycles are counted
}

// decodeWarm decodes packets from Data[i] on, as long as they are warm, and returns
// where it stopped.
func (d *Decoder) decodeWarm(i int) int {
	data := d.Rec.Part.Data
	atoms := data[i] >= firstAtom
	if !atoms && !d.isWarmKind(headers[data[i]].kind) || d.begins() && (!atoms || d.cfg.CycleCounting) || !d.isWarm() {
		return i
	}
	// Packets begin at last or before, so that the end of what they may reach cuts none off.
	last := i + len(d.Rec.Bytes(i)) - longestWarm
	at := d.lend()
	if i > last || !d.Walk.MayEnter(at) {
		return i
	}
	w := warm{d: d, at: at, told: d.fresh, packet: i, end: i, header: i}
	if !w.takeHeld() {
		return i
	}
	if atoms {
		d.enter()
	}
	switch {
	case d.cfg.CycleCounting:
		w.writeCounted(last)
	case d.turns:
		w.countTurns(last)
	default:
		w.writeRuns(last)
	}
	return w.end
}

// isWarmKind reports whether packets of a kind, which is not Atoms, may be decoded warm.
func (d *Decoder) isWarmKind(kind Kind) bool {
	return kind == Address || kind == CycleCount && d.cfg.CycleCounting
}

// isWarm reports whether packets may be decoded warm: nothing is speculative, nor is an address, a position or a
// row of packets wanted.
func (d *Decoder) isWarm() bool {
	return d.cfg.MaxSpec == 0 && !d.Packets && !d.ended && !d.waits.OK && !d.Rec.Unplaced.Active
}

// lend returns the position, as arrive has it: the zero Cursor if it is unknown, if the return stack
// has it, or if its block is not cached.
func (d *Decoder) lend() flow.Cursor {
	switch {
	case d.moved:
		return d.Walk.AddressCursor(d.pc(d.target), d.Rec.Security())
	case d.owed:
		return flow.Cursor{}
	}
	return d.Walk.Lend()
}

// writeRuns decodes packets that begin up to Data[last], and writes their runs.
func (w *warm) writeRuns(last int) {
	d, data, runs, n := w.d, w.d.Rec.Part.Data, w.d.Rec.Result.Runs, len(w.d.Rec.Result.Runs)
	from, seq := n, d.Walk.Seq
	runs = runs[:cap(runs)]
packets:
	for w.end <= last {
		if data[w.end] < firstAtom {
			t, length := w.target(w.end)
			if length == 0 || !w.goRun(t) {
				break
			}
			d.State.push(t)
			w.packet, w.end = w.end, w.end+length
			continue
		}
		if !w.at.Known() && !w.popRun() {
			break
		}
		w.begin()
		for offset := int64(d.Rec.Offsets.At(w.header)); w.rest > 1; {
			if n+atomsAtOnce > len(runs) {
				runs = room(runs, n)
			}
			atoms, rest := some(w.rest, 0)
			to, walked, left, exit := d.Walk.Atoms(w.at, runs[n:], atoms, offset)
			n += walked
			w.rest = putBack(rest, left)
			switch w.at = to; {
			case exit != flow.AtBlock:
				w.at, w.left, w.e = flow.Cursor{}, to, uint8(exit-flow.AfterFailed)
				if w.pauses(w.left, w.e) || w.rest > 1 && !w.popRun() {
					break packets
				}
			case left > 1:
				break packets
			}
		}
	}
	d.Walk.EndRuns(runs[:n], from, seq, d.Walk.Seq-seq)
	if n > from {
		d.Rec.Settle() // only plain packets change spans, so one is due before the first run or not at all
		d.Rec.Result.Runs = runs[:n]
	}
	w.coolAtPacket()
}

// goRun goes to an address. It fails if that is not warm.
func (w *warm) goRun(t Target) bool {
	next := w.goTo(t, w.at, w.left)
	if !next.Known() {
		return false
	}
	if !w.at.Known() {
		w.d.Walk.NoteArrival(w.left, next, 0)
	}
	w.at = next
	return true
}

// popRun takes the position from the return stack. It fails if that is not warm.
func (w *warm) popRun() bool {
	if w.at = w.d.Walk.Popped(w.left); w.at.Known() {
		w.d.Walk.NoteArrival(w.left, w.at, 0)
	}
	return w.at.Known()
}

// countTurns does so where what ran is only counted: a stretch has all but the last block. It holds
// the position in local variables.
func (w *warm) countTurns(last int) {
	walk, data, part := w.d.Walk, w.d.Rec.Part.Data, w.d.Walk.Part()
	s := walk.BeginStretch(w.at)
	at, left, e, n := w.at, w.left, w.e, int64(0)
	end, rest := w.end, uint32(0)
packets:
	for end <= last {
		if data[end] < firstAtom {
			t, length := w.target(end)
			if length == 0 {
				break
			}
			next := w.goTo(t, at, left)
			if !next.Known() {
				break
			}
			if !at.Known() {
				walk.Arrive(left, next, n)
			}
			w.d.State.push(t)
			at, w.packet, end = next, end, end+length
			continue
		}
		if !at.Known() {
			if at = walk.Popped(left); !at.Known() {
				break
			}
			walk.Arrive(left, at, n)
		}
		rest = warmAtoms[data[end]-firstAtom]
		w.packet, w.header, w.told = end, end, false
		end++
		for rest > 1 {
			var atoms uint8
			atoms, rest = some(rest, 0)
			if p := walk.Path(at, atoms); p != nil {
				if p.Steps {
					walk.PathSteps(p, n)
				}
				left, e, at, atoms = p.Last, p.E, p.To, 1
				n += int64(p.N)
			}
			for atoms > 1 && at.Known() {
				var next flow.Cursor
				now := atoms & 1
				if at.Ready(part, now) {
					next = at.Leave(now)
				} else {
					var ok bool
					if next, ok = walk.Special(at, now, n); !ok {
						rest = putBack(rest, atoms)
						break packets
					}
				}
				n += at.Instructions()
				left, e, at = at, now, next
				atoms >>= 1
			}
			if at.Known() {
				continue
			}
			rest = putBack(rest, atoms)
			if w.pauses(left, e) {
				break packets
			}
			if rest > 1 {
				if at = walk.Popped(left); !at.Known() {
					break packets
				}
				walk.Arrive(left, at, n)
			}
		}
	}
	w.at, w.left, w.e, w.end, w.rest = at, left, e, end, rest
	if n > 0 {
		s.N, s.Last, s.E = n, left, e
		w.d.Rec.Settle()
		walk.EndStretch(&s, at, int64(w.d.Rec.Offsets.At(w.header)))
	}
	w.coolAtPacket()
}

// coolAtPacket does so after the last packet, if there is one.
func (w *warm) coolAtPacket() {
	if w.packet < w.end {
		w.d.Offset = int64(w.d.Rec.Offsets.At(w.packet))
		w.cool()
	}
}

// begin begins the packet of atoms after the last packet.
func (w *warm) begin() {
	w.rest = warmAtoms[w.d.Rec.Part.Data[w.end]-firstAtom]
	w.packet, w.header, w.told = w.end, w.end, false
	w.end++
}

// some returns the next atoms of rest, but for so many, under a stop bit, and those after them.
func some(rest uint32, but int) (atoms uint8, after uint32) {
	if but == 0 && rest < 2<<atomsAtOnce {
		return uint8(rest), 1
	}
	n := min(bits.Len32(rest)-1-but, atomsAtOnce)
	stop := uint32(1) << n
	return uint8(rest&(stop-1) | stop), rest >> n
}

// putBack returns rest with atoms before it that were not walked.
func putBack(rest uint32, atoms uint8) uint32 {
	n := bits.Len8(atoms) - 1
	return rest<<n | uint32(atoms)&(1<<n-1)
}

// pauses reports whether the position after the block at left, which is not known, cannot come from
// what follows alone: it is not owed, or a row is.
func (w *warm) pauses(left flow.Cursor, e uint8) bool {
	return e == 0 || !left.Indirect() || w.d.cfg.ETE && left.ExceptionReturn()
}

// target returns the address at Data[i], and its length: 0 if it is none.
func (w *warm) target(i int) (t Target, length int) {
	b := w.d.Rec.Part.Data[i:]
	if headers[b[0]].kind != Address {
		return t, 0
	}
	code := addressCodes[b[0]]
	address, sent, n := code.read(binary.LittleEndian.Uint64(b[1:]))
	return w.d.State.resolve(code, address, sent), 1 + n
}

// goTo goes to an address from a position, or after an indirect branch. The Cursor is zero, and nothing
// happened, if that is not warm.
func (w *warm) goTo(t Target, at, left flow.Cursor) (next flow.Cursor) {
	d := w.d
	next = d.Walk.AddressCursor(d.pc(t), d.Rec.Security())
	switch {
	case !next.Known() || at.Known() && (w.told || next != at):
		return flow.Cursor{}
	case at.Known():
		w.repeated++
	default:
		w.indirect++
		d.Walk.PushFrom(left)
	}
	d.target, w.told = t, true
	return next
}

// cool gives the state of the fast path back. Offset is that of the last atoms.
func (w *warm) cool() {
	d, q := w.d, &w.d.Rec.Segment.Quality
	q.Branches += w.indirect + w.repeated
	q.BranchesIndirect += w.indirect
	q.BranchesRepeated += w.repeated
	d.moved, d.fresh, d.owed = w.told, w.told, false
	if w.at.Known() {
		d.Walk.Resume(w.at)
	} else {
		d.Walk.Resume(w.left)
		d.leave(w.e != 0)
	}
	if w.rest > 1 {
		n := bits.Len32(w.rest) - 1
		d.pushP0(element{kind: Atoms, offset: d.Offset, bytes: 1, atoms: w.rest, p0: uint8(n)})
	}
}

// room returns rows with room for more than the n that there are.
func room(rows []schema.Run, n int) []schema.Run {
	rows = slices.Grow(rows[:n], max(1024, n/8))
	return rows[:cap(rows)]
}
