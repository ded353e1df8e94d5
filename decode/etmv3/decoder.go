package etmv3

import (
	"errors"
	"fmt"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// A Decoder follows the program by the packets of one segment after another.
type Decoder struct {
	cfg     Config
	mem     *image.Memory
	walk    *flow.Walker
	packets bool // make rows of `packets`

	unit *decode.Unit
	part decode.Part
	seg  decode.Segment // the entry being made for unit.Segments
	base decode.Ends    // lengths of the unit's slices where the part began
	rest decode.Part    // bytes of a packet the part before was cut inside
	seq  int64          // of the walk where the part began

	state
	halt halt

	// The segment may begin inside an instruction: then inside, nil until it is
	// wanted, decodes it as one that does, which within says there.
	ambiguous bool
	inside    *Decoder
	within    bool
}

// state is what the decoder knows; every segment begins with a new one.
type state struct {
	// As last told in the stream: the address that packets with less than five
	// address bytes go on from, and the state of the processor.
	address   uint32
	isa       schema.ISA
	altISA    bool
	ns, hyp   bool
	contextID schema.Null[uint32]
	vmid      schema.Null[uint8]

	follow
	told   told       // since the last datum
	act    decode.Act // the last act, which a cancel takes back
	actRow int        // its `return` row in the unit, or noRow
	// returned says that it has a `return` row, in whichever unit.
	returned bool

	timestampRaw  uint64
	timestampBits uint8 // low bits of timestampRaw sent in this segment
	timestamp     int32 // index of the last row in the unit, or TimestampCarried

	epoch   int32 // opened since the lead
	cycle   int64 // sum in the epoch
	waits   int64 // of it, since the last instruction
	restart schema.Null[decode.Restart]
	counted bool // a late count came before any restart of the segment

	back decode.Back

	spanDue bool // the next run needs a span of its own
	loss    loss
	broken  bool
}

// noRow is the index of no row.
const noRow = -1

// acted makes a the last act.
func (s *state) acted(a decode.Act) { s.act, s.actRow, s.returned = a, noRow, false }

// A loss that lasts up to the next cut.
type loss struct {
	schema.Loss
	active bool

	// Behind an A-sync in it.
	keeps bool
	kept  decode.Kept
	rest  []byte // the start of a packet that goes on in the next part
}

// Decode implements [decode.Decoder].
func (d *Decoder) Decode(u *decode.Unit, part decode.Part) {
	d.begin(u, part)
	i := 0
	if !part.Continued {
		i = d.lead()
	}
	if !part.Continued {
		d.ambiguous = d.mayBeInside()
	}
	d.decodePackets(i)
	d.finish()
	if d.ambiguous {
		u.Segments[len(u.Segments)-1].Inside = d.decodeInside(part)
	}
}

// mayBeInside says whether the segment may begin inside a 32-bit T32 instruction
// of which the first half was told before it (ETMIDR[18] = 0). Only the segment
// before knows. In a BL or BLX there is no other way.
func (d *Decoder) mayBeInside() bool {
	at := d.seg.Lead.At.V
	if d.cfg.OneT32 || d.within || !d.walk.Known() || d.half || at.ISA != schema.T32 && at.ISA != schema.T32EE {
		return false
	}
	first, ok := d.halfword(at.Address - 2)
	return ok && d.seg.Lead.Reason == schema.ISyncPeriodic && isa.Is32Bit(first)
}

// decodeInside decodes a segment as one that begins inside an instruction.
func (d *Decoder) decodeInside(part decode.Part) *decode.Unit {
	if d.inside == nil {
		d.inside = &Decoder{cfg: d.cfg, mem: d.mem, walk: flow.NewWalker(flow.NewProgram(d.mem, flow.Rules{})), packets: d.packets, within: true}
	}
	u := &decode.Unit{}
	d.inside.Decode(u, part)
	return u
}

// begin readies the decoder for a part.
func (d *Decoder) begin(u *decode.Unit, part decode.Part) {
	if part.Continued {
		part.Prepend(d.rest)
	} else {
		d.state = state{}
		d.walk.Lose()
		d.walk.Seq = 0
	}
	d.rest = decode.Part{}
	d.unit, d.part, d.base = u, part, u.Ends()
	d.seg = decode.Segment{Continued: part.Continued, Open: part.Open}
	d.seq = d.walk.Seq
	d.timestamp = schema.TimestampCarried
	d.spanDue = true
	d.back = decode.Back{Waits: decode.WaitsPassed}
	d.actRow, d.told = noRow, told{}
	if d.act == decode.InstructionAct || d.act == decode.ReturnAct {
		d.act = decode.EarlierAct // in a unit that is out of reach
	}
	d.walk.Begin(u)
	if d.dead {
		d.haltAt(0)
	}
	if part.Break {
		d.discontinue()
	}
}

// lead reads the I-sync a segment begins with and returns its length. What it
// does to the epoch, and whether it makes an event, depends on what came before:
// that is for the stitcher.
func (d *Decoder) lead() int {
	var p Packet
	if err := d.cfg.Parse(&p, d.part.Data); err != nil || p.Kind != ISync {
		panic(fmt.Sprintf("etmv3: segment at %d does not begin with an I-sync: %v", d.part.Offsets[0], err))
	}
	offset := int64(d.part.Offsets[0])
	lead := decode.Lead{
		Offset: offset, Reason: p.Reason,
		NewEpoch:  p.Reason != schema.ISyncPeriodic && !d.countKnown(&p),
		CountTold: p.CyclesTold, CycleAccurate: d.cfg.tellsCycles(),
	}
	if d.countKnown(&p) {
		lead.Count = schema.Of(int64(p.Cycles))
	}
	if !d.cfg.DataOnly {
		lead.At = schema.Of(d.cfg.position(&p))
		d.seg.Row.Address = schema.Of(p.Address)
	}
	d.seg.Lead, d.seg.Row.Offset, d.seg.Row.Reason = lead, offset, p.Reason
	d.keepPacket(&p, 0)
	d.act = decode.EarlierAct
	if p.Reason != schema.ISyncPeriodic {
		d.forget(&p)
	}
	d.setTo(&p, offset)
	if d.within {
		d.inHalf(decode.Place{Address: p.Address - 2, ISA: p.ISA}, true)
	}
	return p.Len
}

// decodePackets decodes the packets from Data[i] on.
func (d *Decoder) decodePackets(i int) {
	data, asyncs := d.part.Data, d.part.Asyncs
	var p Packet
	for i < len(data) && !d.loss.active {
		for len(asyncs) > 0 && asyncs[0] <= i {
			asyncs = asyncs[1:]
		}
		bound := len(data)
		if len(asyncs) > 0 {
			bound = asyncs[0]
		}
		if err := d.cfg.Parse(&p, data[i:bound]); err != nil {
			if len(asyncs) == 0 && d.cutOff(i, err) {
				return
			}
			d.loseSync(i, err)
			break
		}
		if d.dead && tellsFlow(&p) {
			i = d.splice()
			break
		}
		d.keepPacket(&p, i)
		d.processPacket(&p, i)
		i += p.Len
	}
	d.seg.Row.BytesDecoded = int64(i)
	d.seg.Row.BytesLost = int64(len(data) - i)
	if d.loss.active {
		d.loss.Bytes += d.seg.Row.BytesLost
	}
}

// cutOff handles a packet that the end of the part cuts off: it is kept for the
// part behind, or lost with the end of the stream.
func (d *Decoder) cutOff(i int, err error) bool {
	var syntax *SyntaxError
	if errors.As(err, &syntax) || !d.part.End && !d.part.Open {
		return false
	}
	d.seg.Row.BytesDecoded = int64(i)
	if d.part.Open && !d.part.End {
		d.rest = d.part.Rest(i)
		return true
	}
	n := int64(len(d.part.Data) - i)
	d.seg.Row.BytesLost = n
	d.unit.Losses = append(d.unit.Losses, schema.Loss{
		Key: d.key(int64(d.part.Offsets[i])), Bytes: n, Reason: schema.LossTruncated,
		Detail: fmt.Sprintf("packet 0x%02x cut off after %d bytes", d.part.Data[i], n),
	})
	return true
}

// loseSync begins a loss that reaches to the next cut.
func (d *Decoder) loseSync(i int, err error) {
	reason, detail := schema.LossBadPacket, ""
	var syntax *SyntaxError
	if errors.As(err, &syntax) {
		detail = fmt.Sprintf("header 0x%02x: %s", syntax.Header, syntax.Reason)
		if syntax.Reserved {
			reason = schema.LossReservedHeader
		}
	} else {
		detail = fmt.Sprintf("packet 0x%02x reaches past an A-sync", d.part.Data[i])
	}
	d.openLoss(i, reason, detail)
}

func (d *Decoder) openLoss(i int, reason schema.LossReason, detail string) {
	d.closeStretch()
	d.closeLoss()
	d.loss = loss{active: true, Loss: schema.Loss{
		Key: d.key(int64(d.part.Offsets[i])), Reason: reason, Detail: detail,
	}}
	d.acted(decode.NoAct)
	d.fate(decode.Datum{Key: d.key(int64(d.part.Offsets[i])), Kind: decode.DatumLost})
	d.walk.Lose()
}

// closeLoss writes the loss that ends here, if there is one.
func (d *Decoder) closeLoss() {
	if d.loss.active && d.loss.Bytes > 0 {
		d.unit.Losses = append(d.unit.Losses, d.loss.Loss)
	}
}

// discontinue begins the loss behind a break of the input.
func (d *Decoder) discontinue() {
	d.broken, d.dead = true, false
	d.event(int64(d.part.Offsets[0]), schema.EventDiscontinuity, schema.Null[uint32]{}, "")
	d.openLoss(0, schema.LossDiscontinuity, "the input broke before it")
}

// finish completes the segment's entry in the unit.
func (d *Decoder) finish() {
	if !d.part.Open {
		d.closeStretch()
	}
	if d.loss.active && !d.part.Open {
		d.closeLoss()
	}
	d.endData()
	s := &d.seg
	s.Row.Bytes = s.Row.BytesDecoded + s.Row.BytesLost
	s.Row.Instructions = d.walk.Seq - d.seq
	s.Tail = decode.Tail{
		Lost: d.loss.active, Broken: d.broken, Epoch: d.epoch, Cycle: d.cycle,
		TimestampRaw: d.timestampRaw, TimestampBits: d.timestampBits,
		TimestampCleared: d.loss.active, VMID: d.vmid,
		Seq: d.walk.Seq, Act: d.act, Return: d.actRow, Restart: d.restart,
	}
	if !d.part.Open {
		s.Tail.Waits = d.waits
	}
	if d.loss.active {
		s.Tail.TimestampBits = 0
		s.Tail.Kept = d.keep()
	}
	if d.walk.Known() {
		s.Tail.Reached, s.Tail.Half = schema.Of(d.reached()), d.half && d.halfTold
	}
	s.Back = d.back
	s.Ends = d.unit.Ends()
	d.unit.Segments = append(d.unit.Segments, *s)
	d.unit, d.part = nil, decode.Part{}
}

// keep takes what the part, which is lost up to its end, tells for what stands
// behind: the packets between the last A-sync and the cut.
func (d *Decoder) keep() decode.Kept {
	l, data := &d.loss, d.part.Data
	if n := len(d.part.Asyncs); n > 0 {
		l.kept, l.keeps, l.rest = decode.Kept{}, true, nil
		data = data[d.part.Asyncs[n-1]:]
	}
	if l.keeps {
		data = append(l.rest, data...)
		n := d.cfg.Keep(&l.kept, data)
		l.rest = append([]byte(nil), data[n:]...)
		l.keeps = len(l.rest) <= maxAsyncZeros+1 // else it is no packet
	}
	return l.kept
}

// processPacket does what the packet at Data[i] says.
func (d *Decoder) processPacket(p *Packet, i int) {
	offset := int64(d.part.Offsets[i])
	switch p.Kind {
	case PHeader:
		d.pheader(p, offset)
	case BranchAddress:
		if p.Branch.IsException() {
			d.exception(p, offset, i+p.Len)
		} else {
			d.branch(&p.Branch, offset)
		}
	case ISync:
		d.isync(p, offset)
	case CycleCount:
		d.lateCount(p, offset)
	case ContextID:
		d.contextID = schema.Of(p.ContextID)
		d.stateContext(offset)
	case VMID:
		d.doubt(p)
		d.vmid = schema.Of(p.VMID)
		d.stateContext(offset)
	case Timestamp:
		d.doubt(p)
		d.tell(p, offset)
	case ExceptionReturn:
		d.doubt(p)
		d.exceptionReturn(offset)
	case Trigger:
		d.event(offset, schema.EventTrigger, schema.Null[uint32]{}, "")
	case ExceptionEntry:
		d.doubt(p)
		d.fate(decode.Datum{Key: d.key(offset), Kind: decode.DatumPush})
	case OutOfOrderData, StoreFailed, OutOfOrderPlaceholder, NormalData, DataSuppressed, ValueNotTraced:
		d.data(p, offset)
	case ASync, Ignore:
	}
}

// doubt takes note of a packet that the version of the source does not have. It
// is followed all the same: see [Config.Defines].
func (d *Decoder) doubt(p *Packet) {
	if !d.cfg.Defines(p.Kind) {
		d.seg.Quality.Undefine(p.Kind.String() + " packets")
	}
}

// keepPacket makes a row of `packets`, if they are wanted.
func (d *Decoder) keepPacket(p *Packet, i int) {
	if !d.packets {
		return
	}
	t := d.cfg.text(p)
	d.unit.Packets = append(d.unit.Packets, schema.Packet{
		Key: d.key(int64(d.part.Offsets[i])), Type: t.Type,
		Bytes: append([]byte(nil), d.part.Data[i:i+p.Len]...), Fields: t.JSON(),
	})
}
