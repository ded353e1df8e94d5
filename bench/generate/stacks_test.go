package generate

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
)

// Programs made up are traced with exceptions and switches of tasks: the stacks and tasks that are rebuilt are those
// that the executor knows, at all levels.
func TestStacksAreTrue(t *testing.T) {
	captures, paths := 0, int64(0)
	for seed := range need.Size[uint64](40, 1000) {
		r := stackRecipe(rand.New(rand.NewPCG(seed, 's')))
		dir := t.TempDir()
		_, err := stackCapture(t, &r).Write(t.Context(), dir)
		if errors.Is(err, errLost) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v, %+v", seed, err, r)
		}
		captures++
		for _, level := range []schema.Level{schema.LevelBlocks, schema.LevelNone} {
			out := filepath.Join(dir, level.String())
			if _, err := pipeline.Export(t.Context(), filepath.Join(dir, SnapshotFolder), out, pipeline.Options{Level: level, Workers: 2}); err != nil {
				t.Fatal(err)
			}
			v := compare(t, out, filepath.Join(dir, TruthFolder))
			for i := range v.Tables {
				x := &v.Tables[i]
				if x.Table != schema.Stacks.Name && x.Table != schema.Tasks.Name {
					continue
				}
				paths += x.Compared
				if n := x.Differences(); n > 0 || x.Lacking {
					t.Errorf("seed %d, %+v, level %s: %d of %d rows of %s differ", seed, r, level, n, x.TruthRows, x.Table)
				}
			}
			if !v.Equal() {
				for _, d := range v.Differences {
					t.Logf("%s %s: %s: %q, want %q", d.Table, d.Key, d.Column, d.Dataset, d.Truth)
				}
				break
			}
		}
	}
	t.Logf("%d captures, %d paths and tasks compared", captures, paths)
	if captures < 12 {
		t.Errorf("the core got lost in all but %d", captures)
	}
}

// stackRecipe is one of a PTM or an ETMv3 whose stacks are known.
func stackRecipe(random *rand.Rand) Recipe {
	yes := func() bool { return random.IntN(2) == 0 }
	r := Recipe{
		Seed: random.Uint64(), Instructions: 40_000, Protocol: "pft", Minor: random.IntN(2), Stacks: true,
		CycleAccurate: yes(), Timestamps: yes(), ContextIDBytes: []int{0, 1, 2, 4}[random.IntN(4)], Broadcast: random.IntN(4) == 0,
		Exceptions: []float64{0, 300, 3000}[random.IntN(3)],
	}
	if r.ContextIDBytes > 0 {
		r.Switches = []float64{0, 200, 2000}[random.IntN(3)]
	}
	if yes() {
		r.Protocol, r.Minor = "etmv3", random.IntN(6)
		r.Timestamps = r.Timestamps && r.Minor >= 5
		r.AltBranch, r.TwoAtoms = r.Minor >= 4 && yes(), false
	} else {
		r.ReturnStack = yes()
	}
	return r
}

// stackCapture traces a program made up.
func stackCapture(t *testing.T, r *Recipe) *Capture {
	t.Helper()
	w, err := GeneratedWorkload(codegen.Options{Seed: r.Seed, Bytes: 10_000, Base: 0x8000, Arch: program.V7A, Security: schema.NonSecure, Switches: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.Capture(w.Looped())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Instructions of one node moved to another are found, and named by task and path.
func TestWrongStacksAreFound(t *testing.T) {
	r := Recipe{Seed: 3, Instructions: 5000, Protocol: "pft", Stacks: true, Exceptions: 3000}
	dirs := [2]string{t.TempDir(), t.TempDir()}
	for i, dir := range dirs {
		c := stackCapture(t, &r)
		if i == 1 {
			steps := c.Cores[0].Steps
			c.Cores[0].Steps = func(yield func(step.Step, error) bool) {
				n := 0
				for s, err := range steps {
					if s.Moves == step.Returns {
						if n++; n == 5 {
							s.Moves = step.Stays // so the caller's instructions are those of the callee
						}
					}
					if !yield(s, err) {
						return
					}
				}
			}
		}
		if _, err := c.Write(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
	}
	v := compare(t, filepath.Join(dirs[1], TruthFolder), filepath.Join(dirs[0], TruthFolder))
	wrong := 0
	for i := range v.Tables {
		if x := &v.Tables[i]; x.Differences() > 0 && x.Table != schema.Stacks.Name {
			t.Errorf("%s differs, too", x.Table)
		} else if x.Columns[schema.Stacks.Columns[schema.StacksInstructions].Name] > 1 {
			wrong++
		}
	}
	if wrong != 1 || !strings.HasPrefix(v.Differences[0].Key, "task=0x") || !strings.Contains(v.Differences[0].Key, "path=root 0x") {
		t.Errorf("%d tables have wrong instructions; %+v", wrong, v.Differences)
	}
}
