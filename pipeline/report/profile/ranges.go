package profile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A ProgramFile is one that ran.
type ProgramFile struct {
	File     string // its name; of recordings, with the folder it was mapped from
	SHA256   string
	BuildID  string // in hexadecimal; "": it has none
	Executed int64  // executions of its instructions, those that failed their condition too
}

// ProgramFiles returns the program files that ran, the most executed first.
func ProgramFiles(m *report.Merged) []ProgramFile {
	sections := m.Sections()
	files := map[string]*ProgramFile{}
	for x := range m.Code() {
		i := sections.Find(x.Core, x.Address)
		if x.Reached == 0 || i < 0 || !sections[i].Program {
			continue
		}
		s := &sections[i]
		if files[s.SHA256] == nil {
			files[s.SHA256] = &ProgramFile{File: s.File, SHA256: s.SHA256, BuildID: s.BuildID}
		}
		files[s.SHA256].Executed += x.Reached
	}
	all := make([]ProgramFile, 0, len(files))
	for _, f := range files {
		all = append(all, *f)
	}
	slices.SortFunc(all, func(x, y ProgramFile) int {
		return cmp.Or(cmp.Compare(y.Executed, x.Executed), strings.Compare(x.File, y.File),
			strings.Compare(x.SHA256, y.SHA256))
	})
	return all
}

// Ranges are executions of a program file by address. Addresses are those that its linker gave.
type Ranges struct {
	Ranges   []Between // of straight code, each from its first to its last instruction, by address
	Branches []Between // that were taken, from instruction to instruction, by address
	Outside  int64     // executions of branches that enter the file, or leave it, which are in none of Branches
}

// A Between is how often what is between two addresses ran.
type Between struct {
	From, To schema.Address
	Count    int64
}

// ReadRanges returns executions of a program file by address in the datasets of m, which have to be
// those in dirs. It fails with a [*dataset.Error] if one has no `edges`.
func ReadRanges(m *report.Merged, dirs []string, test string, file *ProgramFile) (*Ranges, error) {
	r := &ranger{
		sections: m.Sections(), sha256: file.SHA256, ranges: map[between]int64{}, branches: map[between]int64{},
	}
	for x := range m.Code() {
		if at, ok := r.linked(x.Core, x.Address); ok && x.Reached > 0 {
			r.add(&x, at)
		}
	}
	r.end(r.through)
	err := read.EachSource(dirs, test, &schema.Edges, func(d *dataset.Dataset, source *schema.SourceTotals) error {
		return read.EachBatch(d, &schema.Edges, source.Source,
			func(b *schema.Batch) error { return r.addBranches(b, source.Core) })
	})
	return &Ranges{sorted(r.ranges), sorted(r.branches), r.outside}, err
}

// A ranger finds the ranges of a program file.
type ranger struct {
	sections report.Sections
	sha256   string // of the file

	ranges, branches map[between]int64
	outside, total   int64 // of branches

	// The ranges that have the last instruction and may go on, in the order in which they began.
	open       []began
	through    int64 // sum of open
	core       string
	last, next schema.Address // the last instruction, and the address after it
}

type between struct{ from, to schema.Address }

// A began is how many ranges began at an address.
type began struct {
	at schema.Address
	n  int64
}

// linked returns the address that the linker gave to an instruction of a core; false: it is of another file.
func (r *ranger) linked(core string, address schema.Address) (schema.Address, bool) {
	i := r.sections.Find(core, address)
	if i < 0 || r.sections[i].SHA256 != r.sha256 {
		return 0, false
	}
	return address - r.sections[i].Base, true
}

// add adds an instruction that ran. They come by core and address. One that ran more often than the one
// before it is where ranges begin. Where one ran less often, trace ended, or an exception did not return:
// which ranges ended there, counts do not say, and those that began last are taken.
func (r *ranger) add(x *report.Code, at schema.Address) {
	if at != r.next || x.Core != r.core {
		r.end(r.through)
	}
	switch more := x.Reached - r.through; {
	case more > 0:
		r.open, r.through = append(r.open, began{at, more}), x.Reached
	case more < 0:
		r.end(-more)
	}
	r.core, r.last, r.next = x.Core, at, at+schema.Address(x.Size)
	if read.Branches(x.Kind) {
		r.end(r.through)
	}
}

// end ends n ranges after the last instruction.
func (r *ranger) end(n int64) {
	r.through -= n
	for n > 0 {
		b := &r.open[len(r.open)-1]
		ended := min(n, b.n)
		r.ranges[between{b.at, r.last}] += ended
		n -= ended
		if b.n -= ended; b.n == 0 {
			r.open = r.open[:len(r.open)-1]
		}
	}
}

// addBranches adds branches of a core.
func (r *ranger) addBranches(b *schema.Batch, core string) error {
	for row := range b.Rows() {
		n := int64(schema.EdgesN.At(b, row))
		if n < 0 || r.total > read.MaxCount-n {
			return fmt.Errorf("row %d has a count that no trace can have", row)
		}
		r.total += n
		if !isTakenBranch(b, row) {
			continue
		}
		from, leaves := r.linked(core, schema.EdgesFromAddress.At(b, row))
		to, enters := r.linked(core, schema.EdgesToAddress.At(b, row))
		switch {
		case leaves && enters:
			r.branches[between{from, to}] += n
		case leaves || enters:
			r.outside += n
		}
	}
	return nil
}

// isTakenBranch says whether an edge is a branch that was taken: no exception, and nothing that makes one.
func isTakenBranch(b *schema.Batch, row int) bool {
	switch schema.Kind(schema.EdgesKind.At(b, row)) {
	case schema.KindBranch, schema.KindCall, schema.KindIndirect, schema.KindIndirectCall, schema.KindReturn,
		schema.KindExceptionReturn:
		return schema.EdgeOutcome(schema.EdgesOutcome.At(b, row)) != schema.EdgeNotTaken
	}
	return false
}

// sorted returns what ran by address.
func sorted(counts map[between]int64) []Between {
	all := make([]Between, 0, len(counts))
	for _, key := range slices.SortedFunc(maps.Keys(counts), func(x, y between) int {
		return cmp.Or(cmp.Compare(x.from, y.from), cmp.Compare(x.to, y.to))
	}) {
		all = append(all, Between{key.from, key.to, counts[key]})
	}
	return all
}
