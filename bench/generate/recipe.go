package generate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/bench/execute"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// A Recipe says what to execute, what happens on the way, and how it is traced.
// What a protocol or its version does not have is an error.
type Recipe struct {
	Seed         uint64
	Instructions int64 // of each core; of a recording at the most, 0 is all
	Cores        int   // that execute the program, each in its own way; 0 is one
	Framing      Framing
	Ring         int // if not 0, the bytes of a buffer that has the last ones

	Protocol string // one of Protocols
	Minor    int    // of the version
	V7M      bool   // the core is of profile M
	ProfileR bool   // etmv4: the core is of profile R

	CycleAccurate  bool
	Timestamps     bool
	ContextIDBytes int // 0, 1, 2 or 4
	VMID           bool
	Broadcast      bool
	ReturnStack    bool // pft
	AltBranch      bool // etmv3: the alternative branch encoding
	TwoAtoms       bool // etmv3: 32-bit T32 instructions are traced as two
	MaxSpec        int  // etmv4, ete: how many P0 elements may be speculative, up to 255
	QElements      bool // etmv4, ete: of some stretches the trace does not say how branches went
	Data           Data // etmv3, etmv1, etmv2

	// Stacks puts call stacks and tasks into the truth. The workload has to be [Workload.Looped].
	Stacks bool

	Samples Samples // etmv1, etmv2

	// How often things happen, per million instructions.
	Exceptions, Switches, TraceOff, Overflow, Debug, Triggers float64
	// AtPairs lets most interrupts wait for a T32 instruction of 32 bits.
	AtPairs bool
	// Variation is how often the stream is another than hardware would send,
	// among those the specification allows: from 0 to 1.
	Variation float64
}

// A RecipeError says what in a recipe cannot be.
type RecipeError struct{ Problem string }

func (e *RecipeError) Error() string { return "generate: " + e.Problem }

// Data is what is traced of data.
type Data uint8

// What may be traced of data.
const (
	NoData Data = iota
	DataAddresses
	DataValues
	DataBoth
	DataOnly // both, and no instructions
)

// The clocks of all cores, and the trace ID of the first.
const (
	recipeCoreHz      = 1_000_000_000
	recipeTimestampHz = 50_000_000
	recipeFirstSource = 0x10
	recipeSyncBytes   = 1024
	recipeStackDepth  = 8
)

// Capture returns the capture that the recipe makes of a workload. It fails with
// a [*RecipeError] if that cannot be traced.
func (r *Recipe) Capture(w *Workload) (*Capture, error) {
	if err := r.check(w); err != nil {
		return nil, err
	}
	c := &Capture{
		Description: fmt.Sprintf("made by tracelake: %s, seed %d", r.Protocol, r.Seed),
		Framing:     r.Framing, Ring: r.Ring, Seed: r.Seed,
	}
	if w.Recorded != nil {
		c.Description = fmt.Sprintf("made by tracelake: %s, of a recorded execution", r.Protocol)
	}
	if r.Timestamps {
		c.TimestampHz = recipeTimestampHz
	}
	c.Cores = r.cores(w, recipeFirstSource)
	return c, nil
}

// cores are those of the recipe. Their trace IDs count from the one given.
func (r *Recipe) cores(w *Workload, source uint8) []TracedCore {
	p := findProtocol(r.Protocol)
	cores := make([]TracedCore, max(r.Cores, 1))
	for i := range cores {
		cores[i] = TracedCore{
			Source: source + uint8(i), Memory: padded(w.Memory), Steps: r.steps(w, i), Protocol: p.name, Device: p.device,
		}
		if r.Stacks {
			cores[i].Tasks = w.Tasks
		}
		p.trace(r, &cores[i], w)
	}
	return cores
}

// steps are what a core executes.
func (r *Recipe) steps(w *Workload, core int) step.Steps {
	if w.Recorded != nil {
		return firstInstructions(w.Recorded, r.Instructions)
	}
	o := r.execution(w)
	o.Seed += uint64(core) << 32
	return execute.Run(w.Program(), o)
}

// padding is how many bytes a snapshot has after a region of its program: there
// are decoders that fetch four bytes for each instruction.
const padding = 2

// padded returns regions with zeros after them, where there is room.
func padded(regions []image.Region) []image.Region {
	regions = slices.Clone(regions)
	for i := range regions {
		r := &regions[i]
		end := uint64(r.Address) + uint64(len(r.Bytes))
		taken := slices.ContainsFunc(regions, func(o image.Region) bool {
			return uint64(o.Address) < end+padding && uint64(o.Address)+uint64(len(o.Bytes)) > end
		})
		if !taken && (end+padding <= schema.End32 || uint64(r.Address) >= schema.End32 && end < math.MaxUint64-padding) {
			r.Bytes = append(slices.Clip(r.Bytes), make([]byte, padding)...)
		}
	}
	return regions
}

