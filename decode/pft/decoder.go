package pft

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/record"
	"github.com/tracelake/tracelake/schema"
)

// A Decoder applies the decompression operations of appendix B.3 to the packets
// of one segment after another.
type Decoder struct {
	cfg     Config
	mem     *image.Memory
	walk    *flow.Walker
	rec     record.Recorder
	packets bool // make rows of `packets`
	turns   bool // count turns, where runs are not wanted

	offset int64 // capture offset of the current packet
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
		d.walk.Lose()
		d.walk.EmptyStack()
		d.walk.Seq = 0
	}
	d.rec.Begin(result, part, d.walk.Seq)
	d.walk.Begin(result)
	if part.Break {
		d.walk.Lose()
	}
}

// firstISync reads the I-sync that a segment begins with and returns its length.
func (d *Decoder) firstISync() int {
	var p Packet
	d.offset = d.rec.Offset(0)
	if err := d.cfg.Parse(&p, d.rec.Part.Data); err != nil || p.Kind != ISync {
		panic(fmt.Sprintf("pft: segment at %d does not begin with an I-sync: %v", d.offset, err))
	}
	d.restart(&p)
	d.rec.Start(d.cfg.segmentStart(&p, d.offset))
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
	for i < len(d.rec.Part.Data) && !d.rec.Lost() {
		if n := d.decodeWarm(i); n > i {
			i = n
			continue
		}
		if err := d.cfg.Parse(&p, d.rec.Bytes(i)); err != nil {
			if d.rec.Stop(i, d.walk.Seq, err) { // sync is lost (§4.11)
				d.walk.Lose()
			}
			return
		}
		d.offset = int64(d.rec.Offsets.At(i))
		d.recordPacket(&p, i)
		d.processPacket(&p)
		i += p.Len
	}
	d.rec.Decoded(i)
}

// finish completes the segment's entry in the result.
func (d *Decoder) finish() {
	if d.walk.Known() {
		d.rec.Segment.End.Reached = schema.Of(decode.Position{PC: d.walk.PC()})
	}
	d.walk.End(d.rec.Part.More)
	d.rec.Finish(d.walk.Seq)
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
		d.rec.Event(d.key(), schema.EventTrigger, schema.Null[schema.Address]{}, "")
	case ASync, Ignore:
	default:
		panic(fmt.Sprintf("pft: packet kind %d", p.Kind))
	}
}

// noteUndefined notes a packet that the version of the source does not have. The
// packet is decoded all the same: see [Config.Defines].
func (d *Decoder) noteUndefined(p *Packet) {
	if !d.cfg.Defines(p.Kind) {
		d.rec.Segment.Quality.Undefine(p.Kind.String() + " packets")
	}
}

// key returns the key of rows before the next instruction, from the current
// packet.
func (d *Decoder) key() schema.Key {
	return schema.Key{Seq: d.walk.Seq, Offset: d.offset}
}

// recordPacket makes the row of `packets` for the packet at Data[i], if the table
// was asked for.
func (d *Decoder) recordPacket(p *Packet, i int) {
	if d.packets {
		d.rec.Packet(i, d.walk.Seq, d.cfg.text(p))
	}
}
