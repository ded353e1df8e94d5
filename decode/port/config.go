package port

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// A Width is how many TRACEPKT pins the port has: 4, 8 or 16.
type Width uint8

// mask has the bits of TRACEPKT that the port has.
func (w Width) mask() uint16 { return uint16(1<<w - 1) }

// A Config is how a trace port is configured, as far as ETMv1 and ETMv2 share it
// (docs/etmv2.md §2). It is immutable. The protocols embed it.
type Config struct {
	Number uint8 // of the version, as ETMVERSION: 0x10 to 0x13, 0x20, 0x21
	Width  Width
	// CaptureLayout is how the capture holds the samples.
	CaptureLayout Layout

	DataAddress, DataValue bool // data accesses have addresses, values (ETMCR[3:2])
	MonitorCPRT            bool // MCR and MRC are data accesses (ETMCR[1])
	BranchOutput           bool // direct branches have addresses too (ETMCR[8])
	CycleAccurate          bool // ETMCR[12]
	ContextIDBytes         int  // 0, 1, 2 or 4 (ETMCR[15:14])

	HighVectors bool // exception vectors at 0xFFFF0000, else at 0 (HIVECS)
	BigEndian   bool // data values have their high byte first (ENDIAN)

	ring etb // which words of an ETB are valid, and which is the oldest
}

// The fields of the registers that change decoding (IHI 0014Q §3.5.1, docs/etmv2.md §2).
const (
	etmcrMonitorCPRT    = 1 << 1
	etmcrDataValue      = 1 << 2
	etmcrDataAddress    = 1 << 3
	etmcrPortSizeShift  = 4
	etmcrBranchOutput   = 1 << 8
	etmcrCycleAccurate  = 1 << 12
	etmcrContextIDShift = 14

	// defaultETMCR is that of a port of 8 pins that traces instructions only.
	defaultETMCR = 1 << etmcrPortSizeShift
)

// widths is the meaning of ETMCR[6:4], as far as these protocols have it.
var widths = []Width{4, 8, 16}

// minorContextID is n of the first ETMv1.n with Context IDs.
const minorContextID = 2

// NewConfig returns the configuration of the port of an ETMv1 (major 1) or ETMv2
// (major 2). The notes are for people: they name what is missing and what is taken
// instead. It fails if the registers are of another protocol, or say what no port has.
func NewConfig(r decode.Registers, major uint8) (Config, []string, error) {
	b := binder{registers: r, major: major}
	etmcr, ok := r.Lookup("ETMCR")
	if !ok {
		etmcr = defaultETMCR
		b.note("register ETMCR is missing: 0x%08X is taken (%s); --reg ETMCR=VALUE sets it", etmcr, defaultMeans)
	}
	c := Config{
		CaptureLayout:  Layout(min(b.option("LAYOUT"), uint64(layouts))),
		DataAddress:    etmcr&etmcrDataAddress != 0,
		DataValue:      etmcr&etmcrDataValue != 0,
		MonitorCPRT:    etmcr&etmcrMonitorCPRT != 0,
		BranchOutput:   etmcr&etmcrBranchOutput != 0,
		CycleAccurate:  etmcr&etmcrCycleAccurate != 0,
		ContextIDBytes: decode.ContextIDBytes[etmcr>>etmcrContextIDShift&3],
		HighVectors:    b.option("HIVECS") != 0,
		BigEndian:      b.option("ENDIAN") != 0,
	}
	var err error
	if c.Number, err = b.version(); err != nil {
		return Config{}, nil, err
	}
	if c.ContextIDBytes > 0 && c.Number < 0x10+minorContextID {
		b.note("ETMCR=0x%08X has bits 15:14, the size of Context IDs, which ETMv%s does not have: decoded without", etmcr,
			c.Version())
		c.ContextIDBytes = 0
	}
	if c.Width, err = b.width(c.CaptureLayout, etmcr); err != nil {
		return Config{}, nil, err
	}
	if err = c.checkLayout(); err != nil {
		return Config{}, nil, err
	}
	if c.ring, err = b.ring(c.CaptureLayout); err != nil {
		return Config{}, nil, err
	}
	return c, b.notes, nil
}

// checkLayout checks that the protocol has the layout.
func (c *Config) checkLayout() error {
	switch {
	case c.CaptureLayout >= layouts:
		return fmt.Errorf("LAYOUT=%d is none; known are %s", c.CaptureLayout, layoutWords(c.Major()))
	case !c.CaptureLayout.has(c.Major()):
		return fmt.Errorf("LAYOUT=%s is not of ETMv%d: correct it, or name the other protocol", c.CaptureLayout, c.Major())
	}
	return nil
}

// Major is the major version, 1 or 2.
func (c *Config) Major() uint8 { return c.Number >> 4 }

// Version is the version of the protocol, as "1.2".
func (c *Config) Version() string { return versionWord(c.Number) }

// Vectors is the address of the exception vectors.
func (c *Config) Vectors() schema.Address {
	if c.HighVectors {
		return 0xFFFF0000
	}
	return 0
}

// TracesData reports whether the stream has data accesses.
func (c *Config) TracesData() bool { return c.DataAddress || c.DataValue }

// UnitBytes is the size of the record of a sample.
func (c *Config) UnitBytes() int { return SampleBytes }

// Words describes in words how the registers configure the stream.
func (c *Config) Words() []string {
	words := []string{fmt.Sprintf("%d pins", c.Width), "layout " + c.CaptureLayout.String()}
	words = append(words, decode.StreamWords(c.CycleAccurate, c.ContextIDBytes)...)
	if c.BranchOutput {
		words = append(words, "branch output")
	}
	words = append(words, decode.DataWords(c.DataAddress, c.DataValue)...)
	if c.DataValue && c.MonitorCPRT {
		words = append(words, "coprocessor register transfers")
	}
	if c.DataValue && c.BigEndian {
		words = append(words, "big-endian values")
	}
	if c.HighVectors {
		words = append(words, "vectors at 0xFFFF0000")
	}
	return words
}