// check says what cannot be traced.
func (r *Recipe) check(w *Workload) error {
	p := findProtocol(r.Protocol)
	if p == nil {
		return &RecipeError{fmt.Sprintf("protocol %s is not made here: %s are", r.Protocol, strings.Join(Protocols(), ", "))}
	}
	version := fmt.Sprintf("%s %d.%d", p.name, p.major, r.Minor)
	recorded := w.Recorded != nil
	for _, c := range []struct {
		wrong bool
		what  string
	}{
		{r.Minor < 0 || r.Minor > p.newest, "there is no %s"},
		{
			r.Arch() != w.Arch && (!recorded || r.V7M || w.Arch == program.V7M),
			"%s: program and core are of different profiles",
		},
		{r.V7M && r.ProfileR, "%s: a core is of one profile"},
		{!slices.Contains([]int{0, 1, 2, 4}, r.ContextIDBytes), "%s has Context IDs of 1, 2 or 4 bytes"},
		{p.v8 && r.ContextIDBytes%4 != 0, "%s has Context IDs of 4 bytes"},
		{r.MaxSpec < 0 || r.MaxSpec > 255, "%s: 255 elements may be speculative at the most"},
		{r.Cores > 100, "%s: more cores than there are trace IDs: 100 at the most"},
		{r.Framing == NoFrames && r.Cores > 1, "%s: several sources do not go into one stream without frames"},
		{r.Ring != 0 && r.Framing == FramesOfPort, "%s: a trace port is no ring: frames in memory are, or none"},
		{
			r.Ring < 0 || r.Ring > mostRing || r.Ring%frameBytes != 0,
			"%s: a ring has 16 bytes to 1 GiB, in whole frames of 16",
		},
		{
			r.Ring != 0 && !p.variedRings && r.Variation > 0,
			"%s: the truth of what a ring has left is known only without variation",
		},
		{r.Ring != 0 && recorded, "%s: a recording is read once, and what a ring has left is known only then"},
		{
			r.Stacks && (!w.looped || r.V7M || r.TraceOff+r.Overflow+r.Debug > 0 || r.Ring > 0 || r.Data == DataOnly),
			"%s: stacks are known of programs made up for profile A, and of trace without gaps",
		},
		{
			r.Stacks && r.Switches > 0 && r.ContextIDBytes == 0,
			"%s: stacks of several tasks are known where Context IDs are traced: add --context-id",
		},
		{recorded && r.Cores > 1, "%s: a recording is of one core"},
		{recorded && r.Data != NoData, "%s: a recording has no data"},
		{recorded && r.happens(), "%s: what happens is in the recording, and nothing can be added"},
		{r.Variation < 0 || r.Variation > 1, "%s: variation goes from 0 to 1"},
	} {
		if c.wrong {
			return &RecipeError{fmt.Sprintf(c.what, version)}
		}
	}
	if err := r.checkFeatures(p, version); err != nil {
		return err
	}
	return r.checkSamples(p, version)
}

// Arch is the architecture of the cores that are traced: the workload has to be for it.
func (r *Recipe) Arch() program.Arch {
	p := findProtocol(r.Protocol)
	switch {
	case p == nil:
	case p.samples:
		return program.V5TE
	case p.v8 && r.V7M:
		return program.V8M
	case p.v8:
		return program.V8A
	}
	return program.ARMv7(r.V7M)
}

// mostRing is how large a ring may be, which is held in memory.
const mostRing = 1 << 30

// happens says whether anything happens beside the program.
func (r *Recipe) happens() bool {
	return r.Exceptions > 0 || r.Switches > 0 || r.TraceOff > 0 || r.Overflow > 0 || r.Debug > 0 || r.Triggers > 0
}

// Rates of what happens are per million instructions; windows without trace have
// this many steps.
const windowSteps = 300

// execution says what a core does.
func (r *Recipe) execution(w *Workload) execute.Options {
	o := execute.Options{
		Seed: r.Seed, Instructions: r.Instructions, Tasks: w.Tasks, Targets: w.Targets, Handlers: w.Handlers, Arch: w.Arch,
		Code: w.Code, Watchdog: r.Debug == 0,
		Interrupts: 32, Rates: r.rates(w), Switches: r.Switches, AtPairs: r.AtPairs, Told: r.Stacks && findProtocol(r.Protocol).returnsUntold,
		TraceOff: execute.Windows{Rate: r.TraceOff, Steps: windowSteps},
		Overflow: execute.Windows{Rate: r.Overflow, Steps: windowSteps},
		Triggers: r.Triggers, Data: r.Data != NoData,
	}
	if OfSamples(r.Protocol) { // where branches of software to a vector look like exceptions
		o.VectorBranches = r.Exceptions * r.Variation
	}
	return o
}

// rates shares the rate of exceptions: half are interrupts, the rest all others
// that the program has handlers for.
func (r *Recipe) rates(w *Workload) map[schema.ExceptionType]float64 {
	rates := map[schema.ExceptionType]float64{}
	var others []schema.ExceptionType
	for x := range w.Handlers {
		switch x {
		case schema.ExcSVC, schema.ExcSMC, schema.ExcHyp, schema.ExcHVC, schema.ExcThumbEE, schema.ExcReset, schema.ExcIRQ:
		default:
			others = append(others, x)
		}
	}
	if _, ok := w.Handlers[schema.ExcIRQ]; ok {
		rates[schema.ExcIRQ] = r.Exceptions / 2
	}
	for _, x := range others {
		rates[x] = r.Exceptions / 2 / float64(len(others))
	}
	if r.Debug > 0 {
		rates[schema.ExcDebug] = r.Debug
	}
	return rates
}
