package etmv3

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/async"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/record"
	"github.com/tracelake/tracelake/schema"
)

// A Decoder follows the program by the packets of one segment after another.
type Decoder struct {
	cfg     Config
	mem     *image.Memory
	walk    *flow.Walker
	rec     record.Recorder
	packets bool // make rows of `packets`
	turns   bool // count turns, where runs are not wanted
	headers *[256]warmHeader

	offset int64 // capture offset of the current packet
	state
	debugEntry debugEntry
	salvage    salvage

	// ambiguous: the segment may begin inside an instruction. Then twin, whose
	// second is set, decodes it as a segment that does.
	ambiguous bool
	second    bool
	twin      twin
}

// state is what the decoder knows beside the state of the recorder. It is zero at
// the start of every segment.
type state struct {
	// As last traced: the address that supplies the bits which packets with fewer
	// than five address bytes do not send, and the instruction set.
	address schema.Address
	isa     schema.ISA
	altISA  bool

	follow
	since       sinceElement      // since the last data element
	cancelable  decode.Cancelable // what a cancel takes back
	returnIndex int               // the `return` row that goes with it, or noRow
	// returned: cancelable has a `return` row, perhaps in an earlier part.
	returned bool

	waits   int64 // cycles of the epoch since the last instruction
	kept    int64 // of those: costs of instructions that were cancelled
	restart schema.Null[decode.Restart]
	counted bool // a late count came before any restart of the segment

	back decode.BackReferences
}

// noRow is the index where there is no row.
const noRow = -1

// setCancelable sets what a cancel takes back, so far without a `return` row.
func (s *state) setCancelable(a decode.Cancelable) {
	s.cancelable, s.returnIndex, s.returned = a, noRow, false
}

// Decode implements [decode.Decoder].
func (d *Decoder) Decode(result *decode.Result, part decode.Part) {
	d.begin(result, part)
	i := 0
	if !part.Continued {
		i = d.firstISync()
		d.ambiguous = d.mayBeInside()
	}
	d.decodePackets(i)
	d.finish()
	if d.ambiguous {
		result.Segments[len(result.Segments)-1].Inside = d.decodeInside(result, part)
	}
}

// begin readies the decoder for a part.
func (d *Decoder) begin(result *decode.Result, part decode.Part) {
	if !part.Continued {
		d.state = state{}
		d.walk.Lose()
		d.walk.Seq = 0
	}
	d.rec.Begin(result, part, d.walk.Seq)
	d.back = decode.BackReferences{Waits: decode.WaitsPassed}
	d.returnIndex, d.since = noRow, sinceElement{}
	if d.cancelable == decode.CancelableInstruction || d.cancelable == decode.CancelableReturn {
		d.cancelable = decode.CancelableEarlier // only the stitcher can reach its rows
	}
	d.walk.Begin(result)
	if part.Break {
		d.inDebug = false
		d.loseSync(0)
	}
	if d.inDebug {
		d.enterDebug(0)
	}
}

// firstISync reads the I-sync that a segment begins with and returns its length.
func (d *Decoder) firstISync() int {
	var p Packet
	d.offset = d.rec.Offset(0)
	if err := d.cfg.Parse(&p, d.rec.Part.Data); err != nil || p.Kind != ISync {
		panic(fmt.Sprintf("etmv3: segment at %d does not begin with an I-sync: %v", d.offset, err))
	}
	d.rec.Start(d.cfg.segmentStart(&p, d.offset))
	d.recordPacket(&p, 0)
	d.cancelable = decode.CancelableEarlier
	if p.Reason != schema.ISyncPeriodic {
		d.forget(&p)
	}
	d.setTo(&p)
	if d.second {
		d.toSecondHalf(decode.PC{Address: p.Address - 2, ISA: p.ISA}, true)
	}
	return p.Len
}

// decodePackets decodes the packets from Data[i] on.
func (d *Decoder) decodePackets(i int) {
	var p Packet
	for i < len(d.rec.Part.Data) && !d.rec.Lost() {
		if err := d.cfg.Parse(&p, d.rec.Bytes(i)); err != nil {
			if d.rec.Stop(i, d.walk.Seq, err) {
				d.loseSync(i)
			}
			return
		}
		if d.inDebug && tracesFlow(&p) {
			i = d.splice()
			break
		}
		d.offset = int64(d.rec.Offsets.At(i))
		d.recordPacket(&p, i)
		d.processPacket(&p, i)
		i = d.decodeWarm(i + p.Len)
	}
	d.rec.Decoded(i)
}

