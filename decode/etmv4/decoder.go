package etmv4

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/async"
	"github.com/tracelake/tracelake/decode/record"
)

// A Decoder reads the packets of one segment after another. It makes rows of packets, and
// accounts for every byte; it does not follow the program.
type Decoder struct {
	cfg     Config
	Rec     record.Recorder
	packets bool // make rows of `packets`

	// State is that of the packets up to the last one. It belongs to the stream: what is
	// cancelled stays in it.
	State State
	// ended: a Discard or Overflow packet came, after which only an A-sync may come.
	ended bool
}

func newDecoder(c *Config, packets bool) *Decoder {
	return &Decoder{cfg: *c, packets: packets, Rec: record.Recorder{
		CycleAccurate: c.CycleCounting, Timestamps: c.TimestampCode(),
	}}
}

// Decode implements [decode.Decoder].
func (d *Decoder) Decode(result *decode.Result, part decode.Part) {
	d.Rec.Begin(result, part, 0)
	if !part.Continued {
		d.State, d.ended = State{}, false
		d.readSync(part.Before)
		d.Rec.Start(decode.SegmentStart{Offset: d.Rec.Offset(0)})
	}
	d.decodePackets()
	d.Rec.Finish(0)
}

// readSync reads the packets between the A-sync and the cut: they have the packet state.
// The segment before owns them.
func (d *Decoder) readSync(before []byte) {
	i := async.Long.Next(before)
	if i < 0 {
		panic(fmt.Sprintf("etmv4: no A-sync in the %d bytes before the cut at %d", len(before), d.Rec.Offset(0)))
	}
	for p := (Packet{}); i < len(before); i += p.Len {
		if err := d.cfg.Parse(&p, before[i:]); err != nil {
			panic(fmt.Sprintf("etmv4: before the cut at %d: %v", d.Rec.Offset(0), err))
		}
		d.State.Apply(&d.cfg, &p)
	}
}

// decodePackets decodes the packets of the part.
func (d *Decoder) decodePackets() {
	var p Packet
	i := 0
	for i < len(d.Rec.Part.Data) && !d.Rec.Lost() {
		if err := d.parse(&p, d.Rec.Bytes(i)); err != nil {
			d.Rec.Stop(i, 0, err)
			return
		}
		d.recordPacket(&p, i)
		d.State.Apply(&d.cfg, &p)
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
	if d.packets {
		d.Rec.Packet(i, 0, d.cfg.text(p))
	}
}
