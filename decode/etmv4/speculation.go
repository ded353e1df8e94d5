package etmv4

import "github.com/tracelake/tracelake/schema"

// This file resolves elements that are speculative (IHI 0064, Commit, Cancel and Mispredict elements).

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
	}
	d.release(&c, false)
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
	unseen := min(missing, q.unseen)
	q.open, q.unseen = q.open-left, q.unseen-unseen
	for i := len(q.items) - 1; i >= q.head && left+unseen > 0; i-- {
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
	if unseen > 0 {
		d.lose(false)
	}
	if missing > unseen {
		d.contradiction("cancel: %d P0 elements, of which %d are open", n, n-missing+unseen)
	}
	d.push(element{kind: Cancel, offset: d.Offset, value: n})
}

// stays reports whether e, which is no P0 element, is told whatever becomes of those before it.
func (e *element) stays() bool {
	switch e.kind {
	case Event, Timestamp, TimestampMarker, CycleCount, Instrumentation, Cancel:
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
		return
	}
	q.voidAddresses(q.head)
	d.lose(false)
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
	if q.open+q.unseen > 0 {
		d.contradiction("speculation: more than %d elements wait", maxQueue)
		d.settle(q.unseen + q.open)
	}
	d.release(nil, true)
}

// checkOpen compares what a Trace Info says is open with what is, unless that was dropped.
func (d *Decoder) checkOpen(spec uint64) {
	dropped := d.cleared
	d.cleared = false
	if open := d.queue.open + d.queue.unseen; spec != open && !dropped {
		d.contradiction("speculation: Trace Info says that %d P0 elements are open, it is %d", spec, open)
	}
}

// checkDepth compares what a Trace Info at a cut says is open with what can be.
func (d *Decoder) checkDepth(spec uint32) {
	if spec > d.cfg.MaxSpec {
		d.contradiction("speculation: Trace Info says that %d P0 elements are open, TRCIDR8 allows %d", spec, d.cfg.MaxSpec)
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
