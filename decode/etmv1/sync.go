package etmv1

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

// A cutter cuts a stream at the branches with full addresses (docs/etmv2.md §7.1). It
// is the same first pass as that of the decoder.
type cutter struct {
	framer

	from int64 // sample at which the next call begins
	// held is a cut after the offset of a branch, which waits for the sample after
	// it: another cut may be there.
	held  int64
	holds bool
	cuts  []decode.Cut
}

// window is how many samples a branch takes that is not abandoned: its own and those
// with its address packet offset.
const window = 3

// step is how many samples the first pass looks at before branches are settled.
const step = 512

// NewCutter implements [decode.Protocol].
func (c *Config) NewCutter() decode.Cutter {
	k := &cutter{framer: newFramer(c)}
	k.unwanted = true // they have no full address
	return k
}

// Find implements [decode.Cutter].
func (c *cutter) Find(b []byte, last bool) decode.Cuts {
	c.cuts = c.cuts[:0]
	c.through(b, c.from, last, c.settle)
	settled := c.firstBranch()
	if c.holds {
		settled = min(settled, c.held-window)
	}
	c.holds = c.holds && !last
	settled = max(settled, c.from)
	cuts := decode.Cuts{At: c.cuts, Settled: int(settled-c.from) * port.SampleBytes}
	c.from = settled
	return cuts
}

// settle takes the branches that nothing can change any more.
func (c *cutter) settle() {
	for {
		b := c.settled()
		if c.holds && (b != nil || c.firstBranch() > c.held) {
			c.release(b != nil && b.at == c.held && b.cuts() && b.address.Reason.Restarts())
		}
		if b == nil {
			return
		}
		switch {
		case !b.cuts():
		case b.address.Reason.Restarts():
			c.cut(b.at, 0)
		default:
			c.held, c.holds = b.at+window, true
		}
	}
}

// release makes the cut that is held, unless another one is at the same sample.
func (c *cutter) release(replaced bool) {
	c.holds = false
	if !replaced {
		c.cut(c.held, window*port.SampleBytes)
	}
}

func (c *cutter) cut(at int64, before int) {
	c.cuts = append(c.cuts, decode.Cut{At: int(at-c.from) * port.SampleBytes, Before: before})
}

// Lead implements [decode.Leader]: a cut is after the branch, unless trace restarts there.
func (c *Config) Lead(reason schema.ISyncReason) int {
	if reason != schema.ISyncPeriodic {
		return 0
	}
	return window * port.SampleBytes
}

// cuts reports whether the stream is cut at the branch: an address that every decoder
// that begins here reads alike.
func (b *branch) cuts() bool {
	return b.fate == live && b.apo != tooMany && b.address.Full() && !b.address.Reason.Reserved() && !b.address.Jazelle
}
