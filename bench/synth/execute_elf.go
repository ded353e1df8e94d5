package synth

import (
	"debug/elf"
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// ELFFunctions returns the functions that the symbols of an Arm ELF file name,
// in ascending order: bit 0 of the value is set for T32 (ARM IHI 0044, §4.5.3).
// It fails if the file has no symbols.
func ELFFunctions(f *elf.File, security schema.Security) ([]Place, error) {
	symbols, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("synth: functions of an ELF file: %w", err)
	}
	var places []Place
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Section != elf.SHN_UNDEF {
			value := uint32(s.Value)
			places = append(places, Place{Address: value &^ 1, ISA: schema.ISA(value & 1), Security: security})
		}
	}
	slices.SortFunc(places, func(a, b Place) int { return int(int64(a.Address) - int64(b.Address)) })
	return slices.Compact(places), nil
}
