package generate

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/outside"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// findLister returns the outside decoder. The test skips if there is none.
func findLister(t *testing.T) *outside.Lister {
	t.Helper()
	l, err := outside.Find()
	if errors.Is(err, outside.ErrMissing) {
		need.Missing(t, need.OpenCSD, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// skipShort leaves whole captures out of short runs: nothing in them is
// concurrent.
func skipShort(t *testing.T) {
	t.Helper()
	need.FullRun(t, "many captures")
}

// The programs that are executed.
type programs struct{ demo, made, madeM, worlds *Workload }

func newPrograms(t *testing.T) programs {
	t.Helper()
	made := func(o codegen.Options) *Workload {
		o.Seed, o.Bytes, o.Base = 1, 20_000, 0x8000
		w, err := GeneratedWorkload(o)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	demo, err := ELFWorkload(sample.ELF, sample.Program(), program.V7A)
	if err != nil {
		t.Fatal(err)
	}
	return programs{
		demo: demo, made: made(codegen.Options{}), madeM: made(codegen.Options{Arch: program.V7M}),
		worlds: made(codegen.Options{SMC: true, HVC: true, Security: schema.NonSecure}),
	}
}

// What the recipes make without options, and with any but those of rare things
// and variation, OpenCSD decodes to the truth.
func TestOutsideDecoder(t *testing.T) {
	skipShort(t)
	lister, p := findLister(t), newPrograms(t)
	for _, tt := range []struct {
		name string
		w    *Workload
		r    Recipe
	}{
		{"pft", p.demo, Recipe{Protocol: "pft", Minor: 1, Exceptions: 100}},
		{"pft, every table", p.demo, Recipe{
			Protocol: "pft", Minor: 1, CycleAccurate: true, Timestamps: true, ContextIDBytes: 4, VMID: true, ReturnStack: true,
			Switches: 1000, Triggers: 1000,
		}},
		{"pft, gaps", p.demo, Recipe{Protocol: "pft", Minor: 1, Timestamps: true, TraceOff: 1000, Overflow: 1000,
			Debug: 1000}},
		{"pft, trace off", p.made, Recipe{Protocol: "pft", Minor: 1, CycleAccurate: true, TraceOff: 1000, ContextIDBytes: 1,
			Switches: 1000}},
		{"pft, broadcast", p.made, Recipe{Protocol: "pft", Minor: 1, CycleAccurate: true, Broadcast: true, ReturnStack: true,
			Framing: NoFrames}},
		{"pft, sources", p.made, Recipe{Protocol: "pft", Minor: 1, CycleAccurate: true, Cores: 3}},
		{"pft, port", p.made, Recipe{Protocol: "pft", Minor: 1, ReturnStack: true, Cores: 2, Framing: FramesOfPort}},
		{"pft 1.0", p.demo, Recipe{Protocol: "pft", Framing: NoFrames}},
		{"pft 1.0, cycles", p.demo, Recipe{Protocol: "pft", CycleAccurate: true, ContextIDBytes: 2, Switches: 1000,
			TraceOff: 500, Overflow: 500, Debug: 500}},

		{"etmv3", p.demo, Recipe{Protocol: "etmv3", Minor: 5, Exceptions: 100}},
		{"etmv3, every table", p.demo, Recipe{
			Protocol: "etmv3", Minor: 5, CycleAccurate: true, Timestamps: true, ContextIDBytes: 4, VMID: true, Switches: 1000,
			Triggers: 1000,
		}},
		{"etmv3, gaps", p.demo, Recipe{Protocol: "etmv3", Minor: 5, Timestamps: true, TraceOff: 1000, Overflow: 1000,
			Debug: 1000, Framing: NoFrames}},
		{"etmv3, security and Hyp", p.worlds, Recipe{Protocol: "etmv3", Minor: 5, CycleAccurate: true, VMID: true,
			Switches: 1000}},
		{"etmv3, sources", p.made, Recipe{Protocol: "etmv3", Minor: 5, CycleAccurate: true, Cores: 3}},
		{"etmv3, port", p.made, Recipe{Protocol: "etmv3", Minor: 5, Cores: 2, Framing: FramesOfPort}},
		{"etmv3, alternative encoding", p.demo, Recipe{Protocol: "etmv3", Minor: 5, AltBranch: true, Framing: NoFrames}},
		{"etmv3 3.0", p.made, Recipe{Protocol: "etmv3", CycleAccurate: true, Framing: NoFrames}},
		{"etmv3 3.1", p.demo, Recipe{Protocol: "etmv3", Minor: 1, Broadcast: true, ContextIDBytes: 2, Switches: 1000}},
		{"etmv3 3.2, cycles", p.demo, Recipe{Protocol: "etmv3", Minor: 2, CycleAccurate: true, Broadcast: true,
			TraceOff: 1000, Overflow: 1000}},
		{"etmv3 3.3, cycles", p.demo, Recipe{Protocol: "etmv3", Minor: 3, CycleAccurate: true, ContextIDBytes: 1,
			Switches: 1000, Debug: 1000}},
		{"etmv3 3.4, broadcast", p.made, Recipe{Protocol: "etmv3", Minor: 4, AltBranch: true, Broadcast: true,
			Framing: NoFrames}},
		{"etmv3 3.4 M", p.madeM, Recipe{Protocol: "etmv3", Minor: 4, V7M: true, ContextIDBytes: 1, Switches: 1000}},
		{"etmv3 3.4 M, gaps", p.madeM, Recipe{Protocol: "etmv3", Minor: 4, V7M: true, CycleAccurate: true, TraceOff: 1000,
			Overflow: 1000, Debug: 1000}},
		{"etmv3 3.5 M", p.madeM, Recipe{Protocol: "etmv3", Minor: 5, V7M: true, AltBranch: true, CycleAccurate: true,
			Timestamps: true, Framing: NoFrames}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.r.Seed, tt.r.Instructions = 1, 10_000
			if tt.r.Exceptions == 0 {
				tt.r.Exceptions = 1000
			}
			c, err := tt.r.Capture(tt.w)
			if err != nil {
				t.Fatal(err)
			}
			compareOutside(t, lister, c, tt.w)
		})
	}
}

// compareOutside writes a capture of a workload, has it decoded by OpenCSD, and
// compares what that makes of it with the truth, both as faults adjust them.
func compareOutside(t *testing.T, lister *outside.Lister, c *Capture, w *Workload, faults ...adjustment) {
	t.Helper()
	dir := t.TempDir()
	if _, err := c.Write(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	var flags []string
	if c.Framing == FramesOfPort {
		flags = append(flags, "-tpiu_hsync")
	}
	elements, err := lister.Elements(filepath.Join(dir, SnapshotFolder), flags...)
	if err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Open(filepath.Join(dir, TruthFolder))
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Cores {
		core := &c.Cores[i]
		truth, got := outsideRows(t, d, elements, outside.Source{
			ID: core.Source, Protocol: core.Protocol, ReturnPackets: core.Version == "3.5" || core.Type == "Cortex-M4",
			Program: w.Program(),
		})
		for _, f := range faults {
			before := outside.Diff(truth, got, outsideOffsets[c.Framing])
			truth, got = f.adjust(truth, got)
			if len(outside.Diff(truth, got, outsideOffsets[c.Framing])) >= len(before) {
				t.Errorf("%s: source %x: nothing shows: %s", lister, core.Source, f.name)
			}
		}
		if diff := outside.Diff(truth, got, outsideOffsets[c.Framing]); len(diff) > 0 {
			const shown = 12
			t.Errorf("%s: source %x: %d rows, %d differences:\n%s", lister, core.Source, len(truth), len(diff),
				strings.Join(diff[:min(shown, len(diff))], "\n"))
		}
	}
}

var outsideOffsets = map[Framing]outside.Offsets{NoFrames: outside.Exact, FramesInMemory: outside.Frames,
	FramesOfPort: outside.Port}

// outsideRows returns the rows of a source in a dataset, and those in elements.
// There are some.
func outsideRows(t *testing.T, d *dataset.Dataset, elements []outside.Element, s outside.Source) (truth,
	got []outside.Row) {
	t.Helper()
	truth, err := outside.Truth(d, s)
	if err != nil {
		t.Fatal(err)
	}
	got, err = outside.Rows(elements, s)
	if err != nil {
		t.Fatal(err)
	}
	if len(truth) == 0 {
		t.Fatal("no rows")
	}
	return truth, got
}
