package report

import (
	"cmp"
	"slices"
	"strings"
)

// A Section is a part of the program: an executable section of a program file or, where there
// is none, a region of memory.
type Section struct {
	File    string // its name without folder
	BuildID string // in hexadecimal; "": it has none
	Core    string // "": every core
	Address uint32
	Bytes   int64
}

// Has says whether an address of a core is in s.
func (s *Section) Has(core string, address uint32) bool {
	return (s.Core == "" || s.Core == core) && address >= s.Address && int64(address)-int64(s.Address) < s.Bytes
}

// sections returns those of the program, by core and address.
func (m *Merged) sections() []Section {
	named := slices.ContainsFunc(m.images, isSymbols)
	var all []Section
	for _, i := range m.images {
		if isSymbols(i) == named {
			all = append(all, Section{i.File, i.BuildID, i.Core, i.Address, i.Bytes})
		}
	}
	slices.SortStableFunc(all, func(x, y Section) int {
		return cmp.Or(strings.Compare(x.Core, y.Core), cmp.Compare(x.Address, y.Address))
	})
	return all
}
