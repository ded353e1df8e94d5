package etmv4

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/record"
	"github.com/tracelake/tracelake/schema"
)

// This file is what packets say that needs no program (docs/etmv4.md §9.4): it is told of the bytes
// before a cut, too, though the program is not followed there.

var _ decode.Teller = (*Config)(nil)

// Tell implements [decode.Teller].
func (c *Config) Tell(b []byte) *decode.Result {
	r := record.Recorder{Result: &decode.Result{}, Timestamps: c.TimestampCode(), CycleAccurate: c.CycleCounting}
	c.tell(&r, b, func(i int) schema.Key { return schema.Key{Offset: int64(i)} })
	return r.Result
}

// tell tells what packets before a cut say, from the A-sync on. key returns the key of the packet at
// b[i]. It returns what holds after the cut. A timestamp before the Trace Info is not complete.
func (c *Config) tell(r *record.Recorder, b []byte, key func(i int) schema.Key) decode.Preserved {
	var s State
	var x syncPoint
	var p Packet
	for i := 0; i < len(b) && c.Parse(&p, b[i:]) == nil; i += p.Len {
		s.Apply(c, &p)
		x.pass(c, &p, true)
		switch p.Kind {
		case Timestamp:
			if x.informed {
				r.Timestamp(key(i), s.Timestamp, r.Timestamps.Bits, false)
			}
		case Event:
			tellTriggers(r, key(i), p.Events)
		case Instrumentation:
			tellInstrumentation(r, key(i), p.Context.EL, p.Value)
		default: // of the program
		}
	}
	return x.preserved
}

// tellTriggers records the events of an Event packet.
func tellTriggers(r *record.Recorder, key schema.Key, mask uint8) {
	for i := range 4 {
		if mask>>i&1 != 0 {
			r.Event(key, schema.EventTrigger, schema.Null[schema.Address]{}, fmt.Sprint(i))
		}
	}
}

// tellInstrumentation records an Instrumentation packet.
func tellInstrumentation(r *record.Recorder, key schema.Key, el uint8, value uint64) {
	r.Event(key, schema.EventInstrumentation, schema.Null[schema.Address]{}, fmt.Sprintf("el%d 0x%x", el, value))
}

// A salvage is the end of a loss, from the end of its last A-sync on.
type salvage struct {
	active bool
	decode.Part
}

// keep keeps the bytes of a part in a loss that the next cut may come after.
func (s *salvage) keep(p *decode.Part) {
	from := 0
	if n := len(p.Bounds); n > 0 {
		from, *s = p.Bounds[n-1], salvage{active: true}
	}
	if !s.active {
		return
	}
	if len(s.Data)+len(p.Data)-from > maxSyncBytes {
		*s = salvage{}
		return
	}
	if from < len(p.Data) {
		rest := p.Rest(from)
		rest.Prepend(s.Part)
		s.Part = rest
	}
}

// tellLost tells what the end of a loss says. The cut is next.
func (d *Decoder) tellLost() {
	s := &d.salvage
	at := decode.NewOffsetCursor(s.Offsets)
	d.Rec.Segment.End.Preserved = d.cfg.tell(&d.Rec, s.Data, func(i int) schema.Key {
		return schema.Key{Seq: d.Walk.Seq, Offset: int64(at.At(i))}
	})
	*s = salvage{}
}
