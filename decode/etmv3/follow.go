package etmv3

import (
	"math/bits"
	"strconv"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// follow is what the decoder knows of the flow beside the walker's position.
type follow struct {
	// pending: an indirect branch was executed, its target is not told yet.
	pending bool
	// unsure: the packet with a target was lost, so that only five address
	// bytes make an address.
	unsure bool
	// dead: in debug state, up to an I-sync.
	dead bool
	// half: the flow stands at the second half of the 32-bit T32 instruction at
	// the position (ETMIDR[18] = 0); halfTold: an atom told the first.
	half, halfTold bool
	left           leftPlaces
	// afterBranch: the last packet about the flow was a branch packet.
	afterBranch bool
	// atoms: there were some since the last I-sync; started says that it
	// restarted trace.
	atoms   bool
	started bool
	// underway: the last instruction is the first one behind a restart, and
	// transfers data: others may execute under it.
	underway bool

	stretch stretch
}

// A stretch is instructions that were traced but cannot be followed: at an
// unknown address, or in Jazelle state (docs/etmv3.md §4.1, §4.4).
type stretch struct {
	schema.Event
	active bool
	atoms  int64
}

// pheader walks the atoms of a P-header, one instruction each (§7.3.1,
// docs/etmv3.md §4.1).
func (d *Decoder) pheader(p *Packet) {
	var placed bool
	if d.cfg.CycleAccurate {
		placed = d.costedAtoms(&p.Atoms)
	} else {
		placed = d.plainAtoms(&p.Atoms)
	}
	if !placed {
		d.rec.Segment.Row.BytesUnplaced += int64(p.Len)
	}
}

// plainAtoms walks atoms that tell no cycles. It reports whether all of them
// could be placed.
func (d *Decoder) plainAtoms(a *Atoms) bool {
	told := flow.Told{Offset: d.offset}
	placed := true
	for i := uint8(0); i < a.Count; {
		if !d.cfg.OneT32 || !d.walk.Known() {
			placed = d.atom(&told, a.N>>i&1 == 0, 0) && placed
			i++
			continue
		}
		d.rec.Settle()
		run := bits.TrailingZeros32(uint32(a.N)>>i | 1<<(a.Count-i))
		walked := 1
		var stop flow.Stop
		if run > 0 {
			walked, stop = d.walk.Executed(&told, run)
		} else if stop = d.walk.Atom(&told, false, 0); stop == flow.Missing {
			walked = 0
		}
		i += uint8(walked)
		if walked > 0 {
			d.walked(walked)
		}
		d.stopped(stop)
	}
	return placed
}

// costedAtoms walks atoms with cycles (§7.3.3, docs/etmv3.md §5): an
// instruction costs those since the one before.
func (d *Decoder) costedAtoms(a *Atoms) bool {
	told := flow.Told{Offset: d.offset, Flags: schema.RunCostsTold}
	placed, seq := true, d.walk.Seq
	sum := int64(a.Waits)
	d.wait(a.Waits)
	for i := range a.Count {
		if i > 0 {
			d.wait(a.Between)
			sum += int64(a.Between)
		}
		told.Cycle = d.rec.Cycle
		placed = d.atom(&told, a.N>>i&1 == 0, d.waits) && placed
	}
	kind := schema.CountPacket
	if a.Count > 0 {
		kind = schema.CountAtom
	}
	if d.walk.Seq > seq {
		seq = d.walk.Seq - 1 // told with instructions: that of the last of them
	}
	if sum > 0 {
		d.rec.Count(schema.Key{Seq: seq, Offset: d.offset}, sum, kind)
	}
	return placed
}

// wait lets cycles go by.
func (d *Decoder) wait(n uint8) {
	d.rec.Cycle += int64(n)
	d.waits += int64(n)
}

// atom walks one instruction. It reports whether it could be placed.
func (d *Decoder) atom(told *flow.Told, executed bool, cost int64) bool {
	if d.walk.Known() && !d.cfg.OneT32 && d.firstHalf() {
		return true
	}
	if !d.walk.Known() {
		d.unplaced(executed)
		return false
	}
	d.rec.Settle()
	stop := d.walk.Atom(told, executed, uint32(min(cost, 1<<32-1)))
	if stop == flow.Missing {
		d.stopped(stop)
		d.unplaced(executed)
		return false
	}
	if d.waits = 0; d.back.Waits == decode.WaitsPassed {
		d.back.Waits = decode.WaitsTaken
	}
	d.half, d.halfTold = false, false
	d.walked(1)
	d.stopped(stop)
	return true
}

// walked takes note of instructions that got rows.
func (d *Decoder) walked(n int) {
	d.acted(decode.InstructionAct)
	d.told.instructions = true
	d.afterBranch = false
	d.underway = d.started && !d.atoms && n == 1 && d.walk.TransfersData()
	d.atoms = true
}

// firstHalf takes the first of two atoms of a 32-bit T32 instruction
// (docs/etmv3.md §4.3): it makes no row and no move.
func (d *Decoder) firstHalf() bool {
	if d.half || d.walk.ISA() != schema.T32 && d.walk.ISA() != schema.T32EE || d.walk.Next() != 4 {
		return false
	}
	d.half, d.halfTold = true, true
	d.acted(decode.UnplacedAct)
	d.afterBranch = false
	return true
}

// dropHalf drops the first half of an instruction whose second half does not
// come.
func (d *Decoder) dropHalf() {
	if d.half && d.halfTold {
		d.rec.Event(d.key(), schema.EventSplitInstruction, schema.Of(d.walk.Place().Address), "")
	}
	d.half, d.halfTold = false, false
}

// stopped handles the end of a walk.
func (d *Decoder) stopped(stop flow.Stop) {
	switch stop {
	case flow.Arrived:
	case flow.AtIndirect:
		if d.walk.Waypoint().Kind == schema.KindExceptionReturn && d.cfg.returnsByOpcode() {
			d.returnRow()
		}
		d.lose()
		d.pending = true
	case flow.Missing:
		d.unmapped()
	default:
		panic("etmv3: an atom walks to no waypoint")
	}
}

// lose makes the position unknown. The instruction set stays that of the flow.
func (d *Decoder) lose() {
	if d.walk.Known() {
		d.isa = d.walk.ISA()
	}
	d.half, d.halfTold = false, false
	d.walk.Lose()
}

// unplaced takes an atom at an unknown address (docs/etmv3.md §4.4).
func (d *Decoder) unplaced(executed bool) {
	if d.pending { // its branch packet was lost
		d.pending, d.unsure = false, true
	}
	if !d.stretch.active {
		d.openStretch(schema.EventNoAddress, schema.Null[uint32]{})
	}
	d.stretch.atoms++
	d.tellUnplaced(executed)
	d.dropWaits()
	d.acted(decode.UnplacedAct)
	d.afterBranch = false
}

// dropWaits makes the cycles up to here those of no instruction.
func (d *Decoder) dropWaits() {
	if d.waits = 0; d.back.Waits == decode.WaitsPassed {
		d.back.Waits = decode.WaitsDropped
	}
}

// openStretch begins a stretch. Its event is told at its end, which may be in
// another part.
func (d *Decoder) openStretch(kind schema.EventKind, address schema.Null[uint32]) {
	d.closeStretch()
	d.stretch = stretch{active: true, Event: schema.Event{Key: d.key(), Event: kind, Address: address}}
}

// closeStretch ends the stretch, if there is one: the address is known again.
func (d *Decoder) closeStretch() {
	if !d.stretch.active {
		return
	}
	e := d.stretch.Event
	e.Seq = min(e.Seq, d.walk.Seq) // the instruction before it may have been cancelled
	e.Detail = strconv.FormatInt(d.stretch.atoms, 10)
	d.rec.Unit.Events = append(d.rec.Unit.Events, e)
	d.stretch = stretch{}
}

// unmapped reports that the walk met an instruction that is in no image
// (§7.12).
func (d *Decoder) unmapped() {
	d.rec.Unmapped(d.key(), d.mem, d.walk.MissingAddress())
	d.lose()
}

// jump puts the position at an address that the trace told.
func (d *Decoder) jump(address uint32, state schema.ISA) {
	d.pending, d.unsure, d.half, d.halfTold = false, false, false, false
	if state == schema.Jazelle {
		if !d.stretch.active || d.stretch.Event.Event != schema.EventJazelle {
			d.openStretch(schema.EventJazelle, schema.Of(address))
		}
		d.walk.Lose()
		return
	}
	d.closeStretch()
	if !d.cfg.OneT32 && state == schema.T32 && d.secondHalf(address) {
		address -= 2
		d.half = true
	}
	d.walk.Goto(decode.Place{Address: address, ISA: state}, d.rec.Space())
}

// secondHalf says whether the flow, which goes to an address, begins inside an
// instruction there: if an exception of the segment left it there, as it was then.
func (d *Decoder) secondHalf(address uint32) bool {
	if half, ok := d.left.half(address); ok {
		return half
	}
	return d.inPair(address)
}

// leave takes note of where an exception leaves the flow, which matters in T32
// code alone: of the address to which it returns, in the midst of an instruction
// or not, and of the other place near it where one begins. A handler that does
// what an instruction could not returns behind it.
func (d *Decoder) leave(address uint32, half bool) {
	begins := address - 2
	if first, ok := d.halfword(address); !half {
		if begins = address + 2; ok && isa.Is32Bit(first) {
			begins += 2
		}
	}
	d.left.add(leftAt{begins, false})
	d.left.add(leftAt{address, half})
}

// leftAt is an address, and whether it is in the midst of an instruction.
type leftAt struct {
	address uint32
	half    bool
}

// leftPlaces are the last ones of a segment, for as many levels of exceptions as
// there are likely to be.
type leftPlaces struct {
	last [16]leftAt
	n    int
}

func (l *leftPlaces) add(at leftAt) {
	l.last[l.n%len(l.last)] = at
	l.n++
}

// half says whether an address was in the midst of an instruction when it was
// left last, if it was.
func (l *leftPlaces) half(address uint32) (half, ok bool) {
	for i := l.n - 1; i >= max(0, l.n-len(l.last)); i-- {
		if at := l.last[i%len(l.last)]; at.address == address {
			return at.half, true
		}
	}
	return false, false
}

// inPair says whether the halfword at address is the second one of a BL or BLX
// that is traced as two instructions (docs/etmv3.md §4.3); that of a BLX is
// even. What looks like the first one may be the end of another instruction:
// those that begin behind the last halfword below 0xE800, behind which one
// begins in any case, are counted through.
func (d *Decoder) inPair(address uint32) bool {
	prefix, ok := d.halfword(address - 2)
	suffix, ok2 := d.halfword(address)
	isBL, isBLX := suffix>>11 == 0x1f, suffix>>11 == 0x1d && suffix&1 == 0
	if !ok || !ok2 || prefix>>11 != 0x1e || !isBL && !isBLX {
		return false
	}
	n := uint32(1) // halfwords before address that may be first ones
	for ; n < maxPairs; n++ {
		if h, ok := d.halfword(address - 2*n - 2); !ok || !isa.Is32Bit(h) {
			break
		}
	}
	return n%2 == 1
}

// maxPairs is how many halfwords inPair looks at: in a longer run, which is no
// code, no instruction is in two halves.
const maxPairs = 64

func (d *Decoder) halfword(address uint32) (uint16, bool) {
	b := d.mem.Fetch(d.rec.Space(), address)
	if len(b) < 2 {
		return 0, false
	}
	return uint16(b[0]) | uint16(b[1])<<8, true
}

// here returns the position in the program, which is known, as the trace tells
// it: inside an instruction of which the first half was told.
func (d *Decoder) here() decode.Place {
	at := d.walk.Place()
	if d.half {
		at.Address += 2
	}
	return at
}
