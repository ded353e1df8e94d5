package probe

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// undefined collects what no trace unit sends: the sign of another protocol, or of wrong
// registers, in bytes that can be read all the same.
type undefined struct {
	protocol decode.Protocol
	kinds    map[string]*tallied // packets, by type
	walked   int                 // bytes

	times tallied // timestamps, and those before the last one
	last  uint64
}

// A tallied counts things, and the doubtful ones among them.
type tallied struct{ all, doubtful int64 }

func (t *tallied) share() float64 {
	if t.all == 0 {
		return 0
	}
	return float64(t.doubtful) / float64(t.all)
}

// unit looks at the first packets of the segments of a unit, and returns how many
// segments there are.
func (d *undefined) unit(u *engine.Unit) (segments int64) {
	for i := range u.Parts {
		if !u.Parts[i].Continued {
			segments++
			d.walk(u.Parts[i].Data)
		}
	}
	return segments
}

// walk looks at the packets of b, up to a bad one.
func (d *undefined) walk(b []byte) {
	doubter, ok := d.protocol.(decode.Doubter)
	if !ok {
		return
	}
	doubtful := doubter.Doubts()
	for len(b) > 0 && d.walked < undefinedBytes {
		text, err := d.protocol.ParsePacket(b)
		if err != nil {
			return
		}
		if d.kinds == nil {
			d.kinds = map[string]*tallied{}
		}
		if d.kinds[text.Type] == nil {
			d.kinds[text.Type] = &tallied{}
		}
		t := d.kinds[text.Type]
		t.all++
		if doubtful(b) {
			t.doubtful++
		}
		b = b[text.Len:]
		d.walked += text.Len
	}
}

// fewChecks is how many offsets into the FIFO say nothing about the layout.
const fewChecks = 3

// fifoUndefined is the share of what the FIFO of no trace unit does, from 0 to 1: of a
// layout that is not the right one, about all. Without enough of it half is doubtful.
func fifoUndefined(q *decode.Quality, hasLayout bool) float64 {
	if !hasLayout {
		return 0
	}
	offsets, waits := tallied{q.FIFOChecks, q.FIFOChecks - q.FIFORight}, tallied{q.Waits, q.WaitsUnowed}
	most := max(offsets.share(), waits.share())
	if q.FIFOChecks < fewChecks {
		return max(most, 0.5)
	}
	return most
}

// timestamp looks at a timestamp: time does not go back.
func (d *undefined) timestamp(_ *stitch.Base, t *schema.Timestamp) {
	if !t.Value.OK {
		return
	}
	d.times.all++
	if t.Value.V < d.last {
		d.times.doubtful++
	}
	d.last = t.Value.V
}

// doubtful is how much it takes off a rate if all of something is doubtful: not all, so
// that a setting that is better still shows.
const doubtful = 0.95

// few things of a kind say nothing: fewer timestamps nothing about their order.
const few = 4

// least is what share is at least, however the stream goes on: more packets are not looked
// at, once these are enough.
func (d *undefined) least() float64 {
	if d.walked < undefinedBytes {
		return 0
	}
	return d.ofPackets()
}

// ofPackets is how doubtful packets are, of all types together.
func (d *undefined) ofPackets() float64 { return together(d.packets()) }

// share is how doubtful all is: see [together].
func (d *undefined) share() float64 {
	kinds := d.packets()
	if d.times.all >= few {
		kinds = append(kinds, d.times)
	}
	return together(kinds)
}

// packets are those of each type.
func (d *undefined) packets() []tallied {
	kinds := make([]tallied, 0, len(d.kinds)+1)
	for _, t := range d.kinds {
		kinds = append(kinds, *t)
	}
	return kinds
}

// together is the largest share of doubtful things of one kind, and where all of several kinds are, a little more than
// all: so a setting that is right of one of them shows. It is at most 1/[doubtful].
func together(kinds []tallied) float64 {
	most, less := 0.0, 1.0
	for _, t := range kinds {
		if most = max(most, t.share()); t.all >= few && t.doubtful == t.all {
			less *= 1 - more
		}
	}
	return (1 - (1-doubtful*most)*min(1, less/(1-more))) / doubtful
}

// more is how much less the rate is with each other kind of which all are doubtful.
const more = 0.25
