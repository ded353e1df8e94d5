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
	cfg     Config
	mem     *image.Memory
	walk    *flow.Walker
	rec     record.Recorder
	frames  *framer
	packets bool // make rows of `packets`
	plain   bool // go by the plain rules alone

	offset int64 // capture offset of the sample whose status is applied
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
	since       sinceElement      // since the last data element
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
		cfg: *c, mem: mem, walk: flow.NewWalker(flow.NewProgram(mem, flow.Rules{})), packets: packets,
		rec: record.Recorder{CycleAccurate: c.CycleAccurate, UnitBytes: port.SampleBytes},
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
		d.walk.Lose()
		d.walk.Seq = 0
	}
	d.rec.Begin(result, part, d.walk.Seq)
	d.rec.Segment.CountsEach = d.cfg.CycleAccurate
	d.frames.begin(&part, len(part.Before) > 0)
	d.back = decode.BackReferences{Waits: decode.WaitsPassed}
	d.returnIndex, d.since = noRow, sinceElement{}
	if d.cancelable == decode.CancelableInstruction {
		d.cancelable = decode.CancelableEarlier // only the stitcher can reach its row
	}
	d.walk.Begin(result)
	if part.Break {
		d.loseSync(0)
	}
}

// firstTFO applies the TFO that a segment begins with (§6.5.2, docs/etmv2.md §5.3).
func (d *Decoder) firstTFO() {
	d.offset = d.rec.Offset(0)
	start := decode.SegmentStart{
		Offset: d.offset, Trigger: d.frames.sample(0).Status() == StatusTR, Dependent: len(d.rec.Part.Before) > 0,
	}
	var p TFO
	if err := d.frames.tfo(&p); err != nil {
		start.Unread = true
		d.rec.Start(start)
		d.stop(0, err)
		return
	}
	start.Reason, start.At = p.Reason, schema.Of(decode.Position{PC: p.At})
	d.rec.Start(start)
	if d.packets {
		d.rec.Packet(0, 0, d.cfg.tfoText(&p, d.frames.sample(0), d.frames.bytes))
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
		d.rec.ContextID, d.context = schema.Of(p.ContextID), schema.Of(d.key())
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
	if d.walk.Known() {
		d.isa = d.walk.ISA()
	}
	key := d.context.V
	key.Seq = min(key.Seq, d.walk.Seq) // the instruction before it may have been cancelled
	d.rec.RecordContext(key, schema.Of(d.isa))
	d.context = schema.Null[schema.Key]{}
	d.walk.EndRun()
}

// decodeFrames applies the frames of the part.
func (d *Decoder) decodeFrames() {
	var x frame
	for !d.rec.Lost() {
		d.warm()
		err := d.frames.frame(&x)
		d.plainSamples(&x)
		if x.last {
			d.rec.Decoded(len(d.rec.Part.Data))
			return
		}
		if err != nil {
			d.stop(x.at, err)
			return
		}
		d.offset = d.rec.Offset(x.at * port.SampleBytes)
		if d.packets {
			d.recordSample(&x)
		}
		d.status(&x)
	}
	if d.rec.Segment.Row.BytesLost == 0 { // a loss from before the part
		d.rec.Decoded(0)
	}
}

// stop begins a loss at a sample, which reaches to the next cut.
func (d *Decoder) stop(i int, err error) {
	reason, detail := loss(err)
	at := i * port.SampleBytes
	d.offset = d.rec.Offset(at)
	d.rec.OpenLoss(d.key(), reason, detail)
	d.loseSync(at)
	d.rec.Decoded(at)
}

// loseSync drops what is unknown after the loss that begins at Data[at].
func (d *Decoder) loseSync(at int) {
	d.offset = d.rec.Offset(at)
	d.loseFlow()
}

func (d *Decoder) loseFlow() {
	d.closeUnplaced()
	d.recordContext()
	d.setCancelable(decode.NothingCancelable)
	d.fate(decode.DataElement{Key: d.key(), Kind: decode.ElementLost})
	d.walk.Lose()
}

// finish completes the segment's entry in the result.
func (d *Decoder) finish() {
	t := &d.rec.Segment.End
	if !d.rec.Part.Open {
		d.closeUnplaced()
		d.recordContext()
		d.compareTFO()
		if t.Untimed = d.untimed; !d.untimed {
			t.Waits = d.waits
		}
		d.setCancelable(decode.NothingCancelable) // never over a cut (docs/etmv2.md §5.5)
	}
	d.endData()
	t.Cancelable, t.Return = d.cancelable, d.returnIndex
	if d.walk.Known() {
		t.Reached, t.Half = schema.Of(decode.Position{PC: d.here()}), d.split.first
	}
	d.rec.Segment.Back = d.back
	d.last = d.lastInstruction()
	d.rec.Finish(d.walk.Seq)
}

// compareTFO compares the value of the TFO that ends the segment with the bytes that
// are still owed: the strongest check there is (docs/etmv2.md §7.3).
func (d *Decoder) compareTFO() {
	if d.rec.Lost() || d.rec.Part.End {
		return
	}
	v, ok := d.frames.nextTFO()
	if !ok {
		return
	}
	q := &d.rec.Segment.Quality
	q.FIFOChecks++
	owed, _ := d.frames.owed()
	if v == owed {
		q.FIFORight++
		return
	}
	d.rec.Segment.End.Contradiction = fmt.Sprintf("TFO says %s, %s owed", bytesOf(v), are(owed))
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

// key returns the key of rows before the next instruction, from the current sample.
func (d *Decoder) key() schema.Key { return schema.Key{Seq: d.walk.Seq, Offset: d.offset} }
