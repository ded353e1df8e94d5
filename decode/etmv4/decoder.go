package etmv4

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/async"
	"github.com/tracelake/tracelake/decode/record"
	"github.com/tracelake/tracelake/schema"
)

// A Decoder makes elements of the packets of one segment after another, and follows the
// program by those that are committed.
type Decoder struct {
	record.Follower
	cfg   Config
	turns bool // count turns, where runs are not wanted

	// State is that of the packets up to the last one. It belongs to the stream: what is
	// cancelled stays in it.
	State State
	// ended: a Discard or Overflow packet came, after which only an A-sync may come.
	ended bool
	// waits is an Exception or Q element that waits for its address.
	waits schema.Null[element]
	queue queue
	state
	salvage salvage
}

// Decode implements [decode.Decoder].
func (d *Decoder) Decode(result *decode.Result, part decode.Part) {
	d.BeginPart(result, part)
	if part.Break != decode.NoBreak {
		d.lost()
		d.salvage = salvage{}
	}
	if !part.Continued {
		d.start()
	}
	d.decodePackets()
	if d.Rec.Lost() {
		d.salvage.keep(&d.Rec.Part)
	}
	if !part.Open {
		d.end()
	}
	d.Walk.End(part.More)
	d.Rec.Finish(d.Walk.Seq)
}

// start begins a segment: the packets between the A-sync and the cut, which the segment
// before owns, have the packet state, and that of the cut completes position and context.
func (d *Decoder) start() {
	d.State, d.ended, d.waits, d.state, d.salvage = State{}, false, schema.Null[element]{}, state{}, salvage{}
	d.queue.reset()
	d.Walk.EmptyStack()
	d.Offset = d.Rec.Offset(0)
	open := d.readSync(d.Rec.Part.Before)
	d.queue.unseen = uint64(open)
	sync := d.State
	var p Packet
	if err := d.cfg.Parse(&p, d.firstBytes()); err != nil {
		panic(fmt.Sprintf("etmv4: at the cut at %d: %v", d.Offset, err))
	}
	d.look(&p)
	d.State = sync // the packet is decoded as those after it
	at := d.pc(d.target)
	d.Rec.Start(decode.SegmentStart{
		Offset: d.Offset, At: schema.Of(decode.Position{PC: at}), SameContext: !d.Rec.ContextID.OK,
		Lead: decode.Lead{Bytes: len(d.Rec.Part.Before), Offset: d.Rec.Part.BeforeOffset},
	})
	d.Rec.RecordContext(d.Key(), schema.Of(at.ISA))
	d.checkInfo(sync.Info)
}

// firstBytes returns those that the packet of the cut is in. The part may end in it.
func (d *Decoder) firstBytes() []byte {
	if b := d.Rec.Part.Data; len(b) >= maxAddressContext {
		return b
	}
	return slices.Concat(d.Rec.Part.Data, d.Rec.Part.Ahead)
}

// checkInfo compares what a Trace Info says of the configuration with the registers.
func (d *Decoder) checkInfo(info uint32) {
	d.info = info
	registers := uint32(d.cfg.Cond)<<InfoCondShift | uint32(d.cfg.InstP0)<<4
	if d.cfg.CycleCounting {
		registers |= InfoCycleCounting
	}
	if told := info & infoConfig; told != registers {
		d.contradiction(infoDiffers+"INFO is 0x%x, by TRCCONFIGR it is 0x%x", told, registers)
	}
}

// infoDiffers begins the detail of that event.
const infoDiffers = "trace_info: "

// OtherRegisters implements [decode.RegisterChecker].
func (*Config) OtherRegisters(e *schema.Event) bool {
	return e.Event == schema.EventInconsistent && strings.HasPrefix(e.Detail, infoDiffers)
}

// infoConfig are the bits of INFO that the registers say, too.
const infoConfig = InfoTransaction - 1

// readSync reads the packets before a cut, from an A-sync on. It returns how many P0 elements are
// open at the cut.
func (d *Decoder) readSync(before []byte) (open Open) {
	i := async.Long.Next(before)
	if i < 0 {
		panic(fmt.Sprintf("etmv4: no A-sync in the %d bytes before the cut at %d", len(before), d.Offset))
	}
	informed := false
	for p := (Packet{}); i < len(before); i += p.Len {
		if err := d.cfg.Parse(&p, before[i:]); err != nil {
			panic(fmt.Sprintf("etmv4: before the cut at %d: %v", d.Offset, err))
		}
		d.look(&p)
		if p.Kind == TraceInfo && !informed {
			informed, open = true, Open(min(p.Info.Spec.Value, d.cfg.MaxSpec))
			d.checkDepth(p.Info.Spec.Value)
		}
		open.Apply(&d.cfg, &p)
	}
	return open
}

