package program

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/schema"
)

// addFunctions finds the functions of the symbols: those of function symbols, and
// in what these leave free those of labels.
func (p *Program) addFunctions(t *symbolTable) {
	functions := p.fromSymbols(t.functions)
	p.Functions = merge(functions, p.fromLabels(t.labels, functions))
}

// merge returns the functions of both lists by address.
func merge(a, b []Function) []Function {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(a, b Function) int { return cmp.Compare(a.Address, b.Address) })
	return all
}

// fromSymbols returns the functions of the function symbols, one for each
// address. One without size reaches to the next one or the section's end.
func (p *Program) fromSymbols(symbols []symbol) []Function {
	all := byAddress(symbols)
	var functions []Function
	for i, named := range all {
		s := p.section(named[0].Address)
		if s == nil {
			continue
		}
		f := p.named(named)
		end := s.end()
		switch f.Origin = schema.OriginSymbol; {
		case named[0].Size > 0:
			end = min(end, uint64(f.Address)+uint64(named[0].Size))
		default:
			f.Origin = schema.OriginUnsized
			if i+1 < len(all) {
				end = min(end, uint64(all[i+1][0].Address))
			}
		}
		f.Size = uint32(end - uint64(f.Address))
		functions = append(functions, f)
	}
	return functions
}

// byAddress groups symbols by address, each group in the order of preference:
// sized, then global, weak, local, then by alphabet.
func byAddress(symbols []symbol) [][]symbol {
	symbols = slices.Clone(symbols)
	rank := map[schema.SymbolBinding]int{schema.BindingGlobal: 0, schema.BindingWeak: 1, schema.BindingLocal: 2}
	slices.SortStableFunc(symbols, func(a, b symbol) int {
		return cmp.Or(cmp.Compare(a.Address, b.Address), cmp.Compare(min(b.Size, 1), min(a.Size, 1)),
			cmp.Compare(rank[a.Binding], rank[b.Binding]), strings.Compare(a.Name, b.Name))
	})
	var groups [][]symbol
	for i, s := range symbols {
		if i == 0 || s.Address != symbols[i-1].Address {
			groups = append(groups, nil)
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], s)
	}
	return groups
}

// named returns the function at the address of the symbols, with the name of the
// first and those of the others as aliases.
func (p *Program) named(symbols []symbol) Function {
	first := symbols[0]
	f := Function{Address: first.Address, Name: p.demangler.name(first.Name), LinkageName: first.Name}
	for _, s := range symbols[1:] {
		if alias := p.demangler.name(s.Name); alias != f.Name {
			f.Aliases = append(f.Aliases, alias)
		}
	}
	slices.Sort(f.Aliases)
	f.Aliases = slices.Compact(f.Aliases)
	return f
}

// end returns the address after the function.
func (f *Function) end() uint64 { return uint64(f.Address) + uint64(f.Size) }

// assign gives each instruction its function: of those that contain it, the one
// that begins last. The others are open: they may go on where it ends.
func (p *Program) assign() {
	var open []int32
	next := 0
	for i := range p.Code {
		at := p.Code[i].Address
		for ; next < len(p.Functions) && p.Functions[next].Address <= at; next++ {
			open = append(open, int32(next))
		}
		for len(open) > 0 && p.Functions[open[len(open)-1]].end() <= uint64(at) {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			p.Code[i].Function = schema.Of(open[len(open)-1])
		}
	}
}
