package etmv2

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/decode/record"
	"github.com/tracelake/tracelake/schema"
)

// follow is what the decoder knows of the flow beside the walker's position.
type follow struct {
	// pending: an indirect branch was executed, its address is not traced yet.
	pending bool
	// fresh: no instruction was executed since trace started, but perhaps a load or
	// store multiple in progress.
	fresh bool
	// afterBranch: the last thing about the flow was a branch packet.
	afterBranch bool
	// context is the key of a context whose row waits for the state of the next
	// instruction: a branch address says it.
	context schema.Null[schema.Key]
}

// plainSamples applies a run of samples with nothing but IE, IN and WT.
func (d *Decoder) plainSamples(x *frame) {
	from, to := x.run, x.at
	d.countWaits(from, to, x.owed)
	if d.Packets || d.cfg.CycleAccurate {
		d.singleSamples(from, to)
		return
	}
	for i := from; i < to; i++ {
		switch d.frames.sample(i).Status() {
		case StatusIE:
			n := 1
			for i+n < to && d.frames.sample(i+n).Status() == StatusIE {
				n++
			}
			d.executed(i, n)
			i += n - 1
		case StatusIN:
			d.at(i)
			d.instruction(i, false)
		}
	}
}

// singleSamples does so one by one.
func (d *Decoder) singleSamples(from, to int) {
	for i := from; i < to; i++ {
		x := frame{at: i, status: d.frames.sample(i).Status()}
		d.at(i)
		if d.Packets {
			d.recordSample(&x)
		}
		d.status(&x)
	}
}

// at sets the current sample.
func (d *Decoder) at(i int) { d.Offset = int64(d.Rec.Offsets.At(i)) }

// countWaits counts the samples of a run whose status says that the FIFO sends bytes
// and nothing executes: no byte is owed from the sample owed on.
func (d *Decoder) countWaits(from, to, owed int) {
	q := &d.Rec.Segment.Quality
	for i := from; i < to; i++ {
		if d.frames.sample(i).Status() != StatusWT {
			continue
		}
		q.Waits++
		if i >= owed {
			q.WaitsUnowed++
		}
	}
}

// executed walks the instructions of n samples of status IE, from a sample on.
func (d *Decoder) executed(i, n int) {
	for end := i + n; i < end; {
		walked, stop := 0, flow.Arrived
		if d.Walk.Known() {
			d.Rec.Settle()
			source := flow.Source{Flags: schema.RunHasOffsets, Offsets: &d.Rec.Offsets, Unit: i, Unsplit: true}
			walked, stop = d.Walk.Executed(&source, end-i)
		}
		if walked == 0 {
			d.at(i)
			d.instruction(i, true)
			i++
			continue
		}
		i += walked
		d.at(i - 1)
		d.Rec.Half = record.Half{}
		d.walked()
		if stop != flow.Missing { // else the next sample says so
			d.stopped(stop)
		}
	}
}

// status applies a status and its packets (docs/etmv2.md §6.2).
func (d *Decoder) status(x *frame) {
	if d.cfg.CycleAccurate && !d.frames.sample(x.at).Droppable() {
		d.waits++
	}
	if x.trigger {
		d.Rec.Event(d.Key(), schema.EventTrigger, schema.Null[schema.Address]{}, "")
	}
	if x.status&statusPhantom != 0 {
		d.phantom(x)
	}
	if hasInstruction(x.status) {
		d.instruction(x.at, x.status&statusFailed == 0)
	}
	for i := range x.packets {
		d.packet(&x.packets[i], x)
	}
	if !d.pending {
		d.recordContext()
	}
}

// phantom walks the direct branch that was folded into the instruction of the sample
// (§6.1.2).
func (d *Decoder) phantom(x *frame) {
	address := schema.Null[schema.Address]{OK: d.Walk.Known()}
	if address.OK {
		address.V = d.Here().Address
	}
	taken := x.status&statusNotTaken == 0
	d.instruction(x.at, taken)
	if last := d.lastInstruction(); address.OK && d.Walk.Known() && last.known && !last.direct {
		d.Rec.Event(d.Key(), schema.EventInconsistent, address, "phantom")
	}
}

