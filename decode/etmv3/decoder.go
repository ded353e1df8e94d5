package etmv3

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/async"
	"github.com/tracelake/tracelake/decode/record"
	"github.com/tracelake/tracelake/schema"
)

// A Decoder follows the program by the packets of one segment after another.
type Decoder struct {
	record.Follower
	cfg     Config
	turns   bool // count turns, where runs are not wanted
	headers *[256]warmHeader
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
	}
	d.BeginPart(result, part)
	d.back = decode.BackReferences{Waits: decode.WaitsPassed}
	d.returnIndex = noRow
	if d.cancelable == decode.CancelableInstruction || d.cancelable == decode.CancelableReturn {
		d.cancelable = decode.CancelableEarlier // only the stitcher can reach its rows
	}
	if part.Break != decode.NoBreak {
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
	d.Offset = d.Rec.Offset(0)
	if err := d.cfg.Parse(&p, d.Rec.Part.Data); err != nil || p.Kind != ISync {
		panic(fmt.Sprintf("etmv3: segment at %d does not begin with an I-sync: %v", d.Offset, err))
	}
	d.Rec.Start(d.cfg.segmentStart(&p, d.Offset))
	d.recordPacket(&p, 0)
	d.cancelable = decode.CancelableEarlier
	if p.Reason != schema.ISyncPeriodic {
		d.forget(&p)
	}
	d.setTo(&p)
	if d.second {
		d.toSecondHalf(decode.PC{Address: (p.Address - 2).In32(), ISA: p.ISA}, true)
	}
	return p.Len
}

// decodePackets decodes the packets from Data[i] on.
func (d *Decoder) decodePackets(i int) {
	var p Packet
	for i < len(d.Rec.Part.Data) && !d.Rec.Lost() {
		if err := d.cfg.Parse(&p, d.Rec.Bytes(i)); err != nil {
			if d.Rec.Stop(i, d.Walk.Seq, err) {
				d.loseSync(i)
			}
			return
		}
		if d.inDebug && tracesFlow(&p) {
			i = d.splice()
			break
		}
		d.Offset = int64(d.Rec.Offsets.At(i))
		d.recordPacket(&p, i)
		d.processPacket(&p, i)
		i = d.decodeWarm(i + p.Len)
	}
	d.Rec.Decoded(i)
}

// loseSync drops what is unknown after the loss that begins at Data[i].
func (d *Decoder) loseSync(i int) {
	d.Offset = int64(d.Rec.Offsets.At(i))
	d.CloseUnplaced()
	d.salvage = salvage{}
	d.setCancelable(decode.NothingCancelable)
	d.Fate(decode.DataElement{Key: d.Key(), Kind: decode.ElementLost})
	d.Walk.Lose()
}

// finish completes the segment's entry in the result.
func (d *Decoder) finish() {
	t := &d.Rec.Segment.End
	if !d.Rec.Part.Open {
		d.CloseUnplaced()
		t.Waits, t.WaitsKept = d.waits, d.kept
	}
	d.EndData()
	t.Cancelable, t.Return, t.Restart = d.cancelable, d.returnIndex, d.restart
	if d.Rec.Lost() {
		t.Preserved = d.preserve()
	}
	if d.Walk.Known() {
		t.Reached, t.Half = schema.Of(d.reached()), d.Rec.Half.Second && d.Rec.Half.First
	}
	d.Rec.Segment.Back = d.back
	d.Walk.End(d.Rec.Part.More && d.cfg.OneT32)
	d.Rec.Finish(d.Walk.Seq)
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
	s, part := &d.salvage, &d.Rec.Part
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
		d.Rec.ContextID = schema.Of(p.ContextID)
		d.EnterProcess()
		d.recordContext()
	case VMID:
		d.noteUndefined(p)
		d.Rec.VMID = schema.Of(uint32(p.VMID))
		d.recordContext()
	case Timestamp:
		d.noteUndefined(p)
		d.Rec.Timestamp(d.Key(), p.Timestamp, d.cfg.TimestampCode().BitsSent(p.TimestampBytes), p.ClockChange)
	case ExceptionReturn:
		d.noteUndefined(p)
		d.exceptionReturn()
	case Trigger:
		d.Rec.Event(d.Key(), schema.EventTrigger, schema.Null[schema.Address]{}, "")
	case ExceptionEntry:
		d.noteUndefined(p)
		d.Fate(decode.DataElement{Key: d.Key(), Kind: decode.ElementPush})
	case OutOfOrderData, StoreFailed, OutOfOrderPlaceholder, NormalData, DataSuppressed, ValueNotTraced:
		d.data(p)
	case ASync, Ignore:
	}
}

// noteUndefined notes a packet that the version of the source does not have. The
// packet is decoded all the same (docs/etmv3.md §8.10): see [Config.Defines].
func (d *Decoder) noteUndefined(p *Packet) {
	if !d.cfg.Defines(p.Kind) {
		d.Rec.Segment.Quality.Undefine(p.Kind.String() + " packets")
	}
}

// recordPacket makes the row of `packets` for the packet at Data[i], if the table
// was asked for.
func (d *Decoder) recordPacket(p *Packet, i int) {
	if d.Packets {
		d.Rec.Packet(i, d.Walk.Seq, d.cfg.text(p))
	}
}

// recordContext records the context from here on.
func (d *Decoder) recordContext() {
	state := schema.Null[schema.ISA]{V: d.isa, OK: !d.cfg.DataOnly}
	if d.Walk.Known() {
		state.V = d.Walk.ISA()
	}
	d.Rec.RecordContext(d.Key(), state)
}
