package code

import (
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/decode/program"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Write writes the four tables: of each core the programs that [Check] passed, and
// of cores without one what they executed. Rows are ordered by core and address.
func Write(out *dataset.Writer, programs []Program, executed []Executed, dialects Dialects) {
	w := &writer{
		code: out.Table(&schema.Code, 0), functions: out.Table(&schema.Functions, 0),
		lines: out.Table(&schema.Lines, 0), symbols: out.Table(&schema.Symbols, 0),
	}
	alone := withoutProgram(programs, executed)
	for _, core := range cores(programs, alone) {
		if own := slices.DeleteFunc(slices.Clone(programs),
			func(p Program) bool { return p.Core != core }); len(own) > 0 {
			w.program(core, merge(own))
		}
		w.executed(core, alone[core], dialects(core))
	}
}

// cores returns the names of the cores that have rows, in order.
func cores(programs []Program, alone map[string][]Instruction) []string {
	var names []string
	for _, p := range programs {
		names = append(names, p.Core)
	}
	for core := range alone {
		names = append(names, core)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// withoutProgram returns what cores executed that have no program, by core. Of two
// opcodes at an address, as of code that was changed, it has the first.
func withoutProgram(programs []Program, executed []Executed) map[string][]Instruction {
	alone := map[string][]Instruction{}
	for _, x := range executed {
		if !slices.ContainsFunc(programs, func(p Program) bool { return p.runs(x.Core) }) {
			alone[x.Core] = append(alone[x.Core], x.Instructions...)
		}
	}
	for core, all := range alone {
		slices.SortStableFunc(all, Instruction.Compare)
		alone[core] = slices.CompactFunc(all, func(a, b Instruction) bool { return a.PC == b.PC })
	}
	return alone
}

// A writer writes the rows of one dataset.
type writer struct {
	code, functions, lines, symbols *dataset.TableWriter
}

// program writes the rows of the program of a core.
func (w *writer) program(core string, p *program.Program) {
	for i := range p.Code {
		x := &p.Code[i]
		schema.AppendCode(w.code.Row(), core, x.Address, x.Size, x.ISA, x.Opcode, x.Kind, x.Conditional, x.Target,
			x.TargetISA, x.Function, x.Section)
	}
	for i := range p.Functions {
		x := &p.Functions[i]
		schema.AppendFunctions(w.functions.Row(), core, int32(i), x.Address, x.Size, x.Name, x.LinkageName,
			strings.Join(x.Aliases, " "),
			x.File, schema.Null[uint32]{V: x.Line, OK: x.Line > 0}, x.Origin)
	}
	for i := range p.Lines {
		x := &p.Lines[i]
		schema.AppendLines(w.lines.Row(), core, x.Address, x.InlineDepth, x.File, x.Line, x.Column, x.IsStmt,
			x.Function, x.InlinedName)
	}
	for i := range p.Symbols {
		x := &p.Symbols[i]
		schema.AppendSymbols(w.symbols.Row(), core, x.Address, x.Size, x.Name, x.Kind, x.Binding, x.Section)
	}
}

// executed writes what a core without a program executed.
func (w *writer) executed(core string, instructions []Instruction, dialect isa.Dialect) {
	for _, x := range instructions {
		i := program.Alone(dialect, x.Address, x.ISA, x.Opcode, x.Size)
		schema.AppendCode(w.code.Row(), core, i.Address, i.Size, i.ISA, i.Opcode, i.Kind, i.Conditional, i.Target,
			i.TargetISA, i.Function, i.Section)
	}
}
