package etmv1

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/decode/record"
	"github.com/tracelake/tracelake/schema"
)

// This file is the second pass: it walks the program by the statuses (docs/etmv2.md
// §6.2).

// executed walks the IEs from the current sample on, all of them if it can.
func (d *Decoder) executed() {
	d.settleWaits(false)
	if d.Walk.Known() && !d.cfg.CycleAccurate && !d.Rec.Half.Second && !d.Rec.Half.Orphan {
		i, n := d.at-d.data, d.executedRun()
		source := flow.Source{Flags: schema.RunHasOffsets, Offsets: &d.Rec.Offsets, Unit: int(i), Unsplit: true}
		d.Rec.Settle()
		if walked, stop := d.Walk.Executed(&source, int(n)); walked > 0 {
			d.at += int64(walked)
			d.seen = d.at - 1
			d.Offset = int64(d.Rec.Offsets.At(int(d.seen - d.data)))
			if stop != flow.Missing { // else the next sample says so
				d.stopped(stop)
			}
			return
		}
	}
	d.wait()
	d.instruction(true, false)
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

// instruction walks the instruction of the current sample, whose status may owe data.
func (d *Decoder) instruction(executed, owes bool) {
	switch {
	case !d.Walk.Known():
		d.unplaced()
		return
	case d.firstHalf():
		return
	}
	var in isa.Instruction
	if owes {
		in, _ = d.Walk.Peek()
	}
	state := d.Walk.ISA()
	stop := d.atom(executed)
	if stop == flow.Missing {
		d.stopped(stop)
		d.unplaced()
		return
	}
	d.transfer(owes, &in, state)
	d.stopped(stop)
}

// atom walks one instruction, whose position is known.
func (d *Decoder) atom(executed bool) flow.Stop {
	if d.Rec.Half.Orphan {
		return flow.Missing
	}
	d.Rec.Settle()
	i := d.at - d.data
	source := flow.Source{Flags: schema.RunHasOffsets, Offsets: &d.Rec.Offsets, Unit: int(i)}
	var cost int64
	if d.cfg.CycleAccurate && !d.untimed {
		source.Flags |= schema.RunHasCosts
		cost = d.waits
		source.Cycle = d.Rec.Cycle + cost
	}
	stop := d.Walk.Atom(&source, executed, uint32(min(cost, 1<<32-1)))
	if stop == flow.Missing {
		return stop
	}
	if source.Flags&schema.RunHasCosts != 0 {
		d.Rec.Cycle += cost
		d.Rec.Count(schema.Key{Seq: d.Walk.Seq - 1, Offset: d.Offset}, cost, schema.CountAtom)
	}
	d.waits, d.untimed = 0, false
	d.back.Waited(decode.WaitsTaken)
	d.Rec.Half = record.Half{}
	return stop
}

// stopped handles the end of a walk.
func (d *Decoder) stopped(stop flow.Stop) {
	switch stop {
	case flow.AtIndirect:
		if d.Walk.Waypoint().Kind == schema.KindExceptionReturn {
			d.Rec.Return(d.Key())
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
	d.Unmapped(d.Here().Address)
	d.lost()
	d.Rec.Unplaced = record.UnplacedRun{Active: true, Quiet: true}
}

// lost makes the position unknown, up to the next address.
func (d *Decoder) lost() {
	d.Rec.Half = record.Half{}
	d.Walk.Lose()
	d.skip = true
}

// unplaced takes the status of an instruction at an unknown address.
func (d *Decoder) unplaced() {
	if !d.Rec.Unplaced.Active {
		d.OpenUnplaced(schema.EventNoAddress, schema.Null[schema.Address]{})
	}
	d.Rec.Unplaced.Count++
	d.Rec.Segment.Row.BytesUnplaced += port.SampleBytes
	d.skip = true
	if !d.untimed {
		d.Rec.Cycle += d.waits
	}
	d.dropWaits()
	d.untimed = false
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
	d.waits = 0
	d.back.Waited(decode.WaitsDropped)
	d.untimed = true
}

// branchTaken walks a BE or BD, whose sample is the current one.
func (d *Decoder) branchTaken(b *branch) {
	d.busy = d.at + 1 + int64(b.window)
	if d.faulty(b) {
		return
	}
	if d.Packets {
		d.cfg.addBranch(&d.line.PacketText, b)
	}
	b.check(&d.Rec.Segment.Quality)
	if b.extra {
		d.Rec.Event(d.Key(), schema.EventInconsistent, schema.Null[schema.Address]{}, "address without a branch")
	}
	a := &b.address
	switch {
	case b.fate == abandoned:
		d.Rec.Event(d.Key(), schema.EventCancelled, schema.Null[schema.Address]{}, "abandoned")
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

// check counts whether the offset of a branch agrees with the branch before.
func (b *branch) check(q *decode.Quality) {
	if b.compared {
		q.FIFOChecks++
		if b.agrees {
			q.FIFORight++
		}
	}
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
	placed := d.Walk.Known()
	if !placed {
		d.Rec.Segment.Quality.BranchesUnplaced++
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
		d.DropHalf()
		d.inconsistent(to)
		d.Walk.Lose()
		return
	}
	in, _ := d.Walk.Peek()
	at := d.Walk.PC()
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
	case d.Here() != to:
		d.Walk.Lose() // the address holds; an event has said that it is another
	}
}

// compare compares the address of a branch with the instruction that has it.
func (d *Decoder) compare(in *isa.Instruction, at decode.PC, stop flow.Stop, to decode.PC) {
	q := &d.Rec.Segment.Quality
	switch here := d.position(); {
	case stop == flow.AtIndirect, in.Kind == schema.KindSVC:
		q.IndirectBranch()
	default:
		q.Branch(decode.Miss{Offset: d.Offset, After: schema.Of(at.Address), Expected: here, Found: to})
		if !isDirect(in) || here != to {
			d.inconsistent(to)
			d.Walk.Lose() // said once, though a cut may follow
		}
	}
}

// withoutAddress walks a branch whose address an overflow took (docs/etmv2.md §4.3).
func (d *Decoder) withoutAddress(b *branch) {
	if !d.Walk.Known() {
		d.unplaced()
		return
	}
	at, state := d.Here(), d.Walk.ISA()
	in, mapped := d.Walk.Peek()
	half := d.Rec.Half.Second || state != schema.T32 || in.Size != 4
	switch branches := changesFlow(in.Kind) || in.Kind == schema.KindSVC; {
	case !mapped || d.Rec.Half.Orphan:
		d.unmapped()
		d.unplaced()
		return
	case branches && half:
		stop := d.atom(true)
		d.transfer(b.data, &in, state)
		d.stopped(stop)
	default:
		d.DropHalf()
		d.Rec.Event(d.Key(), schema.EventCancelled, schema.Of(at.Address), "")
		d.dropData(b.data)
	}
	d.lost()
}

// restart handles a start of trace inside a segment: in Jazelle state, where the
// stream is not cut.
func (d *Decoder) restart(b *branch) {
	a := &b.address
	d.DropHalf()
	d.CloseUnplaced()
	d.dropWaits()
	d.Element(decode.DataElement{Key: d.Key(), Kind: decode.ElementRestart})
	d.Rec.Restart(decode.SegmentStart{
		Offset: d.Offset, Reason: reasons[a.Reason], At: schema.Of(decode.Position{PC: pcOf(a)}),
	}, d.Walk.Seq)
	d.setContext(a)
	d.jump(a)
}

// setContext sets the Context ID that follows an address.
func (d *Decoder) setContext(a *received) {
	if d.cfg.ContextIDBytes == 0 || !a.HasContextID() {
		return
	}
	d.Rec.ContextID = schema.Of(a.contextID)
	d.Rec.RecordContext(d.Key(), schema.Of(pcOf(a).ISA))
}

// jump sets the position to an address.
func (d *Decoder) jump(a *received) {
	to := pcOf(a)
	d.Rec.Half = record.Half{}
	if to.ISA == schema.Jazelle {
		if !d.Rec.Unplaced.Active || d.Rec.Unplaced.Event.Event != schema.EventJazelle {
			d.OpenUnplaced(schema.EventJazelle, schema.Of(to.Address))
		}
		d.Walk.Lose()
		return
	}
	d.CloseUnplaced()
	d.skip = false
	d.Walk.Goto(d.inside(to), d.Rec.Security())
}

// inconsistent records that an address is not that of the program.
func (d *Decoder) inconsistent(to decode.PC) {
	d.Rec.Event(d.Key(), schema.EventInconsistent, schema.Null[schema.Address]{V: d.position().Address, OK: d.Walk.Known()},
		fmt.Sprintf("branch address %s %s", to.Address.Hex(), to.ISA))
}

// position returns the position, if it is known.
func (d *Decoder) position() decode.PC {
	if !d.Walk.Known() {
		return decode.PC{}
	}
	return d.Here()
}
