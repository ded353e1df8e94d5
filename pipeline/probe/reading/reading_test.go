package reading_test

import (
	"fmt"
	"testing"

	"github.com/tracelake/tracelake/pipeline/probe/reading"
)

// A reading is as good as the worst of what is lost, unplaced and contradicted: up to 1 % is no problem.
func TestOf(t *testing.T) {
	decoded := func(lost, unplaced int64) reading.Facts {
		return reading.Facts{Bytes: 10_000, Decoded: 10_000 - lost, Lost: lost, Unplaced: unplaced}
	}
	for _, tt := range []struct {
		name    string
		facts   reading.Facts
		problem reading.Problem
		share   reading.Share
	}{
		{"all right", decoded(0, 0), reading.NoProblem, reading.Share{}},
		{"1 % lost", decoded(100, 0), reading.NoProblem, reading.Share{}},
		{"more lost", decoded(101, 0), reading.Lost, reading.Share{N: 101, Total: 10_000}},
		{"10 % lost", decoded(1000, 0), reading.Lost, reading.Share{N: 1000, Total: 10_000}},
		{"more than 10 % lost", decoded(1001, 0), reading.Lost, reading.Share{N: 1001, Total: 10_000}},
		{"unplaced", decoded(0, 1001), reading.Unplaced, reading.Share{N: 1001, Total: 10_000}},
		{"the larger problem", decoded(500, 600), reading.Unplaced, reading.Share{N: 600, Total: 10_000}},
		{
			"the normal start",
			reading.Facts{Bytes: 3153, Decoded: 2537, Lost: 616, Start: 616},
			reading.NoProblem,
			reading.Share{},
		},
		{
			"a start that is too long",
			reading.Facts{Bytes: 100_000, Decoded: 91_809, Lost: 8191, Start: 8191},
			reading.Lost,
			reading.Share{N: 8191, Total: 100_000},
		},
		{
			"the longest normal start",
			reading.Facts{Bytes: 100_000, Decoded: 91_810, Lost: 8190, Start: 8190},
			reading.NoProblem,
			reading.Share{},
		},
		{
			"too few packets compared",
			reading.Facts{Bytes: 10, Decoded: 10, Checks: 19, Agrees: 0},
			reading.NoProblem,
			reading.Share{},
		},
		{
			"contradicted",
			reading.Facts{Bytes: 10, Decoded: 10, Checks: 20, Agrees: 17},
			reading.Contradicted,
			reading.Share{N: 3, Total: 20},
		},
		{
			"misaligned",
			reading.Facts{Bytes: 10, Decoded: 10, Offsets: 20, OffsetsRight: 19, Checks: 100, Agrees: 99},
			reading.Misaligned,
			reading.Share{N: 1, Total: 20},
		},
		{"too few offsets", reading.Facts{Bytes: 10, Decoded: 10, Offsets: 19}, reading.NoProblem, reading.Share{}},
		{"nothing", reading.Facts{Bytes: 10, Decoded: 10, Empty: true}, reading.NoProblem, reading.Share{}},
		{
			"no synchronisation",
			reading.Facts{Bytes: 10, Lost: 10, Start: 10, Empty: true, NoProgram: true},
			reading.Lost,
			reading.Share{N: 10, Total: 10},
		},
		{
			"packets alone",
			reading.Facts{Bytes: 1000, Decoded: 1000, Unplaced: 1000, Empty: true, NoProgram: true},
			reading.NoProblem,
			reading.Share{},
		},
	} {
		v := reading.Of(&tt.facts)
		nothing := tt.name == "nothing" || tt.name == "no synchronisation"
		if v.Nothing != nothing || v.Problem != tt.problem || v.Share != tt.share {
			t.Errorf("%s: %t, %q of %v, want %t, %q of %v", tt.name, v.Nothing, v.Problem, v.Share, nothing, tt.problem, tt.share)
		}
	}
}

