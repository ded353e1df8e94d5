package page_test

import (
	"html"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/exceptions"
	"github.com/tracelake/tracelake/pipeline/report/page"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
	"github.com/tracelake/tracelake/pipeline/report/reporttest"
	"github.com/tracelake/tracelake/pipeline/window"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// Pages of two runs: of one program, and of two, whose functions are matched by name and file.
func TestTwoRuns(t *testing.T) {
	earlier := strings.NewReplacer(
		"conditional executed=9 failed=1", "conditional executed=10", "src/lib/util.c:31", "src/lib/util.c:31 executed=1 first=50",
		"span 20 22 ordinal=0 instructions=2", "span 20 22 ordinal=0 instructions=4",
		"calls=10 instructions=30", "calls=10 instructions=40", "total=64", "total=75", "context=1 instructions=64", "context=1 instructions=75",
		"function=3 instructions=4", "function=3 instructions=4\nstack parent=0 function=2 entry=call calls=1 instructions=1",
	).Replace(itsLines + itsStacks)
	for _, tt := range []struct{ name, before string }{
		{"two runs", aSource + aProgram + earlier},
		{"two programs", aSource + strings.NewReplacer("0x100 match=1", "0x100 code=beef match=1", " never ", " removed ").Replace(aProgram) + earlier},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dirs := datasettest.Datasets(t, aSource+aProgram+itsLines+itsStacks, tt.before)
			golden(t, true, dirs[:1], content.Options{Title: tt.name, Sources: content.Sources{Roots: []string{t.TempDir()}}, Baseline: dirs[1:]})
		})
	}
}

// Without names there are no rows to compare, and only packets are nothing to compare with.
func TestNoNames(t *testing.T) {
	unnamed := aSource + "memory rom.bin 0x1000 0x100\n" + without(itsLines, ` at=\S+`)
	dirs := datasettest.Datasets(t, aSource+aProgram+itsLines, unnamed)
	p, err := page.Read(dirs[:1], content.Options{Baseline: dirs[1:], Sources: content.Sources{None: true}})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := p.Fit(1 << 20); err != nil || !strings.Contains(html.UnescapeString(string(text)), "there are no names to compare by") {
		t.Errorf("%v: the page does not say that nothing can be compared", err)
	}
	if p.Data.Before.Own != nil || p.Data.Files.Gained != nil {
		t.Errorf("what cannot be compared is: %+v", p.Data.Before)
	}
	p, err = page.Read(dirs[1:], content.Options{Baseline: dirs[1:], Sources: content.Sources{None: true}})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := p.Fit(1 << 20); err != nil || !strings.Contains(html.UnescapeString(string(text)), "where 7 instructions ran: 0 instructions gained, 0 lost; 0 branch") {
		t.Errorf("%v: the page does not say how many instructions ran before", err)
	}
	packets := reporttest.Export(t, "sample", "", pipeline.Options{PacketsOnly: true})
	if _, err := page.Read([]string{packets}, content.Options{Baseline: dirs[1:]}); err == nil || !strings.Contains(err.Error(), "nothing to compare") {
		t.Errorf("packets against a baseline: %v", err)
	}
}

// twoRuns returns datasets of the sample, of all of it and of its beginning.
func twoRuns(t testing.TB) (now, before string) {
	t.Helper()
	to, err := window.ParsePoint("30000")
	if err != nil {
		t.Fatal(err)
	}
	part := pipeline.Window{Span: pipeline.Span{To: schema.Of(to)}}
	return reporttest.Export(t, "sample", sample.ELF, pipeline.Options{}),
		reporttest.Export(t, "sample", sample.ELF, pipeline.Options{Window: &part})
}

