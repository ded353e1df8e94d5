package etmv2

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/decode/record"
	"github.com/tracelake/tracelake/schema"
)

// A Decoder follows the program by the statuses and packets of one segment after
// another.
type Decoder struct {
	record.Follower
	cfg    Config
	frames *framer
	plain  bool // go by the plain rules alone
	state
}

// state is what the decoder knows beside the states of the recorder and the framer. It
// is zero at the start of every segment.
type state struct {
	// base is the last address output: what branch addresses of fewer than five bytes
	// are relative to.
	base decode.PC
	isa  schema.ISA // at the last known place

	follow
	last        lastInstruction
	cancelable  decode.Cancelable // what a cancel takes back
	returnIndex int               // the `return` row that goes with it, or noRow
	cycles

	back decode.BackReferences
}

// noRow is the index where there is no row.
const noRow = -1

// setCancelable sets what a cancel takes back, so far without a `return` row.
func (s *state) setCancelable(a decode.Cancelable) { s.cancelable, s.returnIndex = a, noRow }

func newDecoder(c *Config, mem *image.Memory, packets bool) *Decoder {
	d := &Decoder{
		cfg: *c, Follower: record.NewFollower(mem, flow.Rules{}, packets, record.Recorder{
			CycleAccurate: c.CycleAccurate, UnitBytes: port.SampleBytes,
			TracesData: c.TracesData(), TracesRegisters: c.MonitorCPRT, SwapsInPlace: true,
		}),
	}
	d.frames = newFramer(&d.cfg)
	return d
}

// Decode implements [decode.Decoder].
func (d *Decoder) Decode(result *decode.Result, part decode.Part) {
	d.begin(result, part)
	if !part.Continued {
		d.firstTFO()
	}
	d.decodeFrames()
	d.finish()
}

// begin readies the decoder for a part.
func (d *Decoder) begin(result *decode.Result, part decode.Part) {
	if !part.Continued {
		d.state = state{}
	}
	d.BeginPart(result, part)
	d.Rec.Segment.CountsEach = d.cfg.CycleAccurate
	d.frames.begin(&part, len(part.Before) > 0)
	d.back = decode.BackReferences{Waits: decode.WaitsPassed}
	d.returnIndex = noRow
	if d.cancelable == decode.CancelableInstruction {
		d.cancelable = decode.CancelableEarlier // only the stitcher can reach its row
	}
	if part.Break != decode.NoBreak {
		d.loseSync(0)
	}
}

// firstTFO applies the TFO that a segment begins with (§6.5.2, docs/etmv2.md §5.3).
func (d *Decoder) firstTFO() {
	d.Offset = d.Rec.Offset(0)
	start := decode.SegmentStart{
		Offset: d.Offset, Trigger: d.frames.sample(0).Status() == StatusTR, Dependent: len(d.Rec.Part.Before) > 0,
	}
	var p TFO
	if err := d.frames.tfo(&p); err != nil {
		start.Unread = true
		d.Rec.Start(start)
		d.stop(0, err)
		return
	}
	start.Reason, start.At = p.Reason, schema.Of(decode.Position{PC: p.At})
	d.Rec.Start(start)
	if d.Packets {
		d.Rec.Packet(0, 0, d.cfg.tfoText(&p, d.frames.sample(0), d.frames.bytes))
	}
	if d.cfg.CycleAccurate {
		d.waits++
	}
	d.start(&p)
}

// start applies a TFO packet, whatever came before.
func (d *Decoder) start(p *TFO) {
	d.base, d.isa = p.At, p.At.ISA
	d.fresh = p.Reason != schema.ISyncPeriodic
	if d.fresh {
		d.forget(p.Reason)
	}
	if d.cfg.ContextIDBytes > 0 {
		d.Rec.ContextID, d.context = schema.Of(p.ContextID), schema.Of(d.Key())
		d.recordContext()
	}
	d.jump(p.At)
	switch {
	case p.LSM: // implied; the status of the current instruction follows
		d.instruction(0, true)
		d.setCancelable(decode.NothingCancelable)
		d.base = p.Current.Target(p.At)
		d.jump(d.base)
		d.fresh = true
	case !d.fresh:
		d.instruction(0, true)
	}
}

