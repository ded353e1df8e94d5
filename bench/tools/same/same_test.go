package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
)

// The rows and answers of a tenth of the captures, in a long run of all, are those whose sums are
// in testdata/sums.txt. A change that is meant to change them writes the sums again:
//
//	go run ./bench/tools/same > bench/tools/same/testdata/sums.txt
//
// and says in CHANGELOG.md what is other than before, as -against shows.
func TestSums(t *testing.T) {
	need.FullRun(t, "exports 22 captures in twelve ways")
	dir := t.TempDir()
	s := settings{
		program: filepath.Join(dir, "tracelake"), shared: filepath.Join(need.Module(t), "..", "shared", "captures"),
		only: regexp.MustCompile(""), tenth: !need.Long(), jobs: runtime.GOMAXPROCS(0),
	}
	if err := build(t.Context(), s.program); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	text, err := os.ReadFile("testdata/sums.txt")
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(text)) {
		sum, capture, _ := strings.Cut(strings.TrimSpace(l), "  ")
		want[capture] = sum
	}
	lists, err := s.makeAll(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range lists {
		if l := &lists[i]; l.sum() != want[l.capture] {
			t.Errorf("%s: sum %s, want %s: see -against", l.capture, l.sum(), want[l.capture])
		}
	}
}

// What is other, new or missing is a difference, also where two lists share most lines.
func TestCompare(t *testing.T) {
	now := func(lines ...line) []list { return []list{{"a", lines}} }
	for _, c := range []struct {
		name    string
		before  map[string]string
		now     []list
		columns bool
		want    string // "": they are the same
	}{
		{"same", map[string]string{"a/x": "1"}, now(line{"1", "x"}), false, ""},
		{"other capture", map[string]string{"a/x": "1", "b/x": "2"}, now(line{"1", "x"}), false, ""},
		{"differs", map[string]string{"a/x": "1", "a/y": "1"}, now(line{"1", "x"}, line{"2", "y"}), false, "differs  a/y"},
		{"new", map[string]string{"a/x": "1"}, now(line{"1", "x"}, line{"2", "y"}), false, "new      a/y"},
		{"missing", map[string]string{"a/x": "1", "a/y": "1"}, now(line{"1", "x"}), false, "missing  a/y"},
		{"nothing", nil, nil, false, "0 captures"},
		{"new column", map[string]string{"a/t:x": "1"}, now(line{"1", "t:x"}, line{"1", "t:y"}, line{"2", "t"}), true, ""},
		{"column differs", map[string]string{"a/t:x": "1"}, now(line{"2", "t:x"}), true, "differs  a/t:x"},
	} {
		var out bytes.Buffer
		err := compare(&out, c.before, c.now, c.columns)
		if (err != nil) != (c.want != "") || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: %v, want %q in %q", c.name, err, c.want, out.String())
		}
	}
}

// Damage depends on the seed alone, and changes files of trace alone.
func TestSpoil(t *testing.T) {
	before := bytes.Repeat([]byte("trace"), 100)
	spoiled := func(seed uint64) string {
		dir := t.TempDir()
		for _, name := range []string{"trace.bin", "mem.bin"} {
			if err := os.WriteFile(filepath.Join(dir, name), before, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := spoil(dir, seed); err != nil {
			t.Fatal(err)
		}
		if p, err := os.ReadFile(filepath.Join(dir, "mem.bin")); err != nil || !bytes.Equal(p, before) {
			t.Errorf("damage of memory, or %v", err)
		}
		p, err := os.ReadFile(filepath.Join(dir, "trace.bin"))
		if err != nil || bytes.Equal(p, before) {
			t.Errorf("no damage of trace, or %v", err)
		}
		return string(p)
	}
	if first, again := spoiled(1), spoiled(1); first != again || first == spoiled(2) {
		t.Error("the seed does not decide the damage")
	}
}
