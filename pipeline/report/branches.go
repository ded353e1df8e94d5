package report

import (
	"cmp"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// A BranchVerdict says what was seen of a conditional branch.
type BranchVerdict uint8

// The verdicts, in the words of the view coverage_branches.
const (
	Both BranchVerdict = iota
	AlwaysTaken
	NeverTaken
	Unknown
	NeverReached
)

func (v BranchVerdict) String() string {
	return [...]string{"both", "always_taken", "never_taken", "unknown", "never_reached"}[v]
}

// A Branch is a conditional branch; or a predicated instruction, which passes where a
// branch is taken.
type Branch struct {
	In         Name // its function; file and line are those of the branch
	Address    schema.Address
	Kind       schema.Kind
	Target     schema.Null[schema.Address]
	Predicated bool
	Taken      int64
	NotTaken   int64
	Unknown    int64
	Verdict    BranchVerdict
}

// Reached is how often the branch was there to be executed.
func (b *Branch) Reached() int64 { return b.Taken + b.NotTaken + b.Unknown }

// Branches are the conditional instructions of the program.
type Branches struct {
	Branches   BranchFigures
	Predicated Predicated
	Rows       []Branch // conditional branches first
}

// Branches returns the conditional branches: first those seen to go one way only,
// then those whose outcomes are unknown, then those that went both ways, each most
// executed first; last those never reached. Predicated instructions follow in the
// same order.
func (m *Merged) Branches() *Branches {
	b := &Branches{}
	for p, x := range m.code() {
		if x.conditional && x.counted() {
			b.add(m.branch(p, x), x)
		}
	}
	slices.SortStableFunc(b.Rows, compareBranches)
	return b
}

func (b *Branches) add(row Branch, x *instruction) {
	b.Rows = append(b.Rows, row)
	if row.Predicated {
		b.Predicated.add(x)
	} else {
		b.Branches.add(x)
	}
}

func (m *Merged) branch(p *program, x *instruction) Branch {
	f := &p.functions[x.function]
	b := Branch{
		In:      Name{Core: p.core, Function: f.name, Address: f.address},
		Address: x.address, Kind: x.kind, Target: x.target, Predicated: !x.branches(),
		Taken: x.executed, NotTaken: x.failed, Unknown: x.unknown, Verdict: verdict(x),
	}
	b.In.File, b.In.Line = m.lineOf(x)
	return b
}

func verdict(x *instruction) BranchVerdict {
	switch {
	case x.executed > 0 && x.failed > 0:
		return Both
	case x.executed > 0:
		return AlwaysTaken
	case x.failed > 0:
		return NeverTaken
	case x.unknown > 0:
		return Unknown
	}
	return NeverReached
}

// compareBranches orders branches as [Merged.Branches] says; where all is equal they
// stay in the order of addresses.
func compareBranches(x, y Branch) int {
	rank := [...]int{Both: 2, AlwaysTaken: 0, NeverTaken: 0, Unknown: 1, NeverReached: 3}
	return cmp.Or(cmp.Compare(one(x.Predicated), one(y.Predicated)), cmp.Compare(rank[x.Verdict], rank[y.Verdict]),
		cmp.Compare(y.Reached(), x.Reached()))
}
