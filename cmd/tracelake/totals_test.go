package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline/report/page"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Every answer and every format adds up to what the tables do, and none changes when rows are pruned: but for what is in
// order of time where trace was off for some of it, as rows of cycle_counts alone say when that was.
func TestTotals(t *testing.T) {
	for capture, elf := range map[string]string{
		"sample":                            "",
		"am243x-r5f-etmv3-freertos-002b37c": "freertos.elf",
		"am243x-r5f-etmv3-zephyr-e9185a9":   "zephyr.elf",
		"opencsd-TC2":                       "",
	} {
		if testing.Short() && capture != "sample" {
			continue
		}
		t.Run(capture, func(t *testing.T) {
			input := filepath.Join(t.TempDir(), "capture")
			if capture != "sample" {
				input = shared.File(t, "captures/"+capture)
			} else if err := sample.Extract(input); err != nil {
				t.Fatal(err)
			} else {
				elf = sample.ELF
			}
			dir := filepath.Join(t.TempDir(), "run")
			args := []string{"export", input, "-o", dir}
			if elf != "" {
				args = append(args, "-e", filepath.Join(input, elf))
			}
			said(t, args...)
			want := tableTotals(t, dir)
			before := answerTotals(t, dir, elf != "", want)
			said(t, "prune", dir, "--level", "none")
			for name, text := range answerTotals(t, dir, elf != "", want) {
				if text != before[name] && (name != "speedscope" || want.gaps == 0) {
					t.Errorf("%s changes when rows are pruned", name)
				}
			}
		})
	}
}

// said runs a command and returns what it wrote.
func said(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(append([]string{"tracelake"}, args...), &stdout, &stderr); code != 0 {
		t.Fatalf("tracelake %s: status %d: %s", strings.Join(args, " "), code, &stderr)
	}
	return stdout.String()
}

// A total is what was executed; without cycles those are 0.
type total struct{ instructions, cycles, gaps int64 }

// unit is the total in the unit of answers: cycles if they are traced.
func (x total) unit() int64 {
	if x.cycles > 0 {
		return x.cycles
	}
	return x.instructions
}

// tableTotals adds up `counts`, `exceptions` and `epochs`.
func tableTotals(t *testing.T, dir string) (x total) {
	t.Helper()
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	add := func(of *schema.Table, row func(b *schema.Batch, i int)) {
		for b, err := range d.Batches(of) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.Rows() {
				row(b, i)
			}
		}
	}
	add(&schema.Counts, func(b *schema.Batch, i int) {
		x.instructions += int64(schema.CountsExecuted.At(b, i) + schema.CountsFailed.At(b, i) + schema.CountsUnknown.At(b, i))
		x.cycles += int64(schema.CountsCycles.At(b, i))
	})
	add(&schema.Exceptions, func(b *schema.Batch, i int) { x.cycles += int64(schema.ExceptionsCycles.At(b, i)) })
	add(&schema.Epochs, func(b *schema.Batch, i int) { x.gaps += int64(schema.EpochsGapCycles.At(b, i)) })
	return x
}

// answerTotals demands that answers add up to a total, and returns them.
func answerTotals(t *testing.T, dir string, lines bool, want total) map[string]string {
	t.Helper()
	same := func(what string, got, want int64) {
		t.Helper()
		if got != want {
			t.Errorf("%s has %d, tables %d", what, got, want)
		}
	}
	out := map[string]string{}
	for _, name := range []string{"hotspots", "tasks"} {
		out[name] = said(t, "report", name, dir, "--top", "0", "--json")
		var x reported
		if err := json.Unmarshal([]byte(out[name]), &x); err != nil {
			t.Fatal(err)
		}
		var rows reportedRow
		for _, row := range x.Rows {
			rows.Instructions, rows.Cycles = rows.Instructions+row.Instructions, rows.Cycles+row.Cycles
		}
		same(name, x.Instructions, want.instructions)
		same(name+" in cycles", int64(math.Round(x.Cycles)), want.cycles)
		same("rows of "+name, rows.Instructions, want.instructions)
		if slack := 0.05 * float64(len(x.Rows)); math.Abs(rows.Cycles-float64(want.cycles)) > slack { // each is rounded to a tenth
			t.Errorf("rows of %s have %.1f cycles, tables %d", name, rows.Cycles, want.cycles)
		}
		same("executed of "+name, x.Trust.Cycles.Executed, want.cycles)
		same("gaps of "+name, x.Trust.Cycles.InGaps, want.gaps)
		out[name+" on screen"] = said(t, "report", name, dir, "--top", "0")
		says := func(n int64) bool { return strings.Contains(out[name+" on screen"], figures.Thousands(n)) }
		for _, row := range x.Rows { // which add up to the total, that tasks has only beside handlers
			if n := (total{row.Instructions, int64(math.Round(row.Cycles)), 0}); name == "tasks" && !says(n.unit()) {
				t.Errorf("the screen of tasks does not say %d", n.unit())
			}
		}
		if name == "hotspots" && !says(want.unit()) {
			t.Errorf("the screen of %s does not say %d", name, want.unit())
		}
	}
	out["folded"] = said(t, "convert", "--to", "folded", dir)
	same("folded", lastWords(t, strings.TrimSpace(out["folded"])), want.unit())
	out["pprof"] = pprofTotals(t, dir, want)
	if lines {
		out["callgrind"] = said(t, "convert", "--to", "callgrind", dir)
		instructions, cycles := ownCosts(t, out["callgrind"])
		same("callgrind", instructions, want.instructions)
		same("callgrind in cycles", cycles, want.cycles)
	}
	out["speedscope"] = said(t, "convert", "--to", "speedscope", dir)
	var s speedscope
	if err := json.Unmarshal([]byte(out["speedscope"]), &s); err != nil {
		t.Fatal(err)
	}
	same("speedscope", s.weight(), want.unit())
	p := pageTotals(t, dir)
	same("functions of the page", p.functions, want.unit())
	same("all of the page", p.spent, want.unit())
	same("flame graph of the page", p.flame.instructions, want.instructions)
	same("flame graph of the page, in cycles", p.flame.cycles, want.cycles)
	out["page"] = fmt.Sprint(p)
	if lines {
		out["lcov"] = said(t, "convert", "--to", "lcov", dir)
		sameCoverage(t, dir, out["lcov"])
	}
	return out
}

