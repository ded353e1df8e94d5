package report_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/schema"
)

// Datasets of one program add up: a line that one test covers is covered.
func TestMerge(t *testing.T) {
	other := strings.NewReplacer("executed=5", "executed=1", "executed=3 failed=2", "executed=1", "failed=5", "", "executed=7", "").Replace(small)
	other = strings.Replace(other, "at=src/util.c:10", "at=src/util.c:10 executed=4", 1)
	m := merged(t, report.Options{}, small, other)
	c := m.Coverage(report.ByFunction)
	equal(t, tally(5, 9, 2), c.Instructions)
	equal(t, report.Figure{Covered: 3, Of: 3}, c.Functions)
	for _, row := range c.Rows {
		equal(t, map[string]int64{"main": 6, "helper": 7, "unused": 4}[row.Function], row.Executions)
	}
	trust := m.Trust()
	equal(t, [3]int64{2000, 1988, 12}, [3]int64{trust.Bytes, trust.Decoded, trust.Lost})
	equal(t, 2, len(trust.Datasets))
}

func TestMergeRefuses(t *testing.T) {
	file := func(code, core string) string {
		return "source 0x10\nfile fw.elf 0x1000 16 code=" + code + " core=" + core + "\nfunction 0x1000 16 main core=" + core + "\n"
	}
	memory := func(sha, address string) string {
		return "source 0x10\nmemory ram.bin " + address + " 16 sha=" + sha + "\n"
	}
	for _, tt := range []struct {
		name, a, b, want string
	}{
		{"equal code", file("aa", ""), file("aa", ""), ""},
		{"other code", file("aa", ""), file("bb", ""), "fw.elf (code aa) differs from fw.elf (code bb)"},
		{"other core", file("aa", "cpu_0"), file("aa", "cpu_1"), "fw.elf (code aa, core cpu_0) differs from fw.elf (code aa, core cpu_1)"},
		{"one more file", file("aa", ""), file("aa", "") + "file boot.elf 0 16 code=cc", "has no boot.elf (code cc)"},
		{"equal memory", memory("aa", "0x1000"), memory("aa", "0x1000"), ""},
		{"other memory", memory("aa", "0x1000"), memory("bb", "0x1000"), "ram.bin at 0x00001000 (SHA-256 aa) differs from ram.bin at 0x00001000 (SHA-256 bb)"},
		{"memory elsewhere", memory("aa", "0x1000"), memory("aa", "0x2000"), "differs from"},
		{"only one has a program file", file("aa", ""), memory("aa", "0x1000"), "has no program file (export it with -e FILE)"},
		{"only the other has", memory("aa", "0x1000"), file("aa", ""), "has no program file (export it with -e FILE)"},
	} {
		a, b := write(t, "a", tt.a), write(t, "b", tt.b)
		_, err := report.Read([]string{a, b}, report.Options{})
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		wrong, ok := errors.AsType[*report.MergeError](err)
		if !ok || wrong.First != a || wrong.Other != b || !strings.Contains(err.Error(), tt.want) ||
			!strings.HasPrefix(err.Error(), a+" and "+b+" are not of one program: ") {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
}

// --test picks datasets by label.
func TestLabel(t *testing.T) {
	dirs := []string{write(t, "a", small+"label test boot"), write(t, "b", small+"label test irq"), write(t, "c", small)}
	m, err := report.Read(dirs, report.Options{Test: "irq"})
	if err != nil {
		t.Fatal(err)
	}
	if d := m.Trust().Datasets; len(d) != 1 || d[0].Dir != dirs[1] || d[0].Test != "irq" {
		t.Errorf("%+v", d)
	}
	_, err = report.Read(dirs, report.Options{Test: "idle"})
	if want := `no dataset has the label test=idle; their labels are: none, "boot", "irq"`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestExclude(t *testing.T) {
	for _, tt := range []struct {
		name     string
		left     int64 // instructions that still count
		full     int64 // functions that are covered in full
		excluded report.Excluded
		figures  [3]report.Figure // functions, lines, files
	}{
		{"main", 4, 1, report.Excluded{Instructions: 5, Covered: 2}, [3]report.Figure{{Covered: 1, Of: 2}, {Covered: 1, Of: 3}, {Covered: 1, Of: 1}}},
		{"src/util.c", 5, 0, report.Excluded{Instructions: 4, Covered: 2}, [3]report.Figure{{Covered: 1, Of: 1}, {Covered: 2, Of: 3}, {Covered: 1, Of: 1}}},
		{"util.c", 5, 0, report.Excluded{Instructions: 4, Covered: 2}, [3]report.Figure{{Covered: 1, Of: 1}, {Covered: 2, Of: 3}, {Covered: 1, Of: 1}}},
		{"main.c:13", 7, 1, report.Excluded{Instructions: 2}, [3]report.Figure{{Covered: 2, Of: 3}, {Covered: 3, Of: 5}, {Covered: 2, Of: 2}}},
		{"til.c", 9, 1, report.Excluded{}, [3]report.Figure{{Covered: 2, Of: 3}, {Covered: 3, Of: 6}, {Covered: 2, Of: 2}}}, // whole names only
		{"mai", 9, 1, report.Excluded{}, [3]report.Figure{{Covered: 2, Of: 3}, {Covered: 3, Of: 6}, {Covered: 2, Of: 2}}},
		{"", 9, 1, report.Excluded{}, [3]report.Figure{{Covered: 2, Of: 3}, {Covered: 3, Of: 6}, {Covered: 2, Of: 2}}},
	} {
		e := report.Exclusion{Name: tt.name, Reason: "because"}
		m := merged(t, report.Options{Exclude: []report.Exclusion{e}}, small)
		c := m.Coverage(report.ByFunction)
		tt.excluded.Exclusion = e
		equal(t, []report.Excluded{tt.excluded}, m.Excluded())
		equal(t, tt.left, c.Instructions.Of)
		equal(t, tt.full, c.Full)
		equal(t, tt.figures, [3]report.Figure{c.Functions, c.Lines, c.Files})
	}
}

// Linkage names and aliases are names too; the first exclusion has what several have.
func TestExcludeNames(t *testing.T) {
	m := merged(t, report.Options{Exclude: []report.Exclusion{{Name: "_Z4waitv"}, {Name: "sleep"}, {Name: "wait()"}}}, `
source 0x10
file fw.elf 0x1000 0x100
function 0x1000 4 "wait()" linkage=_Z4waitv aliases="delay sleep"
function 0x1004 4 nap aliases="sleep doze"
code 0x1000 a32 other
code 0x1004 a32 other
`)
	var got []int64
	for _, e := range m.Excluded() {
		got = append(got, e.Instructions)
	}
	equal(t, []int64{1, 1, 0}, got)
	equal(t, int64(0), m.Coverage(report.ByFunction).Instructions.Of)
}

// Against a baseline of the same program instructions are compared, against another
// one functions by name.
func TestBaseline(t *testing.T) {
	base := strings.NewReplacer("at=src/util.c:4 executed=7", "at=src/util.c:4", "return executed=7", "return",
		"at=src/util.c:10", "at=src/util.c:10 executed=1", "executed=3 failed=2", "executed=3").Replace(small)
	now, before := merged(t, report.Options{}, small), merged(t, report.Options{}, base)
	c := now.Against(before, report.ByFunction, false)
	row := func(name string, address schema.Address, line uint32, isNew, lost int64) report.ChangeRow {
		return report.ChangeRow{Name: report.Name{Function: name, Address: address, File: "src/util.c", Line: line}, Delta: report.Delta{New: isNew, Lost: lost}}
	}
	equal(t, &report.Change{
		SameProgram:  true,
		Instructions: report.Delta{New: 2, Lost: 1}, Functions: report.Delta{New: 1, Lost: 1}, Lines: report.Delta{New: 1, Lost: 1},
		Outcomes:           report.Delta{New: 1},
		InstructionsBefore: report.Figure{Covered: 3, Of: 9}, FunctionsBefore: report.Figure{Covered: 2, Of: 3}, LinesBefore: report.Figure{Covered: 3, Of: 6},
		Rows: []report.ChangeRow{row("unused", 0x1014, 9, 0, 1), row("helper", 0x1010, 3, 2, 0)},
	}, c)
	equal(t, "main", now.Against(before, report.ByFunction, true).Rows[0].Function)

	other := merged(t, report.Options{}, strings.ReplaceAll(base, "fw.elf 0x1000 0x100", "fw.elf 0x1000 0x100 code=bb"))
	equal(t, &report.Change{FunctionsBefore: report.Figure{Covered: 2, Of: 3}, Functions: report.Delta{New: 1, Lost: 1}, Rows: []report.ChangeRow{
		{Name: report.Name{Function: "unused", File: "src/util.c"}, Delta: report.Delta{Lost: 1}},
		{Name: report.Name{Function: "helper", File: "src/util.c"}, Delta: report.Delta{New: 1}},
	}}, now.Against(other, report.ByLine, false), cmpopts.IgnoreFields(report.Change{}, "InstructionsBefore", "LinesBefore"))
}

// Without a program file, what only the baseline executed is lost.
func TestBaselineWithoutProgram(t *testing.T) {
	run := func(address string) *report.Merged {
		return merged(t, report.Options{}, "source 0x10\nmemory ram.bin 0 16\ncode "+address+" t32 other executed=1\ncode 0x1000 t32 other executed=1")
	}
	c := run("0x1002").Against(run("0x1004"), report.ByFunction, false)
	equal(t, report.Delta{New: 1, Lost: 1}, c.Instructions)
	equal(t, []report.ChangeRow{
		{Name: report.Name{Address: 0x1004}, Delta: report.Delta{Lost: 1}},
		{Name: report.Name{Address: 0x1002}, Delta: report.Delta{New: 1}},
	}, c.Rows)
}
