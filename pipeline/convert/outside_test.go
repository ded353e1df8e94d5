package convert_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/convert"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/reporttest"
	"github.com/tracelake/tracelake/schema"
)

// genhtml finds in the tracefiles of real captures what was counted by another
// program.
func TestGenhtml(t *testing.T) {
	for _, tt := range []struct {
		capture, elf string
		want         totals
	}{
		{"sample", sample.ELF, totals{"LF": 245, "LH": 236, "FNF": 41, "FNH": 39, "BRF": 106, "BRH": 102}},
		{"am243x-r5f-etmv3-freertos-002b37c", "freertos.elf", totals{"LF": 10123, "LH": 204, "FNF": 616, "FNH": 26, "BRF": 4096, "BRH": 42}},
		{"am243x-r5f-etmv3-zephyr-e9185a9", "zephyr.elf", totals{"LF": 1694, "LH": 298, "FNF": 187, "FNH": 37, "BRF": 968, "BRH": 93}},
		{"am243x-r5f-etmv3-threadx-ce42d22", "threadx.elf", totals{"LF": 11188, "LH": 1156, "FNF": 618, "FNH": 118, "BRF": 4586, "BRH": 267}},
	} {
		t.Run(tt.capture, func(t *testing.T) {
			m := exported(t, tt.capture, tt.elf)
			paths := &convert.Paths{}
			if tt.capture == "sample" {
				paths.Root = sampleSources(t)
			}
			files := paths.Apply(m.Sources().Files)
			if missing := paths.Missing(files); tt.capture == "sample" && len(missing) > 0 {
				t.Errorf("missing: %v", missing)
			}
			var out bytes.Buffer
			check(t, convert.LCOV(&out, "silicon", files, paths))
			equal(t, tt.want.String(), sums(out.String()).String())
			equal(t, tt.want.String(), genhtml(t, out.Bytes()).String())
		})
	}
}

// totals are the sums of the records of a tracefile that count.
type totals map[string]int

func (s totals) String() string {
	return fmt.Sprintf("LF %d LH %d FNF %d FNH %d BRF %d BRH %d", s["LF"], s["LH"], s["FNF"], s["FNH"], s["BRF"], s["BRH"])
}

func sums(tracefile string) totals {
	s := totals{}
	for line := range strings.Lines(tracefile) {
		if name, number, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			n, _ := strconv.Atoi(number) // else no such record
			s[name] += n
		}
	}
	return s
}

// overall are the lines in which genhtml sums up.
var overall = regexp.MustCompile(`(lines|functions|branches)\.*: [0-9.]+% \((\d+) of (\d+) `)

// genhtml returns what genhtml finds in a tracefile.
func genhtml(t *testing.T, tracefile []byte) totals {
	t.Helper()
	program := need.Tool(t, need.Genhtml, "genhtml")
	dir := t.TempDir()
	name := filepath.Join(dir, "coverage.info")
	check(t, os.WriteFile(name, tracefile, 0o666))
	out, err := exec.Command(program, "--branch-coverage", "--ignore-errors", "source", "-o", filepath.Join(dir, "html"), name).CombinedOutput()
	if err != nil {
		t.Fatalf("genhtml: %v\n%s", err, out)
	}
	s := totals{}
	for _, m := range overall.FindAllStringSubmatch(string(out), -1) {
		key := map[string]string{"lines": "L", "functions": "FN", "branches": "BR"}[m[1]]
		s[key+"H"], _ = strconv.Atoi(m[2])
		s[key+"F"], _ = strconv.Atoi(m[3])
	}
	return s
}

// pycobertura reads the report of the sample, and finds its lines. It counts a line
// with a branch that went only one way as missed, so that it finds fewer covered.
func TestPycobertura(t *testing.T) {
	python := need.Interpreter(t)
	m := exported(t, "sample", sample.ELF)
	paths := &convert.Paths{Root: sampleSources(t)}
	var out bytes.Buffer
	check(t, convert.Cobertura(&out, paths.Apply(m.Sources().Files), paths, convert.Made{By: "tracelake"}))
	name := filepath.Join(t.TempDir(), "coverage.xml")
	check(t, os.WriteFile(name, out.Bytes(), 0o666))
	program := "from pycobertura.cli import pycobertura; pycobertura()"
	text, err := exec.Command(python, "-c", program, "show", "--format", "csv", "--delimiter", ";", name).CombinedOutput()
	if err != nil {
		t.Fatalf("pycobertura: %v\n%s", err, text)
	}
	if !regexp.MustCompile(`(?m)^TOTAL;245;\d+;`).Match(text) {
		t.Errorf("not 245 lines:\n%s", text)
	}
}

// sampleSources returns the folder of the sources of the sample.
func sampleSources(t *testing.T) string {
	t.Helper()
	return filepath.ToSlash(filepath.Join(need.Module(t), "bench", "sample", "program"))
}

// exported returns what the export of a capture with a program file holds.
func exported(t *testing.T, name, elf string) *report.Merged {
	t.Helper()
	dir := reporttest.Export(t, name, elf, pipeline.Options{Level: schema.LevelBlocks, Tables: []*schema.Table{}})
	m, err := report.Read([]string{dir}, report.Options{})
	check(t, err)
	return m
}
