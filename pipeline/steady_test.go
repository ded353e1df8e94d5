package pipeline

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/repeat"
	"github.com/tracelake/tracelake/schema"
)

// What a megabyte more of cycle-accurate trace has allocated, one worker at work: decoded,
// counted too, and exported at each level. It has 1,000 segments and 3.8 million
// instructions, so that is a few objects a segment. On a full machine it is up to half as
// much again: what sync.Pool keeps depends on the collector.
func TestSteadyAllocations(t *testing.T) {
	need.FullRun(t, oneWorker)
	const short, long = 2, 6 // MB
	sample := sampleSnapshot(t)
	captures := map[int]string{}
	for _, mb := range []int{short, long} {
		captures[mb] = filepath.Join(t.TempDir(), "capture")
		if err := repeat.Snapshot(sample, captures[mb], mb<<20); err != nil {
			t.Fatal(err)
		}
	}
	export := func(level schema.Level) func(string) error {
		return func(capture string) error {
			_, err := Export(t.Context(), capture, filepath.Join(t.TempDir(), "out"), Options{Level: level, Workers: 1})
			return err
		}
	}
	count := func(what bool) func(string) error {
		return func(capture string) error {
			_, err := Count(t.Context(), capture, CountOptions{Workers: 1, Tally: what})
			return err
		}
	}
	for _, tt := range []struct {
		name string
		run  func(capture string) error
		most int // objects
	}{
		{"decode", count(false), 6000},
		{"decode and count", count(true), 9000},
		{"level none", export(schema.LevelNone), 14_000},
		{"level instructions", export(schema.LevelInstructions), 18_000},
		{"level blocks", export(schema.LevelBlocks), 18_000},
	} {
		objects := map[int]uint64{}
		for _, mb := range []int{short, long} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if err := tt.run(captures[mb]); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			objects[mb] = after.Mallocs - before.Mallocs
		}
		n := int(objects[long]-objects[short]) / (long - short)
		if t.Logf("%s: %d objects a MB of trace", tt.name, n); n > tt.most {
			t.Errorf("%s: %d objects a MB of trace, want at most %d", tt.name, n, tt.most)
		}
	}
}
