package etmv4

import (
	"strconv"

	"github.com/tracelake/tracelake/bench/step"
	codec "github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/schema"
)

// This file speculates: it commits late, and takes wrong paths (§5.1, §5.2).

// Something of speculation happens at one of so many places.
const (
	commitChance  = 8 // at the least: as more may be open, more are
	wrongChance   = 16
	wrongLongest  = 6 // P0 elements of most wrong paths
	longestChance = 8 // of a wrong path as long as may be open
)

// wrongPath is how many P0 elements a wrong path has at the most.
func (e *Encoder) wrongPath() int {
	if e.vary.UpTo(longestChance-1) == 0 {
		return int(e.opt.MaxSpec)
	}
	return min(wrongLongest, int(e.opt.MaxSpec))
}

// full says whether no more atoms may wait: more P0 elements than MaxSpec would be open.
func (e *Encoder) full() bool {
	return e.opt.MaxSpec > 0 && e.truth.open+len(e.pending) >= int(e.opt.MaxSpec)
}

// speculate commits now and then, and where no more P0 elements may be open.
func (e *Encoder) speculate() {
	if e.opt.MaxSpec == 0 || !e.full() && e.vary.UpTo(max(commitChance, int(e.opt.MaxSpec)/4)) > 0 {
		return
	}
	e.flush()
	if open := e.truth.open; open > 0 && !e.vary.Happens(e.vary.Commits) {
		e.commit(1 + e.vary.UpTo(open-1))
	}
}

// resolveAll commits all that is open.
func (e *Encoder) resolveAll() {
	if e.truth.open > 0 {
		e.commit(e.truth.open)
	}
}

// commit commits the n oldest P0 elements, by a cycle count where counts commit and one is due.
func (e *Encoder) commit(n int) {
	t := &e.truth
	if e.opt.CycleCounting && e.countsCommit() && e.reaches(t.times[n-1]) {
		t.commitCounted(n, e.sendCount(t.times[n-1], n))
		return
	}
	e.emit(codec.Packet{Kind: codec.Commit, Count: e.vary.field(uint32(n), 5)})
	t.commit(n)
}

// room commits until n more P0 elements may be open.
func (e *Encoder) room(n int) {
	if over := e.truth.open + n - int(e.opt.MaxSpec); over > 0 {
		e.commit(over)
	}
}

// mispredict sends an atom with the wrong outcome now and then, what would have come after it,
// and then that it was wrong.
func (e *Encoder) mispredict(x *element) bool {
	if e.opt.MaxSpec < 2 || e.vary.UpTo(wrongChance) > 0 {
		return false
	}
	e.flush()
	k := min(e.vary.UpTo(e.wrongPath()), int(e.opt.MaxSpec)-1)
	e.room(1 + k)
	wrong := uint32(1)
	if x.taken {
		wrong = 0
	}
	if k == 0 && e.vary.UpTo(1) == 0 { // in one packet
		x.offset = e.emit(codec.Packet{Kind: codec.Mispredict, Mispredict: true, Atoms: wrong, AtomCount: 1})
		e.truth.push(*x)
	} else {
		x.offset = e.emit(codec.Packet{Kind: codec.Atoms, Atoms: wrong, AtomCount: 1})
		e.truth.push(*x)
		e.wander(k, true)
		e.cancel(k, true)
	}
	if e.countDue() {
		e.truth.attach(e.sendCount(x.time, 0))
	}
	return true
}

// wrongTurn takes a wrong path where the flow is between P0 instructions, now and then: all of it
// is cancelled, but for an address that came first: that of the place where the flow goes on is sent
// behind it.
func (e *Encoder) wrongTurn(to step.Place) {
	if e.opt.MaxSpec == 0 || e.vary.UpTo(wrongChance) > 0 {
		return
	}
	e.flush()
	k := 1 + e.vary.UpTo(e.wrongPath()-1)
	e.room(k)
	address := e.flow.owed && !e.flow.popped
	e.wander(k, address)
	e.cancel(k, false)
	if address {
		e.sendAddress(to)
		e.flow.owed = false
	}
}

// wander sends n P0 elements that the core did not execute. A wrong address may come first where it
// is void, or another one has to come.
func (e *Encoder) wander(n int, address bool) {
	for n > 0 {
		switch k := e.vary.UpTo(5); {
		case k == 0 && address:
			e.sendWrongAddress(codec.Address)
			continue
		case k == 1 && e.vary.Happens(e.vary.Events):
			e.extra()
			continue
		case k == 2 && e.opt.ETE:
			e.sendWrongAddress(codec.SourceAddress)
			n--
			e.truth.push(element{p0: true, time: e.now})
		case k == 3 && e.opt.Profile != profileM:
			e.emit(codec.Packet{Kind: codec.Exception, Exception: 14, Return: codec.ReturnFollows})
			e.sendWrongAddress(codec.Address)
			n--
			e.truth.push(element{p0: true, time: e.now})
		default:
			m := 1 + e.vary.UpTo(min(n, 3)-1)
			e.emit(codec.Packet{Kind: codec.Atoms, Atoms: e.vary.Number() & (1<<m - 1), AtomCount: uint8(m)})
			n -= m
			for range m {
				e.truth.push(element{p0: true, time: e.now})
			}
		}
		address = true
	}
}

// sendWrongAddress sends an address near the last one.
func (e *Encoder) sendWrongAddress(kind codec.Kind) {
	to := e.core.next
	to.Address ^= schema.Address(e.vary.Number()) & 0x1ffc
	p, _ := e.addressed(kind, to)
	e.emit(p)
}

// cancel cancels the n newest P0 elements, and says then whether the newest atom was mispredicted.
func (e *Encoder) cancel(n int, mispredict bool) {
	p := codec.Packet{Kind: codec.Cancel, Format: 1, Mispredict: mispredict, Count: e.vary.field(uint32(n), 5)}
	switch short := mispredict && !e.vary.Happens(e.vary.Fields); {
	case n == 0:
		p = codec.Packet{Kind: codec.Mispredict, Mispredict: true}
	case short && n == 1:
		p = codec.Packet{Kind: codec.Cancel, Format: 2, Mispredict: true, Count: codec.Field{Value: 1}}
	case short && n <= 5:
		p = codec.Packet{Kind: codec.Cancel, Format: 3, Mispredict: true, Count: codec.Field{Value: uint32(n)}}
	}
	at := e.emit(p)
	if n > 0 {
		e.truth.cancel(n)
		e.truth.push(element{offset: at, stays: true, tell: func() {
			e.truth.event(at, schema.EventCancelled, strconv.Itoa(n))
		}})
	}
}
