package report_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Reports read only tables whose size depends on the program: all others may be
// anything.
func TestReadsSmallTables(t *testing.T) {
	dir := write(t, "run", small)
	read := []string{"counts", "code", "functions", "lines", "losses", "epochs"}
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
		{"function of code", "source 0x10\nfile fw.elf 0 8\ncode 0 a32 other in=3", "table code: 0x00000000 is in function 3 of 0; export again"},
		{"negative count", "source 0x10\nmemory m.bin 0 8\ncode 0 a32 other executed=5 failed=-1", "table counts: 0x00000000 has a count that no trace can have; export again"},
		{"great count", "source 0x10\nmemory m.bin 0 8\ncode 0 a32 other executed=0x7fffffffffffffff", "table counts: 0x00000000 has a count that no trace can have; export again"},
		{"great sum", "source 0x10\nmemory m.bin 0 8\n" + strings.Repeat("run 4 a32 executed=0x3fffffffffffff0\n", 5), "table counts: 0x00000004 has a count that no trace can have; export again"},
		{"more cycles in gaps than all", "source 0x10\ncount 0 5 gap_cycles=6", "table epochs: epoch 0 has counts that no trace can have; export again"},
		{"great cycles", "source 0x10\ncount 0 0x7fffffffffffffff", "table epochs: epoch 0 has counts that no trace can have; export again"},
		{"negative cycles", "source 0x10\nmemory m.bin 0 8\ncode 0 a32 other executed=1 cycles=-1", "table counts: 0x00000000 has a count that no trace can have; export again"},
		{"order of functions", "source 0x10\nfile fw.elf 0 8\nfunction 0 8 a as=1", "table functions: function 1 comes where 0 is expected; export again"},
	} {
		_, err := report.Read([]string{write(t, "run", tt.text)}, report.Options{})
		wrong, ok := errors.AsType[*dataset.Error](err)
		if !ok || !strings.HasSuffix(err.Error(), tt.want) || !wrong.Damaged {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	if _, err := report.Read([]string{t.TempDir()}, report.Options{}); err == nil || !strings.Contains(err.Error(), "not a dataset") {
		t.Errorf("%v", err)
	}
}
