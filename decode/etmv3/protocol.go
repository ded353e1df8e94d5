package etmv3

import (
	"fmt"
	"strings"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/async"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/record"
	"github.com/tracelake/tracelake/schema"
)

var _ decode.Protocol = (*Config)(nil)

// Family returns ETMv3, versions 3.0 to 3.5. Missing registers have defaults, some
// of which depend on the core (see [Bind]).
func Family() decode.Family {
	return decode.Family{
		Name: "etmv3", Types: []string{"ETM3"}, ETM: true, Major: schema.Of[uint8](etmidrMajorETMv3), Version: "3",
		Versions: []decode.FamilyVersion{
			version("3.0", 0x41013201, 0), version("3.1", 0x41013211, 0), version("3.2", 0x4104F220, 0),
			version("3.3", 0x4104F230, 0), version("3.4", 0x4104F240, 0), version("3.5", 0x410CF250, 0x30000000),
		},
		Needed: []string{"ETMTRACEIDR"},
		Sync:   decode.ISync,
		Defaults: []decode.RegisterDefault{
			{Register: "ETMCR", Value: 0, Means: "not cycle-accurate, no Context ID, no data"},
			{Register: "ETMCCER", Value: 0, Means: "48-bit Gray timestamps"},
			{Register: "ETMIDR", Value: unknownCoreETMIDR, Means: "ETMv3.4, original branch encoding"},
		},
		Settings: settings(), Bind: Bind,
	}
}

// version is a version, with registers of a macrocell of it.
func version(name string, etmidr, etmccer uint64) decode.FamilyVersion {
	return decode.FamilyVersion{Name: name, Registers: []decode.RegisterValue{
		{Name: "ETMCR"}, {Name: "ETMCCER", Value: etmccer}, {Name: "ETMIDR", Value: etmidr},
	}}
}

// unknownCoreETMIDR is the default ETMIDR of an unknown core: v3.4, original
// encoding, one atom for 32-bit T32.
const unknownCoreETMIDR = 0x4104F240

// Bind binds the protocol to a source. The notes are for the user and name the
// missing registers with their defaults. It fails if ETMIDR is of another protocol.
func Bind(s decode.Source) (decode.Protocol, []string, error) {
	var notes []string
	value := func(name string, missing uint32, why string) uint32 {
		v, ok := s.Lookup(name)
		if !ok {
			notes = append(notes, fmt.Sprintf("register %s is missing: 0x%08X is taken (%s); --reg %s=VALUE sets it", name, missing, why, name))
			return missing
		}
		return uint32(v)
	}
	etmcr := value("ETMCR", 0, "not cycle-accurate, no context, no data")
	etmccer := value("ETMCCER", 0, "48-bit timestamps in Gray code")
	etmidr := value("ETMIDR", defaultETMIDR(s.CoreType), "by the type of the core")
	cfg, warnings, err := NewConfig(etmcr, etmccer, etmidr, isProfileM(s, etmidr))
	if err != nil {
		return nil, nil, err
	}
	return &cfg, append(notes, warnings...), nil
}

// defaultETMIDR is the ETMIDR of the ETM of a core, for captures that do not
// have it (docs/etmv3.md §1).
func defaultETMIDR(core string) uint32 {
	core = strings.ToUpper(core)
	for _, known := range []struct {
		prefix string
		etmidr uint32
	}{
		{"CORTEX-M3", 0x4114F250},
		{"CORTEX-M4", 0x4114F250},
		{"CORTEX-A5", 0x410CF250},
		{"CORTEX-A7", 0x410CF250},
		{"CORTEX-A8", 0x410CF230},
		{"CORTEX-R4", 0x4104F230},
		{"CORTEX-R5", 0x4104F230},
		{"ARM1136", 0x41013211},
		{"ARM1176", 0x41013211},
	} {
		rest, ok := strings.CutPrefix(core, known.prefix)
		if ok && (rest == "" || rest[0] < '0' || rest[0] > '9') {
			return known.etmidr
		}
	}
	return unknownCoreETMIDR
}

// isProfileM reports whether exceptions are those of v7-M. The core decides; if
// none is named, a feature that only ETMs of such cores have (docs/etmv3.md §8.9).
func isProfileM(s decode.Source, etmidr uint32) bool {
	if s.Profile != "" || s.CoreType != "" {
		return s.Profile == "M"
	}
	minor := etmidr >> etmidrMinorShift & 0xf
	return minor >= minorM && etmidr&(etmidrAltBranch|etmidrSecurity) == etmidrAltBranch
}

// TimestampCode implements [decode.Protocol].
func (c *Config) TimestampCode() decode.TimestampCode {
	return decode.TimestampCode{Bits: c.TimestampBits(), Gray: c.TimestampGray}
}

// NewDecoder implements [decode.Protocol].
func (c *Config) NewDecoder(mem *image.Memory, want decode.Wanted) decode.Decoder {
	d := newDecoder(c, mem, want.Packets)
	d.Rec.Summed = want.Summed
	if !c.CycleAccurate && !c.TracesData() {
		d.turns = want.Counted
		d.Walk.NoteSteps(want.FunctionOf)
	}
	return d
}

func newDecoder(c *Config, mem *image.Memory, packets bool) *Decoder {
	return &Decoder{
		cfg: *c, headers: c.newWarmHeaders(), Follower: record.NewFollower(mem, flow.Rules{}, packets, record.Recorder{
			CycleAccurate: c.tracesCycles(), Timestamps: c.TimestampCode(),
			TracesData: c.TracesData(), TracesRegisters: !c.CPRTNotData,
		}),
	}
}

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

// Preserve implements [async.Parser]: timestamps and VMIDs are valid after the cut.
func (c *Config) Preserve(k *decode.Preserved, b []byte) (n int) {
	var p Packet
	for c.Parse(&p, b[n:]) == nil {
		switch p.Kind {
		case Timestamp:
			sent := c.TimestampCode().BitsSent(p.TimestampBytes)
			k.TimestampRaw = decode.Merge(k.TimestampRaw, p.Timestamp, sent)
			k.TimestampBits = max(k.TimestampBits, sent)
		case VMID:
			k.VMID = schema.Of(uint32(p.VMID))
		default: // not valid after the lost bytes
		}
		n += p.Len
	}
	return n
}

// Words implements [decode.Protocol].
func (c *Config) Words() []string {
	words := append(decode.StreamWords(c.CycleAccurate, c.ContextIDBytes), c.TimestampCode().String(), "original branch encoding")
	if c.AltBranch {
		words[3] = "alternative branch encoding"
	}
	if c.Broadcast {
		words = append(words, "branch broadcast")
	}
	if !c.OneT32 {
		words = append(words, "32-bit Thumb instructions traced as two")
	}
	if c.ProfileM {
		words = append(words, "v7-M exceptions")
	}
	words = append(words, decode.DataWords(c.DataAddress, c.DataValue)...)
	if c.DataOnly {
		words = append(words, "data only: no instructions")
	}
	return words
}

// TracesData implements [decode.Protocol].
func (c *Config) TracesData() bool { return c.DataAddress || c.DataValue }
