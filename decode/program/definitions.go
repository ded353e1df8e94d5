package program

import (
	"cmp"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// define says where functions are defined: the place that the debug information
// gives, or else, in assembler, that of the first instruction.
func (p *Program) define(d *debugInfo, files *files) {
	entries := map[schema.Address]*subprogram{}
	for i := range d.subprograms {
		if s := &d.subprograms[i]; !s.dead {
			entries[schema.Address(s.spans[0].low)] = s
		}
	}
	for i := range p.Functions {
		f := &p.Functions[i]
		if s := entries[f.Address]; s != nil {
			unit, file, line := d.definition(s.declaration)
			if path := files.ofUnit(unit, file); line > 0 && path != "" {
				f.File, f.Line = path, line
				continue
			}
		}
		if l, ok := p.outermost(f.Address); ok {
			f.File, f.Line = l.File, l.Line
		}
	}
}

// outermost returns the line of an instruction in the function that contains it.
func (p *Program) outermost(address schema.Address) (Line, bool) {
	after, _ := slices.BinarySearchFunc(p.Lines, uint64(address)+1,
		func(l Line, a uint64) int { return cmp.Compare(uint64(l.Address), a) })
	if after == 0 || p.Lines[after-1].Address != address {
		return Line{}, false
	}
	return p.Lines[after-1], true
}
