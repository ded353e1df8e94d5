package report_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/schema"
)

// A listing has all instructions of a function, those that did not run too, and its totals;
// heat is of cycles if all that ran has them.
func TestListing(t *testing.T) {
	const text = `
source 0x10
file fw.elf 0x1000 0x100 match=1
function 0x1000 0x10 main at=m.c:1 linkage=_Z4mainv aliases="start entry"
function 0x1010 8 wait
code 0x1000 a32 other    at=m.c:2 executed=8 timed=8 cycles=12
code 0x1004 a32 branch   at=m.c:2 conditional target=0x1010 executed=3 failed=5 timed=8 cycles=4
code 0x1008 a32 other    conditional unknown=5 timed=5 cycles=5
code 0x100c a32 return   at=m.c:4
code 0x1010 a32 other    executed=4 timed=2 cycles=9
`
	listings := func(name string) []report.Listing {
		return merged(t, report.Options{Only: report.Selection{Functions: []string{name}}}, text).Listings()
	}
	want := []report.Listing{{
		Name: report.Name{Function: "main", Address: 0x1000, File: "m.c", Line: 1}, Instructions: 21, Cycles: 21, ByCycles: true,
		Rows: []report.ListingRow{
			{Address: 0x1000, Size: 4, Kind: schema.KindOther, File: "m.c", Line: 2, Executed: 8, Timed: 8, Cycles: 12},
			{Address: 0x1004, Size: 4, Kind: schema.KindBranch, Conditional: true, Target: schema.Of(schema.Address(0x1010)), File: "m.c", Line: 2, Executed: 3, Failed: 5, Timed: 8, Cycles: 4},
			{Address: 0x1008, Size: 4, Kind: schema.KindOther, Conditional: true, Unknown: 5, Timed: 5, Cycles: 5},
			{Address: 0x100c, Size: 4, Kind: schema.KindReturn, File: "m.c", Line: 4},
		},
	}}
	for _, name := range []string{"main", "_Z4mainv", "start", "entry", "0x00001000"} {
		equal(t, want, listings(name), cmpopts.EquateEmpty())
	}
	first, wait := &want[0].Rows[0], listings("wait")[0]
	if first.CyclesEach() != 1.5 || want[0].Rows[3].CyclesEach() != 0 || want[0].Heat(first) != 12 || wait.ByCycles || wait.Heat(&wait.Rows[0]) != 4 {
		t.Errorf("%v cycles each; wait: %+v", first.CyclesEach(), wait)
	}
}

// All functions of a name are listed, those of other cores too.
func TestListings(t *testing.T) {
	m := merged(t, report.Options{Only: report.Selection{Functions: []string{"init"}}}, `
source 0x10 core=cpu_0
file fw.elf 0x1000 0x100 match=1
function 0x1000 4 init at=a.c:1
function 0x1004 4 init at=b.c:1
function 0x2000 4 init core=cpu_0
code 0x1000 a32 other executed=1
code 0x1004 a32 other
code 0x2000 a32 other core=cpu_0
`)
	var at []schema.Address
	for _, l := range m.Listings() {
		at = append(at, l.Address)
	}
	equal(t, []schema.Address{0x1000, 0x1004, 0x2000}, at)
}

// The instructions of a function of the sample add up to what hotspots has of it.
func TestSampleListing(t *testing.T) {
	m := exported(t, "sample", "sample.elf")
	listings := m.Listings()
	for _, h := range m.Hotspots(report.ByFunction).Rows {
		l := slices.DeleteFunc(slices.Clone(listings), func(l report.Listing) bool { return l.Function != h.Function })
		if len(l) != 1 || l[0].Instructions != h.Instructions || l[0].Cycles < h.Cycles-1e-6 || l[0].Cycles > h.Cycles+1e-6 {
			t.Errorf("%s: %d listings, %+v", h.Function, len(l), h)
		}
		for i := range l[0].Rows {
			if r := &l[0].Rows[i]; r.Opcode == 0 || r.Size != 2 && r.Size != 4 {
				t.Errorf("%s: %+v", h.Function, r)
			}
		}
	}
}
