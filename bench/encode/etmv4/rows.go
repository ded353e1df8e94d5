package etmv4

import (
	"fmt"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file makes rows of elements, once they are committed (§5).

// instruction is one that was executed, as far as the trace will tell.
type instruction struct {
	at       step.Place
	in       isa.Instruction
	executed schema.Null[bool]
}

// count is the cycles of a cycle count packet, NULL if it is unknown.
type count struct {
	offset int64
	cycles schema.Null[uint64]
}

// element is what a packet says, at its place among the others.
type element struct {
	offset int64 // of its packet
	p0     bool
	stays  bool // told even if the P0 elements before it are cancelled or dropped

	instructions []instruction // of a P0 element: executed up to it
	atom         bool          // the last of them is the P0 instruction: it has the count
	afterPop     bool          // the return stack has where they begin
	taken        bool          // outcome of an atom

	returns bool // of an ETE: it returned from an exception

	time  uint64 // of a P0 element: when it occurred
	count schema.Null[count]
	tell  func() // makes the rows that are not instructions; nil: there are none
}

// An entry is the row of an exception, which is made when the handler is told.
type entry struct {
	truth.Exception
	told bool // the exception was: it is committed
}

// rowWriter makes rows of elements.
type rowWriter struct {
	encode.Recorder
	opt        *Options
	lastPacket int64 // where it begins

	queue  []element // that wait, oldest first: the first is an open P0 element
	open   int       // P0 elements
	unseen int       // of those, the oldest: of what is lost
	times  []uint64  // of the open P0 elements

	// early makes the rows, since the last A-sync, that are made even if no cut was before.
	early []func()

	// Since the last Trace Info: what holds at a cut with which the rest of a stream begins.
	told struct {
		contextID, vmid bool
		timestamp       schema.Null[uint64]
	}
}

// push takes an element. What is before no open P0 element is told at once.
func (t *rowWriter) push(x element) {
	if x.p0 {
		t.open++
		t.times = append(t.times, x.time)
	}
	t.queue = append(t.queue, x)
	t.release(0)
	if over := t.open - int(t.opt.MaxSpec); over > 0 { // they commit by themselves
		t.commit(over)
	}
}

// commit tells the n oldest open P0 elements.
func (t *rowWriter) commit(n int) {
	t.open -= n
	t.times = append(t.times[:0], t.times[n:]...)
	unseen := min(n, t.unseen)
	t.unseen -= unseen
	t.release(n - unseen)
}

// release tells what is before the n-th open P0 element.
func (t *rowWriter) release(n int) {
	i := 0
	for ; i < len(t.queue); i++ {
		x := &t.queue[i]
		if x.p0 && n == 0 || !x.p0 && t.unseen > 0 {
			break
		}
		if x.p0 {
			n--
		}
		t.element(x)
	}
	t.queue = append(t.queue[:0], t.queue[i:]...)
}

// cancel drops the n newest open P0 elements and what came after them (§5.2).
func (t *rowWriter) cancel(n int) {
	t.open -= n
	t.times = t.times[:t.open]
	for i := len(t.queue) - 1; n > 0; i-- {
		x := &t.queue[i]
		if x.p0 {
			n--
		}
		if x.p0 || !x.stays {
			*x = x.dropped()
		}
	}
}

// drop drops the open P0 elements, and tells what is not of the program. It returns how many.
func (t *rowWriter) drop() (open int) {
	open = t.open - t.unseen
	t.open, t.unseen, t.times = 0, 0, t.times[:0]
	for i := range t.queue {
		if x := &t.queue[i]; x.stays {
			t.element(x)
		} else {
			d := x.dropped()
			t.element(&d)
		}
	}
	t.queue = t.queue[:0]
	return open
}

// dropped is what is told of an element that is not of the program: its count.
func (x *element) dropped() element { return element{stays: true, count: x.count} }

// end drops the open P0 elements for a reason, at a place.
func (t *rowWriter) end(why string, at int64) {
	if n := t.drop(); n > 0 {
		t.discard(n, why, at)
	}
}

func (t *rowWriter) discard(n int, why string, at int64) {
	t.event(at, schema.EventDiscard, fmt.Sprintf("%d P0 elements: %s", n, why))
}

// forget has the open P0 elements be of a part of the stream that is lost.
func (t *rowWriter) forget() {
	t.queue, t.unseen = t.queue[:0], t.open
}

// element makes the rows of an element.
func (t *rowWriter) element(x *element) {
	for i := range x.instructions {
		w := &x.instructions[i]
		var cycles schema.Null[uint32]
		last := x.atom && i == len(x.instructions)-1
		if last && x.count.OK && x.count.V.cycles.OK {
			cycles = schema.Of(uint32(x.count.V.cycles.V))
			t.Cycle.V += int64(cycles.V)
		}
		t.Instruction(x.offset, w.at, &w.in, w.executed, cycles)
	}
	if x.returns && !x.atom { // by the instruction before
		t.Return(x.offset)
	}
	if x.count.OK {
		t.counted(x.count.V, x.atom)
	}
	if x.returns && x.atom {
		t.Return(x.offset)
	}
	if x.tell != nil {
		x.tell()
	}
}

// counted makes the row of a count: at the last instruction, if it is that of an atom.
func (t *rowWriter) counted(c count, atom bool) {
	k := t.Key(c.offset)
	if atom {
		k.Seq--
	} else if c.cycles.OK {
		t.Cycle.V += int64(c.cycles.V)
	}
	if c.cycles.OK {
		t.Count(k, schema.CountPacket, int64(c.cycles.V))
		return
	}
	t.Epoch++
	t.Cycle.V = 0
	t.Rows.CycleCount(&truth.CycleCount{Key: k, Kind: schema.CountPacket})
}

// commitCounted tells the n oldest open P0 elements, of which the newest has a count.
func (t *rowWriter) commitCounted(n int, c count) {
	if n <= t.unseen {
		t.counted(c, false)
		t.commit(n)
		return
	}
	k := n - t.unseen
	for i := range t.queue {
		if x := &t.queue[i]; x.p0 {
			if k--; k == 0 {
				x.count = schema.Of(c)
			}
		}
	}
	t.commit(n)
}

// attach gives a count to the newest open P0 element.
func (t *rowWriter) attach(c count) {
	for i := len(t.queue) - 1; i >= 0; i-- {
		if t.queue[i].p0 {
			t.queue[i].count = schema.Of(c)
			return
		}
	}
}

// informed notes a Trace Info.
func (t *rowWriter) informed() {
	t.told.contextID, t.told.vmid, t.told.timestamp.OK = false, false, false
}

// begin has the rest of a stream begin with what was told since the Trace Info.
func (t *rowWriter) begin(x told) {
	t.Security, t.ExceptionLevel = x.security, schema.Null[uint8]{V: x.level, OK: t.opt.Profile != profileM}
	t.ContextID = schema.Null[uint32]{V: x.contextID, OK: t.told.contextID}
	t.VMID = schema.Null[uint32]{V: x.vmid, OK: t.told.vmid}
	t.Timestamp = t.told.timestamp
}

// enter makes the row of an exception: in the context of the handler, but as late as the exception.
func (t *rowWriter) enter(x *entry) {
	if !x.told {
		return
	}
	now := t.State
	t.Epoch, t.Cycle, t.Timestamp = x.Epoch, x.Cycle, x.Timestamp
	t.Exception(x.Offset, x.Exception)
	t.State = now
}

// pushEvent takes an event that is not of the program.
func (t *rowWriter) pushEvent(at int64, kind schema.EventKind, detail string) {
	t.early = append(t.early, func() {
		t.Rows.Event(&truth.Event{Key: truth.Key{Offset: at}, Event: kind, Detail: detail})
	})
	t.push(element{offset: at, stays: true, tell: func() { t.event(at, kind, detail) }})
}

// earlyTime makes the rows of a timestamp before the first cut.
func (t *rowWriter) earlyTime(at int64, value uint64, width uint8) {
	k := truth.Key{Offset: at}
	t.Rows.Timestamp(&truth.Timestamp{
		Key: k, Timestamp: schema.Of(value), KnownBits: width, Epoch: t.Epoch, Cycle: t.Cycle,
	})
}

// event makes the row of an event without an address.
func (t *rowWriter) event(at int64, kind schema.EventKind, detail string) {
	t.Event(at, kind, schema.Null[schema.Address]{}, detail)
}
