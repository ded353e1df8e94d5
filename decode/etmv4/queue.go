package etmv4

import (
	"github.com/tracelake/tracelake/schema"
)

// This file is what speculation does to elements (IHI 0064, Commit, Cancel and Mispredict
// elements): nothing is applied before it is committed.
//
// Where cycles are counted, the newest P0 element that is committed waits for the next one,
// or for its count, which comes after it.

// A queue has the elements that are not applied yet, oldest first.
type queue struct {
	items []element
	head  int // index of the oldest

	committed uint64 // P0 elements that are, and wait
	open      uint64 // P0 elements after those
	// unseen P0 elements are open that came before where reading began. They are older than all
	// that were seen.
	unseen uint64
}

// maxQueue is how many elements wait at most: trace units have far fewer.
const maxQueue = 1 << 12

func (q *queue) reset() { *q = queue{items: q.items[:0]} }

func (q *queue) empty() bool { return q.head == len(q.items) }

// add adds an element at the end.
func (q *queue) add(e element) {
	if q.empty() {
		q.items, q.head = q.items[:0], 0
	} else if q.head > maxQueue {
		q.items = q.items[:copy(q.items, q.items[q.head:])]
		q.head = 0
	}
	q.items = append(q.items, e)
}

// take takes the oldest element.
func (q *queue) take() element {
	q.head++
	return q.items[q.head-1]
}

// push applies an element that is no P0 element, or has it wait for those before it.
func (d *Decoder) push(e element) {
	if d.queue.empty() {
		d.apply(&e, nil)
		return
	}
	d.queue.add(e)
}

// pushP0 pushes an element of P0 elements.
func (d *Decoder) pushP0(e element) {
	if d.cfg.MaxSpec == 0 && !d.cfg.CycleCounting {
		d.apply(&e, nil)
		return
	}
	d.queue.add(e)
	d.queue.open += uint64(e.p0)
	if d.cfg.MaxSpec == 0 {
		d.commit(uint64(e.p0))
	}
}

// commit commits the n oldest P0 elements that are open.
func (d *Decoder) commit(n uint64) {
	d.settle(n)
	d.release(nil, false)
}

// settle notes that the n oldest P0 elements are committed.
func (d *Decoder) settle(n uint64) {
	q := &d.queue
	unseen := min(n, q.unseen)
	q.unseen -= unseen
	if n -= unseen; n > q.open {
		d.contradiction("commit: %d P0 elements, of which %d are open", n, q.open)
		n = q.open
	}
	q.open -= n
	q.committed += n
}

// commitCounted does so for a cycle count, which is of the newest of them.
func (d *Decoder) commitCounted(n uint64, c counted) {
	d.settle(n)
	if d.queue.committed == 0 {
		d.count(c, d.Walk.Seq)
		return
	}
	d.release(&c, false)
}

// attach gives a count to the newest P0 element: if that is applied already, or has a count,
// the count stands alone.
func (d *Decoder) attach(c counted) {
	q := &d.queue
	for i := len(q.items) - 1; i >= q.head; i-- {
		if e := &q.items[i]; e.p0 > 0 {
			if !e.count.OK {
				e.count = schema.Of(c)
				d.release(nil, false)
				return
			}
			break
		}
	}
	d.push(element{kind: CycleCount, offset: c.offset, count: schema.Of(c)})
}

// release applies what is committed, and what no open P0 element is before. last is the count of
// the newest P0 element that is committed; with all, none waits for one.
func (d *Decoder) release(last *counted, all bool) {
	defer d.at(d.Offset)
	q := &d.queue
	for !q.empty() {
		e := &q.items[q.head]
		if e.p0 == 0 {
			x := q.take()
			d.apply(&x, nil)
			continue
		}
		if q.committed == 0 {
			return
		}
		c := e.lastCount()
		if q.committed == 1 {
			if c == nil {
				c = last
			}
			if c == nil && d.cfg.CycleCounting && q.open == 0 && !all {
				return
			}
		}
		q.committed--
		d.applyOldest(e, c)
	}
}

// at goes back to a packet, after elements of others.
func (d *Decoder) at(offset int64) { d.Offset = offset }

// lastCount returns the count of e if one P0 element is left of it.
func (e *element) lastCount() *counted {
	if e.p0 == 1 && e.count.OK {
		c := e.count.V // e may be moved
		return &c
	}
	return nil
}

