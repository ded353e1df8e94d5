package etmv4

import (
	"errors"
	"io"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/async"
	"github.com/tracelake/tracelake/schema"
)

// maxSyncBytes is how many bytes from the start of an A-sync the packet may begin that
// completes position and context; where it comes later the sync point is no cut. It
// bounds what is kept of a stream, and what a decoder has to see before a cut.
const maxSyncBytes = decode.MaxLead

// A cutter is the [decode.Cutter] of a stream (docs/etmv4.md §9.2). A cut is the packet
// that completes position and context behind the first Trace Info packet after an A-sync,
// where nothing is open that only earlier bytes tell. The decoder of its segment has to
// see the bytes from the A-sync on: they have the packet state.
//
// A-syncs are found by their bytes alone, wherever they are, so that every worker finds
// the same ones, whatever damage there is between them.
type cutter struct {
	cfg *Config

	// Positions in the bytes of the next call.
	scanned int // A-syncs that end up to here are found
	parsed  int // packets are parsed up to here

	looking bool // the cut after the last A-sync is still to be found
	point   syncPoint
	// lost: no program is followed here, since there was no cut yet, or since a packet after it that
	// lost packet sync, or was a Discard or Overflow. P0 elements that are open at the next sync point
	// are not known then, whatever is decoded: they do not prevent a cut.
	lost bool

	cuts decode.Cuts
}

// NewCutter implements [decode.Protocol]. With speculation, cuts depend on whether something
// was lost since the last one. So only a stream without speculation can be looked at from anywhere.
func (c *Config) NewCutter() decode.Cutter {
	if c.MaxSpec > 0 {
		return &cutter{cfg: c, lost: true}
	}
	return &anywhereCutter{cutter{cfg: c, lost: true}}
}

// An anywhereCutter is a cutter that may begin anywhere: what it finds depends on the bytes
// from an A-sync on.
type anywhereCutter struct{ cutter }

// BeginsAnywhere implements [decode.AnywhereCutter].
func (c *anywhereCutter) BeginsAnywhere() {}

// Find implements [decode.Cutter].
func (c *cutter) Find(b []byte, _ bool) decode.Cuts {
	c.cuts.At, c.cuts.Bounds = c.cuts.At[:0], c.cuts.Bounds[:0]
	for c.next(b) {
	}
	settled := max(0, len(b)-async.Long.Overlap())
	if c.looking {
		settled = min(settled, c.point.start)
	} else if c.parses() {
		settled = min(settled, c.parsed)
	}
	c.scanned -= settled
	c.parsed -= settled
	c.point.start -= settled
	c.cuts.Settled = settled
	return c.cuts
}

// next parses up to the next A-sync in b. It reports whether there is one.
func (c *cutter) next(b []byte) bool {
	limit, found := len(b), false
	from := max(0, c.scanned-async.Long.Overlap())
	if i := async.Long.Next(b[from:]); i >= 0 {
		limit, found = from+i, true
	}
	c.parse(b[:limit])
	c.scanned = limit
	if found {
		c.cuts.Bounds = append(c.cuts.Bounds, limit)
		c.lost = c.lost || c.parsed < limit // a packet reaches past it
		c.looking, c.point = true, syncPoint{start: limit - async.Long.Bytes()}
		c.parsed = limit
	}
	return found
}

// parses reports whether packets are parsed: as long as there may be a cut, and with speculation
// as long as nothing is lost.
func (c *cutter) parses() bool { return c.looking || c.cfg.MaxSpec > 0 && !c.lost }

// parse parses the packets of b, which ends no later than the next A-sync, so that no packet
// can hide it.
func (c *cutter) parse(b []byte) {
	for p := (Packet{}); c.parses(); c.parsed += p.Len {
		for !c.looking && c.parsed < len(b) && b[c.parsed] >= firstAtom {
			c.parsed++ // most packets are of atoms
		}
		err := c.cfg.Parse(&p, b[c.parsed:])
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return
		}
		if err != nil || p.Kind == Discard || p.Kind == Overflow {
			c.looking, c.lost = false, true
			return
		}
		if c.looking {
			c.look(&p)
		}
	}
}

// look looks whether the next packet is the cut.
func (c *cutter) look(p *Packet) {
	x := &c.point
	is := x.pass(c.cfg, p, c.lost)
	c.looking = is == unknown && c.parsed+p.Len-x.start <= maxSyncBytes
	if is == cut {
		c.lost = false
		c.cuts.At = append(c.cuts.At, decode.Cut{At: c.parsed, Before: c.parsed - x.start, Preserved: x.preserved})
	}
}

// A syncPoint is an A-sync and the packets after it, up to the cut (docs/etmv4.md §9.1).
type syncPoint struct {
	start     int  // where the A-sync begins
	informed  bool // there was a Trace Info packet
	address   bool // the position is known,
	context   bool // and the context
	waits     bool // an Exception or Q waits for its address
	p0        bool // there were P0 elements since the Trace Info packet
	open      Open
	preserved decode.Preserved
}

// A step is what a packet does to a sync point.
type step uint8

const (
	unknown step = iota // whether there is a cut
	noCut
	cut // at the packet
)

// pass passes the next packet. lost: P0 elements may be open at the cut.
func (x *syncPoint) pass(c *Config, p *Packet, lost bool) step {
	switch p.Kind {
	case ASync:
		return noCut // the next one follows
	case TraceInfo:
		if !x.informed {
			x.informed, x.open = true, Open(min(p.Info.Spec.Value, c.MaxSpec))
		}
		return unknown
	}
	if x.address, x.context = x.completes(c, p); x.address && x.context {
		if x.waits || x.open > 0 && !lost || c.ReturnStack && x.p0 {
			return noCut
		}
		return cut
	}
	if p.Kind == Address || p.Kind == AddressContext {
		if x.waits && x.informed {
			return noCut
		}
		x.waits = false
	}
	x.waits = x.waits || c.AwaitsAddress(p)
	if x.informed {
		x.preserve(c, p)
		x.open.Apply(c, p)
		x.p0 = x.p0 || c.P0Elements(p) > 0
	}
	return unknown
}

// completes reports whether position and context are known with p: both since the Trace
// Info packet, the last P0 element, the last Trace On, and the last packet that may have taken an
// address back.
func (x *syncPoint) completes(c *Config, p *Packet) (address, context bool) {
	if !x.informed || p.Kind == TraceOn || p.Kind == Cancel || p.Kind == Mispredict || c.P0Elements(p) > 0 {
		return false, false
	}
	address = x.address || p.Kind == Address || p.Kind == AddressContext
	context = x.context || p.Context.Sent
	return address, context
}

// preserve notes what p reports for the rows after a cut, though it may be lost
// (docs/etmv4.md §9.4).
func (x *syncPoint) preserve(c *Config, p *Packet) {
	switch {
	case p.Kind == Timestamp:
		raw := &x.preserved.TimestampRaw
		*raw = decode.Merge(*raw, p.Timestamp, timestampBits(p.TimestampBytes))
		x.preserved.TimestampBits = c.TimestampBits() // those not sent are 0
	case p.Context.HasVMID:
		x.preserved.VMID = schema.Of(p.Context.VMID)
	}
}
