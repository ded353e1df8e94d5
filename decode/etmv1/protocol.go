package etmv1

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/decode/record"
)

var (
	_ decode.Layouter = (*Config)(nil)
	_ decode.Answerer = (*Config)(nil)
	_ decode.Listing  = (*Config)(nil)
)

// aheadSamples is how many samples after the end of a part its decoder may read.
const aheadSamples = 1024

// AheadBytes implements [decode.Protocol].
func (c *Config) AheadBytes() int { return aheadSamples * port.SampleBytes }

// Words implements [decode.Protocol].
func (c *Config) Words() []string {
	words := c.Config.Words()
	if c.TracesData() && c.CoprocessorWords == 0 {
		words = append(words, "LDC and STC of unknown length")
	}
	return words
}

// NewDecoder implements [decode.Protocol].
func (c *Config) NewDecoder(mem *image.Memory, want decode.Wanted) decode.Decoder {
	return newDecoder(c, mem, want.Packets)
}

func newDecoder(c *Config, mem *image.Memory, packets bool) *Decoder {
	d := &Decoder{
		cfg: *c, pins: port.NewPins(c.Width, nil), state: state{frames: newFramer(c)},
		Follower: record.NewFollower(mem, flow.Rules{}, packets, record.Recorder{
			CycleAccurate: c.CycleAccurate, UnitBytes: port.SampleBytes, TracesData: c.TracesData(),
		}),
	}
	d.frames.usualTo = &d.branches
	return d
}

// Resync implements [decode.Protocol]: the place of the first cut.
func (c *Config) Resync(b []byte) (n int, ok bool) {
	cuts := c.NewCutter().Find(b, false)
	if len(cuts.At) == 0 {
		return cuts.Settled, false
	}
	return cuts.At[0].At, true
}

// RateSyncs implements [decode.Protocol]: the cuts, and three more for each address
// packet offset that agrees with the one before it.
func (c *Config) RateSyncs(b []byte) int {
	k := cutter{framer: newFramer(c)}
	rate := len(k.Find(b, true).At)
	f := newFramer(c)
	f.through(b, 0, false, func() {
		for x := f.settled(); x != nil; x = f.settled() {
			if x.compared && x.agrees {
				rate += 3
			}
		}
	})
	return rate
}

// Answers implements [decode.Answerer].
func (c *Config) Answers() []decode.Answer {
	return c.Config.Answers("ETMCR[3:2], data access, to 0b11, and what to trace in the ViewData registers")
}
