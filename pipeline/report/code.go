package report

import (
	"iter"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// A Code is an instruction of the program, and what ran of it.
type Code struct {
	Core     string // "": of every core
	Address  schema.Address
	Size     uint8 // in bytes
	Kind     schema.Kind
	Function schema.Null[Function] // that it is in
	File     string                // "": its line is not known
	Line     uint32

	Reached int64   // how often it was there to be executed
	Passed  int64   // of those: not when it failed its condition
	Cycles  float64 // of all executions; those of a run are spread evenly over it
}

// A Function is one of the program.
type Function struct {
	Core    string // "": of every core
	Ordinal int32  // among those of the core
	Address schema.Address
	Name    string
	Linkage string // name in the symbol table
	File    string // of its declaration
	Line    uint32 // likewise; 0: it is not known
}

// Code goes through the instructions of the program, by core and address.
func (m *Merged) Code() iter.Seq[Code] {
	return func(yield func(Code) bool) {
		for p, x := range m.code() {
			if !yield(m.codeOf(p, x)) {
				return
			}
		}
	}
}

// CodeAt returns the instruction at an address of a core: of its own program, else of that of
// every core.
func (m *Merged) CodeAt(core string, address schema.Address) (x Code, ok bool) {
	for _, name := range []string{core, ""} {
		if p := m.programs[name]; p != nil {
			if i := p.find(address); i != none {
				return m.codeOf(p, &p.code[i]), true
			}
		}
	}
	return x, false
}

// Functions goes through the functions of the program, by core and ordinal.
func (m *Merged) Functions() iter.Seq[Function] {
	return func(yield func(Function) bool) {
		for _, core := range m.cores() {
			p := m.programs[core]
			for i := range p.functions {
				if !yield(p.functionOf(int32(i))) {
					return
				}
			}
		}
	}
}

// codeOf returns an instruction of a program.
func (m *Merged) codeOf(p *program, i *instruction) Code {
	x := Code{
		Core: p.core, Address: i.address, Size: i.size, Kind: i.kind,
		Reached: i.reached(), Passed: i.passed(), Cycles: i.cycles,
	}
	if i.function != none {
		x.Function = schema.Of(p.functionOf(i.function))
	}
	x.File, x.Line = m.lineOf(i)
	return x
}

// functionOf returns a function by its ordinal.
func (p *program) functionOf(ordinal int32) Function {
	f := &p.functions[ordinal]
	return Function{
		Core: p.core, Ordinal: ordinal, Address: f.address, Name: f.name, Linkage: f.linkage, File: f.file,
		Line: f.line,
	}
}

// FunctionsOf returns the functions that a core runs, by ordinal.
func (m *Merged) FunctionsOf(core string) []Function {
	p := m.programOf(core)
	if p == nil {
		return nil
	}
	all := make([]Function, len(p.functions))
	for i := range all {
		all[i] = p.functionOf(int32(i))
	}
	return all
}

// Describe returns the function of an instruction that a core executes, with the line of that
// instruction, and whether the program says that it may fail.
func (m *Merged) Describe(core string, address schema.Address, isa schema.ISA) (name Name, conditional bool) {
	p, i := m.instruction(core, address, isa)
	if i == nil {
		return Name{Core: core}, false
	}
	return m.nameIn(p, i), i.conditional
}

// SameProgram reports whether both are of one program.
func (m *Merged) SameProgram(o *Merged) bool { return slices.Equal(m.keys, o.keys) }

// nameIn returns the function of an instruction, and the line of that instruction.
func (m *Merged) nameIn(p *program, i *instruction) Name {
	n := Name{Core: p.core}
	if i.function != none {
		n.Function, n.Address = p.functions[i.function].name, p.functions[i.function].address
	}
	n.File, n.Line = m.lineOf(i)
	return n
}
