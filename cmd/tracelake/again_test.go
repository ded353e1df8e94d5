package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/bench/repeat"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Of a capture with more calls than there are rows by default, the longest are rows; answers that need all of them are
// those of a dataset that has all, as the part that they need is decoded again.
func TestShortCalls(t *testing.T) {
	once, input := filepath.Join(t.TempDir(), "once"), filepath.Join(t.TempDir(), "capture")
	if err := sample.Extract(once); err != nil {
		t.Fatal(err)
	}
	if err := repeat.Snapshot(once, input, 600_000); err != nil {
		t.Fatal(err)
	}
	short, whole := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	elf := filepath.Join(once, sample.ELF)
	said(t, "export", input, "-e", elf, "--level", "none", "-o", short)
	said(t, "export", input, "-e", elf, "--level", "blocks", "--tables", "+calls", "-o", whole)

	all, least := callsOf(t, whole, 0)
	if least != 0 || len(all) <= pipeline.DefaultMostCalls {
		t.Fatalf("%d calls in all, of at least %d instructions", len(all), least)
	}
	some, least := callsOf(t, short, 0)
	long, _ := callsOf(t, whole, least)
	if least != 256 || len(some) == 0 || len(some) > pipeline.DefaultMostCalls || cmp.Diff(long, some) != "" {
		t.Errorf("%d calls of at least %d instructions, want %d", len(some), least, len(long))
	}

	const instructions = 2_000_000 // and some
	known := 0
	for seq := int64(7); seq < instructions; seq += instructions / 9 {
		args := []string{"--before", fmt.Sprintf("seq=%d", seq), "-n", "5", "--json"}
		_, got, _ := strings.Cut(said(t, append([]string{"report", "last", short}, args...)...), `"instructions": [`)
		_, want, _ := strings.Cut(said(t, append([]string{"report", "last", whole}, args...)...), `"instructions": [`)
		if got != want {
			t.Errorf("before seq %d:\n%s\nwant\n%s", seq, got, want)
		}
		known += strings.Count(got, `"stack": [`)
		if d := cmp.Diff(eventsBetween(t, whole, seq, seq+40_000), eventsBetween(t, short, seq, seq+40_000)); d != "" {
			t.Errorf("around seq %d: speedscope differs:\n%.1000s", seq, d)
		}
	}
	if known < 5 {
		t.Errorf("%d stacks are known", known)
	}

	archive := filepath.Join(t.TempDir(), "run.tla")
	said(t, "archive", input, "-e", elf, "-o", archive, "--quiet")
	if d := cmp.Diff(eventsBetween(t, short, 700_000, 740_000), eventsBetween(t, archive, 700_000, 740_000)); d != "" {
		t.Errorf("an archive differs:\n%.1000s", d)
	}
	page := filepath.Join(t.TempDir(), "page.html")
	said(t, "report", "html", short, "-o", page)
	if text, err := os.ReadFile(page); err != nil || !bytes.Contains(text, []byte("In time order, calls of fewer than 256 instructions are not drawn")) {
		t.Errorf("the page does not say which calls it draws: %v", err)
	}
	if err := os.Rename(input, input+".moved"); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"report", "last", short},
		{"convert", "--to", "perfetto", short, "--around", "seq=5000±200", "-o", filepath.Join(t.TempDir(), "x")},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(append([]string{"tracelake"}, args...), &stdout, &stderr); code != 1 || !strings.Contains(stderr.String(), "--tables +calls") {
			t.Errorf("%s: status %d, %s", strings.Join(args, " "), code, &stderr)
		}
	}
}

// A timed is what happens at a time, as speedscope shows it.
type timed struct {
	Type, Name string
	At         int64
}

// eventsBetween returns what happened from an instruction to before another. The first and the last of it are where they
// are.
func eventsBetween(t *testing.T, dir string, from, until int64) (events []timed) {
	t.Helper()
	var file struct {
		Shared   struct{ Frames []struct{ Name string } }
		Profiles []struct {
			StartValue, EndValue int64
			Events               []struct {
				Type  string
				Frame int
				At    int64
			}
		}
	}
	text := said(t, "convert", "--to", "speedscope", dir, "--from", fmt.Sprintf("seq=%d", from), "--until", fmt.Sprintf("seq=%d", until))
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	for _, p := range file.Profiles {
		events = append(events, timed{"begin", "", p.StartValue})
		for _, e := range p.Events {
			events = append(events, timed{e.Type, file.Shared.Frames[e.Frame].Name, e.At})
		}
		events = append(events, timed{"end", "", p.EndValue})
	}
	return events
}

// callsOf returns the rows of `calls` of at least so many instructions, without their number, and the least that the
// manifest has.
func callsOf(t *testing.T, dir string, instructions int64) (rows []string, least int64) {
	t.Helper()
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for b, err := range d.Batches(&schema.Calls) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Rows() {
			if int64(schema.CallsInstructions.At(b, i)) >= instructions {
				rows = append(rows, fmt.Sprint(schema.CallsSeq.At(b, i), schema.CallsEndSeq.At(b, i), schema.CallsStack.At(b, i),
					schema.CallsInstructions.At(b, i), schema.CallsOwnInstructions.At(b, i), schema.CallsCycles.At(b, i)))
			}
		}
	}
	return rows, d.Manifest.Sources[0].CallsAtLeast
}

// The time of a window begins with it, and goes on as in the whole.
func TestTimeOfWindow(t *testing.T) {
	input, whole, window := filepath.Join(t.TempDir(), "capture"), filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	if err := sample.Extract(input); err != nil {
		t.Fatal(err)
	}
	said(t, "export", input, "-e", filepath.Join(input, sample.ELF), "-o", whole)
	said(t, "export", whole, "--from", "seq=100000", "--to", "seq=110000", "-o", window)
	d, err := dataset.Open(window)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	from, end := d.Manifest.Seqs(&d.Manifest.Sources[0])
	got, want := eventsBetween(t, window, from, end), eventsBetween(t, whole, from, end)
	begin, last, cycles := got[0].At, got[len(got)-1].At, int64(0)
	entries := func(events []timed) []timed { // a window does not know the stacks that waited when it began
		events = slices.DeleteFunc(events, func(e timed) bool { return e.Type != "O" || e.Name != "[svc 10]" && e.Name != "[irq 14]" })
		for i := range slices.Backward(events) {
			events[i].At -= events[0].At
		}
		return events
	}
	if d := cmp.Diff(entries(want), entries(got)); d != "" || len(got) < 10 {
		t.Errorf("the window differs:\n%.2000s", d)
	}
	for b, err := range d.Batches(&schema.Epochs) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Rows() {
			cycles += int64(schema.EpochsCycles.At(b, i))
		}
	}
	if begin != 0 || last != cycles {
		t.Errorf("the window is from cycle %d to %d, want 0 to %d", begin, last, cycles)
	}
}
