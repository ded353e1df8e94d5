package etmv1

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/decode/record"
	"github.com/tracelake/tracelake/schema"
)

// A Decoder follows the program by the samples of one segment after another. Samples
// count from the start of the segment, with those that its cut shows it before.
type Decoder struct {
	record.Follower
	cfg   Config
	pins  port.Pins
	plain bool // go by the plain rules alone

	view []byte // the samples of the part, and those before and after it that it may read
	from int64  // the sample view[0]
	data int64  // the first sample of the part,
	end  int64  // and the one after its last
	last bool   // no samples follow those of view

	state
}

// state is what the decoder knows beside the state of the recorder. It is zero at
// the start of every segment.
type state struct {
	at     int64 // the next sample to walk
	frames framer
	framed int64 // the branches before it are settled
	// branches are those that the first pass has settled, from at on.
	branches queue[branch]
	// busy: up to here samples have no status of their own, but that of an address
	// packet offset.
	busy int64
	// untimed: the next instruction is the first after a start of trace, whose cost is
	// not known.
	untimed bool

	fifo
	line  line
	waits int64 // cycles since the last instruction
	back  decode.BackReferences
}

// Decode implements [decode.Decoder].
func (d *Decoder) Decode(result *decode.Result, part decode.Part) {
	d.begin(result, part)
	switch {
	case d.Rec.Lost():
		d.Rec.Decoded(0)
	case !part.Continued:
		d.start()
	}
	for d.at < d.end && !d.Rec.Lost() {
		if d.at >= d.framed {
			d.frame(min(d.at+step, d.end))
		}
		if d.warm(); d.at < min(d.end, d.framed) {
			d.sample()
		}
	}
	d.finish()
}

// begin readies the decoder for a part.
func (d *Decoder) begin(result *decode.Result, part decode.Part) {
	if !part.Continued {
		d.branches.clear()
		d.state = state{frames: d.frames.again(), branches: d.branches}
		d.data, d.end = 0, int64(len(part.Before)/port.SampleBytes)
	}
	d.BeginPart(result, part)
	d.Rec.Segment.CountsEach = d.cfg.CycleAccurate
	d.back = decode.BackReferences{}
	if d.cfg.CycleAccurate {
		d.back.Waits = decode.WaitsPassed
	}
	d.look(&part)
	if part.Break != decode.NoBreak {
		d.loseSync()
	}
	if !d.Rec.Lost() {
		d.frame(min(d.data+step, d.end))
	}
}

// look sets the view to a part, and what it may read before and after it.
func (d *Decoder) look(part *decode.Part) {
	before := part.Before
	if part.Continued { // data may come before its status
		n := min(d.end-d.from, reach)
		before = d.view[(d.end-d.from-n)*port.SampleBytes : (d.end-d.from)*port.SampleBytes]
	}
	d.view = append(append(append(d.view[:0], before...), part.Data...), part.Ahead...)
	d.data = d.end
	d.from = d.data - int64(len(before)/port.SampleBytes)
	d.end = d.data + int64(len(part.Data)/port.SampleBytes)
	d.last = len(part.Ahead) < d.cfg.AheadBytes()
}

// frame is the first pass: over the samples before to, and as far ahead as their
// branches need. It keeps step with the walk, so that no more than a few branches wait.
func (d *Decoder) frame(to int64) {
	f := &d.frames
	limit := d.from + int64(len(d.view)/port.SampleBytes)
	d.takeBranches(limit)
	for f.next < to || f.firstBranch() < to && f.next < limit {
		f.scan(d.view, d.from, min(max(min(to, f.next+step), f.next+ahead), limit))
		d.takeBranches(limit)
	}
	d.framed = to
}

// ahead is how many samples the first pass looks ahead at once.
const ahead = 64

// takeBranches takes the branches that are settled.
func (d *Decoder) takeBranches(limit int64) {
	if d.last && d.frames.next == limit {
		d.frames.end()
	}
	for b := d.frames.settled(); b != nil; b = d.frames.settled() {
		d.branches.push(*b)
	}
}

