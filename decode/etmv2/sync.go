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
func (c *Config) NewCutter() decode.Cutter { return &cutter{cfg: c} }

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
