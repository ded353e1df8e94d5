package pft

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/record"
	"github.com/tracelake/tracelake/schema"
)

// A Decoder applies the decompression operations of appendix B.3 to the packets
// of one segment after another.
type Decoder struct {
	record.Follower
	cfg   Config
	turns bool // count turns, where runs are not wanted
	state
}

// state is LastState (B.3.2), as last traced, except for the security state, which
// the recorder has, with the Context ID and the VMID of CurrentState. It is zero at
// the start of every segment.
type state struct {
	address schema.Address
	isa     schema.ISA // layout of the next short address
	// halted: in Debug or Jazelle state; only an I-sync has the address at which
	// the flow continues.
	halted bool
}

// Decode implements [decode.Decoder].
func (d *Decoder) Decode(result *decode.Result, part decode.Part) {
	d.begin(result, part)
	i := 0
	if !part.Continued {
		i = d.firstISync()
	}
	d.decodePackets(i)
	d.finish()
}

// begin readies the decoder for a part.
func (d *Decoder) begin(result *decode.Result, part decode.Part) {
	if !part.Continued {
		d.state = state{}
		d.Walk.EmptyStack()
	}
	d.BeginPart(result, part)
	if part.Break != decode.NoBreak {
		d.Walk.Lose()
	}
}

// firstISync reads the I-sync that a segment begins with and returns its length.
func (d *Decoder) firstISync() int {
	var p Packet
	d.Offset = d.Rec.Offset(0)
	if err := d.cfg.Parse(&p, d.Rec.Part.Data); err != nil || p.Kind != ISync {
		panic(fmt.Sprintf("pft: segment at %d does not begin with an I-sync: %v", d.Offset, err))
	}
	d.restart(&p)
	d.Rec.Start(d.cfg.segmentStart(&p, d.Offset))
	d.recordPacket(&p, 0)
	return p.Len
}

// segmentStart returns what an I-sync has beside the state of the processor. The
// count of a restart after overflow or debug is unknown in PFT 1.1 (§4.4).
func (c *Config) segmentStart(p *Packet, offset int64) decode.SegmentStart {
	start := decode.SegmentStart{
		Offset: offset, Reason: p.Reason, HasCount: p.HasCycles,
		At: schema.Of(decode.Position{PC: decode.PC{Address: p.Address, ISA: p.ISA}}),
	}
	if p.HasCycles && (c.Minor == 0 || p.Reason == schema.ISyncTraceOn) {
		start.Count = schema.Of(int64(p.Cycles))
	}
	return start
}

// decodePackets decodes the packets from Data[i] on.
func (d *Decoder) decodePackets(i int) {
	var p Packet
	for i < len(d.Rec.Part.Data) && !d.Rec.Lost() {
		if n := d.decodeWarm(i); n > i {
			i = n
			continue
		}
		if err := d.cfg.Parse(&p, d.Rec.Bytes(i)); err != nil {
			if d.Rec.Stop(i, d.Walk.Seq, err) { // sync is lost (§4.11)
				d.Walk.Lose()
			}
			return
		}
		d.Offset = int64(d.Rec.Offsets.At(i))
		d.recordPacket(&p, i)
		d.processPacket(&p)
		i += p.Len
	}
	d.Rec.Decoded(i)
}

// finish completes the segment's entry in the result.
func (d *Decoder) finish() {
	if d.Walk.Known() {
		d.Rec.Segment.End.Reached = schema.Of(decode.Position{PC: d.Walk.PC()})
	}
	d.Walk.End(d.Rec.Part.More)
	d.Rec.Finish(d.Walk.Seq)
}

// processPacket is process_packet() (B.3.1).
func (d *Decoder) processPacket(p *Packet) {
	switch p.Kind {
	case Atom:
		d.analyzeAtomHeader(p)
	case BranchAddress:
		if p.Exception != 0 {
			d.branchWithExcp(p)
		} else {
			d.branchNoExcp(p)
		}
	case ISync:
		d.analyzeISync(p)
	case WaypointUpdate:
		d.analyzeWaypointUpdate(p)
	case ContextID:
		d.analyzeCID(p)
	case VMID:
		d.noteUndefined(p)
		d.analyzeVMID(p)
	case Timestamp:
		d.analyzeTimestamp(p)
	case ExceptionReturn:
		d.noteUndefined(p)
		d.analyzeERet()
	case Trigger:
		d.Rec.Event(d.Key(), schema.EventTrigger, schema.Null[schema.Address]{}, "")
	case ASync, Ignore:
	default:
		panic(fmt.Sprintf("pft: packet kind %d", p.Kind))
	}
}

// noteUndefined notes a packet that the version of the source does not have. The
// packet is decoded all the same: see [Config.Defines].
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
