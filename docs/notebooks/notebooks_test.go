// Package notebooks holds notebooks that draw what a dataset answers. Its tests
// execute them, and compare what the pictures say with the reports.
package notebooks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	_ "image/png"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/exceptions"
	"github.com/tracelake/tracelake/pipeline/report/trust"
	"github.com/tracelake/tracelake/schema"
)

// The notebooks, and the questions that are the titles of their pictures.
const (
	coverage = "coverage.ipynb"
	hotspots = "hotspots.ipynb"

	byFile    = "How much of each file is covered?"
	growth    = "Would more trace show more?"
	functions = "Which functions are the hottest?"
	when      = "Who ran when?"
	durations = "How long do exceptions take?"
	lines     = "Which lines are the hottest?"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A figure is what a picture says.
type figure struct {
	File, Title    string
	X, Y           string // what the axes are of
	XTicks, YTicks []string
	Texts, Legend  []string
	Widths         []float64 // of bars
	Dashed         []float64 // where dashed lines are
}

// UnmarshalJSON reads it as testdata/run.py writes it.
func (f *figure) UnmarshalJSON(text []byte) error {
	var x struct {
		File, Title, X, Y string
		XTicks            []string `json:"x_ticks"`
		YTicks            []string `json:"y_ticks"`
		Texts, Legend     []string
		Widths, Dashed    []float64
	}
	err := json.Unmarshal(text, &x)
	*f = figure{x.File, x.Title, x.X, x.Y, x.XTicks, x.YTicks, x.Texts, x.Legend, x.Widths, x.Dashed}
	return err
}

// A run is an executed notebook.
type run struct {
	Figures []figure
	Printed []string // by its cells
}

// execute executes a notebook over a dataset, with the module of this checkout and
// the command in a folder. Its pictures stay where go test -artifacts has them.
func execute(t *testing.T, command, notebook, dataset, sources string) (r run) {
	t.Helper()
	python := need.Interpreter(t)
	pictures := filepath.Join(t.ArtifactDir(), filepath.Base(dataset), strings.TrimSuffix(notebook, ".ipynb"))
	check(t, os.MkdirAll(pictures, 0o777))
	file, err := filepath.Abs(notebook)
	check(t, err)
	script, err := filepath.Abs("testdata/run.py")
	check(t, err)
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), python, script, file, pictures)
	cmd.Env = append(os.Environ(), "TRACELAKE_DATASET="+dataset, "TRACELAKE_SOURCES="+sources,
		"PYTHONPATH="+filepath.Join(need.Module(t), "python"), "PYTHONDONTWRITEBYTECODE=1", "PATH="+command)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", notebook, err, &stderr)
	}
	check(t, json.Unmarshal(out, &r))
	for i := range r.Figures {
		r.Figures[i].File = filepath.Join(pictures, r.Figures[i].File)
	}
	return r
}

// export makes a dataset.
func export(t *testing.T, snapshot, name string, opt pipeline.Options) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	opt.Workers = 1
	_, err := pipeline.Export(t.Context(), snapshot, dir, opt)
	check(t, err)
	return dir
}

// of is the figure with a title.
func (r *run) of(t *testing.T, title string) *figure {
	t.Helper()
	i := slices.IndexFunc(r.Figures, func(f figure) bool { return f.Title == title })
	if i < 0 {
		t.Fatalf("no picture %q, but %q", title, r.titles())
	}
	return &r.Figures[i]
}

func (r *run) titles() (titles []string) {
	for i := range r.Figures {
		titles = append(titles, r.Figures[i].Title)
	}
	return titles
}

