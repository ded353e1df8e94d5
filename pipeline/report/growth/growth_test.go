package growth_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/pipeline/report/growth"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// The growth of a source is when each address was executed first.
func TestGrowth(t *testing.T) {
	dirs := datasettest.Datasets(t, `
source 0x10
source 0x11
file fw.elf 0x1000 0x100 match=1
function 0x1000 0x20 main
code 0x1000 a32 other executed=5 first=70
code 0x1004 a32 other executed=5 first=0
code 0x1008 a32 other executed=5 first=20
run 0x100c a32 executed=5 first=4
run 0x1000 a32 source=0x11 executed=1 first=2
code 0x1010 a32 other
`)
	got, err := growth.Read(dirs, "")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]growth.Curve{
		{Dir: dirs[0], Source: 0x10, Instructions: 20, Seqs: []int64{0, 4, 20, 70}},
		{Dir: dirs[0], Source: 0x11, Instructions: 1, Seqs: []int64{2}},
	}, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	for share, want := range map[float64]int64{0: 0, 0.25: 0, 0.26: 4, 0.5: 4, 0.75: 20, 1: 70} {
		if at := got[0].At(share); at != want {
			t.Errorf("%v of the addresses had been executed at %d, want %d", share, at, want)
		}
	}
}
