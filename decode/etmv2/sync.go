package etmv2

import (
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
func (c *Config) NewCutter() decode.Cutter { return &cutter{cfg: c} }

// Find implements [decode.Cutter].
func (c *cutter) Find(b []byte, _ bool) decode.Cuts {
	c.cuts = c.cuts[:0]
	i := 0
	for ; i+port.SampleBytes <= len(b); i += port.SampleBytes {
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
