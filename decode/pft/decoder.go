package pft

import (
	"errors"
	"fmt"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// A Decoder applies the decompression operations of appendix B.3 to the packets
// of one segment after another.
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
}

// state is what the decoder knows; every segment begins with a new one.
type state struct {
	// LastState (B.3.2): as last stated in the stream. The Context ID and the
	// VMID are those of CurrentState too.
	address   uint32
	isa       schema.ISA // layout of the next short address
	ns, hyp   bool
	contextID schema.Null[uint32]
	vmid      schema.Null[uint8]
	// halted: in Debug or Jazelle state; only an I-sync tells where the flow
	// goes on.
	halted bool

	timestampRaw  uint64
	timestampBits uint8 // low bits of timestampRaw sent in this segment
	timestamp     int32 // index of the last row in the unit, or TimestampCarried

	epoch int32 // opened since the lead
	cycle int64 // sum in the epoch

	spanDue bool // the next run needs a span of its own
	loss    loss
	broken  bool
}

// A loss that lasts up to the next cut.
type loss struct {
	schema.Loss
	active bool
}

// Decode implements [decode.Decoder].
func (d *Decoder) Decode(u *decode.Unit, part decode.Part) {
	d.begin(u, part)
	i := 0
	if !part.Continued {
		i = d.lead()
	}
	d.decodePackets(i)
	d.finish()
}

// begin readies the decoder for a part.
func (d *Decoder) begin(u *decode.Unit, part decode.Part) {
	if part.Continued {
		part.Prepend(d.rest)
	} else {
		d.state = state{}
		d.walk.Lose()
		d.walk.EmptyStack()
		d.walk.Seq = 0
	}
	d.rest = decode.Part{}
	d.unit, d.part, d.base = u, part, u.Ends()
	d.seg = decode.Segment{Continued: part.Continued, Open: part.Open}
	d.seq = d.walk.Seq
	d.timestamp = schema.TimestampCarried
	d.spanDue = true
	d.walk.Begin(u)
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
		panic(fmt.Sprintf("pft: segment at %d does not begin with an I-sync: %v", d.part.Offsets[0], err))
	}
	offset := int64(d.part.Offsets[0])
	lead := decode.Lead{
		Offset: offset, Reason: p.Reason, CycleAccurate: d.cfg.CycleAccurate,
		NewEpoch:  p.Reason != schema.ISyncPeriodic && !d.countKnown(&p),
		CountTold: p.CyclesTold,
	}
	if d.countKnown(&p) {
		lead.Count = schema.Of(int64(p.Cycles))
	}
	d.restart(&p, offset)
	lead.At = schema.Of(decode.Position{Place: decode.Place{Address: p.Address, ISA: p.ISA}})
	d.seg.Lead = lead
	d.seg.Row.Offset, d.seg.Row.Address, d.seg.Row.Reason = offset, schema.Of(p.Address), p.Reason
	d.keepPacket(&p, 0)
	return p.Len
}

// countKnown says whether the count of an I-sync can be used: that of a restart
// after overflow or debug is unknown in PFT 1.1 (§4.4).
func (d *Decoder) countKnown(p *Packet) bool {
	return p.CyclesTold && (d.cfg.Minor == 0 || p.Reason == schema.ISyncTraceOn)
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
		d.keepPacket(&p, i)
		d.processPacket(&p, int64(d.part.Offsets[i]))
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

// loseSync begins a loss that reaches to the next cut (§4.2).
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
	d.closeLoss()
	d.loss = loss{active: true, Loss: schema.Loss{
		Key: d.key(int64(d.part.Offsets[i])), Reason: reason, Detail: detail,
	}}
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
	d.broken = true
	d.event(int64(d.part.Offsets[0]), schema.EventDiscontinuity, schema.Null[uint32]{}, "")
	d.openLoss(0, schema.LossDiscontinuity, "the input broke before it")
}

// finish completes the segment's entry in the unit.
func (d *Decoder) finish() {
	if d.loss.active && !d.part.Open {
		d.closeLoss()
	}
	s := &d.seg
	s.Row.Bytes = s.Row.BytesDecoded + s.Row.BytesLost
	s.Row.Instructions = d.walk.Seq - d.seq
	s.Tail = decode.Tail{
		Lost: d.loss.active, Broken: d.broken, Epoch: d.epoch, Cycle: d.cycle,
		TimestampRaw: d.timestampRaw, TimestampBits: d.timestampBits,
		TimestampCleared: d.loss.active, VMID: d.vmid,
	}
	if d.loss.active {
		s.Tail.TimestampBits = 0
	}
	if d.walk.Known() {
		s.Tail.Reached = schema.Of(decode.Position{Place: d.walk.Place()})
	}
	s.Ends = d.unit.Ends()
	d.unit.Segments = append(d.unit.Segments, *s)
	d.unit, d.part = nil, decode.Part{}
}

// processPacket is process_packet() (B.3.1).
func (d *Decoder) processPacket(p *Packet, offset int64) {
	switch p.Kind {
	case Atom:
		d.analyzeAtomHeader(p, offset)
	case BranchAddress:
		if p.Exception != 0 {
			d.branchWithExcp(p, offset)
		} else {
			d.branchNoExcp(p, offset)
		}
	case ISync:
		d.analyzeISync(p, offset)
	case WaypointUpdate:
		d.analyzeWaypointUpdate(p, offset)
	case ContextID:
		d.analyzeCID(p, offset)
	case VMID:
		d.analyzeVMID(p, offset)
	case Timestamp:
		d.analyzeTimestamp(p, offset)
	case ExceptionReturn:
		d.analyzeERet(offset)
	case Trigger:
		d.event(offset, schema.EventTrigger, schema.Null[uint32]{}, "")
	case ASync, Ignore:
	default:
		panic(fmt.Sprintf("pft: packet kind %d", p.Kind))
	}
}

func (d *Decoder) key(offset int64) schema.Key {
	return schema.Key{Seq: d.walk.Seq, Offset: offset}
}

func (d *Decoder) event(offset int64, e schema.EventKind, address schema.Null[uint32], detail string) {
	d.unit.Events = append(d.unit.Events, schema.Event{Key: d.key(offset), Event: e, Address: address, Detail: detail})
}

// keepPacket makes the row of `packets` for the packet at Data[i].
func (d *Decoder) keepPacket(p *Packet, i int) {
	if !d.packets {
		return
	}
	text := d.cfg.text(p)
	d.unit.Packets = append(d.unit.Packets, schema.Packet{
		Key:  d.key(int64(d.part.Offsets[i])),
		Type: text.Type, Bytes: append([]byte(nil), d.part.Data[i:i+p.Len]...), Fields: text.JSON(),
	})
}
