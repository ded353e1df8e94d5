package program

import (
	"cmp"
	"debug/elf"
	"fmt"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/schema"
)

// At is the place that a value in an Arm ELF file says, of a symbol or the entry: in AArch32
// its bit 0 is set for T32 (ARM IHI 0044, §4.5.3).
func At(f *elf.File, value uint64, security schema.Security) step.Place {
	if f.Machine == elf.EM_AARCH64 {
		return step.Place{Address: schema.Address(value), ISA: schema.A64, Security: security}
	}
	return step.Place{Address: schema.Address(value) &^ 1, ISA: schema.ISA(value & 1), Security: security}
}

// Functions returns the functions that the symbols of an Arm ELF file name,
// in ascending order.
// It fails if the file has no symbols.
func Functions(f *elf.File, security schema.Security) ([]step.Place, error) {
	symbols, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("program: functions of an ELF file: %w", err)
	}
	var places []step.Place
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Section != elf.SHN_UNDEF {
			places = append(places, At(f, s.Value, security))
		}
	}
	slices.SortFunc(places, func(a, b step.Place) int { return cmp.Compare(a.Address, b.Address) })
	return slices.Compact(places), nil
}

// Code returns a function that says whether an Arm ELF file has code at a place,
// in the instruction set of the place, by its mapping symbols (ARM IHI 0044,
// §4.5.5). It returns nil if there are none, as in a stripped file.
func Code(f *elf.File) func(step.Place) bool {
	const data = schema.A64 + 1
	sets := map[string]schema.ISA{"$a": schema.A32, "$t": schema.T32, "$x": schema.A64, "$d": data}
	type mark struct {
		address schema.Address
		set     schema.ISA
	}
	var marks []mark
	symbols, _ := f.Symbols() // without any there are none of these
	for _, s := range symbols {
		name, _, _ := strings.Cut(s.Name, ".")
		if set, ok := sets[name]; ok && s.Section != elf.SHN_UNDEF {
			marks = append(marks, mark{schema.Address(s.Value), set})
		}
	}
	if len(marks) == 0 {
		return nil
	}
	slices.SortStableFunc(marks, func(a, b mark) int { return cmp.Compare(a.address, b.address) })
	return func(at step.Place) bool {
		n, _ := slices.BinarySearchFunc(marks, uint64(at.Address)+1, func(m mark, address uint64) int {
			return cmp.Compare(uint64(m.address), address)
		})
		set := at.ISA
		if set == schema.T32EE || set == schema.Jazelle {
			set = schema.T32
		}
		return n > 0 && marks[n-1].set == set
	}
}
