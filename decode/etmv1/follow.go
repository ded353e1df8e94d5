package etmv1

import (
	"fmt"
	"strconv"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

// This file is the second pass: it walks the program by the statuses (docs/etmv2.md
// §6.2).

// follow is what the decoder knows of the flow beside the walker's position.
type follow struct {
	split split
	// first: the next instruction is the first after a start of trace, whose cost is
	// not known.
	first bool

	unplacedRun unplacedRun
}

// An unplacedRun is a run of traced instructions without rows: at an unknown
// address, or in Jazelle state.
type unplacedRun struct {
	schema.Event
	active bool
	quiet  bool // another event says why
	count  int64
}

// executed walks the IEs from the current sample on, all of them if it can.
func (d *Decoder) executed() {
	d.settleWaits(false)
	if d.walk.Known() && !d.cfg.CycleAccurate && !d.split.second && !d.split.orphan {
		i, n := d.at-d.data, d.executedRun()
		source := flow.Source{Flags: schema.RunHasOffsets, Offsets: &d.rec.Offsets, Unit: int(i), Unsplit: true}
		d.rec.Settle()
		if walked, stop := d.walk.Executed(&source, int(n)); walked > 0 {
			d.at += int64(walked)
			d.seen = d.at - 1
			d.offset = int64(d.rec.Offsets.At(int(d.seen - d.data)))
			if stop != flow.Missing { // else the next sample says so
				d.stopped(stop)
			}
			return
		}
	}
	d.wait()
	d.instruction(true)
	d.seen = d.at
	d.at++
}

// executedRun returns how many IEs follow each other from the current sample on.
func (d *Decoder) executedRun() int64 {
	b := d.view[(d.at-d.from)*port.SampleBytes : (d.end-d.from)*port.SampleBytes]
	n := port.SampleBytes
	for n < len(b) && b[n]&0xF == statusIE {
		n += port.SampleBytes
	}
	return int64(n / port.SampleBytes)
}

// instruction walks the instruction of the current sample.
func (d *Decoder) instruction(executed bool) {
	switch {
	case !d.walk.Known():
		d.unplaced()
		return
	case d.firstHalf():
		return
	}
	stop := d.atom(executed)
	if d.stopped(stop); stop == flow.Missing {
		d.unplaced()
	}
}

// atom walks one instruction, whose position is known.
func (d *Decoder) atom(executed bool) flow.Stop {
	if d.split.orphan {
		return flow.Missing
	}
	d.rec.Settle()
	i := d.at - d.data
	source := flow.Source{Flags: schema.RunHasOffsets, Offsets: &d.rec.Offsets, Unit: int(i)}
	var cost int64
	if d.cfg.CycleAccurate && !d.first {
		source.Flags |= schema.RunHasCosts
		cost = d.waits
		source.Cycle = d.rec.Cycle + cost
	}
	stop := d.walk.Atom(&source, executed, uint32(min(cost, 1<<32-1)))
	if stop == flow.Missing {
		return stop
	}
	if source.Flags&schema.RunHasCosts != 0 {
		d.rec.Cycle += cost
		d.rec.Count(schema.Key{Seq: d.walk.Seq - 1, Offset: d.offset}, cost, schema.CountAtom)
	}
	d.waits, d.first = 0, false
	if d.back.Waits == decode.WaitsPassed {
		d.back.Waits = decode.WaitsTaken
	}
	d.split.end()
	return stop
}

// stopped handles the end of a walk.
func (d *Decoder) stopped(stop flow.Stop) {
	switch stop {
	case flow.AtIndirect:
		if d.walk.Waypoint().Kind == schema.KindExceptionReturn {
			d.rec.Return(d.key())
		}
		d.lost()
	case flow.Missing:
		d.unmapped()
	default:
	}
}

// unmapped records that the walk reached an instruction that is in no image
// (§4.10.3).
func (d *Decoder) unmapped() {
	d.rec.Unmapped(d.key(), d.mem, d.here().Address)
	d.lost()
	d.unplacedRun = unplacedRun{active: true, quiet: true}
}

// lost makes the position unknown, up to the next address.
func (d *Decoder) lost() {
	d.split.end()
	d.walk.Lose()
	d.skip = true
}

// unplaced takes the status of an instruction at an unknown address.
func (d *Decoder) unplaced() {
	if !d.unplacedRun.active {
		d.openUnplaced(schema.EventNoAddress, schema.Null[schema.Address]{})
	}
	d.unplacedRun.count++
	d.rec.Segment.Row.BytesUnplaced += port.SampleBytes
	d.skip = true
	if !d.first {
		d.rec.Cycle += d.waits
	}
	d.dropWaits()
	d.first = false
}

// wait counts the cycle of the current sample. Outside cycle-accurate mode nobody asks for it, and
// the fast path does not count it.
func (d *Decoder) wait() {
	if d.cfg.CycleAccurate {
		d.waits++
	}
}

// dropWaits drops the cycles up to here: no instruction with a row takes them.
func (d *Decoder) dropWaits() {
	if d.waits = 0; d.back.Waits == decode.WaitsPassed {
		d.back.Waits = decode.WaitsDropped
	}
	d.first = true
}

// openUnplaced begins an unplaced run. Its event is written at its end, which may be
// in another part.
func (d *Decoder) openUnplaced(kind schema.EventKind, address schema.Null[schema.Address]) {
	d.closeUnplaced()
	d.unplacedRun = unplacedRun{active: true, Event: schema.Event{Key: d.key(), Event: kind, Address: address}}
}

// closeUnplaced ends the unplaced run, if there is one.
func (d *Decoder) closeUnplaced() {
	if r := &d.unplacedRun; r.active && !r.quiet {
		r.Detail = strconv.FormatInt(r.count, 10)
		d.rec.Result.Events = append(d.rec.Result.Events, r.Event)
	}
	d.unplacedRun = unplacedRun{}
}

// branchTaken walks a BE or BD, whose sample is the current one.
func (d *Decoder) branchTaken(b *branch) {
	d.busy = d.at + 1 + int64(b.window)
	if d.faulty(b) {
		return
	}
	if d.packets {
		d.cfg.addBranch(&d.line.PacketText, b)
	}
	q := &d.rec.Segment.Quality
	if b.compared {
		q.FIFOChecks++
		if b.agrees {
			q.FIFORight++
		}
	}
	if b.extra {
		d.rec.Event(d.key(), schema.EventInconsistent, schema.Null[schema.Address]{}, "address without a branch")
	}
	a := &b.address
	switch {
	case b.fate == abandoned:
		d.rec.Event(d.key(), schema.EventCancelled, schema.Null[schema.Address]{}, "abandoned")
		d.dropData(b.data)
		d.afterAddress(b)
		return
	case b.fate != live:
		d.withoutAddress(b)
	case a.Full() && a.Reason.Restarts():
		d.restart(b)
	case d.isException(a):
		d.exception(b)
	default:
		d.branchTo(b)
	}
	d.afterAddress(b)
}

// faulty begins a loss if the samples of a branch cannot be understood (docs/etmv2.md
// §7.3).
func (d *Decoder) faulty(b *branch) bool {
	switch {
	case b.fate == bad:
		d.lose(schema.LossBadPacket, "an address packet offset cannot be TD or TR")
	case b.fate == late:
		d.lose(schema.LossBadPacket, fmt.Sprintf("the address of a branch is not among the %d samples after it", reach))
	case b.fate == truncated:
		d.lose(schema.LossTruncated, "the address of a branch is cut off")
	case b.fate == live && b.address.Full() && b.address.Reason.Reserved():
		d.lose(schema.LossReservedHeader, fmt.Sprintf("reason %d of an address is reserved", b.address.Reason))
	default:
		return false
	}
	return true
}

// branchTo walks the branch at the position to its address.
func (d *Decoder) branchTo(b *branch) {
	a := &b.address
	to := pcOf(a)
	placed := d.walk.Known()
	if !placed {
		d.rec.Segment.Quality.BranchesUnplaced++
		d.unplaced()
	} else {
		d.placedBranch(b, to)
	}
	d.setContext(a)
	if !b.cuts() {
		d.jump(a)
	}
}

// placedBranch makes the row of a branch whose position is known.
func (d *Decoder) placedBranch(b *branch, to decode.PC) {
	if d.firstHalf() { // not a branch: only half of one
		d.dropHalf()
		d.inconsistent(to)
		d.walk.Lose()
		return
	}
	in, _ := d.walk.Peek()
	at := d.walk.PC()
	stop := d.atom(true)
	if stop == flow.Missing {
		d.stopped(stop)
		d.unplaced()
		return
	}
	d.transfer(b.data, &in, at.ISA)
	d.compare(&in, at, stop, to)
	switch {
	case stop == flow.AtIndirect:
		d.stopped(stop)
	case d.here() != to:
		d.walk.Lose() // the address holds; an event has said that it is another
	}
}

// compare compares the address of a branch with the instruction that has it.
func (d *Decoder) compare(in *isa.Instruction, at decode.PC, stop flow.Stop, to decode.PC) {
	q := &d.rec.Segment.Quality
	switch here := d.position(); {
	case stop == flow.AtIndirect, in.Kind == schema.KindSVC:
		q.IndirectBranch()
	default:
		q.Branch(decode.Miss{Offset: d.offset, After: schema.Of(at.Address), Expected: here, Found: to})
		if !isDirect(in) || here != to {
			d.inconsistent(to)
			d.walk.Lose() // said once, though a cut may follow
		}
	}
}

// withoutAddress walks a branch whose address an overflow took (docs/etmv2.md §4.3).
func (d *Decoder) withoutAddress(b *branch) {
	if !d.walk.Known() {
		d.unplaced()
		return
	}
	at, state := d.here(), d.walk.ISA()
	in, mapped := d.walk.Peek()
	half := d.split.second || !d.isPair(&in)
	switch branches := changesFlow(in.Kind) || in.Kind == schema.KindSVC; {
	case !mapped || d.split.orphan:
		d.unmapped()
		d.unplaced()
		return
	case branches && half:
		stop := d.atom(true)
		d.transfer(b.data, &in, state)
		d.stopped(stop)
	default:
		d.dropHalf()
		d.rec.Event(d.key(), schema.EventCancelled, schema.Of(at.Address), "")
		d.dropData(b.data)
	}
	d.lost()
}

// restart handles a start of trace inside a segment: in Jazelle state, where the
// stream is not cut.
func (d *Decoder) restart(b *branch) {
	a := &b.address
	d.dropHalf()
	d.closeUnplaced()
	d.dropWaits()
	d.element(decode.DataElement{Key: d.key(), Kind: decode.ElementRestart})
	d.rec.Restart(decode.SegmentStart{
		Offset: d.offset, Reason: reasons[a.Reason], At: schema.Of(decode.Position{PC: pcOf(a)}),
	}, d.walk.Seq)
	d.setContext(a)
	d.jump(a)
}

// setContext sets the Context ID that follows an address.
func (d *Decoder) setContext(a *received) {
	if d.cfg.ContextIDBytes == 0 || !a.HasContextID() {
		return
	}
	d.rec.ContextID = schema.Of(a.contextID)
	d.rec.RecordContext(d.key(), schema.Of(pcOf(a).ISA))
}

// jump sets the position to an address.
func (d *Decoder) jump(a *received) {
	to := pcOf(a)
	d.split.end()
	if to.ISA == schema.Jazelle {
		if !d.unplacedRun.active || d.unplacedRun.Event.Event != schema.EventJazelle {
			d.openUnplaced(schema.EventJazelle, schema.Of(to.Address))
		}
		d.walk.Lose()
		return
	}
	d.closeUnplaced()
	d.skip = false
	d.walk.Goto(d.inside(to), d.rec.Security())
}

// inconsistent records that an address is not that of the program.
func (d *Decoder) inconsistent(to decode.PC) {
	d.rec.Event(d.key(), schema.EventInconsistent, schema.Null[schema.Address]{V: d.position().Address, OK: d.walk.Known()},
		fmt.Sprintf("branch address 0x%08x %s", to.Address, to.ISA))
}

// position returns the position, if it is known.
func (d *Decoder) position() decode.PC {
	if !d.walk.Known() {
		return decode.PC{}
	}
	return d.here()
}
