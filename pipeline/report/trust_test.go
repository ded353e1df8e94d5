package report_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// What is lost before the first synchronisation, and where the last packet is cut
// off, is normal; any other loss or gap makes figures incomplete.
func TestVerdict(t *testing.T) {
	const program = `
file fw.elf 0x1000 0x100 match=1
function 0x1000 8 main
code 0x1000 a32 other executed=1
`
	for _, tt := range []struct {
		text string
		want report.Verdict
	}{
		{"source 0x10 lost=403 ends=400 cut=3" + program, report.Sound},
		{"source 0x10 lost=401 ends=400" + program, report.Incomplete},
		{"source 0x10 gaps=1" + program, report.Incomplete},
		{"source 0x10 unplaced=1" + program, report.Incomplete},
		{"source 0x10" + program + "run 0x2000 a32 executed=1", report.Incomplete},
		{"source 0x10\nfile fw.elf 0x1000 0x100", report.Nothing},
		{"source 0x10 checks=20 agrees=18" + program, report.Sound},
		{"source 0x10 checks=20 agrees=17" + program, report.WrongProgram},
		{"source 0x10 checks=19 agrees=0" + program, report.Sound}, // too few to say anything
	} {
		if got := merged(t, report.Options{}, tt.text).Trust().Verdict; got != tt.want {
			t.Errorf("%s: %s, want %s", tt.text, got, tt.want)
		}
	}
}

// A source of which nothing can be decoded has no part in the share that was.
func TestOtherSources(t *testing.T) {
	trust := merged(t, report.Options{}, `
source 0x10 bytes=1000 lost=10
source 0x6f bytes=256 lost=256 status=unconfigured
file fw.elf 0x1000 0x100 match=1
function 0x1000 8 main
code 0x1000 a32 other executed=1
`).Trust()
	equal(t, [3]int64{1000, 990, 256}, [3]int64{trust.Bytes, trust.Decoded, trust.Undecoded})
}

// The share that matches is of all sections of a program file: one word that was
// overwritten at run time in a short section is no other program.
func TestMatch(t *testing.T) {
	add := func(n int) string {
		var text strings.Builder
		text.WriteString("source 0x10\nfile fw.elf 0 8 match=0.5\nfile fw.elf 0x1000 0x1000 match=1\nfile idle.elf 0x9000 16 code=1d1e\n" +
			"function 0 8 vectors\nfunction 0x1000 0x1000 main\ncode 0 a32 other executed=1\ncode 4 a32 other executed=1\n")
		for i := range n {
			fmt.Fprintf(&text, "code %#x a32 other executed=1\n", 0x1000+4*i)
		}
		return text.String()
	}
	trust := merged(t, report.Options{}, add(98)).Trust() // 99 of 100
	equal(t, [2]int64{100, 99}, [2]int64{trust.Distinct, trust.Matching})
	equal(t, []report.ProgramFile{
		{File: "fw.elf", SHA256: "c0de", CodeSHA256: "c0de", Executed: 100, Matching: 99},
		{File: "idle.elf", SHA256: "1d1e", CodeSHA256: "1d1e"}, // nothing of it ran
	}, trust.Datasets[0].Files)
	equal(t, []report.Doubt(nil), trust.Doubts)
	trust = merged(t, report.Options{}, add(97)).Trust() // 98 of 99
	equal(t, []report.Doubt{{What: "fw.elf", Agrees: 98, Of: 99, Least: 0.99, OfProgramFile: true}}, trust.Doubts,
		cmpopts.IgnoreFields(report.Doubt{}, "Dir"))
}

// Reports read only tables whose size depends on the program: all others may be
// anything.
func TestReadsSmallTables(t *testing.T) {
	dir := write(t, "run", small)
	read := []string{"counts", "code", "functions", "lines", "losses"}
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	destroyed := 0
	for name, files := range d.Manifest.Tables {
		for _, p := range files.Parts {
			if !slices.Contains(read, name) {
				destroyed++
				if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(p.Path)), make([]byte, p.Bytes), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if !d.Has(&schema.Instructions) || destroyed < 5 {
		t.Fatalf("%d files destroyed", destroyed)
	}
	m, err := report.Read([]string{dir}, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m.Coverage(report.ByLine)
	m.Hotspots(report.ByFunction)
	m.Branches()
	m.Sources()
	m.Modules()
}

// A dataset that is damaged, or not of a form that answers can be made of, is refused
// with what to do.
func TestReadRefuses(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"function of code", "source 0x10\nfile fw.elf 0 8\ncode 0 a32 other in=3",
			"table code: 0x00000000 is in function 3 of 0; export again"},
		{"negative count", "source 0x10\nmemory m.bin 0 8\ncode 0 a32 other executed=5 failed=-1",
			"table counts: 0x00000000 has a count that no trace can have; export again"},
		{"great count", "source 0x10\nmemory m.bin 0 8\ncode 0 a32 other executed=0x7fffffffffffffff",
			"table counts: 0x00000000 has a count that no trace can have; export again"},
		{"great sum", "source 0x10\nmemory m.bin 0 8\n" + strings.Repeat("run 4 a32 executed=0x3fffffffffffff0\n", 5),
			"table counts: 0x00000004 has a count that no trace can have; export again"},
		{"negative cycles", "source 0x10\nmemory m.bin 0 8\ncode 0 a32 other executed=1 cycles=-1",
			"table counts: 0x00000000 has a count that no trace can have; export again"},
		{"order of functions", "source 0x10\nfile fw.elf 0 8\nfunction 0 8 a as=1",
			"table functions: function 1 comes where 0 is expected; export again"},
	} {
		_, err := report.Read([]string{write(t, "run", tt.text)}, report.Options{})
		wrong, ok := errors.AsType[*dataset.Error](err)
		if !ok || !strings.HasSuffix(err.Error(), tt.want) || !wrong.Damaged {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	if _, err := report.Read([]string{t.TempDir()}, report.Options{}); err == nil ||
		!strings.Contains(err.Error(), "is no dataset") {
		t.Errorf("%v", err)
	}
}
