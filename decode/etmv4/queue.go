package etmv4

// This file has elements wait: nothing is applied before it is committed.
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
	// that were seen, and than the position there.
	unseen uint64
}

// maxQueue is how many elements wait at most: trace units have far fewer.
const maxQueue = 1 << 12

func (q *queue) reset() { *q = queue{items: q.items[:0]} }

func (q *queue) empty() bool { return q.head == len(q.items) }

// waits reports whether what comes waits for what came before.
func (q *queue) waits() bool { return q.unseen > 0 || !q.empty() }

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
	if !d.queue.waits() {
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

// release applies what is committed, and what no open P0 element is before. last is the count of
// the newest P0 element that is committed; with all, none waits for one.
func (d *Decoder) release(last *counted, all bool) {
	defer d.at(d.Offset)
	q := &d.queue
	for q.unseen == 0 && !q.empty() {
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
			if c == nil && !all && d.awaitsCount() {
				return
			}
		}
		q.committed--
		d.applyOldest(e, c)
	}
}

// awaitsCount reports whether the newest P0 element that is committed waits for its count. Where
// cycle counts commit, it is theirs; else a count is of the newest of all.
func (d *Decoder) awaitsCount() bool {
	return d.cfg.CycleCounting && (d.queue.open == 0 || !d.cfg.CommOpt)
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
