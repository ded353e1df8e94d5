package timeline_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/tracelake/tracelake/bench/generate"
	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/pipeline/report/timeline"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Whatever happens in a trace, and to it, its timeline holds together, and its turns are all of
// the time that was traced.
func TestTimelineOfGenerated(t *testing.T) {
	for seed := range need.Size[uint64](6, 200) {
		r := generate.Recipe{
			Seed: seed, Instructions: 20000, Protocol: []string{"pft", "etmv3"}[seed%2], Minor: []int{1, 5}[seed%2], CycleAccurate: seed%3 > 0,
			Exceptions: 1000, Switches: 1000, TraceOff: 2000, Overflow: 2000, Debug: 2000,
		}
		dir := exportGenerated(t, &r, seed%6 > 2)
		random := rand.New(rand.NewPCG(seed, 9))
		tasks, err := stacks.ReadTasks([]string{dir}, "")
		noError(t, err)
		d := opened(t, dir)
		d.timelines(timeline.Everything, func(x *timeline.Timeline) {
			want := tasks.Executed.Instructions
			if x.Unit == durations.InCycles {
				want = ledger(t, dir)
			}
			sum := int64(0)
			for _, s := range shown(t, x) {
				if s.name == "turn" {
					sum += s.until - s.from
				}
			}
			if sum != want {
				t.Errorf("seed %d: turns have %d %v, want %d", seed, sum, x.Unit, want)
			}
		})
		for range 10 {
			from := random.Int64N(r.Instructions)
			d.timelines(timeline.Window{From: from, Until: from + 1 + random.Int64N(3000)}, func(x *timeline.Timeline) { shown(t, x) })
		}
	}
}

// exportGenerated makes a capture, damages it if it should, and exports it.
func exportGenerated(t *testing.T, r *generate.Recipe, damage bool) string {
	t.Helper()
	w, err := generate.ELFWorkload(sample.ELF, sample.Program(), r.Arch())
	noError(t, err)
	c, err := r.Capture(w)
	noError(t, err)
	input, dir := t.TempDir(), filepath.Join(t.TempDir(), "dataset")
	_, err = c.Write(t.Context(), input)
	noError(t, err)
	if damage {
		path := filepath.Join(input, generate.SnapshotFolder, "trace.bin")
		trace, err := os.ReadFile(path)
		noError(t, err)
		for at := 1000; at < len(trace); at += 3001 {
			trace[at] ^= 0x5a
		}
		noError(t, os.WriteFile(path, trace, 0o666))
	}
	in := c.Input(input)
	opt := pipeline.Options{Level: schema.LevelNone, Workers: 1, Capture: capture.Options{Regs: in.Regs, Images: in.Images}}
	if _, err := pipeline.Export(t.Context(), in.Path, dir, opt); err != nil {
		t.Fatal(fmt.Errorf("%s: %w", input, err))
	}
	return dir
}

// ledger returns the cycles of a dataset that are in an epoch.
func ledger(t *testing.T, dir string) (sum int64) {
	t.Helper()
	d, err := dataset.Open(dir)
	noError(t, err)
	defer d.Close()
	for b, err := range d.Batches(&schema.Epochs) {
		noError(t, err)
		for row := range b.Rows() {
			if schema.CountKind(schema.EpochsKind.At(b, row)) != schema.CountGap {
				sum += int64(schema.EpochsCycles.At(b, row))
			}
		}
	}
	return sum
}
