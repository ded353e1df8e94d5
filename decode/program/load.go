package program

import (
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// load moves the program to where it was loaded. Nothing of its code goes beyond
// 2³² by this.
func (p *Program) load(base schema.Address) {
	for i := range p.Sections {
		p.Sections[i].Address += base
	}
	for i := range p.Code {
		c := &p.Code[i]
		c.Address += base
		if c.Target.OK {
			c.Target.V = (c.Target.V + base).In32()
		}
	}
	for i := range p.Functions {
		p.Functions[i].Address += base
	}
	for i := range p.Lines {
		p.Lines[i].Address += base
	}
	for i := range p.Symbols {
		p.Symbols[i].Address = (p.Symbols[i].Address + base).In32() // of data, it may be beyond
	}
	slices.SortStableFunc(p.Symbols, compareSymbols)
}