// The pictures of the sample are those of its figures in the reports.
func TestSample(t *testing.T) {
	snapshot := filepath.Join(t.TempDir(), "capture")
	check(t, sample.Extract(snapshot))
	dataset := export(t, snapshot, "sample", pipeline.Options{Level: schema.LevelInstructions, Capture: capture.Options{Symbols: []string{filepath.Join(snapshot, sample.ELF)}}})
	r := compare(t, dataset, filepath.Join(need.Module(t), "bench/sample/program"))
	if got := r.of(t, lines).YTicks; !strings.HasPrefix(got[len(got)-1], "sort.c:13  static int by_digits(") {
		t.Errorf("the hottest line is %q", got[len(got)-1])
	}
	if got := r.of(t, growth).Legend; len(got) != 1 || !strings.HasPrefix(got[0], "778 of 790 seen (98.48 %), ") {
		t.Errorf("growth: %q", got)
	}
}

// Those of silicon too, where trace has a gap, and nothing counts cycles.
func TestFreeRTOS(t *testing.T) {
	dir := shared.File(t, "captures/am243x-r5f-etmv3-freertos-002b37c")
	dataset := export(t, dir, "freertos", pipeline.Options{Level: schema.LevelInstructions, Capture: capture.Options{Symbols: []string{filepath.Join(dir, "freertos.elf")}}})
	r := compare(t, dataset, t.TempDir())
	if f := r.of(t, when); !slices.Equal(f.Dashed, []float64{1}) || !slices.Contains(f.Legend, " gap") {
		t.Errorf("gaps at %v, legend %q", f.Dashed, f.Legend)
	}
	if !slices.ContainsFunc(r.Printed, func(line string) bool { return strings.Contains(line, "TRACELAKE_SOURCES") }) {
		t.Errorf("nothing says that there is no source text: %q", r.Printed)
	}
}

// Where a dataset cannot answer, words say what is missing, and there is no picture.
func TestNothingToDraw(t *testing.T) {
	snapshot := filepath.Join(t.TempDir(), "capture")
	check(t, sample.Extract(snapshot))
	dataset := export(t, snapshot, "bare", pipeline.Options{Level: schema.LevelNone})
	command := need.Command(t)
	for notebook, want := range map[string]struct{ figures, words []string }{
		coverage: {nil, []string{"No file is known: export with -e FILE", "Nothing was executed that is in a function: export with -e FILE"}},
		hotspots: {[]string{durations}, []string{"Which functions ran is not known", "export with --level blocks, or instructions", "No line is known: export with -e FILE"}},
	} {
		r := execute(t, command, notebook, dataset, t.TempDir())
		if got := r.titles(); !slices.Equal(got, want.figures) {
			t.Errorf("%s draws %q, want %q", notebook, got, want.figures)
		}
		for _, words := range want.words {
			if !slices.ContainsFunc(r.Printed, func(line string) bool { return strings.Contains(line, words) }) {
				t.Errorf("%s: no %q in %q", notebook, words, r.Printed)
			}
		}
	}
}

// compare executes both notebooks, and compares their pictures with the reports.
func compare(t *testing.T, dataset, sources string) *run {
	t.Helper()
	command := need.Command(t)
	r := execute(t, command, coverage, dataset, sources)
	more := execute(t, command, hotspots, dataset, sources)
	r.Figures, r.Printed = append(r.Figures, more.Figures...), append(r.Printed, more.Printed...)
	if got := r.titles(); !slices.Equal(got, []string{byFile, growth, functions, when, durations, lines}) {
		t.Fatalf("pictures %q", got)
	}
	if shown := "<b>" + filepath.Base(dataset) + ": "; !slices.ContainsFunc(r.Printed, func(line string) bool { return strings.Contains(line, shown) }) {
		t.Errorf("nothing shows %q, the dataset with its verdict: %q", shown, r.Printed)
	}
	m, err := report.Read([]string{dataset}, report.Options{})
	check(t, err)
	for i := range r.Figures {
		r.Figures[i].check(t, subtitle(dataset, m.Trust()))
	}
	checkByFile(t, r.of(t, byFile), m.Coverage(report.ByFile))
	checkGrowth(t, r.of(t, growth), m.Coverage(report.ByFunction))
	checkFunctions(t, r.of(t, functions), m.Hotspots(report.ByFunction))
	checkLines(t, r.of(t, lines), m.Hotspots(report.ByLine))
	x, err := exceptions.Read(m, []string{dataset}, "")
	check(t, err)
	checkDurations(t, r.of(t, durations), x)
	return &r
}

