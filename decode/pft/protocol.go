package pft

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/async"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/record"
	"github.com/tracelake/tracelake/schema"
)

var _ decode.Protocol = (*Config)(nil)

// Family returns Program Flow Trace, the protocol of PTMs. Only cores of profile A
// have a PTM.
func Family() decode.Family {
	return decode.Family{
		Name: "pft", Types: []string{"PTM", "PFT"}, ETM: true, Major: schema.Of[uint8](etmidrMajorPFT), Version: "1", Profile: "A",
		Versions: []decode.FamilyVersion{version("1.0", 0x411CF301), version("1.1", 0x411CF311)},
		Needed:   []string{"ETMCR", "ETMIDR", "ETMCCER", "ETMTRACEIDR"},
		Sync:     decode.ISync,
		Defaults: []decode.RegisterDefault{
			{Register: "ETMCR", Value: 0x400, Means: "not cycle-accurate, no Context ID"},
			{Register: "ETMCCER", Value: 0x34C00000, Means: "64-bit natural timestamps, return stack implemented"},
			{Register: "ETMIDR", Value: 0x411CF312, Means: "PFT 1.1 of a Cortex-A15"},
		},
		Settings: settings(), Bind: Bind,
	}
}

// version is a version, with the ETMIDR of a macrocell of it.
func version(name string, etmidr uint64) decode.FamilyVersion {
	return decode.FamilyVersion{Name: name, Registers: []decode.RegisterValue{
		{Name: "ETMCR"}, {Name: "ETMCCER"}, {Name: "ETMIDR", Value: etmidr},
	}}
}

// Bind binds the protocol to the registers of a source. The notes are for the
// user. Bind fails if a register is missing or is of another protocol.
func Bind(s decode.Source) (decode.Protocol, []string, error) {
	var values [3]uint32
	for i, name := range []string{"ETMCR", "ETMCCER", "ETMIDR"} {
		v, ok := s.Lookup(name)
		if !ok {
			return nil, nil, fmt.Errorf("register %s is missing; give it with --reg %s=VALUE", name, name)
		}
		values[i] = uint32(v)
	}
	cfg, notes, err := NewConfig(values[0], values[1], values[2])
	if err != nil {
		return nil, nil, err
	}
	return &cfg, notes, nil
}

// Preserve implements [async.Parser]: lost packets report nothing.
func (c *Config) Preserve(_ *decode.Preserved, b []byte) (n int) { return len(b) }

// UnitBytes implements [decode.Protocol].
func (c *Config) UnitBytes() int { return 1 }

// AheadBytes implements [decode.Protocol].
func (c *Config) AheadBytes() int { return 0 }

// NewCutter implements [decode.Protocol].
func (c *Config) NewCutter() decode.Cutter { return async.NewCutter(c) }

// Resync implements [decode.Protocol].
func (c *Config) Resync(b []byte) (n int, ok bool) { return async.Short.Resync(b) }

// RateSyncs implements [decode.Protocol].
func (c *Config) RateSyncs(b []byte) int { return async.Short.RateSyncs(c, b) }

// TimestampCode implements [decode.Protocol].
func (c *Config) TimestampCode() decode.TimestampCode {
	return decode.TimestampCode{Bits: c.TimestampBits(), Gray: c.TimestampGray}
}

// TracesData implements [decode.Protocol]: PFT traces no data.
func (c *Config) TracesData() bool { return false }

// NewDecoder implements [decode.Protocol].
func (c *Config) NewDecoder(mem *image.Memory, want decode.Wanted) decode.Decoder {
	rules := flow.Rules{Barriers: true, DataBarriers: c.DataBarriers, ReturnStack: c.ReturnStack}
	d := &Decoder{cfg: *c, turns: want.Counted, Follower: record.NewFollower(mem, rules, want.Packets, record.Recorder{
		CycleAccurate: c.CycleAccurate, Timestamps: c.TimestampCode(), Summed: want.Summed,
	})}
	if c.CycleAccurate {
		d.Walk.CountCycles()
	}
	if want.Counted || !c.CycleAccurate {
		d.Walk.NoteSteps(want.FunctionOf)
	}
	return d
}

// Words implements [decode.Protocol].
func (c *Config) Words() []string {
	words := append(decode.StreamWords(c.CycleAccurate, c.ContextIDBytes), c.TimestampCode().String(), "return stack off")
	if c.ReturnStack {
		words[3] = "return stack on"
	}
	if c.DataBarriers {
		words = append(words, "DMB and DSB are waypoints")
	}
	return words
}
