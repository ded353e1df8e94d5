package profile_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/profile"
	"github.com/tracelake/tracelake/pipeline/report/reporttest"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// profiled returns the profile of the datasets that texts describe.
func profiled(t *testing.T, texts ...string) *profile.Profile {
	t.Helper()
	p, err := profileOf(datasettest.Datasets(t, texts...))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func profileOf(dirs []string) (*profile.Profile, error) {
	m, err := report.Read(dirs, report.Options{})
	if err != nil {
		return nil, err
	}
	return profile.Read(m, dirs, "")
}

// nodes has a line for each node: its path, how often it was entered, what it took by itself
// and with all that it called.
func nodes(p *profile.Profile) []string {
	var paths, lines []string
	for i := range p.Nodes {
		n := &p.Nodes[i]
		path := p.Tasks[n.Task].Name
		if n.Parent >= 0 {
			path = paths[n.Parent]
		}
		paths = append(paths, path+" "+p.Frames[n.Frame].Text())
		lines = append(lines, fmt.Sprintf("%s: %d, %s of %s", paths[i], n.Calls, work(n.Own), work(n.All)))
	}
	slices.Sort(lines)
	return lines
}

func work(w stacks.Work) string {
	if !w.Cycles.OK {
		return fmt.Sprint(w.Instructions)
	}
	return fmt.Sprintf("%d/%d", w.Instructions, w.Cycles.V)
}

// Equal paths of one task are one, over datasets and however a function was entered. Tasks of
// one name are one, unless another Context ID or core says otherwise.
func TestProfile(t *testing.T) {
	p := profiled(t, datasettest.Stacked+`
task main
task main context=0x20
task main
stack function=0 instructions=8 total=15
stack parent=0 function=1 entry=call calls=3 instructions=4 total=7
stack parent=0 function=1 entry=tail calls=2 instructions=1
stack parent=1 entry=exception type=irq number=53 calls=0 total=3
stack parent=3 function=2 instructions=3
stack task=1 function=0 instructions=1
stack task=2 function=0 instructions=5 total=6
stack task=2 parent=6 address=0x4000 entry=call instructions=1
`, datasettest.Stacked+`
task main
stack function=0 instructions=100 total=200
stack parent=0 function=1 entry=call calls=10 instructions=100
`)
	equal(t, []string{
		"main main 0x00004000: 1, 1 of 1",
		"main main work [irq 53] handler: 1, 3 of 3",
		"main main work [irq 53]: 0, 0 of 3",
		"main main work: 15, 105 of 108",
		"main main: 1, 1 of 1",
		"main main: 3, 113 of 222",
	}, nodes(p))
	equal(t, stacks.Work{Instructions: 223}, p.Executed)
	equal(t, []profile.Task{{Source: 0x10, Name: "main"}, {Source: 0x10, Name: "main", ContextID: schema.Of[uint32](0x20)}}, p.Tasks)
	if p.ByCycles {
		t.Error("by cycles, without any")
	}
}

// Cycles are what matters only if all that ran has some.
func TestProfileByCycles(t *testing.T) {
	for _, tt := range []struct {
		text string
		want bool
	}{
		{"task a\nstack function=0 instructions=1 cycles=3", true},
		{"task a\nstack function=0 instructions=1 cycles=0", true},
		{"task a\nstack function=0 instructions=1 cycles=3\nstack parent=0 function=1 instructions=2", false},
		{"task a\nstack function=0 instructions=1 cycles=3\nstack parent=0 entry=exception", true},
		{"task a\nstack function=0", false},
	} {
		if p := profiled(t, datasettest.Stacked+tt.text); p.ByCycles != tt.want {
			t.Errorf("%q: by cycles %v", tt.text, p.ByCycles)
		}
	}
}

// The sample: what nodes took by themselves is what ran, and what the outermost quicksort took
// with its callees was counted by another program.
func TestSampleProfile(t *testing.T) {
	p, err := profileOf([]string{reporttest.Sample(t, schema.LevelNone)})
	if err != nil {
		t.Fatal(err)
	}
	var own stacks.Work
	var quicksort int64
	inside := make([]bool, len(p.Nodes))
	for i := range p.Nodes {
		n := &p.Nodes[i]
		own = stacks.Work{Instructions: own.Instructions + n.Own.Instructions, Cycles: schema.Of(own.Cycles.V + n.Own.Cycles.V)}
		outer := n.Parent >= 0 && inside[n.Parent]
		inside[i] = outer || p.Frames[n.Frame].Function == "quicksort"
		if inside[i] && !outer {
			quicksort += n.All.Instructions
		}
	}
	equal(t, stacks.Work{Instructions: 218349, Cycles: schema.Of[int64](440811)}, own)
	equal(t, own, p.Executed)
	equal(t, int64(77544), quicksort)
	equal(t, 7, len(p.Tasks))
	if !p.ByCycles {
		t.Error("not by cycles")
	}
}

// Paths are cut where all together have more frames than allowed; nothing is lost.
func TestShorten(t *testing.T) {
	text := datasettest.Stacked + `
task a
stack function=0 instructions=1
stack parent=0 function=1 instructions=2
stack parent=1 function=1 instructions=4
stack parent=2 function=1 instructions=8
stack parent=1 function=2 instructions=16
stack parent=4 function=2 instructions=32
stack function=2 instructions=64
`
	for _, tt := range []struct {
		frames int64
		depth  int
		cut    int64
		want   string
	}{
		{18, 0, 0, "a handler: 1, 64 of 64|a main work handler handler: 1, 32 of 32|a main work handler: 1, 16 of 48|a main work work work: 1, 8 of 8|a main work work: 1, 4 of 12|a main work: 1, 2 of 62|a main: 1, 1 of 63"},
		{17, 3, 40, "a handler: 1, 64 of 64|a main work handler: 1, 48 of 48|a main work work: 1, 12 of 12|a main work: 1, 2 of 62|a main: 1, 1 of 63"},
		{9, 2, 60, "a handler: 1, 64 of 64|a main work: 1, 62 of 62|a main: 1, 1 of 63"},
		{0, 1, 62, "a handler: 1, 64 of 64|a main: 1, 63 of 63"},
	} {
		p := profiled(t, text)
		depth, cut := p.Shorten(tt.frames)
		if depth != tt.depth || cut != tt.cut {
			t.Errorf("%d frames: depth %d, %d instructions cut", tt.frames, depth, cut)
		}
		equal(t, strings.Split(tt.want, "|"), nodes(p))
	}
}

// Tables that no export writes are an error.
func TestHostileProfile(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"stack", "has no table tasks"},
		{"task a", "has no table stacks"},
		{"task a\nstack task=1", "stack 0 is of task 1, which there is not"},
		{"task a\nstack task=-1", "stack 0 is of task -1, which there is not"},
		{"task a\nstack calls=-1", "stack 0 has counts that no trace can have"},
		{"task a\n" + strings.Repeat("stack instructions=0x400000000000000\n", 5), "stack 4 has counts that no trace can have"},
		{"task a\n" + strings.Repeat("stack calls=0x400000000000000\n", 5), "stack 4 has counts that no trace can have"},
		{"task a\n" + strings.Repeat("stack instructions=1 cycles=0x400000000000000\n", 5), "stack 4 has counts that no trace can have"},
	} {
		_, err := profileOf(datasettest.Datasets(t, datasettest.Stacked+tt.text))
		if _, ok := errors.AsType[*dataset.Error](err); !ok || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
}

func equal(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}
