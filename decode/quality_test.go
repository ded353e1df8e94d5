package decode

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/schema"
)

func TestQualityBranch(t *testing.T) {
	here := PC{Address: 0x8000, ISA: schema.A32}
	for _, tt := range []struct {
		name     string
		miss     Miss
		repeated int64
	}{
		{"the same", Miss{After: schema.Of[schema.Address](0x7ffc), Expected: here, Found: here}, 1},
		{"another address", Miss{After: schema.Of[schema.Address](0x7ffc), Expected: here, Found: PC{0x8004, schema.A32}}, 0},
		{"another instruction set", Miss{After: schema.Of[schema.Address](0x7ffc), Expected: here, Found: PC{0x8000, schema.T32}}, 0},
		{"no instruction", Miss{Expected: here, Found: here}, 0},
	} {
		var q Quality
		q.Branch(tt.miss)
		if q.Branches != 1 || q.BranchesRepeated != tt.repeated || q.BranchesAgree() != tt.repeated || len(q.BranchMisses) != 1-int(tt.repeated) {
			t.Errorf("%s: %+v", tt.name, q)
		}
	}
}

func at(address schema.Address) Position { return Position{PC: PC{Address: address}} }

// Add sums the counts and keeps the first misses.
func TestQualityAdd(t *testing.T) {
	var first, second, sum Quality
	first.IndirectBranch()
	for i := range int64(10) {
		first.Branch(Miss{Offset: i})
		second.Branch(Miss{Offset: 10 + i})
		second.ISync(20+i, schema.Of(at(4)), at(8))
	}
	second.ISync(30, schema.Of(at(8)), at(8))
	second.ISync(31, schema.Null[Position]{}, at(8))
	first.Undefine("vmid packets")
	second.Undefine("vmid packets")
	second.Undefine("timestamp packets")
	second.BranchesUnplaced, second.BranchesRepeated = 3, 2
	sum.Add(&first)
	sum.Add(&second)
	want := Quality{Branches: 21, BranchesIndirect: 1, BranchesRepeated: 2, BranchesUnplaced: 3, ISyncs: 11, ISyncsEqual: 1, ISyncsUnplaced: 1}
	want.Undefined = []string{"timestamp packets", "vmid packets"}
	for i := range int64(MaxMisses) {
		want.BranchMisses = append(want.BranchMisses, Miss{Offset: i})
	}
	for i := range int64(10) {
		want.ISyncMisses = append(want.ISyncMisses, Miss{Offset: 20 + i, Expected: PC{Address: 4}, Found: PC{Address: 8}})
	}
	if diff := cmp.Diff(want, sum); diff != "" {
		t.Error(diff)
	}
}
