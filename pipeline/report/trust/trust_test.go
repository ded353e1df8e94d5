package trust_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/trust"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// read reads the datasets that texts describe.
func read(t *testing.T, texts ...string) *trust.Summary {
	t.Helper()
	m, err := report.Read(datasettest.Datasets(t, texts...), report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m.Trust()
}

func equal(t *testing.T, want, got any, options ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, options...); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

// What was executed is apart from gaps, and from what no address is known of. Without stacks it is not
// known what entries of exceptions took.
func TestCycles(t *testing.T) {
	const program = "source 0x10\nfunction 0x1000 8 main\ncode 0x1000 a32 other executed=1 cycles=70\n"
	const counted = "count 0 100\ncount 1 50 gap_cycles=20\ncount 1 7 kind=gap gap_cycles=7\n"
	for _, tt := range []struct {
		text string
		want trust.Cycles
	}{
		{program, trust.Cycles{}},
		{program + counted, trust.Cycles{Traced: true, Executed: 130, Gaps: 27}},
		{program + counted + "stack function=0 cycles=70\nstack parent=0 entry=exception exception=irq cycles=4", trust.Cycles{Traced: true, Executed: 74, Unplaced: 56, Gaps: 27}},
	} {
		if got := read(t, tt.text).Cycles; got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.text, got, tt.want)
		}
	}
}

// A source of which nothing can be decoded has no part in the share that was.
func TestOtherSources(t *testing.T) {
	got := read(t, `
source 0x10 bytes=1000 lost=10
source 0x6f bytes=256 lost=256 status=unconfigured
file fw.elf 0x1000 0x100 match=1
function 0x1000 8 main
code 0x1000 a32 other executed=1
`)
	equal(t, [3]int64{1000, 990, 256}, [3]int64{got.Bytes, got.Decoded, got.Undecoded})
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
	got := read(t, add(98)) // 99 of 100
	equal(t, [2]int64{100, 99}, [2]int64{got.Distinct, got.Matching})
	equal(t, []trust.ProgramFile{
		{File: "fw.elf", SHA256: "c0de", CodeSHA256: "c0de", Executed: 100, Matching: 99},
		{File: "idle.elf", SHA256: "1d1e", CodeSHA256: "1d1e"}, // nothing of it ran
	}, got.Datasets[0].Files)
	equal(t, []trust.Doubt(nil), got.Doubts)
	got = read(t, add(97)) // 98 of 99
	equal(t, []trust.Doubt{{What: "fw.elf", Agrees: 98, Of: 99, Least: 0.99, OfProgramFile: true}}, got.Doubts, cmpopts.IgnoreFields(trust.Doubt{}, "Dir"))
}
