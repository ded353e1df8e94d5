package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

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
	file, end := "", schema.Address(0) // of the section that reaches furthest, of those before the address
	for _, address := range covered {
		for ; len(sections) > 0 && sections[0].Address <= address; sections = sections[1:] {
			s := &sections[0]
			find(s.File, s.Address)
			if last := s.Address + schema.Address(s.Bytes); last > end {
				file, end = s.File, last
			}
		}
		n := 0
		if address < end {
			n = module[file]
		} else {
			n = find("", 0)
		}
		modules[n].Addresses = append(modules[n].Addresses, address)
	}
	return slices.DeleteFunc(modules, func(x Module) bool { return len(x.Addresses) == 0 })
}

// A Section is a part of the program: an executable section of a program file or, where there
// is none, a region of memory.
type Section struct {
	File    string // its name without folder
	SHA256  string // of the file
	BuildID string // in hexadecimal; "": it has none
	Core    string // "": every core
	Program bool   // the file is a program file
	Address schema.Address
	Bytes   int64
	Base    schema.Address // what was added to the addresses of the program file
}

// Sections are those of a program, by core and address.
type Sections []Section

// Sections returns the sections of the program.
func (m *Merged) Sections() Sections {
	named := slices.ContainsFunc(m.images, read.IsSymbols)
	var all Sections
	for _, i := range m.images {
		if read.IsSymbols(i) == named {
			all = append(all, Section{
				File: i.File, SHA256: i.SHA256, BuildID: i.BuildID, Core: i.Core, Program: named,
				Address: i.Address, Bytes: i.Bytes, Base: i.Base,
			})
		}
	}
	slices.SortStableFunc(all, func(x, y Section) int { return x.compare(y.Core, y.Address) })
	return all
}

func (s *Section) compare(core string, address schema.Address) int {
	return cmp.Or(strings.Compare(s.Core, core), cmp.Compare(s.Address, address))
}

// Find returns the index of the section that has an address of a core, -1 if none has it.
func (all Sections) Find(core string, address schema.Address) int {
	for _, of := range []string{core, ""} {
		i, exact := slices.BinarySearchFunc(all, address, func(s Section, a schema.Address) int { return s.compare(of, a) })
		if !exact {
			i--
		}
		if i >= 0 && all[i].Core == of && int64(address)-int64(all[i].Address) < all[i].Bytes {
			return i
		}
	}
	return none
}
