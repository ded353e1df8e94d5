package etmv4

import (
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/schema"
)

// This file is the fast path where cycles are counted: the newest atom waits for its count, and with
// it the address after it, as they do in queue.go.

// A held is what waits, and the runs of what does not.
type held struct {
	waits   [2]element // an atom, and an address; or an address alone, which is not warm
	waiting int        // how many
	runs    []schema.Run
	n       int // of runs; the others are room
}

// takeHeld takes what waits in the queue. It fails if that is more.
func (w *warm) takeHeld() bool {
	q := &w.d.queue
	items := q.items[q.head:]
	switch {
	case len(items) > len(w.waits), len(items) > 0 && (items[0].kind != Atoms || items[0].p0 != 1 || items[0].count.OK),
		len(items) > 1 && items[1].kind != Address:
		return false
	}
	w.waiting = copy(w.waits[:], items)
	q.reset()
	return true
}

// giveBack has the rest wait in the queue.
func (w *warm) giveBack() {
	d := w.d
	for i := range w.waits[:w.waiting] {
		if e := &w.waits[i]; e.p0 > 0 {
			d.queue.add(*e)
			d.queue.committed++
		} else {
			d.push(*e)
		}
	}
}

// writeCounted decodes packets that begin up to Data[last], and writes their runs and counts.
func (w *warm) writeCounted(last int) {
	d, data := w.d, w.d.Rec.Part.Data
	w.runs, w.n = d.Rec.Result.Runs, len(d.Rec.Result.Runs)
	from, begun := w.n, w.end
	w.runs = w.runs[:cap(w.runs)]
	for ok := true; ok && w.end <= last; {
		switch headers[data[w.end]].kind {
		case Atoms:
			ok = w.holdAtoms()
		case Address:
			ok = w.holdAddress()
		case CycleCount:
			ok = w.takeCount()
		default:
			ok = false
		}
	}
	if w.n > from {
		d.Rec.Settle()
		d.Rec.Result.Runs = w.runs[:w.n]
		d.Offset = w.runs[w.n-1].Offset
	}
	packet := int64(d.Rec.Offsets.At(w.packet))
	if w.rest > 1 {
		d.Offset = packet
	}
	if w.n > from || w.end > begun {
		w.cool()
	}
	w.giveBack()
	if w.end > begun {
		d.Offset = packet
	}
}

// holdAtoms takes a packet of atoms, of which the newest waits.
func (w *warm) holdAtoms() bool {
	if _, ok := w.release(nil); !ok {
		return false
	}
	w.begin()
	offset := int64(w.d.Rec.Offsets.At(w.header))
	for w.rest > 3 {
		if !w.at.Known() && !w.popRun() {
			return false
		}
		w.makeRoom()
		atoms, rest := some(w.rest, 1)
		to, walked, left, exit := w.d.Walk.Atoms(w.at, w.runs[w.n:], atoms, offset)
		w.n += walked
		w.rest = putBack(rest, left)
		switch w.at = to; {
		case exit != flow.AtBlock:
			w.at, w.left, w.e = flow.Cursor{}, to, uint8(exit-flow.AfterFailed)
			if w.pauses(w.left, w.e) {
				return false
			}
		case left > 1:
			return false
		}
	}
	w.waits[0], w.waiting = element{kind: Atoms, offset: offset, bytes: 1, atoms: w.rest & 1, p0: 1}, 1
	w.rest = 1
	return true
}

// holdAddress takes an address, which waits if an atom does.
func (w *warm) holdAddress() bool {
	t, length := w.target(w.end)
	switch w.waiting {
	case 0:
		if !w.goRun(t) {
			return false
		}
	case 1:
		w.waits[1] = element{kind: Address, offset: int64(w.d.Rec.Offsets.At(w.end)), bytes: uint8(length), target: t}
		w.waiting = 2
	default:
		return false
	}
	w.d.State.push(t)
	w.packet, w.end = w.end, w.end+length
	return true
}

// takeCount takes the count of the atom that waits.
func (w *warm) takeCount() bool {
	var p Packet
	if w.waiting == 0 || w.d.cfg.Parse(&p, w.d.Rec.Part.Data[w.end:]) != nil {
		return false
	}
	c := counted{offset: int64(w.d.Rec.Offsets.At(w.end)), cycles: w.d.cycles(&p)}
	if !c.cycles.OK {
		return false
	}
	applied, ok := w.release(&c)
	if applied {
		w.packet, w.end = w.end, w.end+p.Len
	}
	return ok
}

// release walks by the atom that waits, and goes to the address. It reports whether there was an
// atom, and whether all is warm; without, the atom has not been walked, or an address waits.
func (w *warm) release(c *counted) (applied, ok bool) {
	if w.waiting == 0 {
		return false, true
	}
	if !w.at.Known() && !w.popRun() {
		return false, false
	}
	w.makeRoom()
	run, e := &w.runs[w.n], uint8(w.waits[0].atoms&1)
	next, ok := w.d.Walk.Step(w.at, run, e, w.waits[0].offset)
	if !ok {
		return false, false
	}
	w.n++
	if c != nil {
		w.d.count(*c, w.d.Walk.Seq-1)
		run.Cycles, run.Cycle, run.Flags = c.cycles.V, w.d.Rec.Cycle, run.Flags|schema.RunHasCycles
	}
	w.at, w.left, w.e, w.told = next, w.at, e, false
	w.waiting--
	w.waits[0] = w.waits[1]
	if !w.at.Known() && w.pauses(w.left, w.e) || w.waiting > 0 && !w.goRun(w.waits[0].target) {
		return true, false
	}
	w.waiting = 0
	return true, true
}

// makeRoom makes room for the runs of as many atoms as are walked at once.
func (w *warm) makeRoom() {
	if w.n+atomsAtOnce > len(w.runs) {
		w.runs = room(w.runs, w.n)
	}
}