// forget drops what is unknown after trace started again.
func (d *Decoder) forget(reason schema.ISyncReason) {
	d.setCancelable(decode.NothingCancelable)
	d.dropWaits()
	d.untimed = true
	d.restartData(reason)
}

// recordContext makes the row of a context that waits for it.
func (d *Decoder) recordContext() {
	if !d.context.OK {
		return
	}
	if d.Walk.Known() {
		d.isa = d.Walk.ISA()
	}
	key := d.context.V
	key.Seq = min(key.Seq, d.Walk.Seq) // the instruction before it may have been cancelled
	d.Rec.RecordContext(key, schema.Of(d.isa))
	d.context = schema.Null[schema.Key]{}
	d.Walk.EndRun()
}

// decodeFrames applies the frames of the part.
func (d *Decoder) decodeFrames() {
	var x frame
	for !d.Rec.Lost() {
		d.warm()
		err := d.frames.frame(&x)
		d.plainSamples(&x)
		if x.last {
			d.Rec.Decoded(len(d.Rec.Part.Data))
			return
		}
		if err != nil {
			d.stop(x.at, err)
			return
		}
		d.Offset = d.Rec.Offset(x.at * port.SampleBytes)
		if d.Packets {
			d.recordSample(&x)
		}
		d.status(&x)
	}
	if d.Rec.Segment.Row.BytesLost == 0 { // a loss from before the part
		d.Rec.Decoded(0)
	}
}

// stop begins a loss at a sample, which reaches to the next cut.
func (d *Decoder) stop(i int, err error) {
	reason, detail := loss(err)
	at := i * port.SampleBytes
	d.Offset = d.Rec.Offset(at)
	d.Rec.OpenLoss(d.Key(), reason, detail)
	d.loseSync(at)
	d.Rec.Decoded(at)
}

// loseSync drops what is unknown after the loss that begins at Data[at].
func (d *Decoder) loseSync(at int) {
	d.Offset = d.Rec.Offset(at)
	d.loseFlow()
}

func (d *Decoder) loseFlow() {
	d.CloseUnplaced()
	d.recordContext()
	d.setCancelable(decode.NothingCancelable)
	d.Fate(decode.DataElement{Key: d.Key(), Kind: decode.ElementLost})
	d.Walk.Lose()
}

// finish completes the segment's entry in the result.
func (d *Decoder) finish() {
	t := &d.Rec.Segment.End
	if !d.Rec.Part.Open {
		d.CloseUnplaced()
		d.recordContext()
		d.compareTFO()
		if t.Untimed = d.untimed; !d.untimed {
			t.Waits = d.waits
		}
		d.setCancelable(decode.NothingCancelable) // never over a cut (docs/etmv2.md §5.5)
	}
	d.endData()
	t.Cancelable, t.Return = d.cancelable, d.returnIndex
	if d.Walk.Known() {
		t.Reached, t.Half = schema.Of(decode.Position{PC: d.Here()}), d.Rec.Half.First
	}
	d.Rec.Segment.Back = d.back
	d.last = d.lastInstruction()
	d.Rec.Finish(d.Walk.Seq)
}

// compareTFO compares the value of the TFO that ends the segment with the bytes that
// are still owed: the strongest check there is (docs/etmv2.md §7.3).
func (d *Decoder) compareTFO() {
	if d.Rec.Lost() || d.Rec.Part.End {
		return
	}
	v, ok := d.frames.nextTFO()
	if !ok {
		return
	}
	q := &d.Rec.Segment.Quality
	q.FIFOChecks++
	owed, _ := d.frames.owed()
	if v == owed {
		q.FIFORight++
		return
	}
	d.Rec.Segment.End.Contradiction = fmt.Sprintf("TFO says %s, %s owed", bytesOf(v), are(owed))
	d.loseFlow()
}

func bytesOf(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

func are(n int) string {
	if n == 1 {
		return "1 is"
	}
	return fmt.Sprintf("%d are", n)
}