// applyOldest applies the oldest P0 element, which is of e.
func (d *Decoder) applyOldest(e *element, c *counted) {
	if e.kind != Atoms {
		x := d.queue.take()
		d.apply(&x, c)
		return
	}
	executed := e.atoms&1 != 0
	e.atoms >>= 1
	if e.p0--; e.p0 == 0 {
		d.queue.head++
	}
	d.Offset = e.offset
	d.atom(executed, c, &e.bytes)
}

// resolve cancels, and mispredicts.
func (d *Decoder) resolve(p *Packet) {
	if p.Count.Value > 0 {
		d.cancel(uint64(p.Count.Value))
	}
	if p.Kind == Mispredict || p.Mispredict {
		d.mispredict()
	}
	d.release(nil, false)
}

// cancel cancels the n newest P0 elements that are open. What came with them goes, but what is
// not of the program: and contexts, which later packets are relative to.
func (d *Decoder) cancel(n uint64) {
	q, left := &d.queue, min(n, d.queue.open)
	missing := n - left
	q.open -= left
	for i := len(q.items) - 1; left > 0; i-- {
		e := &q.items[i]
		k := min(left, uint64(e.p0))
		left -= k
		switch e.p0 -= uint8(k); {
		case e.p0 > 0: // of Atoms
			continue
		case k == 0 && (e.stays() || e.kind == Context || e.kind == TraceInfo):
			continue
		case e.count.OK && k > 0:
			*e = element{kind: CycleCount, offset: e.count.V.offset, count: e.count}
		default:
			e.kind = Ignore
		}
	}
	unseen := min(missing, q.unseen)
	q.unseen -= unseen
	if missing > unseen {
		d.contradiction("cancel: %d P0 elements, of which %d are open", n, n-missing+unseen)
	}
	d.event(schema.EventCancelled, "%d", n)
}

// stays reports whether e, which is no P0 element, is told whatever becomes of those before it.
func (e *element) stays() bool {
	switch e.kind {
	case Event, Timestamp, CycleCount, Instrumentation:
		return true
	default:
		return false
	}
}

// mispredict makes the newest open atom the other one. Its target, if one was told, is void.
func (d *Decoder) mispredict() {
	q, left := &d.queue, d.queue.open
	for i := len(q.items) - 1; left > 0; i-- {
		e := &q.items[i]
		if e.kind == Atoms {
			e.atoms ^= 1 << (e.p0 - 1)
			q.voidAddresses(i + 1)
			return
		}
		left -= uint64(e.p0)
	}
	if q.unseen == 0 {
		d.contradiction("mispredict: no atom is open")
	}
}

// voidAddresses drops the addresses from an index on.
func (q *queue) voidAddresses(from int) {
	for i := range q.items[from:] {
		if e := &q.items[from+i]; e.kind == Address {
			e.kind = Ignore
		}
	}
}

// overrun commits the oldest of more P0 elements than the trace unit can have open, and all if
// too many elements wait.
func (d *Decoder) overrun() {
	q := &d.queue
	if open := q.open + q.unseen; open > uint64(d.cfg.MaxSpec) {
		d.commit(open - uint64(d.cfg.MaxSpec))
	}
	if len(q.items)-q.head <= maxQueue {
		return
	}
	if q.open > 0 {
		d.contradiction("speculation: more than %d elements wait", maxQueue)
		d.settle(q.unseen + q.open)
	}
	d.release(nil, true)
}

// checkOpen compares what a Trace Info says is open with what is.
func (d *Decoder) checkOpen(spec uint64) {
	if open := d.queue.open + d.queue.unseen; spec != open {
		d.contradiction("speculation: Trace Info says that %d P0 elements are open, it is %d", spec, open)
	}
}

// drop drops the P0 elements that are open, and says why, if there are any. What is not of the
// program is told.
func (d *Decoder) drop(why string) {
	if open := d.dropOpen(); open > 0 {
		d.discard(open, why)
	}
}

// discard records that P0 elements stay unresolved.
func (d *Decoder) discard(open uint64, why string) {
	d.event(schema.EventDiscard, "%d P0 elements: %s", open, why)
}

func (d *Decoder) dropOpen() (open uint64) {
	defer d.at(d.Offset)
	q := &d.queue
	open = q.open
	q.open, q.unseen = 0, 0
	for !q.empty() {
		switch x := q.take(); {
		case x.p0 > 0 && x.count.OK:
			d.Offset = x.offset
			d.count(x.count.V, d.Walk.Seq)
		case x.p0 == 0 && x.stays():
			d.apply(&x, nil)
		}
	}
	return open
}
