package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/pipeline/plan"
	"github.com/tracelake/tracelake/pipeline/probe"

	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/probe/reading"
	"github.com/tracelake/tracelake/schema"
)

func summaryText(dir string, x *pipeline.Summary) string {
	s := &screen{}
	s.summary(dir, x)
	return s.text.String()
}

func TestSummaryText(t *testing.T) {
	decoded := schema.Totals{Counters: schema.Counters{Bytes: 1000, BytesDecoded: 994, BytesLost: 6, BytesUnplaced: 10, Instructions: 12345, Exceptions: 1}, Segments: 2, Gaps: 3}
	s := &pipeline.Summary{
		Totals: decoded,
		Sources: []pipeline.SourceSummary{
			{
				SourceTotals: schema.SourceTotals{Source: 0x13, Name: "PTM_0", Protocol: "pft", Version: "1.1", Core: "cpu_0", Status: "decoded", Unit: "bytes", Totals: decoded},
				Missing: plan.Missing{Wanted: []plan.MissingMemory{
					{First: "0x00001000", Last: "0x00001ffc", Stops: 5}, {First: "0x00008000", Last: "0x00008000", Stops: 1},
				}, OtherStops: 1200},
			},
			{
				SourceTotals: schema.SourceTotals{Source: 0x14, Protocol: "itm", Status: "unsupported", Problem: "no decoder", Unit: "bytes", Totals: schema.Totals{Counters: schema.Counters{Bytes: 7, BytesLost: 7}}},
				Missing:      plan.Missing{Wanted: []plan.MissingMemory{{First: "0xffff0000", Last: "0xffff0000", Stops: 3}}, OtherStops: 34},
			},
			{SourceTotals: schema.SourceTotals{Source: 0x15, Status: "empty", Unit: "bytes"}},
		},
		Tables: map[string]schema.Files{"losses": {Rows: 1, Bytes: 2048}, "instructions": {Rows: 12345, Bytes: 67890}},
		Notes:  []string{"a note"},
	}
	s.Sources[0].Agreements = probe.Agreements{
		Branches: probe.BranchAgreement{Agreement: probe.Agreement{Compared: 2630, Agree: 238}},
		ISyncs:   probe.Agreement{Compared: 19, Agree: 6},
	}
	s.Sources[0].Reading = &reading.Reading{Problem: reading.Contradicted, Share: reading.Share{N: 2405, Total: 2649}, Start: 6, Normal: true}
	const want = `out: 12,345 instructions, 1 exception, 3 gaps
  source 0x13: 90.79 % contradicted: 2,392 of 2,630 branch addresses (90.95 %) follow an instruction that cannot branch there, and 13 of 19 periodic synchronisations (68.42 %) say another place than the program had got to: is this the program that ran? (tracelake report quality shows where)

source 0x13 PTM_0 (pft 1.1, core cpu_0)
  1,000 bytes: 994 decoded (99.40 %), 6 bytes before the first synchronisation (normal), 10 not matched to code (1.00 %)
  12,345 instructions, 1 exception, 3 gaps, 2 segments

source 0x14 (itm)
  7 bytes, not decoded: no decoder

source 0x15
  no bytes

program memory missing, most wanted first (give it with -e FILE or --image FILE@ADDR)
  0x00001000-0x00001ffc  5 stops of source 0x13
  0xffff0000-0xffff0000  3 stops of source 0x14
  0x00008000-0x00008000  1 stop of source 0x13
  and 1,234 stops in more pages of 4 KiB than are ranked (65,536)

notes
  a note

TABLE           ROWS   BYTES
instructions  12,345  67,890
losses             1   2,048
`
	if got := summaryText("out", s); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// What is lost before the first synchronisation is called normal if it is.
func TestLostWords(t *testing.T) {
	for _, tt := range []struct {
		lost, bytes int64
		v           reading.Reading
		want        string
	}{
		{0, 100, reading.Reading{Normal: true}, "0 lost (0 %)"},
		{6, 100, reading.Reading{Start: 6, Normal: true}, "6 bytes before the first synchronisation (normal)"},
		{1, 100, reading.Reading{Start: 1, Normal: true}, "1 byte before the first synchronisation (normal)"},
		{6000, 10000, reading.Reading{Start: 5000, Normal: true}, "6,000 lost (60.00 %), 5,000 of them before the first synchronisation (normal)"},
		{9000, 10000, reading.Reading{Start: 9000}, "9,000 lost (90.00 %), all before the first synchronisation"},
		{10000, 10000, reading.Reading{Start: 10000}, "10,000 lost (100 %)"},
	} {
		if got := lostWords(tt.lost, tt.bytes, "byte", &tt.v); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

// A summary names a few of many missing ranges, and says that there are more.
func TestSummaryShowsTheMostWanted(t *testing.T) {
	var missing plan.Missing
	for i := range int64(12) {
		at := fmt.Sprintf("0x%08x", i<<16)
		missing.Wanted = append(missing.Wanted, plan.MissingMemory{First: at, Last: at, Stops: i + 1})
	}
	text := summaryText("out", &pipeline.Summary{Sources: []pipeline.SourceSummary{{Missing: missing}}})
	for _, want := range []string{"  0x000b0000-0x000b0000  12 stops ", "  0x00020000-0x00020000  3 stops ", "\n  and 2 more ranges\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if strings.Contains(text, "0x00010000") {
		t.Errorf("more than %d ranges in:\n%s", missingShown, text)
	}
}

// A few misses of many are named. More of them, in number or share, and the
// summary asks whether the program is the right one.
func TestDoubt(t *testing.T) {
	misses := func(compared int64, addresses ...string) probe.Agreement {
		a := probe.Agreement{Compared: compared, Agree: compared - int64(len(addresses))}
		for _, address := range addresses {
			a.Misses = append(a.Misses, probe.Miss{After: address, Expected: "0x00000168"})
		}
		return a
	}
	many := strings.Fields(strings.Repeat("0x00000008 ", 10))
	const (
		asks = " follow an instruction that cannot branch there: is this the program that ran?"
		lost = "1 of 58 periodic synchronisations (1.72 %) say another place than the program had got to: is this the program that ran?"
	)
	for _, tt := range []struct {
		branches, isyncs probe.Agreement
		want             string
	}{
		{misses(0), misses(0), ""},
		{misses(29_331), misses(58), ""},
		{misses(29_331, "0x0000001c", "0x00000008"), misses(58), "trace and program agree but for 2 exceptions, at 0x00000008, 0x0000001c"},
		{misses(29_331, "0x00000008", "0x00000008"), misses(0), "trace and program agree but for 2 exceptions, at 0x00000008"},
		{misses(1_000, "0x00000008"), misses(58), "trace and program agree but for 1 exception, at 0x00000008"},
		{misses(999, "0x00000008"), misses(58), "1 of 999 branch addresses (0.10 %)" + asks},
		{misses(1_000_000, many[:9]...), misses(58), "trace and program agree but for 9 exceptions, at 0x00000008"},
		{misses(1_000_000, many...), misses(58), "10 of 1,000,000 branch addresses (< 0.1 %)" + asks},
		{misses(1_000_000), misses(58, ""), lost},
		{misses(0), misses(5_000, ""), "trace and program agree but for 1 exception, at 0x00000168"},
	} {
		if got := disagreement(&probe.Agreements{Branches: probe.BranchAgreement{Agreement: tt.branches}, ISyncs: tt.isyncs}); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}