// look takes of a packet up to the cut what it says of the state, the position and the context.
func (d *Decoder) look(p *Packet) {
	d.State.Apply(&d.cfg, p)
	switch p.Kind {
	case TraceInfo:
		d.setTransaction(d.State.Info&InfoTransaction != 0)
	case TransactionStart:
		d.setTransaction(true)
	case TransactionCommit:
		d.setTransaction(false)
	case Exception:
		if d.cfg.ETE && p.Exception == ETETransactionFailure {
			d.setTransaction(false)
		}
	case Address, AddressContext:
		d.target, d.moved, d.fresh = d.State.History[0], true, true
	default: // of the segment before
	}
	d.setContext(&p.Context)
}

// decodePackets decodes the packets of the part.
func (d *Decoder) decodePackets() {
	var p Packet
	i := 0
	for i < len(d.Rec.Part.Data) && !d.Rec.Lost() {
		if n := d.decodeWarm(i); n > i {
			i = n
			continue
		}
		if err := d.parse(&p, d.Rec.Bytes(i)); err != nil {
			if !errors.Is(err, io.ErrUnexpectedEOF) { // sync is lost: nothing more belongs to what waits
				d.release(nil, true)
			}
			if d.Rec.Stop(i, d.Walk.Seq, err) {
				d.lost()
			}
			return
		}
		d.recordPacket(&p, i)
		d.State.Apply(&d.cfg, &p)
		d.packet(&p, d.Rec.Offset(i))
		d.ended = p.Kind == Discard || p.Kind == Overflow
		i += p.Len
	}
	d.Rec.Decoded(i)
}

// parse parses the next packet. After a Discard or Overflow only an A-sync is one.
func (d *Decoder) parse(p *Packet, b []byte) error {
	if err := d.cfg.Parse(p, b); err != nil {
		return err
	}
	if d.ended && p.Kind != ASync {
		return d.cfg.codec().Bad(b[0], "after a Discard or Overflow only an A-sync can follow")
	}
	return nil
}

// recordPacket makes the row of `packets` for the packet at Data[i], if the table was asked
// for.
func (d *Decoder) recordPacket(p *Packet, i int) {
	if d.Packets {
		d.Rec.Packet(i, d.Walk.Seq, d.cfg.text(p))
	}
}

// end ends the segment. What is open stays unresolved. The packet of the next cut, which is
// that of another segment, tells where control went last.
func (d *Decoder) end() {
	returned := d.takeCut()
	d.settleWaiting()
	d.release(nil, true)
	d.drop("end of trace")
	d.endReached()
	if d.overflowed.OK && !d.Rec.Part.End {
		d.Offset = d.overflowed.V
		d.restart(schema.ISyncOverflow)
	}
	if !returned {
		d.lookAhead()
	}
	d.enter()
	d.CloseUnplaced()
	d.dropMark()
	if d.Rec.Lost() && !d.Rec.Part.End {
		d.tellLost()
	}
}

// takeCut gives an Exception or Q that came before the A-sync of the next cut, and waits, the address of
// that. Of an Exception it is the return address, so the cut is not where the flow goes on: takeCut reports that. No trace
// unit is known to send it (docs/etmv4.md §9.2).
func (d *Decoder) takeCut() (returned bool) {
	var p Packet
	if !d.waits.OK || d.Rec.Lost() || d.cfg.Parse(&p, d.Rec.Part.Ahead) != nil ||
		p.Kind != Address && p.Kind != AddressContext {
		return false
	}
	if returned = d.waits.V.kind == Exception; returned {
		d.contradiction("the address of the next cut is the return address of an exception before it")
	}
	d.State.Apply(&d.cfg, &p)
	d.pushAddress(element{})
	return returned
}

// endReached notes the position at the end. The instruction set at an address is by the newest
// context, which may be that of the next cut.
func (d *Decoder) endReached() {
	sf := d.sf
	var p Packet
	if d.moved && d.cfg.Parse(&p, d.Rec.Part.Ahead) == nil && p.Context.Sent {
		d.sf = p.Context.SF
	}
	if at, ok := d.reached(); ok && !d.Rec.Lost() {
		d.Rec.Segment.End.Reached = schema.Of(decode.Position{PC: at})
	}
	d.sf = sf
}

// lookAhead takes of the packet of the next cut where the flow goes on.
func (d *Decoder) lookAhead() {
	var p Packet
	if d.Rec.Lost() || !d.begins() || d.cfg.Parse(&p, d.Rec.Part.Ahead) != nil {
		return
	}
	d.setContext(&p.Context)
	if d.State.Apply(&d.cfg, &p); p.Kind == Address || p.Kind == AddressContext {
		d.goTo(d.State.History[0])
	}
}

// lost has what is open stay unresolved, as packet sync is lost.
func (d *Decoder) lost() {
	d.settleWaiting()
	d.release(nil, true)
	d.drop("packet sync is lost")
	d.enter()
	d.lose(false)
	d.Walk.EmptyStack()
}