func subtitle(dataset string, trust *trust.Summary) string {
	gaps := figures.Thousands(trust.Gaps) + " gaps"
	if trust.Gaps == 1 {
		gaps = "1 gap"
	}
	return fmt.Sprintf("%s/%s · %s decoded · %s", filepath.Base(filepath.Dir(dataset)), filepath.Base(dataset), figures.Percent(trust.Decoded, trust.Bytes), gaps)
}

var (
	units     = regexp.MustCompile(`instructions|cycles|ticks`)
	unbroken  = regexp.MustCompile(`[0-9]{4}`)
	isPercent = regexp.MustCompile(`^ (< )?[0-9.]+ %$`)
)

// check checks what all pictures have.
func (f *figure) check(t *testing.T, subtitle string) {
	t.Helper()
	if !slices.Contains(f.Texts, subtitle) {
		t.Errorf("%s: no %q in %q", f.Title, subtitle, f.Texts)
	}
	if !units.MatchString(f.X + f.Y) {
		t.Errorf("%s: the axes %q, %q have no unit", f.Title, f.X, f.Y)
	}
	for _, tick := range f.XTicks {
		if unbroken.MatchString(tick) {
			t.Errorf("%s: %q has no thousands separator", f.Title, tick)
		}
	}
	picture, err := os.Open(f.File)
	check(t, err)
	defer picture.Close()
	p, _, err := image.Decode(picture)
	check(t, err)
	size, colours := p.Bounds().Size(), map[color.Color]bool{}
	for y := range size.Y {
		for x := range size.X {
			colours[p.At(x, y)] = true
		}
	}
	if size.X != 900 || size.Y < 150 || size.Y > 1000 || len(colours) <= 20 {
		t.Errorf("%s: a picture of %v in %d colours", f.Title, size, len(colours))
	}
}

// percents are those at the ends of bars, the topmost first.
func (f *figure) percents() (texts []string) {
	for _, text := range slices.Backward(f.Texts) {
		if isPercent.MatchString(text) {
			texts = append(texts, text[1:])
		}
	}
	return texts
}

func checkByFile(t *testing.T, f *figure, c *report.Coverage) {
	t.Helper()
	rows := slices.DeleteFunc(slices.Clone(c.Rows), func(r report.CoverageRow) bool { return r.File == "" })
	slices.SortStableFunc(rows, func(x, y report.CoverageRow) int {
		return int(y.Instructions.Of - x.Instructions.Of) // and by name, as they are
	})
	shown := rows[:min(len(rows), 25)]
	var want []string
	var widths [3][]float64 // covered, reached, not seen
	for _, r := range slices.Backward(shown) {
		i := r.Instructions
		for n, width := range []int64{i.Covered, i.Reached, i.Of - i.Covered - i.Reached} {
			widths[n] = append(widths[n], float64(width))
		}
	}
	for _, r := range shown {
		want = append(want, figures.Percent(r.Instructions.Covered, r.Instructions.Of))
	}
	equal(t, f, "percentages", f.percents(), want)
	equal(t, f, "bars", f.Widths, slices.Concat(widths[:]...))
	if left := fmt.Sprintf("the largest 25 of %d files", len(rows)); len(rows) > 25 != strings.Contains(f.X, left) {
		t.Errorf("%s: %q, of %d files", f.Title, f.X, len(rows))
	}
}

func checkGrowth(t *testing.T, f *figure, c *report.Coverage) {
	t.Helper()
	seen := c.Instructions.Covered + c.Instructions.Reached
	want := fmt.Sprintf("%s of %s seen (%s), ", figures.Thousands(seen), figures.Thousands(c.Instructions.Of), figures.Percent(seen, c.Instructions.Of))
	if len(f.Legend) != 1 || !strings.HasPrefix(f.Legend[0], want) {
		t.Errorf("%s: %q, want %q", f.Title, f.Legend, want)
	}
}

