package program

import (
	"cmp"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// staticBase is a symbol that TI's linker puts where it likes.
const staticBase = "__TI_static_base__"

// fromLabels returns the functions of symbols without type, which assembler
// leaves where no directive says more: a global or weak one outside every
// function, or a local one where such a hole begins. Other local ones are the
// targets of branches, and those of data are no functions. A function reaches to
// the next one or the end of the hole.
func (p *Program) fromLabels(labels []symbol, functions []Function) []Function {
	var found []Function
	holes := holes{p: p, functions: functions}
	for _, named := range byAddress(labels) {
		address := named[0].Address
		h, ok := holes.around(address)
		if _, code := p.instruction(address); !ok || !code {
			continue
		}
		named = slices.DeleteFunc(named, func(l symbol) bool {
			return l.Name == staticBase || l.Binding == schema.BindingLocal && !h.beginsAt(address)
		})
		if len(named) == 0 {
			continue
		}
		f := p.named(named)
		f.Origin, f.Size = schema.OriginLabel, uint32(h.end-uint64(address))
		if n := len(found); n > 0 && found[n-1].end() > uint64(address) {
			found[n-1].Size = uint32(address - found[n-1].Address)
		}
		found = append(found, f)
	}
	return found
}

// A hole is a range of a section outside every function.
type hole struct {
	start, end uint64
	code       uint64 // where its first instruction is that is no padding
}

// beginsAt reports whether code of the hole begins at an address.
func (h *hole) beginsAt(address schema.Address) bool {
	return uint64(address) == h.start || uint64(address) == h.code
}

// holes finds the holes between functions, in ascending order.
type holes struct {
	p         *Program
	functions []Function
	next      int    // the first function after the last address
	covered   uint64 // up to where functions before it reach
	last      *hole
}

// around returns the hole that contains an address, which is not below the last.
func (h *holes) around(address schema.Address) (hole, bool) {
	for ; h.next < len(h.functions) && h.functions[h.next].Address <= address; h.next++ {
		h.covered = max(h.covered, h.functions[h.next].end())
	}
	s := h.p.section(address)
	if s == nil || uint64(address) < h.covered {
		return hole{}, false
	}
	found := hole{start: max(h.covered, uint64(s.Address)), end: s.end()}
	if h.next < len(h.functions) {
		found.end = min(found.end, uint64(h.functions[h.next].Address))
	}
	if h.last != nil && h.last.start == found.start {
		found.code = h.last.code
	} else {
		found.code = h.p.afterPadding(found)
	}
	h.last = &found
	return found, true
}

// afterPadding returns where the first instruction of a hole is that is none of
// those that linkers fill gaps with, or its end.
func (p *Program) afterPadding(h hole) uint64 {
	i, _ := p.instruction(schema.Address(h.start))
	for ; i < len(p.Code) && uint64(p.Code[i].Address) < h.end; i++ {
		switch p.Code[i].Opcode {
		case 0, 0xBF00, 0x46C0, 0xE320F000, 0xE1A00000, 0xD503201F: // zeros, NOP, MOV to itself
		default:
			return uint64(p.Code[i].Address)
		}
	}
	return h.end
}

// instruction returns the index of the first instruction at an address or after
// it, and whether there is one at the address.
func (p *Program) instruction(address schema.Address) (int, bool) {
	return slices.BinarySearchFunc(p.Code, address,
		func(i Instruction, a schema.Address) int { return cmp.Compare(i.Address, a) })
}
