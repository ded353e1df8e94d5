package program

import (
	"cmp"
	"slices"

	"github.com/tracelake/tracelake/decode/program/linetable"
	"github.com/tracelake/tracelake/schema"
)

// A linker that leaves a function out leaves its lines and its entry, at address
// 0. Where there is code at 0, those of its own stand among them: such a sequence
// of lines, or subprogram, ends in the section at 0, and its unit says the name
// of a symbol there; assembler has no names, but there the end is that of a
// function or of the section.
type atZero struct {
	p      *Program
	end    uint64          // of the section at 0; 0 without
	symbol bool            // there is a symbol at 0
	ends   map[uint64]bool // of functions, and of the section
	tables map[int64]*zeroTable
}

// A zeroTable is what there is of the units of one line table.
type zeroTable struct {
	assembler bool
	first     bool            // a subprogram at 0 has the name of a symbol there
	ends      map[uint64]bool // of subprograms that have the name of a symbol at their address
	deadEnd   uint64          // of the longest dead sequence
}

// dropDead drops the sequences of lines that are none of the code, and marks the
// subprograms.
func (p *Program) dropDead(d *debugInfo) {
	z := &atZero{p: p, ends: map[uint64]bool{}, tables: map[int64]*zeroTable{}}
	if s := p.section(0); s != nil {
		z.end = s.end()
		z.ends[z.end] = true
		z.symbol = slices.ContainsFunc(p.Symbols,
			func(named Symbol) bool { return named.Address == 0 && named.Section == s.Name })
	}
	for i := range p.Functions {
		z.ends[p.Functions[i].end()] = true
	}
	for i := range d.units {
		t := z.table(d.units[i].table)
		t.assembler = t.assembler || d.units[i].assembler
	}
	for i := range d.subprograms {
		z.addNamed(d, &d.subprograms[i])
	}
	for i := range d.lines {
		z.dropSequences(&d.lines[i])
	}
	z.markSubprograms(d)
	if n := p.Dropped.DeadSequences; n > 0 {
		p.note("%d sequences of lines at address 0 are of code that the linker left out, and were dropped", n)
	}
}

// table returns what there is of a line table.
func (z *atZero) table(offset int64) *zeroTable {
	t := z.tables[offset]
	if t == nil {
		t = &zeroTable{ends: map[uint64]bool{}}
		z.tables[offset] = t
	}
	return t
}

// addNamed notes where a subprogram ends that has the name of a symbol.
func (z *atZero) addNamed(d *debugInfo, s *subprogram) {
	at := s.spans[0]
	if z.p.isNamed(d, s) {
		t := z.table(d.units[s.unit].table)
		t.ends[at.high] = true
		t.first = t.first || at.low == 0
	}
}

// isNamed reports whether a symbol at the start of a subprogram has its name, and
// its size, if it has one.
func (p *Program) isNamed(d *debugInfo, s *subprogram) bool {
	name, linkage := d.names(s.declaration)
	at := s.spans[0]
	in := p.section(schema.Address(at.low))
	for _, symbol := range p.symbolsNamed(schema.Address(at.low), cmp.Or(linkage, name)) {
		if in == nil || symbol.Section != in.Name {
			continue
		}
		if symbol.Size == 0 || uint64(symbol.Size) == at.high-at.low {
			return true
		}
	}
	return false
}

// live reports whether what begins at 0 and has the given end is of the code.
func (z *atZero) live(t *zeroTable, end uint64) bool {
	if end > z.end {
		return false
	}
	return t.first && t.ends[end] || t.assembler && z.symbol && z.ends[end]
}

// dropSequences drops the dead sequences of a line table.
func (z *atZero) dropSequences(u *linetable.Unit) {
	t := z.table(int64(u.Offset))
	u.Sequences = slices.DeleteFunc(u.Sequences, func(s linetable.Sequence) bool {
		if s.Start() != 0 {
			return false
		}
		if z.live(t, s.End) {
			z.p.Dropped.SequencesAtZero++
			return false
		}
		z.p.Dropped.DeadSequences++
		t.deadEnd = max(t.deadEnd, s.End)
		return true
	})
	slices.SortStableFunc(u.Sequences, func(a, b linetable.Sequence) int { return cmp.Compare(a.Start(), b.Start()) })
}

// markSubprograms marks the subprograms that are none of the code: those at 0, and
// those in a dead sequence of their unit and in no other.
func (z *atZero) markSubprograms(d *debugInfo) {
	lines := map[int64]*linetable.Unit{}
	for i := range d.lines {
		lines[int64(d.lines[i].Offset)] = &d.lines[i]
	}
	for i := range d.subprograms {
		s := &d.subprograms[i]
		table := d.units[s.unit].table
		t, at := z.table(table), s.spans[0]
		if at.low == 0 {
			s.dead = !z.live(t, at.high)
		} else if at.low < t.deadEnd {
			s.dead = !contains(lines[table].Sequences, at.low)
		}
	}
}

// contains reports whether an address is in one of the sequences, which are
// sorted.
func contains(sequences []linetable.Sequence, address uint64) bool {
	i, found := slices.BinarySearchFunc(sequences, address,
		func(s linetable.Sequence, a uint64) int { return cmp.Compare(s.Start(), a) })
	return found || i > 0 && address < sequences[i-1].End
}

// symbolsNamed returns the symbols of a name at an address.
func (p *Program) symbolsNamed(address schema.Address, name string) []Symbol {
	find := func(name string) int {
		at, _ := slices.BinarySearchFunc(p.Symbols, Symbol{Address: address, Name: name}, compareSymbols)
		return at
	}
	return p.Symbols[find(name):find(name+"\x00")]
}
