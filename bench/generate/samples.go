package generate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/bench/encode/pipestat"
	"github.com/tracelake/tracelake/decode/etmv2"
	"github.com/tracelake/tracelake/decode/port"
)

// Samples is how the trace port of etmv1 and etmv2 works, and how its samples are
// captured.
type Samples struct {
	Pins         int         // of TRACEPKT: 4, 8 or 16; 0 is 8
	Layout       port.Layout // of the capture
	DropDisabled bool        // without samples that a capture device may drop
	FIFO         int         // bytes; 0 is 60
	Sync         int         // samples; 0 is 1024
	Idle         float64     // share of cycles without an instruction, below 1
	BigEndian    bool        // values of data have their high byte first (docs/etmv2.md §10, A4)
	ETB          bool        // a ring is words of an ETB as it holds them: its registers say where the oldest is
	// CoprocessorWords is how many words LDC and STC transfer (etmv1); 0: nobody knows.
	CoprocessorWords int
	// What nobody knows of real macrocells (docs/etmv2.md §10, etmv2).
	TFO   etmv2.TFOCode
	First etmv2.First
	Gap   etmv2.Gap
}

// encoder are the options of an encoder of the samples of the recipe.
func (r *Recipe) encoder(s *Samples) pipestat.Options {
	o := pipestat.Options{FIFO: s.fifo(), SyncPeriod: s.sync(), Idle: s.Idle, DropDisabled: s.DropDisabled}
	if r.Variation > 0 {
		o.Variation = pipestat.Vary(r.Seed, r.Variation)
	}
	return o
}

// Layouts are the layouts of captures of samples.
func Layouts() []port.Layout {
	all := port.Layouts(1)
	for _, l := range port.Layouts(2) {
		if !slices.Contains(all, l) {
			all = append(all, l)
		}
	}
	return all
}

// The sizes that a recipe may have.
const (
	defaultPins = 8
	defaultFIFO = 60
	leastFIFO   = 20
	mostFIFO    = 79 // the highest value of a TFO
	defaultSync = 1024
	mostSync    = 4095 // ETMSYNCFR has 12 bits
)

// pins is how many there are.
func (s *Samples) pins() int { return orDefault(s.Pins, defaultPins) }

func (s *Samples) fifo() int { return orDefault(s.FIFO, defaultFIFO) }

func (s *Samples) sync() int { return orDefault(s.Sync, defaultSync) }

func orDefault(v, d int) int {
	if v == 0 {
		return d
	}
	return v
}

// checkSamples says what of the samples of a protocol that has them cannot be.
func (r *Recipe) checkSamples(p *protocol, version string) error {
	if !p.samples {
		return nil
	}
	s := &r.Samples
	for _, c := range []struct {
		wrong bool
		what  string
	}{
		{!slices.Contains([]int{4, 8, 16}, s.pins()), "%s has ports of 4, 8 or 16 pins"},
		{!slices.Contains(port.Layouts(uint8(p.major)), s.Layout), "%s is not captured in that layout"},
		{s.Layout == port.LayoutBytes && s.pins() != 4, "%s: only samples of 4 pins go into a byte each"},
		{s.fifo() < leastFIFO || s.fifo() > mostFIFO, "%s: a FIFO has 20 to 79 bytes"},
		{
			s.sync() <= s.fifo() || s.sync() > mostSync,
			"%s synchronises after more samples than the FIFO has bytes, and 4095 at the most",
		},
		{s.Idle < 0 || s.Idle >= 1, "%s: the share of idle cycles goes from 0 to less than 1"},
		{!p.offsets && (s.TFO != 0 || s.First != 0 || s.Gap != 0), "%s has no TFOs"},
		{r.CycleAccurate && s.TFO == etmv2.TFOPlain, "%s: TFO=plain leaves no code for idle cycles of cycle-accurate trace"},
		{r.Ring != 0 && s.Layout != port.LayoutETMS && !isETB(s.Layout), "%s: a ring has ETB words, or samples"},
		{s.ETB && (r.Ring == 0 || !isETB(s.Layout)), "%s: an ETB is a ring of its words"},
		{s.CoprocessorWords != 0 && !p.coprocessor, "%s says itself how many words LDC and STC transfer"},
	} {
		if c.wrong {
			return &RecipeError{fmt.Sprintf(c.what, version)}
		}
	}
	return nil
}

// isETB reports whether a layout is one of the words of an ETB.
func isETB(l port.Layout) bool { return strings.HasPrefix(l.String(), "etb") }

// options are those of every protocol that are not as the decoder takes them by default.
func (s *Samples) options() []string {
	var words []string
	if s.BigEndian {
		words = append(words, "ENDIAN=big")
	}
	if s.CoprocessorWords > 0 {
		words = append(words, fmt.Sprintf("COPROC_WORDS=0x%08X", s.CoprocessorWords))
	}
	return words
}

// portConfig is the configuration of the port of a recipe.
func (r *Recipe) portConfig(major int, w *Workload) port.Config {
	return port.Config{
		Number: uint8(major)<<4 | uint8(r.Minor), Width: port.Width(r.Samples.pins()), CaptureLayout: r.Samples.Layout,
		DataAddress: r.Data == DataAddresses || r.Data == DataBoth, DataValue: r.Data == DataValues || r.Data == DataBoth,
		MonitorCPRT:  r.Data != NoData && r.Samples.Layout != port.LayoutDumpOld, // whose header does not have it
		BranchOutput: r.Broadcast, CycleAccurate: r.CycleAccurate, ContextIDBytes: r.ContextIDBytes,
		HighVectors: w.HighVectors, BigEndian: r.Samples.BigEndian,
	}
}
