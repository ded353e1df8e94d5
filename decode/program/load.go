package program

import (
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// load moves the program to where it was loaded. Nothing of its code goes beyond
// the addresses by this.
func (p *Program) load(base schema.Address) {
	for i := range p.Sections {
		p.Sections[i].Address += base
	}
	for i := range p.Code {
		c := &p.Code[i]
		c.Address += base
		if c.Target.OK {
			c.Target.V = p.inMachine(c.Target.V + base)
		}
	}
	for i := range p.Functions {
		p.Functions[i].Address += base
	}
	for i := range p.Lines {
		p.Lines[i].Address += base
	}
	for i := range p.Symbols {
		p.Symbols[i].Address = p.inMachine(p.Symbols[i].Address + base) // of data, it may be beyond
	}
	slices.SortStableFunc(p.Symbols, compareSymbols)
}

// inMachine returns an address modulo what the machine has.
func (p *Program) inMachine(a schema.Address) schema.Address {
	if p.AArch64 {
		return a
	}
	return a.In32()
}
