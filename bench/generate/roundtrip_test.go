package generate

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/diff"
)

// recipes is how many recipes a long run makes at least, and from which seed on:
// the figures in docs/conformance.md are from such a run. Any other run makes one
// recipe for each pair of options.
func recipes() (n int, seed uint64) { return need.Size(0, 3000), need.Size[uint64](1, 100) }

// For every two options of a recipe that go together: what is made with both is
// decoded to its truth, in both levels, by any number of workers.
func TestRecipes(t *testing.T) {
	seen := tally{}
	n := 0
	for most, seed := recipes(); n == 0 || n < most; seed++ {
		trials, _ := pairwise(seed)
		for _, tr := range trials {
			t.Run(fmt.Sprint(n), func(t *testing.T) { tr.roundTrip(t, seen) })
			n++
		}
	}
	t.Logf("%d recipes; rows compared: %v", n, seen)
}

// Sources of several protocols go into one buffer, each with a program of its
// own, and come out again.
func TestSeveralProtocols(t *testing.T) {
	seen := tally{}
	most, seed := recipes()
	trials, _ := pairwise(seed)
	trials = slices.DeleteFunc(trials, func(tr trial) bool { return tr.recipe.Framing == NoFrames })
	random := rand.New(rand.NewPCG(seed, 's'))
	for n := range max(8, most/10) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			c := &Capture{Seed: uint64(n), Framing: Framing(random.IntN(int(NoFrames)))}
			var made []string
			for range 2 + random.IntN(4) {
				tr := trials[random.IntN(len(trials))]
				r := &tr.recipe
				r.Seed += uint64(n) << 40
				if err := r.check(tr.program(t)); err != nil {
					t.Fatal(err)
				}
				c.Cores = append(c.Cores, r.cores(tr.program(t), uint8(1+len(c.Cores)))...)
				made = append(made, fmt.Sprintf("%+v, %+v", *r, tr.workload))
			}
			roundTrip(t, c, uint64(n), seen)
			if t.Failed() {
				t.Log(strings.Join(made, "\n"))
			}
		})
	}
	t.Logf("rows compared: %v", seen)
}

// roundTrip makes the capture of a trial and demands its truth.
func (tr *trial) roundTrip(t *testing.T, seen tally) {
	t.Helper()
	r := &tr.recipe
	c, err := r.Capture(tr.program(t))
	if err != nil {
		t.Fatal(err)
	}
	roundTrip(t, c, r.Seed, seen)
	if t.Failed() {
		t.Logf("%+v, %+v", *r, tr.workload)
	}
}

// program is what a trial executes.
func (tr *trial) program(t testing.TB) *Workload {
	t.Helper()
	r := &tr.recipe
	w, err := ELFWorkload(sample.ELF, sample.Program(), r.Arch())
	if tr.workload.bytes > 0 {
		w, err = GeneratedWorkload(tr.workload.options(r))
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A tally counts rows by table.
type tally map[string]int64

// roundTrip writes a capture, exports it in some way, and demands its truth.
func roundTrip(t *testing.T, c *Capture, seed uint64, seen tally) {
	t.Helper()
	dir := t.TempDir()
	m, err := c.Write(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(seed, 'e'))
	opt := pipeline.Options{
		Level:   []schema.Level{schema.LevelInstructions, schema.LevelBlocks}[random.IntN(2)],
		Format:  []schema.Format{schema.Parquet, schema.Arrow}[random.IntN(2)],
		Workers: 1 + random.IntN(4),
	}
	if random.IntN(4) == 0 {
		opt.Tables = schema.Tables()
	}
	out := filepath.Join(dir, "dataset")
	_, err = pipeline.Export(t.Context(), filepath.Join(dir, SnapshotFolder), out, opt)
	var nothing *pipeline.NothingError
	if errors.As(err, &nothing) && m.Totals.Instructions+m.Totals.DataAccesses == 0 {
		return // as it should be
	}
	if err != nil {
		t.Fatal(err)
	}
	checkInspection(t, filepath.Join(dir, SnapshotFolder), m)
	v := compare(t, out, filepath.Join(dir, TruthFolder))
	for i := range v.Tables {
		x := &v.Tables[i]
		seen[x.Table] += x.Compared
		if x.Compared+x.Missing != x.TruthRows {
			t.Errorf("%s: %d rows of %d compared, %d missing", x.Table, x.Compared, x.TruthRows, x.Missing)
		}
	}
	for i := range v.Differences {
		d := &v.Differences[i]
		t.Errorf("%s, source 0x%02x, seq %d, at %d, %s: %q, want %q; %s", d.Table, d.Source.V, d.Seq.V, d.ByteOffset.V, d.Column, d.Dataset, d.Truth, d.Row)
	}
	if !v.Equal() {
		t.Errorf("level %s, %d workers", opt.Level, opt.Workers)
	}
}

// compare compares the datasets in two directories.
func compare(t *testing.T, dir, truth string) *diff.Result {
	t.Helper()
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	other, err := dataset.Open(truth)
	if err != nil {
		t.Fatal(err)
	}
	r, err := diff.Compare(t.Context(), d, other, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// checkInspection demands that an inspection sees of each source what there is.
func checkInspection(t *testing.T, snapshot string, m *schema.Manifest) {
	t.Helper()
	in, err := pipeline.Inspect(t.Context(), snapshot, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(in.Sources) != len(m.Sources) {
		t.Fatalf("%d sources inspected, want %d", len(in.Sources), len(m.Sources))
	}
	for i := range in.Sources {
		got, want := &in.Sources[i], &m.Sources[i]
		if want.Bytes == 0 || got.Sample != nil && got.Sample.Bytes == 1<<20 {
			continue // nothing to see, or more than a sample
		}
		if s := got.Sample; s == nil || s.Bytes != want.Bytes || s.BytesLost != want.BytesLost || s.Segments != want.Segments ||
			s.Instructions != want.Instructions || s.Exceptions != want.Exceptions {
			t.Errorf("source %s: inspected %+v, want %+v", got.Source, s, want.Totals)
		} else if want.Instructions+want.DataAccesses > 0 && !s.Reading.Fine() {
			t.Errorf("source %s: %s", got.Source, s.Reading)
		}
	}
}