func checkFunctions(t *testing.T, f *figure, h *report.Hotspots) {
	t.Helper()
	rows := h.Rows[:min(len(h.Rows), 15)]
	var names []string
	var callees []float64
	for _, r := range slices.Backward(rows) {
		names = append(names, r.Function)
		n := float64(r.All.Instructions)
		if h.ByCycles {
			n = float64(r.All.Cycles.V)
		}
		callees = append(callees, n)
	}
	equal(t, f, "names", f.YTicks, names)
	equal(t, f, "percentages", f.percents(), shares(h, rows))
	equal(t, f, "with callees", f.Widths[:len(rows)], callees)
}

// shares are those of all instructions or of whole cycles: those of runs, as the views have no row for entries of
// exceptions.
func shares(h *report.Hotspots, rows []report.HotspotRow) (texts []string) {
	inRuns := 0.0
	for i := range h.Rows {
		if h.Rows[i].Exception == "" {
			inRuns += h.Rows[i].Cycles
		}
	}
	for i := range rows {
		n, of := rows[i].Instructions, h.Instructions
		if h.ByCycles {
			n, of = int64(math.Round(rows[i].Cycles)), int64(math.Round(inRuns))
		}
		texts = append(texts, figures.Percent(n, of))
	}
	return texts
}

func checkLines(t *testing.T, f *figure, h *report.Hotspots) {
	t.Helper()
	rows := slices.DeleteFunc(slices.Clone(h.Rows), func(r report.HotspotRow) bool { return r.File == "" })
	rows = rows[:min(len(rows), 15)]
	equal(t, f, "percentages", f.percents(), shares(h, rows))
	for i, r := range rows {
		want := fmt.Sprintf("%s:%d ", path.Base(r.File), r.Line)
		if got := f.YTicks[len(f.YTicks)-1-i]; !strings.HasPrefix(got, want) {
			t.Errorf("%s: line %d is %q, want %q", f.Title, i, got, want)
		}
	}
}

func checkDurations(t *testing.T, f *figure, x *exceptions.Table) {
	t.Helper()
	for i := range x.Rows {
		r := &x.Rows[i]
		if r.Ended == 0 {
			continue
		}
		if !strings.HasPrefix(f.X, r.Unit.String()+" ") {
			t.Errorf("%s: %q, but %s is in %s", f.Title, f.X, r, r.Unit)
		}
		want := fmt.Sprintf("%7s %9s %9s", figures.Thousands(r.Ended), figures.Thousands(r.Median), figures.Thousands(r.Longest))
		if !slices.Contains(f.YTicks, r.String()) || !slices.Contains(f.Texts, want) {
			t.Errorf("%s: no %s with %q in %q", f.Title, r, want, f.Texts)
		}
	}
}

func equal[T comparable](t *testing.T, f *figure, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %s are\n%v, want\n%v", f.Title, what, got, want)
	}
}

// What the repository has was not executed: outputs are of one dataset, and of one day.
func TestNoOutputs(t *testing.T) {
	for _, name := range []string{coverage, hotspots} {
		text, err := os.ReadFile(name)
		check(t, err)
		var notebook struct {
			Cells []struct {
				Type    string `json:"cell_type"`
				Source  []string
				Outputs []json.RawMessage
				Count   *int `json:"execution_count"`
			}
		}
		check(t, json.Unmarshal(text, &notebook))
		if len(notebook.Cells) < 5 {
			t.Errorf("%s: %d cells", name, len(notebook.Cells))
		}
		for _, c := range notebook.Cells {
			if len(c.Outputs) > 0 || c.Count != nil {
				t.Errorf("%s: a cell was executed: %q", name, c.Source[0])
			}
		}
	}
}