// loseSync drops what is unknown after the loss that begins at Data[i].
func (d *Decoder) loseSync(i int) {
	d.offset = int64(d.rec.Offsets.At(i))
	d.closeUnplaced()
	d.salvage = salvage{}
	d.setCancelable(decode.NothingCancelable)
	d.fate(decode.DataElement{Key: d.key(), Kind: decode.ElementLost})
	d.walk.Lose()
}

// finish completes the segment's entry in the result.
func (d *Decoder) finish() {
	t := &d.rec.Segment.End
	if !d.rec.Part.Open {
		d.closeUnplaced()
		t.Waits, t.WaitsKept = d.waits, d.kept
	}
	d.endData()
	t.Cancelable, t.Return, t.Restart = d.cancelable, d.returnIndex, d.restart
	if d.rec.Lost() {
		t.Preserved = d.preserve()
	}
	if d.walk.Known() {
		t.Reached, t.Half = schema.Of(d.reached()), d.split.second && d.split.first
	}
	d.rec.Segment.Back = d.back
	d.walk.End(d.rec.Part.More && d.cfg.OneT32)
	d.rec.Finish(d.walk.Seq)
}

// A salvage is what is preserved from a loss that reaches to the next cut.
type salvage struct {
	active    bool // after an A-sync in the loss
	preserved decode.Preserved
	rest      []byte // the start of a packet that continues in the next part
}

// preserve returns what the lost end of the part reports for the rows after the
// cut: it reads the packets between the last A-sync and the cut (docs/etmv3.md
// §2).
func (d *Decoder) preserve() decode.Preserved {
	s, part := &d.salvage, &d.rec.Part
	data := part.Data
	if n := len(part.Bounds); n > 0 {
		*s = salvage{active: true}
		data = data[part.Bounds[n-1]:]
	}
	if s.active {
		data = append(s.rest, data...)
		n := d.cfg.Preserve(&s.preserved, data)
		s.rest = append([]byte(nil), data[n:]...)
		s.active = len(s.rest) <= async.MaxZeros+1 // no packet is longer
	}
	return s.preserved
}

// processPacket applies the packet at Data[i].
func (d *Decoder) processPacket(p *Packet, i int) {
	switch p.Kind {
	case PHeader:
		d.pheader(p)
	case BranchAddress:
		if p.Branch.IsException() {
			d.exception(p, i+p.Len)
		} else {
			d.branch(&p.Branch)
		}
	case ISync:
		d.isync(p)
	case CycleCount:
		d.lateCount(p)
	case ContextID:
		d.rec.ContextID = schema.Of(p.ContextID)
		d.recordContext()
	case VMID:
		d.noteUndefined(p)
		d.rec.VMID = schema.Of(uint32(p.VMID))
		d.recordContext()
	case Timestamp:
		d.noteUndefined(p)
		d.rec.Timestamp(d.key(), p.Timestamp, d.cfg.TimestampCode().BitsSent(p.TimestampBytes), p.ClockChange)
	case ExceptionReturn:
		d.noteUndefined(p)
		d.exceptionReturn()
	case Trigger:
		d.rec.Event(d.key(), schema.EventTrigger, schema.Null[schema.Address]{}, "")
	case ExceptionEntry:
		d.noteUndefined(p)
		d.fate(decode.DataElement{Key: d.key(), Kind: decode.ElementPush})
	case OutOfOrderData, StoreFailed, OutOfOrderPlaceholder, NormalData, DataSuppressed, ValueNotTraced:
		d.data(p)
	case ASync, Ignore:
	}
}

// noteUndefined notes a packet that the version of the source does not have. The
// packet is decoded all the same (docs/etmv3.md §8.10): see [Config.Defines].
func (d *Decoder) noteUndefined(p *Packet) {
	if !d.cfg.Defines(p.Kind) {
		d.rec.Segment.Quality.Undefine(p.Kind.String() + " packets")
	}
}

// recordPacket makes the row of `packets` for the packet at Data[i], if the table
// was asked for.
func (d *Decoder) recordPacket(p *Packet, i int) {
	if d.packets {
		d.rec.Packet(i, d.walk.Seq, d.cfg.text(p))
	}
}

// key returns the key of rows before the next instruction, from the current
// packet.
func (d *Decoder) key() schema.Key {
	return schema.Key{Seq: d.walk.Seq, Offset: d.offset}
}

func (d *Decoder) inconsistent(address schema.Address, detail string) {
	d.rec.Inconsistent(d.key(), address, detail)
}

// recordContext records the context from here on.
func (d *Decoder) recordContext() {
	state := schema.Null[schema.ISA]{V: d.isa, OK: !d.cfg.DataOnly}
	if d.walk.Known() {
		state.V = d.walk.ISA()
	}
	d.rec.RecordContext(d.key(), state)
}