// start sets the flow to the address of the branch that the segment begins with.
func (d *Decoder) start() {
	b := d.branch()
	if b == nil || !b.cuts() {
		panic(fmt.Sprintf("etmv1: the segment at %d does not begin with a full address", d.Rec.Offset(0)))
	}
	a := &b.address
	d.Offset = d.Rec.Offset(0)
	start := decode.SegmentStart{Offset: d.Offset, Reason: reasons[a.Reason], At: schema.Of(decode.Position{PC: pcOf(a)})}
	start.SameContext = !a.HasContextID()
	start.Trigger = a.Reason.Restarts() && d.raw(d.data).Status() == port.StatusTR
	d.Rec.Start(start)
	d.at, d.seen = d.data, window-1
	d.afterAddress(b)
	if a.Reason.Restarts() {
		s := d.raw(d.at)
		if d.beginLine(s); d.Packets {
			d.cfg.addBranch(&d.line.PacketText, b)
		}
		d.endLine(s)
		d.at++
		d.dropWaits()
	}
	d.busy = window
	d.setContext(a)
	d.jump(a)
}

// reasons are those of the rows of `segments`.
var reasons = [...]schema.ISyncReason{
	Branch:    schema.ISyncPeriodic,
	TraceOn:   schema.ISyncTraceOn,
	Overflow:  schema.ISyncOverflow,
	DebugExit: schema.ISyncDebugExit,
	Periodic:  schema.ISyncPeriodic,
}

// pcOf returns the position that an address names.
func pcOf(a *received) decode.PC {
	switch {
	case a.Jazelle:
		return decode.PC{Address: a.target, ISA: schema.Jazelle}
	case a.target&1 != 0:
		return decode.PC{Address: a.target &^ 1, ISA: schema.T32}
	default:
		return decode.PC{Address: a.target &^ 3, ISA: schema.A32}
	}
}

// raw returns a sample of view.
func (d *Decoder) raw(at int64) port.Sample { return port.At(d.view[(at-d.from)*port.SampleBytes:]) }

// index returns where the sample is in the data of the part.
func (d *Decoder) index(at int64) int { return int(at-d.data) * port.SampleBytes }

// branch removes the next branch and returns it.
func (d *Decoder) branch() *branch {
	if d.branches.len() == 0 {
		return nil
	}
	b := &d.branches.all()[0]
	d.branches.drop(1)
	return b
}

// sample walks the next sample, or several at once.
func (d *Decoder) sample() {
	d.Offset = int64(d.Rec.Offsets.At(int(d.at - d.data)))
	s := d.raw(d.at)
	status := s.Status()
	if d.at >= d.busy && status == statusIE && !d.Packets {
		d.executed()
		return
	}
	d.beginLine(s)
	if status == port.StatusTR {
		d.Rec.Event(d.Key(), schema.EventTrigger, schema.Null[schema.Address]{}, "") // the status there comes after it
		status = replaced(s)
	}
	if !s.Droppable() {
		d.wait()
	}
	if d.at >= d.busy {
		d.status(status)
	}
	if !d.Rec.Lost() {
		d.endLine(s)
		d.at++
	}
}

// status does what a status says (docs/etmv2.md §6.2).
func (d *Decoder) status(status uint8) {
	switch status {
	case statusIE, statusIN, statusID:
		d.settleWaits(status == statusID)
		d.instruction(status != statusIN, status == statusID)
		d.seen = d.at
	case statusWT:
		if d.raw(d.at).Status() == statusWT {
			d.waiting()
		}
	case statusBE, statusBD:
		d.settleWaits(status == statusBD)
		b := d.branch()
		d.branchTaken(b)
		d.seen = d.at + int64(b.window)
	}
}

// finish completes the entry of the part in the result.
func (d *Decoder) finish() {
	if d.Rec.Lost() {
		d.branches.clear()
	} else {
		d.frame(d.end)
		d.Rec.Decoded(len(d.Rec.Part.Data))
	}
	t := &d.Rec.Segment.End
	if !d.Rec.Part.Open {
		if !d.Rec.Lost() {
			d.settleWaits(false)
			d.CloseUnplaced()
		}
		t.Waits, t.Untimed = d.waits, d.untimed && d.cfg.CycleAccurate
	}
	t.Return = -1
	if d.Walk.Known() {
		t.Reached, t.Half = schema.Of(decode.Position{PC: d.Here()}), d.Rec.Half.Second && d.Rec.Half.First
	}
	d.Rec.Segment.Back = d.back
	d.Rec.Finish(d.Walk.Seq)
}

// lose begins a loss at the current sample that lasts to the next cut.
func (d *Decoder) lose(reason schema.LossReason, detail string) {
	d.Rec.OpenLoss(d.Key(), reason, detail)
	d.Rec.Decoded(d.index(d.at))
	d.loseSync()
}

// loseSync drops what is unknown after a loss.
func (d *Decoder) loseSync() {
	d.CloseUnplaced()
	d.Element(decode.DataElement{Key: d.Key(), Kind: decode.ElementLost})
	d.Walk.Lose()
	d.Rec.Half = record.Half{}
}
