package code

import (
	"cmp"
	"slices"

	"github.com/tracelake/tracelake/decode/program"
	"github.com/tracelake/tracelake/pipeline/stacks"
	"github.com/tracelake/tracelake/schema"
)

// merge makes one program of those of a core, which do not overlap: rows by address,
// functions numbered over all of them. There is at least one.
func merge(programs []Program) *program.Program {
	if len(programs) == 1 {
		return programs[0].Program
	}
	all, order := &program.Program{}, []int32{} // new number → place in all.Functions
	for i := range programs {
		all.Functions = append(all.Functions, programs[i].Functions...)
	}
	for i := range all.Functions {
		order = append(order, int32(i))
	}
	slices.SortStableFunc(order,
		func(i, j int32) int { return cmp.Compare(all.Functions[i].Address, all.Functions[j].Address) })
	number := make([]int32, len(order)) // by place
	functions := make([]program.Function, len(order))
	for n, i := range order {
		number[i], functions[n] = int32(n), all.Functions[i]
	}
	all.Functions = functions

	first := 0 // place of the first function of p
	for _, p := range programs {
		renumber := func(f schema.Null[int32]) schema.Null[int32] {
			if f.OK {
				f.V = number[int(f.V)+first]
			}
			return f
		}
		for _, x := range p.Code {
			x.Function = renumber(x.Function)
			all.Code = append(all.Code, x)
		}
		for _, x := range p.Lines {
			x.Function = renumber(x.Function)
			all.Lines = append(all.Lines, x)
		}
		all.Symbols = append(all.Symbols, p.Symbols...)
		first += len(p.Functions)
	}
	slices.SortStableFunc(all.Code, func(x, y program.Instruction) int { return cmp.Compare(x.Address, y.Address) })
	slices.SortStableFunc(all.Lines, func(x, y program.Line) int { return cmp.Compare(x.Address, y.Address) })
	slices.SortStableFunc(all.Symbols, func(x, y program.Symbol) int { return cmp.Compare(x.Address, y.Address) })
	return all
}

// Functions returns the functions of the programs that a core runs, as numbered in the table.
// A core with programs of its own has the numbers of those.
func Functions(programs []Program, core string) stacks.Functions {
	own := slices.DeleteFunc(slices.Clone(programs), func(p Program) bool { return p.Core != core })
	if len(own) == 0 {
		own = slices.DeleteFunc(slices.Clone(programs), func(p Program) bool { return p.Core != "" })
	}
	if len(own) == 0 {
		return nil
	}
	p := merge(own)
	functions := make(stacks.Functions, 0, len(p.Functions))
	for _, f := range p.Functions {
		functions = append(functions, stacks.Function{Address: f.Address, Size: f.Size, Name: f.Name})
	}
	for i := range p.Code {
		if x := &p.Code[i]; x.Target.OK {
			functions.Call(x.Function, x.Target.V)
		}
	}
	return functions
}