// pageTotal is what a page adds up to.
type pageTotal struct {
	spent, functions int64
	flame            total
}

func pageTotals(t *testing.T, dir string) (x pageTotal) {
	t.Helper()
	p, err := page.Read([]string{dir}, content.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x.spent = p.Data.Spent
	for _, own := range p.Data.Functions.Own {
		x.functions += own
	}
	f := p.Data.Flame
	for i, parent := range f.Parent {
		if parent == 0 {
			x.flame.instructions += f.Instructions[i]
			if f.Cycles != nil {
				x.flame.cycles += f.Cycles[i]
			}
		}
	}
	return x
}

// sameCoverage demands that a tracefile of lcov has as many lines, and as many of them covered, as report coverage; and
// functions and branch outcomes, but for those of code without a line, which the format has no place for.
func sameCoverage(t *testing.T, dir, tracefile string) {
	t.Helper()
	type extent struct{ Count, Of int64 }
	var coverage struct {
		Functions, Lines extent
		Branches         struct{ Outcomes extent }
	}
	if err := json.Unmarshal([]byte(said(t, "report", "coverage", dir, "--json")), &coverage); err != nil {
		t.Fatal(err)
	}
	sums := map[string]int64{}
	for line := range strings.Lines(tracefile) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			sums[key] += n
		}
	}
	for what, x := range map[string]struct{ got, want extent }{
		"functions": {extent{sums["FNH"], sums["FNF"]}, coverage.Functions},
		"lines":     {extent{sums["LH"], sums["LF"]}, coverage.Lines},
		"outcomes":  {extent{sums["BRH"], sums["BRF"]}, coverage.Branches.Outcomes},
	} {
		if what == "lines" && x.got != x.want || x.got.Count > x.want.Count || x.got.Of > x.want.Of || 100*x.got.Of < 97*x.want.Of {
			t.Errorf("%s of lcov are %v, of report coverage %v", what, x.got, x.want)
		}
	}
}

// reported is an answer as JSON.
type reported struct {
	reportedRow
	Trust struct {
		Cycles struct {
			Executed int64 `json:"executed"`
			InGaps   int64 `json:"in_gaps"`
		} `json:"cycles"`
	} `json:"trust"`
	Rows []reportedRow `json:"rows"`
}

type reportedRow struct {
	Instructions int64   `json:"instructions"`
	Cycles       float64 `json:"cycles"`
}

// speedscope is a file of that program: call trees are its sampled profiles.
type speedscope struct {
	Profiles []struct {
		Type    string  `json:"type"`
		Weights []int64 `json:"weights"`
	} `json:"profiles"`
}

func (s *speedscope) weight() (sum int64) {
	for _, p := range s.Profiles {
		for _, w := range p.Weights {
			sum += w
		}
	}
	return sum
}

// lastWords adds up the last word of each line.
func lastWords(t *testing.T, text string) (sum int64) {
	t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		n, err := strconv.ParseInt(line[strings.LastIndexByte(line, ' ')+1:], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	return sum
}

// ownCosts adds up the lines of a callgrind file that are no costs of calls: "address line instructions
// [cycles]".
func ownCosts(t *testing.T, text string) (instructions, cycles int64) {
	t.Helper()
	called := false
	for line := range strings.SplitSeq(text, "\n") {
		words := strings.Fields(line)
		if strings.HasPrefix(line, "calls=") {
			called = true
			continue
		}
		if len(words) < 3 || strings.ContainsAny(words[0], "=:") || strings.HasPrefix(line, "#") {
			continue
		}
		if called {
			called = false
			continue
		}
		costs := make([]int64, 2)
		for i, word := range words[2:] {
			n, err := strconv.ParseInt(word, 10, 64)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			costs[i] = n
		}
		instructions, cycles = instructions+costs[0], cycles+costs[1]
	}
	return instructions, cycles
}

// pprofTotals demands that a profile adds up to a total, and returns it in words.
func pprofTotals(t *testing.T, dir string, want total) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "run.pb.gz")
	said(t, "convert", "--to", "pprof", dir, "-o", file)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	sums := make([]int64, len(p.SampleType))
	for _, s := range p.Sample {
		for i, v := range s.Value {
			sums[i] += v
		}
	}
	for i, kind := range p.SampleType {
		if n, ok := map[string]int64{"instructions": want.instructions, "cycles": want.cycles}[kind.Type]; ok && sums[i] != n {
			t.Errorf("%s of pprof are %d, of tables %d", kind.Type, sums[i], n)
		}
	}
	return fmt.Sprint(sums, len(p.Sample))
}
