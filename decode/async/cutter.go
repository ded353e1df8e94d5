package async

import "github.com/tracelake/tracelake/decode"

// A Parser is what a [Cutter] needs of a protocol with A-syncs.
type Parser interface {
	// FindISync parses packets up to the first I-sync. b begins after an
	// A-sync, or where an earlier call stopped, and ends no later than the
	// end of the next A-sync. With ISyncFound, n bytes precede the I-sync; with
	// ISyncUnknown, n bytes are whole packets, and b ends inside the packet
	// after them.
	FindISync(b []byte) (n int, found Found)
	// Preserve adds to p what the packets of b report for the rows after them,
	// though the packets themselves are lost. b begins after an A-sync, or
	// where an earlier call stopped: it returns how many bytes it parsed.
	Preserve(p *decode.Preserved, b []byte) (n int)
}

// Found is the result of looking for an I-sync.
type Found uint8

// What FindISync finds.
const (
	ISyncFound   Found = iota
	NoISync            // a bad packet or another A-sync comes first
	ISyncUnknown       // the bytes end first
)

// A Cutter is the [decode.Cutter] of the protocols with [Short] A-syncs: a cut is the
// first I-sync after an A-sync. A-syncs are found by their bytes alone, wherever
// they are, so that every worker finds the same ones, whatever damage there is
// between them.
type Cutter struct {
	parser Parser

	// Positions in the bytes of the next call.
	scanned int  // A-syncs that end up to here are found
	parsed  int  // packets after the last A-sync are parsed up to here
	looking bool // the I-sync after the last A-sync is still to be found
	found   bool // a cut: what is preserved matters to the first alone

	preserved decode.Preserved // from packets after the last A-sync
	cuts      decode.Cuts
}

var _ decode.AnywhereCutter = (*Cutter)(nil)

// NewCutter returns a Cutter for a stream that p parses.
func NewCutter(p Parser) *Cutter { return &Cutter{parser: p} }

// BeginsAnywhere implements [decode.AnywhereCutter]: no A-sync has bytes of the I-sync
// that a cut begins with.
func (c *Cutter) BeginsAnywhere() {}

// Find implements [decode.Cutter].
func (c *Cutter) Find(b []byte, _ bool) decode.Cuts {
	c.cuts.At, c.cuts.Bounds = c.cuts.At[:0], c.cuts.Bounds[:0]
	for c.next(b) {
	}
	settled := max(0, len(b)-Short.Overlap())
	if c.looking {
		settled = min(settled, c.parsed)
	}
	c.scanned -= settled
	c.parsed -= settled
	c.cuts.Settled = settled
	return c.cuts
}

// next looks for the I-sync after the last A-sync, and then for the next A-sync in
// b. It reports whether there is one.
func (c *Cutter) next(b []byte) bool {
	limit, found := len(b), false
	from := max(0, c.scanned-Short.Overlap())
	if i := Short.Next(b[from:]); i >= 0 {
		limit, found = from+i, true
	}
	if c.looking {
		c.look(b[:limit], found)
	}
	c.scanned = limit
	if found {
		c.cuts.Bounds = append(c.cuts.Bounds, limit)
		c.looking, c.parsed, c.preserved = true, limit, decode.Preserved{}
	}
	return found
}

// look looks for the I-sync in b. If last is set, b ends with the next A-sync.
func (c *Cutter) look(b []byte, last bool) {
	n, found := c.parser.FindISync(b[c.parsed:])
	if n > 0 && !c.found {
		c.parser.Preserve(&c.preserved, b[c.parsed:c.parsed+n])
	}
	c.parsed += n
	switch found {
	case ISyncFound:
		c.looking, c.found = false, true
		c.cuts.At = append(c.cuts.At, decode.Cut{At: c.parsed, Preserved: c.preserved})
	case NoISync:
		c.looking = false
	case ISyncUnknown:
		c.looking = !last
	}
}
