package pipeline

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// At level blocks, too, a window has the instructions that the whole has in its segments:
// code blocks have other numbers there, so they are compared as users see them, through the
// view instructions.
func TestWindowOfBlocks(t *testing.T) {
	need.FullRun(t, "DuckDB, which the race detector does not see, reads all rows")
	duckdb := need.DuckDB(t)
	for _, in := range windowInputs(t) {
		if !slices.Contains([]string{"sample", "ring", "raw pft", "etmv1"}, in.name) {
			continue
		}
		t.Run(in.name, func(t *testing.T) {
			// views of several datasets are of tables that all have
			opt := Options{Capture: in.options, Level: schema.LevelBlocks, Workers: 2,
				Without: []*schema.Table{&schema.DataAccesses}}
			index := exportInto(t, in.path, opt)
			whole, random := readDataset(t, index), rand.New(rand.NewPCG(1, 'b'))
			const atOnce = 5 // in one query
			for range need.Size(1, 10) {
				w := &comparedWindows{whole: index}
				for range atOnce {
					span, source := whole.randomSpan(random)
					opt.Window = &Window{Span: span, Index: index}
					opt.Sources = nil
					if span.OfOneSource() {
						opt.Sources = []uint8{source}
					}
					w.add(t, exportInto(t, in.path, opt))
				}
				w.compare(t, duckdb)
			}
		})
	}
}

// comparedWindows are datasets of windows of a whole.
type comparedWindows struct {
	whole   string
	dirs    []string
	queries []string
}

// add adds a window: the query counts its instructions, and those that it or the whole has alone.
func (w *comparedWindows) add(t *testing.T, dir string) {
	t.Helper()
	d, err := dataset.Open(dir)
	check(t, err)
	defer d.Close()
	var segments []string
	for _, s := range d.Manifest.Window.Sources {
		segments = append(segments, fmt.Sprintf("source = %d AND segment BETWEEN %d AND %d", s.Source, s.First, s.Last))
	}
	rows := func(dir, where string) string {
		return fmt.Sprintf("SELECT * EXCLUDE (dataset) FROM instructions WHERE dataset = '%s' AND (%s)", dir, where)
	}
	part, whole := rows(dir, "true"), rows(w.whole, strings.Join(segments, " OR "))
	w.dirs = append(w.dirs, dir)
	w.queries = append(w.queries,
		fmt.Sprintf("SELECT (SELECT count(*) FROM (%s)) = %d, (SELECT count(*) FROM (%s EXCEPT ALL %s)), (SELECT count(*) FROM (%s EXCEPT ALL %s))",
			part, d.Manifest.Totals.Instructions, part, whole, whole, part))
}

func (w *comparedWindows) compare(t *testing.T, duckdb string) {
	t.Helper()
	dirs := "'" + strings.Join(append([]string{w.whole}, w.dirs...), "', '") + "'"
	out, err := exec.Command(duckdb, "-noheader", "-list", "-separator", " ", "-cmd",
		"SET VARIABLE tracelake_dirs = ["+dirs+"];",
		"-cmd", ".read "+filepath.Join(w.whole, schema.ViewsFile), "-c", strings.Join(w.queries, ";\n")).CombinedOutput()
	if want := strings.Repeat("true 0 0\n", len(w.queries)); err != nil || string(out) != want {
		t.Fatalf("%v; instructions are counted, in the window alone, in the whole alone:\n%s", err, out)
	}
}
