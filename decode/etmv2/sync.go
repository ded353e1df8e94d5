package etmv2

import (
	"encoding/binary"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/port"
)

// A cutter cuts a stream at each TFO (docs/etmv2.md §7.1).
type cutter struct {
	cfg *Config
	// skip is how many samples, not counting TR, belong to the value and the gap of the
	// last TFO: what their status says is no TFO.
	skip int
	cuts []decode.Cut
}

// NewCutter implements [decode.Protocol].
func (c *Config) NewCutter() decode.Cutter {
	if c.splitsBytes() {
		return &nibbleCutter{cutter: cutter{cfg: c}, frames: newFramer(c)}
	}
	return &cutter{cfg: c}
}

// ordinaryPair reports whether the statuses of two samples are neither TR nor TD, w
// being their records: whether bits 3:1 are 3 in none.
func ordinaryPair(w uint64) bool {
	const status = 0xe
	return w&status != StatusTR && w>>32&status != StatusTR
}

// Find implements [decode.Cutter].
func (c *cutter) Find(b []byte, _ bool) decode.Cuts {
	c.cuts = c.cuts[:0]
	i := 0
	for ; i+port.SampleBytes <= len(b); i += port.SampleBytes {
		for c.skip == 0 && i+2*port.SampleBytes < len(b) && ordinaryPair(binary.LittleEndian.Uint64(b[i:])) {
			i += 2 * port.SampleBytes
		}
		status := b[i] & 0xf
		switch {
		case c.skip > 0:
			if status != StatusTR {
				c.skip--
			}
		case status&^1 == StatusTR && c.cfg.startsTFO(port.At(b[i:])):
			c.cuts = append(c.cuts, decode.Cut{At: i})
			c.skip = c.cfg.tfoSamples(port.At(b[i:]))
		}
	}
	return decode.Cuts{At: c.cuts, Settled: i}
}

// A nibbleCutter is a cutter that also finds which TFOs split a byte, where nothing after
// them shows it. It frames all samples, in order; the first TFO, and one after samples
// that cannot be read, is taken for one between bytes.
type nibbleCutter struct {
	cutter
	frames *framer
	framed bool // up to the end of what was found
}

// Find implements [decode.Cutter]. A cut at a TFO that splits a byte asks for the sample
// before it.
func (c *nibbleCutter) Find(b []byte, last bool) decode.Cuts {
	end := len(b)
	if !last {
		end = max(0, end-reach*port.SampleBytes)
	}
	found := c.cutter.Find(b[:end], last)
	from, continued := 0, true
	for i := range found.At {
		cut := &found.At[i]
		c.frame(b, from, cut.At, continued)
		if from, continued = cut.At, false; c.splits() {
			cut.Before = port.SampleBytes
		}
	}
	c.frame(b, from, found.Settled, continued)
	return found
}

// splits reports whether the TFO after what is framed splits a byte.
func (c *nibbleCutter) splits() bool { return c.framed && c.frames.splits() }

// frame frames the samples from a cut on, or those that continue a segment.
func (c *nibbleCutter) frame(b []byte, from, to int, continued bool) {
	if from == to || continued && !c.framed {
		return
	}
	p := decode.Part{Data: b[from:to], Ahead: b[to:min(len(b), to+reach*port.SampleBytes)], Continued: continued}
	c.frames.begin(&p, !continued && c.splits())
	err := error(nil)
	if !continued {
		err = c.frames.tfo(&TFO{})
	}
	var x frame
	for err == nil && !x.last {
		err = c.frames.frame(&x)
	}
	c.framed = err == nil
}
