package report

import (
	"iter"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
)

// A Listing is the instructions of a function, by address, with their executions.
type Listing struct {
	Name         // of the function
	Instructions int64
	Cycles       float64 // each cost spread evenly over what it was for
	ByCycles     bool    // all that ran of it has cycles: heat is of them, else of executions
	Rows         []ListingRow
}

// A ListingRow is an instruction of a function.
type ListingRow struct {
	Address     schema.Address
	Size        uint8
	ISA         schema.ISA
	Opcode      uint32
	Kind        schema.Kind
	Conditional bool
	Target      schema.Null[schema.Address] // of a direct branch
	File        string                      // of its line; "": it has none
	Line        uint32
	Executed    int64 // of a branch: taken
	Failed      int64 // of a branch: not taken
	Unknown     int64 // the trace does not say whether it passed
	Timed       int64 // executions that Cycles are for
	Cycles      float64
}

// Executions is how often the instruction was reached.
func (r *ListingRow) Executions() int64 { return r.Executed + r.Failed + r.Unknown }

// CyclesEach is the mean cost of an execution; 0 without cycles.
func (r *ListingRow) CyclesEach() float64 {
	if r.Timed == 0 {
		return 0
	}
	return r.Cycles / float64(r.Timed)
}

// Branches says whether it can leave the straight line.
func (r *ListingRow) Branches() bool { return read.Branches(r.Kind) }

// Heat is what an instruction takes: cycles, or executions.
func (l *Listing) Heat(r *ListingRow) float64 {
	if l.ByCycles {
		return r.Cycles
	}
	return float64(r.Executions())
}

// Listings returns the functions that are asked about: several may have one name.
func (m *Merged) Listings() []Listing {
	var all []Listing
	for _, core := range m.cores() {
		p := m.programs[core]
		for i := range p.functions {
			if m.Selects(p.core, p.functions[i].address) {
				all = append(all, m.listing(p, int32(i)))
			}
		}
	}
	return all
}

// listing lists a function.
func (m *Merged) listing(p *program, number int32) Listing {
	f := &p.functions[number]
	l := Listing{Name: p.nameOf(f)}
	var total counts
	for i := range p.code {
		x := &p.code[i]
		if x.function != number {
			continue
		}
		total.add(x.counts)
		l.Rows = append(l.Rows, m.listingRow(x))
	}
	l.Instructions, l.Cycles = total.reached(), total.cycles
	l.ByCycles = total.cycles > 0 && total.timed == total.reached()
	return l
}

// ListingRows goes through the instructions of functions, as [Merged.Listings] has them, by core and address.
func (m *Merged) ListingRows() iter.Seq[ListingRow] {
	return func(yield func(ListingRow) bool) {
		for _, x := range m.code() {
			if x.function != none && !yield(m.listingRow(x)) {
				return
			}
		}
	}
}

func (m *Merged) listingRow(x *instruction) ListingRow {
	r := ListingRow{
		Address: x.address, Size: x.size, ISA: x.isa, Opcode: x.opcode, Kind: x.kind, Conditional: x.conditional,
		Target: x.target, Executed: x.executed, Failed: x.failed, Unknown: x.unknown, Timed: x.timed, Cycles: x.cycles,
	}
	r.File, r.Line = m.lineOf(x)
	return r
}
