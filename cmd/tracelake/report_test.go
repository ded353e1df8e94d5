package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/schema/datasettest"
)

// jsonKeys are the keys that every object of a report has, and those of its own.
var jsonKeys = map[string][]string{
	"":           {"schema_version", "report", "forced", "trust", "excluded"},
	"coverage":   {"instructions", "functions", "lines", "files", "branches", "predicated", "by", "rows_left_out", "rows", "fail_under", "baseline", "growth"},
	"branches":   {"branches", "predicated", "by", "rows_left_out", "rows"},
	"hotspots":   {"ordered_by", "instructions", "cycles", "seconds", "by", "rows_left_out", "rows", "baseline", "clocks"},
	"calls":      {"calls", "rows_left_out", "rows", "baseline"},
	"exceptions": {"entries", "rows_left_out", "rows", "baseline"},
	"tasks":      {"instructions", "cycles", "rows_left_out", "rows"},
	"last":       {"directory", "source", "core", "before", "instructions", "between", "task", "stack"},
	"disasm":     {"functions"},
	"trust":      {"losses", "buffers", "gaps"},
}

// In JSON addresses are hexadecimal text, figures are counts with what they are of,
// which may be null, and percentages are numbers from 0 to 100 or null.
func TestReportJSON(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := datasettest.Write(dir, `
source 0x10 core=cpu_0 bytes=1000 checks=30 hz=1000000
file fw.elf 0x1000 0x100 match=1
function 0x1000 8 main at=main.c:1
code 0x1000 a32 other  at=main.c:1 executed=5 timed=5 cycles=7
code 0x1004 a32 branch at=main.c:1 conditional failed=5 timed=5 cycles=7 target=0x1000
run 0x5000 a32 executed=1
instruction 0x1000 a32 other executed=true
instruction 0x1004 a32 branch
exception 1 entry type=irq number=3
stack function=0 instructions=10
stack parent=0 entry=exception type=irq number=3
stack parent=1 function=0
task main instructions=11
call 0 8 stack=2 instructions=3
span 1 4 instructions=3
`); err != nil {
		t.Fatal(err)
	}
	for name, keys := range jsonKeys {
		if name == "" {
			continue
		}
		args := []string{"tracelake", "report", name, dir, "--json"}
		switch name {
		case "coverage":
			args = append(args, "--exclude", "nothing=reason", "--fail-under=1", "--baseline", dir)
		case "calls", "exceptions":
			args = append(args, "--baseline", dir)
		case "disasm":
			args = append(args, "--function", "main")
		case "last":
			args = append(args, "--before", "exception=0")
		case "hotspots":
			args = append(args, "--exclude", "nothing=reason", "--baseline", dir)
		case "branches":
			args = append(args, "--exclude", "nothing=reason")
		}
		var stdout, stderr bytes.Buffer
		if status := run(args, &stdout, &stderr); status != statusDone {
			t.Fatalf("%s: exit %d: %s", name, status, &stderr)
		}
		var object map[string]any
		if err := json.Unmarshal(stdout.Bytes(), &object); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, key := range append(keys, jsonKeys[""]...) {
			if _, ok := object[key]; !ok {
				t.Errorf("%s: no %q", name, key)
			}
		}
		for _, problem := range checkJSON(name, object) {
			t.Error(problem)
		}
	}
}

var hexText = regexp.MustCompile(`^0x[0-9a-f]{8}$`)

// checkJSON returns what is wrong with a value and those in it.
func checkJSON(path string, value any) (problems []string) {
	wrong := func(problem string) { problems = append(problems, fmt.Sprintf("%s: %s: %v", path, problem, value)) }
	key := path[strings.LastIndexByte(path, '/')+1:]
	switch v := value.(type) {
	case map[string]any:
		if of, ok := v["of"]; ok && v["met"] == nil { // a figure; a limit is of something, too
			if _, isText := of.(string); !isText && (v["count"] == nil || (of == nil) != (v["percent"] == nil)) {
				wrong("no figure")
			}
		}
		for k, x := range v {
			problems = append(problems, checkJSON(path+"/"+k, x)...)
		}
	case []any:
		for _, x := range v {
			problems = append(problems, checkJSON(path, x)...)
		}
	case float64:
		if strings.HasSuffix(key, "percent") && (v < 0 || v > 100) {
			wrong("is no percentage")
		}
		if strings.HasSuffix(key, "address") || key == "target" {
			wrong("is no hexadecimal text")
		}
	case string:
		if (strings.HasSuffix(key, "address") || key == "target") && !hexText.MatchString(v) {
			wrong("is no hexadecimal text")
		}
	case nil:
		if key == "rows" || key == "excluded" || key == "outside" || key == "doubts" {
			wrong("is no list")
		}
	}
	return problems
}

// Percentages are rounded, but to all only if it is all, and to nothing only if it is
// nothing.
func TestPercent(t *testing.T) {
	for _, tt := range []struct {
		n, total int64
		two, one string
	}{
		{0, 10, "0 %", "0%"},
		{10, 10, "100 %", "100%"},
		{1, 1 << 40, "< 0.1 %", "<0.1%"},
		{1<<40 - 1, 1 << 40, "99.99 %", "99.9%"},
		{58687, 58693, "99.99 %", "99.9%"},
		{1, 3, "33.33 %", "33.3%"},
		{2, 3, "66.67 %", "66.7%"},
		{0, 0, "100 %", "100%"},
	} {
		if got := percent(tt.n, tt.total); got != tt.two {
			t.Errorf("%d of %d: %s, want %s", tt.n, tt.total, got, tt.two)
		}
		if got := cellPercent(tt.n, tt.total); got != tt.one {
			t.Errorf("%d of %d: %s, want %s", tt.n, tt.total, got, tt.one)
		}
	}
}

// An exclusion has a name and a reason; names of C++ may have equal signs.
func TestParseExclusion(t *testing.T) {
	for _, tt := range []struct{ text, name, reason string }{
		{"main=known", "main", "known"},
		{" a.c:12 = dead = code ", "a.c:12", "dead = code"},
		{"operator==(A, B)=generated", "operator==(A, B)", "generated"},
		{"A::operator=(A const&)=generated", "A::operator=(A const&)", "generated"},
		{"operator<=(A, B)=x=y", "operator<=(A, B)", "x=y"},
		{"main", "", ""},
		{"main=", "", ""},
		{"main= ", "", ""},
		{"=reason", "", ""},
	} {
		e, ok := parseExclusion(tt.text)
		if ok != (tt.name != "") || ok && (e.Name != tt.name || e.Reason != tt.reason) {
			t.Errorf("%q: %+v %v, want %q %q", tt.text, e, ok, tt.name, tt.reason)
		}
	}
}