// Right is the least of decoded, placed and agreeing; what there is too little of,
// or no program for, does not count.
func TestRight(t *testing.T) {
	for _, tt := range []struct {
		facts reading.Facts
		want  reading.Share
	}{
		{reading.Facts{Bytes: 100, Decoded: 90, Unplaced: 45, Checks: 100, Agrees: 60}, reading.Share{N: 45, Total: 90}},
		{reading.Facts{Bytes: 100, Decoded: 90, Unplaced: 1, Checks: 100, Agrees: 60}, reading.Share{N: 60, Total: 100}},
		{reading.Facts{Bytes: 100, Decoded: 90, Unplaced: 1, Checks: 19, Agrees: 1}, reading.Share{N: 90, Total: 100}},
		{reading.Facts{Bytes: 100, Decoded: 90, Unplaced: 90, NoProgram: true}, reading.Share{N: 90, Total: 100}},
		{reading.Facts{Bytes: 100, Lost: 100}, reading.Share{N: 0, Total: 100}},
	} {
		if got := tt.facts.Right(); got != tt.want {
			t.Errorf("%+v: %v, want %v", tt.facts, got, tt.want)
		}
	}
}

// The commonest cause has the most weight; addresses do not make two causes of one.
func TestCauses(t *testing.T) {
	var none, c reading.Causes
	if none.Commonest() != nil {
		t.Error("a cause of nothing")
	}
	for i := range 3 {
		c.Add(fmt.Sprintf("branch packet to 0x%08x a32", i), 1, 1)
	}
	c.Add("header 0x82: reserved", 1, 2)
	if got := c.Commonest(); *got != (reading.Cause{Count: 3, Text: "branch packet to ADDRESS a32"}) {
		t.Errorf("%+v", got)
	}
	c.Add("header 0x82: reserved", 1, 2)
	if got := c.Commonest(); *got != (reading.Cause{Count: 2, Text: "header 0x82: reserved"}) {
		t.Errorf("%+v", got)
	}
	for i := range 1000 {
		c.Add(fmt.Sprintf("cause %d", i), 1, 100)
	}
	if got := c.Commonest(); got.Text != "cause 0" {
		t.Errorf("%+v", got)
	}
	c.Add("cause 999", 1, 1000) // not among the 256 that are counted
	if got := c.Commonest(); got.Text != "cause 0" {
		t.Errorf("%+v", got)
	}
}

// Five digits are an address, wherever it is in the text; two cases of a cause that is
// known cost nothing.
func TestCausesAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "",
		"0x1234":                           "0x1234",
		"0x12345":                          "ADDRESS",
		"from 0x00008000 to 0x123456789":   "from ADDRESS to ADDRESS",
		"0x0x8000f, 0xABCDEF, 0x12345G 0x": "0xADDRESS, 0xABCDEF, ADDRESSG 0x",
	} {
		var c reading.Causes
		c.Add(text, 1, 1)
		if got := c.Commonest().Text; got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		if n := testing.AllocsPerRun(10, func() { c.Add(text, 1, 1) }); n > 0 {
			t.Errorf("%q: %v allocations", text, n)
		}
	}
}

func TestWords(t *testing.T) {
	stack := &reading.Cause{Count: 5998, Text: "E atom on an indirect branch, but the return stack is off"}
	for want, v := range map[string]reading.Reading{
		"71.55 % not matched to code: 5,998 × E atom on an indirect branch, but the return stack is off: add --reg ETMCR=0x20000400": {
			Problem: reading.Unplaced, Share: reading.Share{N: 19950, Total: 27884}, Cause: stack,
			Remedy: &reading.Remedy{Flags: []string{"--reg ETMCR=0x20000400"}},
		},
		"97.80 % lost: as pft 99.98 % would decode: --protocol pft --reg ETMCR=0x20000400": {
			Problem: reading.Lost, Share: reading.Share{N: 27271, Total: 27884},
			Remedy: &reading.Remedy{Protocol: "pft", Flags: []string{"--protocol pft", "--reg ETMCR=0x20000400"}, Right: reading.Share{N: 27878, Total: 27884}},
		},
		"5.00 % of the offsets into the FIFO wrong": {Problem: reading.Misaligned, Share: reading.Share{N: 1, Total: 20}},
		"no bytes": {Nothing: true, Problem: reading.Lost, Cause: &reading.Cause{Count: 1, Text: "no bytes"}},
		"":         {},
	} {
		if got := v.String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
