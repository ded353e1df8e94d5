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
// them shows it: it frames all samples, in order. The first TFO is taken for one between
// bytes; after samples that cannot be read, what fits those that follow is.
type nibbleCutter struct {
	cutter
	frames *framer
	begun  bool // there was a TFO
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
	from, continued, half := 0, true, false
	for i := range found.At {
		cut := &found.At[i]
		c.frame(b, from, cut.At, continued, half)
		from, continued = cut.At, false
		if half = c.splits(b, found.At[i:]); half {
			cut.Before = port.SampleBytes
		}
		c.begun = true
	}
	c.frame(b, from, found.Settled, continued, half)
	return found
}

// splits reports whether the TFO at the first of some cuts splits a byte.
func (c *nibbleCutter) splits(b []byte, at []decode.Cut) bool {
	if c.framed {
		if v, ok := c.frames.nextTFO(); ok {
			if owed, half := c.frames.owed(); owed == v {
				return half
			}
		}
	}
	if !c.begun {
		return false
	}
	b = b[at[0].At:min(len(b), at[0].At+reach*port.SampleBytes)]
	end := len(b)
	if len(at) > 1 {
		end = min(end, at[1].At-at[0].At)
	} else if next := (&cutter{cfg: c.cfg}).Find(b, true).At; len(next) > 1 {
		end = next[1].At
	}
	return c.fit(b, end, true) > c.fit(b, end, false)
}

// fit is how well the samples of a segment, which ends at b[end], fit a TFO that splits a
// byte, or not.
func (c *nibbleCutter) fit(b []byte, end int, half bool) int64 {
	var s score
	c.frames.begin(&decode.Part{Data: b[:end], Ahead: b[end:]}, half)
	s.segment(c.frames)
	return s.value()
}

// frame frames the samples from a cut on, or those that continue a segment.
func (c *nibbleCutter) frame(b []byte, from, to int, continued, half bool) {
	if from == to || continued && !c.framed {
		return
	}
	c.frames.begin(&decode.Part{
		Data: b[from:to], Ahead: b[to:min(len(b), to+reach*port.SampleBytes)], Continued: continued,
	}, half)
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
