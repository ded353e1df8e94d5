package report

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
)

// A Module is the covered addresses of a program file.
type Module struct {
	File      string // "" for what no program file has
	Core      string
	Base      schema.Address   // address of its first executable section; 0 for what no file has
	Addresses []schema.Address // of instructions, ascending
}

// Modules returns what is covered of each program file, and outside of them, by core.
// Excluded code is not in it.
func (m *Merged) Modules() []Module {
	var modules []Module
	for _, core := range m.cores() {
		var covered []schema.Address
		p := m.programs[core]
		for i := range p.code {
			if x := &p.code[i]; x.passed() > 0 && x.exclusion == none {
				covered = append(covered, x.address)
			}
		}
		modules = append(modules, m.modules(core, covered)...)
	}
	outside := map[string][]schema.Address{}
	for _, at := range slices.SortedFunc(maps.Keys(m.outside), compareLocations) {
		if m.outside[at].passed() > 0 {
			outside[at.core] = append(outside[at.core], at.address)
		}
	}
	for _, core := range slices.Sorted(maps.Keys(outside)) {
		modules = append(modules, Module{Core: core, Addresses: outside[core]})
	}
	return modules
}

// modules divides the covered addresses of a core, which ascend, among its program
// files, in the order of their first sections.
func (m *Merged) modules(core string, covered []schema.Address) []Module {
	sections := slices.DeleteFunc(slices.Clone(m.images),
		func(i schema.ImageRegion) bool { return !read.IsSymbols(i) || i.Core != core })
	slices.SortStableFunc(sections, func(x, y schema.ImageRegion) int { return cmp.Compare(x.Address, y.Address) })
	var modules []Module
	module := read.Index[string]{} // by file
	find := func(file string, base schema.Address) int {
		n, isNew := module.Of(file)
		if isNew {
			modules = append(modules, Module{File: file, Core: core, Base: base})
		}
		return n
	}
	file, end := "", int64(0) // of the section that reaches furthest, of those before the address
	for _, address := range covered {
		for ; len(sections) > 0 && sections[0].Address <= address; sections = sections[1:] {
			s := &sections[0]
			find(s.File, s.Address)
			if last := int64(s.Address) + s.Bytes; last > end {
				file, end = s.File, last
			}
		}
		n := 0
		if int64(address) < end {
			n = module[file]
		} else {
			n = find("", 0)
		}
		modules[n].Addresses = append(modules[n].Addresses, address)
	}
	return slices.DeleteFunc(modules, func(x Module) bool { return len(x.Addresses) == 0 })
}
