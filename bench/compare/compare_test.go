package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
)

// Both sides count the same instructions of each generated capture, and a capture of
// which OpenCSD should count more is not let through.
func TestBothCountTheSame(t *testing.T) {
	work := t.TempDir()
	driver, err := buildDriver(work)
	if err != nil {
		need.Missing(t, need.LibOCSD, err.Error())
	}
	for _, s := range generated() {
		s.recipe.Instructions = need.Size[int64](20_000, 500_000)
		if err := s.prepare(filepath.Join(work, s.name), 2.5*float64(s.recipe.Instructions)); err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		if err := s.check(driver, &said); err != nil || s.copies != 3 {
			t.Errorf("%s: %d copies, %v\n%s", s.name, s.copies, err, &said)
		}
		s.kept = 1
		if err := s.check(driver, &said); err == nil {
			t.Errorf("%s: OpenCSD counts none too many, and that it should was let through", s.name)
		}
		if err := s.round(driver, []string{null, csv}); err != nil {
			t.Fatal(err)
		}
		if n, c := s.runs[null][0], s.runs[csv][0]; n.Instructions != c.Instructions || n.Instructions == 0 || n.Bytes == 0 || n.CPU == 0 || n.Peak == 0 {
			t.Errorf("%s: null %+v, csv %+v", s.name, n, c)
		}
	}
}

// The driver reads of a snapshot the trace, the registers and the program.
func TestList(t *testing.T) {
	s := generated()[1]
	s.recipe.Instructions = 1000
	work := t.TempDir()
	if err := s.prepare(work, 1); err != nil {
		t.Fatal(err)
	}
	if err := writeList(s.list, s.input); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile(s.list)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(list)), "\n")
	if len(lines) < 3 || lines[0] != "trace "+filepath.Join(s.input, "trace.bin")+" raw" ||
		!strings.HasPrefix(lines[1], "source ETMV3 R 41") || !strings.HasPrefix(lines[2], "memory 8000 any "+s.list+".") {
		t.Errorf("the list is\n%s", list)
	}
}

// A table has the columns that its modes and captures have figures for.
func TestReport(t *testing.T) {
	runs := map[string][]measured{
		null:        {{Instructions: 1e6, CPU: 0.1, Peak: 5e6}, {Instructions: 1e6, CPU: 0.2, Peak: 5e6}},
		"parquet/1": {{Instructions: 1e6, CPU: 0.01, Wall: 0.02, Peak: 7e6, Written: 1e5}, {Instructions: 1e6, CPU: 0.01, Wall: 0.04, Peak: 7e6, Written: 1e5}},
		"parquet/2": {{Instructions: 1e6, CPU: 0.01, Wall: 0.01, Peak: 7e6, Written: 1e5}, {Instructions: 1e6, CPU: 0.02, Wall: 0.02, Peak: 9e6, Written: 1e5}},
	}
	x := &subject{name: "x", runs: runs}
	y := &subject{name: "y", runs: runs, beside: x}
	for _, tt := range []struct {
		subjects []*subject
		modes    []string
		want     []string
	}{
		{[]*subject{x}, []string{null, "parquet/1", "parquet/2"}, []string{
			"2 rounds",
			"| capture | what | M instructions per CPU second | × OpenCSD, null | × one worker, by the wall | bytes an instruction | peak MB |\n|---|---|---|---|---|---|---|\n",
			"| x | OpenCSD, null | 7.5 [5.0 10.0] | 1.00 [1.00 1.00] |  |  | 5 |",
			"| x | Parquet, instructions, 2 workers | 75.0 [50.0 100.0] | 10.00 [10.00 10.00] | 2.00 [2.00 2.00] | 0.100 | 8 |",
		}},
		{[]*subject{x, y}, []string{"parquet/1"}, []string{
			"| × Parquet, instructions | × x |", "| x | Parquet, instructions | 100.0 [100.0 100.0] | 1.00 [1.00 1.00] |  | 0.100 | 7 |",
			"| y | Parquet, instructions | 100.0 [100.0 100.0] | 1.00 [1.00 1.00] | 1.00 [1.00 1.00] | 0.100 | 7 |",
		}},
	} {
		var out strings.Builder
		report(&out, tt.subjects, tt.modes)
		for _, want := range tt.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no %q in\n%s", want, &out)
			}
		}
	}
}

// Captures of trace ports are of one execution, laid end to end.
func TestPorts(t *testing.T) {
	work := t.TempDir()
	var first int64
	for _, s := range ports(5000) {
		if err := s.prepare(filepath.Join(work, s.name), 12_000); err != nil {
			t.Fatal(err)
		}
		totals, err := s.count(s.input)
		if err != nil {
			t.Fatal(err)
		}
		if first = max(first, totals.Instructions); totals.Instructions != first || s.copies != 3 || (s.images == nil) != (s.beside == nil) {
			t.Errorf("%s: %d copies with %d instructions, %d in ETMv3", s.name, s.copies, totals.Instructions, first)
		}
	}
}

func TestModes(t *testing.T) {
	for words, want := range map[string]string{
		"null,decode,parquet/2": "null decode/1 parquet/2", "null": "null", "decode": "decode/1", "null,nothing": "", "null,decode/x": "",
	} {
		modes, err := parseModes(strings.Split(words, ","))
		if got := strings.Join(modes, " "); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", words, got, err)
		}
	}
}