// The figures of a page of two runs are those of the text reports with --baseline.
func TestChangeIsThatOfReports(t *testing.T) {
	now, before := twoRuns(t)
	p, err := page.Read([]string{now}, content.Options{Baseline: []string{before}, Sources: content.Sources{None: true}})
	if err != nil {
		t.Fatal(err)
	}
	m, base := merged(t, now), merged(t, before)
	f, b := &p.Data.Functions, p.Data.Before

	coverage := map[string]report.Delta{}
	for _, r := range m.Against(base, report.ByFunction, false).Rows {
		coverage[r.Function] = r.Delta
	}
	hotspots := m.HotspotsAgainst(base, report.ByFunction)
	change, own := map[string]float64{}, map[string]int64{}
	for _, r := range hotspots.Rows {
		name := shownName(r.Row())
		if change[name] = hotspots.Change(&r); r.Before != nil {
			own[name] = answer.Own(r.Before.Instructions, r.Before.Cycles, hotspots.ByCycles)
		}
	}
	gains := map[string]report.Delta{}
	for i, name := range f.Name {
		if d := (report.Delta{New: b.Gained[i], Lost: b.Lost[i]}); d != (report.Delta{}) {
			gains[name] = d
		}
		if math.Abs(b.Change[i]-100*change[name]) > 1e-9 || change[name] != 0 && max(0, b.Own[i]) != own[name] {
			t.Errorf("%s: changed by %f points from %d, want %f from %d", name, b.Change[i], b.Own[i], 100*change[name], own[name])
		}
		delete(change, name)
	}
	if diff := cmp.Diff(coverage, gains); diff != "" || len(change) != 0 {
		t.Errorf("not on the page: %v; gained and lost (-want +got):\n%s", change, diff)
	}

	lines := report.Delta{}
	for _, s := range p.Data.Source.Files {
		if c := s.Changes; c != nil {
			for i := range c.Gained {
				lines.New, lines.Lost = lines.New+c.Gained[i], lines.Lost+c.Lost[i]
			}
		}
	}
	if want := m.Against(base, report.ByLine, false).Instructions; lines != want {
		t.Errorf("lines gained and lost %v, want %v", lines, want)
	}

	was, err := exceptions.Read(base, []string{before}, "")
	if err != nil {
		t.Fatal(err)
	}
	e := p.Data.Exceptions
	for i, name := range e.Name {
		n := slices.IndexFunc(was.Rows, func(r exceptions.Row) bool { return r.String() == name })
		if n < 0 || e.LongestBefore[i] != was.Rows[n].Longest || e.MedianBefore[i] != was.Rows[n].Median {
			t.Errorf("%s: median %d, longest %d before, which report exceptions does not say", name, e.MedianBefore[i], e.LongestBefore[i])
		}
	}
	if !strings.HasSuffix(p.Title, " against "+filepath.Base(before)) {
		t.Errorf("the title %q does not say what it is compared with", p.Title)
	}
}

// The change of what a function took with its callees, over the outermost frames of it, is what report hotspots says.
// What is too short to be drawn one by one is not in the sum.
func TestFlameChange(t *testing.T) {
	now, before := twoRuns(t)
	for _, dirs := range [][2]string{{now, before}, {before, now}} {
		p, err := page.Read(dirs[:1], content.Options{Baseline: dirs[1:], Sources: content.Sources{None: true}})
		if err != nil {
			t.Fatal(err)
		}
		f := p.Data.Flame
		sums, inside := map[string]float64{}, make([]map[string]bool, len(f.Parent))
		for i := range f.Parent {
			name := f.Frames.Name[f.Frame[i]]
			inside[i] = map[string]bool{}
			if f.Parent[i] > 0 {
				inside[i] = maps.Clone(inside[i-int(f.Parent[i])])
			}
			if f.Frames.Kind[f.Frame[i]] == 0 && !inside[i][name] {
				sums[name] += f.Change[i]
				inside[i][name] = true
			}
		}
		c := merged(t, dirs[0]).HotspotsAgainst(merged(t, dirs[1]), report.ByFunction)
		for _, name := range []string{"sort_task", "quicksort", "matrix_task", "multiply.constprop.0", "checksum_task"} {
			i := slices.IndexFunc(c.Rows, func(r report.HotspotChangeRow) bool { return r.Row().Function == name })
			if want := 100 * c.TotalChange(&c.Rows[i]); math.Abs(sums[name]-want) > 0.1 {
				t.Errorf("%s: frames changed by %.2f points, want %.2f", name, sums[name], want)
			}
		}
	}
}

// shownName is the name of a row on the page.
func shownName(r *report.HotspotRow) string {
	switch {
	case r.Exception != "":
		return answer.Exception(r.Exception)
	case r.Outside:
		return "(outside of the program)"
	}
	return r.Function
}

func merged(t testing.TB, dir string) *report.Merged {
	t.Helper()
	m, err := report.Read([]string{dir}, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
