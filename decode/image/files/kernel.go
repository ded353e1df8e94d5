package files

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/process"
)

// kernelPrefix begins the names of the kernel's map. What follows is the symbol that the map is
// about.
const kernelPrefix = "[kernel.kallsyms]"

// pageMask has the bits of an address inside a page.
const pageMask = 0xFFF

// kernelSymbol returns the symbol by which a kernel is placed, if a name is that of its map.
func kernelSymbol(name string) (string, bool) {
	symbol, ok := strings.CutPrefix(name, kernelPrefix)
	if ok && symbol == "" {
		symbol = "_text"
	}
	return symbol, ok
}

// Kernel returns what a part of a map of the kernel or of a module puts in memory. What was in
// memory (kcore) precedes the kernel as it was built, of which the kernel changes code when it
// starts and later. It fails with a [*Missing] if there is neither.
func (f *Finder) Kernel(part process.Part) (Placement, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.kcore != nil {
		if p := place(f.kcore, 0, part); len(p.Regions) > 0 {
			return p, nil
		}
	}
	if _, ok := kernelSymbol(part.Map.File.Name); !ok {
		return Placement{}, f.miss(part, &image.FormatError{
			Problem: "is a kernel module, whose code is changed when it is loaded",
			Remedy:  "give what was in memory with --kcore FILE (perf record --kcore)",
		})
	}
	program, err := f.program(part.Map.File)
	if err != nil {
		return Placement{}, f.miss(part, err)
	}
	bias, err := kernelBias(program, part.Map)
	if err != nil {
		return Placement{}, f.miss(part, err)
	}
	p := place(program, bias, part)
	if len(p.Regions) == 0 {
		return p, f.miss(part, &image.FormatError{
			Problem: "has no code at what is mapped of it (" + program.Path + ")", Remedy: "give the kernel that ran",
		})
	}
	return p, nil
}

// keepCore keeps what was in memory of the kernel, which has the modules too, if it is found for the kernel's map.
func (f *Finder) keepCore(p *Program) {
	if p.Core() && f.kcore == nil {
		p.Name = filepath.Base(p.Path)
		f.kcore = p
	}
}

// kernelBias returns by how much the kernel was moved when it started (KASLR): a whole number
// of pages.
func kernelBias(program *Program, m *process.Map) (uint64, error) {
	if program.Core() {
		return 0, nil
	}
	running := m.Offset // perf: the address of the symbol
	if running == 0 {
		running = uint64(m.Address) // simpleperf: the map starts at the symbol
	}
	bias := running - program.symbol
	symbol, _ := kernelSymbol(m.File.Name)
	switch {
	case running == 0:
		return 0, &image.FormatError{
			Problem: "has no address in the recording",
			Remedy:  "record as root or with kernel.kptr_restrict=0, or give --kcore FILE",
		}
	case bias&pageMask != 0:
		return 0, &image.FormatError{
			Problem: fmt.Sprintf("has %s at %#x, which in %s is at %#x: another kernel, by less than a page", symbol, running,
				program.Path, program.symbol),
			Remedy: "give the kernel that ran with --vmlinux FILE",
		}
	}
	return bias, nil
}

// place places a program that is bias bytes after where it was linked.
func place(program *Program, bias uint64, part process.Part) Placement {
	regions := program.Moved(bias, part.From, uint64(part.To-part.From))
	return Placement{Regions: regions, Program: program, Bias: bias}
}
