package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
)

// A Section is a part of the program: an executable section of a program file or, where there
// is none, a region of memory.
type Section struct {
	File    string // its name without folder
	BuildID string // in hexadecimal; "": it has none
	Core    string // "": every core
	Address schema.Address
	Bytes   int64
}

// Sections are those of a program, by core and address.
type Sections []Section

// Sections returns the sections of the program.
func (m *Merged) Sections() Sections {
	named := slices.ContainsFunc(m.images, read.IsSymbols)
	var all Sections
	for _, i := range m.images {
		if read.IsSymbols(i) == named {
			all = append(all, Section{i.File, i.BuildID, i.Core, i.Address, i.Bytes})
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
