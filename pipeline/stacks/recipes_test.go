package stacks_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/bench/generate"
	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Walks through the program of the sample, traced in any way: at level none, where runs are counted
// while they are decoded, and at level blocks the tables of stacks are the same.
func TestRecipes(t *testing.T) {
	traced := 0
	for seed := range need.Size[uint64](12, 300) {
		r := randomRecipe(rand.New(rand.NewPCG(seed, 9)))
		w, err := generate.ELFWorkload(sample.ELF, sample.Program(), program.V7A)
		if err != nil {
			t.Fatal(err)
		}
		c, err := r.Capture(w)
		if bad := (*generate.RecipeError)(nil); errors.As(err, &bad) {
			continue // no macrocell is like that
		}
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if _, err := c.Write(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
		input := filepath.Join(dir, c.Folder())
		if err := os.WriteFile(filepath.Join(input, sample.ELF), sample.Program(), 0o644); err != nil {
			t.Fatal(err)
		}
		traced++
		want, got := exportDir(t, input, sample.ELF, schema.LevelBlocks), exportDir(t, input, sample.ELF, schema.LevelNone)
		for _, table := range []*schema.Table{&schema.Stacks, &schema.Tasks, &schema.Calls, &schema.CallTimes, &schema.ExceptionSpans} {
			if diff := cmp.Diff(cells(t, want, table), cells(t, got, table)); diff != "" {
				t.Fatalf("seed %d, %+v: %s at level blocks (-) and none (+):\n%s", seed, r, table.Name, diff)
			}
		}
		what := fmt.Sprintf("seed %d, %+v", seed, r)
		checkIdentities(t, what, want)
		checkIdentities(t, what+", without symbols", exportDir(t, input, "", schema.LevelNone))
	}
	t.Logf("%d captures", traced)
	if traced < 4 {
		t.Errorf("%d captures, want 4 or more", traced)
	}
}

// randomRecipe is one of a PTM, or of an ETMv3.
func randomRecipe(random *rand.Rand) generate.Recipe {
	yes := func() bool { return random.IntN(2) == 0 }
	r := generate.Recipe{
		Seed: random.Uint64(), Instructions: 40_000, Protocol: "pft", Minor: random.IntN(2),
		CycleAccurate: random.IntN(3) == 0, Timestamps: yes(), ContextIDBytes: []int{0, 1, 2, 4}[random.IntN(4)], VMID: yes(), Broadcast: yes(),
		Exceptions: 300, Switches: 200, TraceOff: 20, Overflow: 20, Debug: 50,
	}
	if yes() {
		r.Protocol, r.Minor = "etmv3", random.IntN(6)
		r.AltBranch, r.TwoAtoms = yes(), yes()
	} else {
		r.ReturnStack = yes()
	}
	if yes() {
		r.Variation = 0.2
	}
	return r
}

// cells are the rows of a table, in words.
func cells(t *testing.T, d *dataset.Dataset, of *schema.Table) (rows []string) {
	t.Helper()
	each(t, d, of, func(b *schema.Batch, row int) {
		var text strings.Builder
		for i := range b.Columns {
			text.WriteString(b.Columns[i].Text(row) + " ")
		}
		rows = append(rows, text.String())
	})
	return rows
}