// instruction walks one instruction of the sample i. If it has no place, the sample is
// counted as unplaced.
func (d *Decoder) instruction(i int, executed bool) {
	d.fresh = false
	if d.Walk.Known() && d.firstHalf() {
		return
	}
	if !d.Walk.Known() {
		d.unplaced(executed)
		return
	}
	d.Rec.Settle()
	source := flow.Source{Flags: schema.RunHasOffsets, Offsets: &d.Rec.Offsets, Unit: i}
	cost := d.beginCost(&source)
	stop := d.Walk.Atom(&source, executed, cost)
	if stop == flow.Missing {
		d.stopped(stop)
		d.unplaced(executed)
		return
	}
	d.endCost(cost)
	d.Rec.Half = record.Half{}
	d.walked()
	d.stopped(stop)
}

// walked notes that instructions got rows.
func (d *Decoder) walked() {
	d.setCancelable(decode.CancelableInstruction)
	d.Rec.Since.Instructions = true
	d.afterBranch, d.fresh = false, false
}

// stopped handles the end of a walk.
func (d *Decoder) stopped(stop flow.Stop) {
	switch stop {
	case flow.Arrived:
	case flow.AtIndirect:
		if d.Walk.Waypoint().Kind == schema.KindExceptionReturn {
			d.returnIndex = len(d.Rec.Result.Exceptions)
			d.Rec.Return(d.Key())
		}
		d.lose()
		d.pending = true
	case flow.Missing:
		d.missing(d.Walk.MissingAddress())
	default:
		panic("etmv2: a status walks to no waypoint")
	}
}

// missing notes that the flow reached an instruction that is in no image.
func (d *Decoder) missing(address schema.Address) {
	d.Unmapped(address)
	d.lose()
	d.Rec.Unplaced = record.UnplacedRun{Active: true, Quiet: true}
}

// lose makes the position unknown.
func (d *Decoder) lose() {
	if d.Walk.Known() {
		d.isa = d.Walk.ISA()
	}
	d.Rec.Half = record.Half{}
	d.Walk.Lose()
}

// unplaced takes an instruction at an unknown address. Where there is no image of it,
// an event has said so.
func (d *Decoder) unplaced(executed bool) {
	d.pending = false
	d.recordContext()
	if !d.Rec.Unplaced.Active {
		d.OpenUnplaced(schema.EventNoAddress, schema.Null[schema.Address]{})
	}
	d.Rec.Unplaced.Count++
	d.NoteUnplaced(executed)
	d.Rec.Segment.Row.BytesUnplaced += port.SampleBytes
	d.Rec.Cycle += d.waits
	d.dropWaits()
	d.setCancelable(decode.CancelableUnplaced)
	d.afterBranch = false
}

// jump sets the position to an address from the trace.
func (d *Decoder) jump(to decode.PC) {
	d.pending = false
	d.CloseUnplaced()
	d.Rec.Half = record.Half{}
	if to.ISA == schema.T32 {
		d.enterThumb(to)
		return
	}
	d.Walk.Goto(to, d.Rec.Security())
}

// A lastInstruction is what the last row says of its instruction.
type lastInstruction struct {
	known   bool
	address schema.Address
	direct  bool // a direct branch
	taken   bool
	svc     bool
}

// lastInstruction returns that of the last row, which may be of an earlier part.
func (d *Decoder) lastInstruction() lastInstruction {
	result := d.Rec.Result
	if len(result.Runs) == d.Rec.Base[decode.Runs] {
		return d.last
	}
	run := &result.Runs[len(result.Runs)-1]
	block, i := result.Blocks[run.Block], int(run.First)+int(run.Count)-1
	kind := schema.Kind(block.Kind[i])
	return lastInstruction{
		known: true, address: block.Address[i], taken: run.Outcome == schema.Taken,
		direct: kind == schema.KindBranch || kind == schema.KindCall, svc: kind == schema.KindSVC,
	}
}
