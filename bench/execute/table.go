package execute

import (
	"encoding/binary"

	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// table reads where an indirect branch leads from what follows it in the
// program, as compilers lay it out: PC-relative tables and literals.
func (e *executor) table(in isa.Instruction, at step.Place) []step.Place {
	w := in.Opcode
	switch {
	case at.ISA == schema.A64:
		return e.tableA64(in, at)
	case at.ISA == schema.A32 && w&0x0FFFFFF0 == 0x079FF100: // LDR PC,[PC,Rm,LSL #2]
		return e.words(at, at.Address+8, maxTable)
	case at.ISA == schema.A32 && w&0x0F7FF000 == 0x051FF000: // LDR PC,[PC,#n]
		return e.words(at, literal(at.Address+8, w>>23&1 == 1, w&0xFFF), 1)
	case at.ISA == schema.A32 && w&0x0FFFFFF0 == 0x008FF100: // ADD PC,PC,Rm,LSL #2
		return e.branches(at, at.Address+8, 4, 0xEA, 24)
	case at.ISA == schema.T32 && in.Size == 2 && w&0xFF87 == 0x4487: // ADD PC,Rm
		return e.branches(at, at.Address+4, 2, 0x1C, 11) // after one more instruction
	case at.ISA == schema.A32 || in.Size == 2:
		return nil
	case w&0xFF7FF000 == 0xF85FF000: // LDR.W PC,[PC,#n]
		return e.words(at, literal((at.Address+4)&^3, w>>23&1 == 1, w&0xFFF), 1)
	case w&0xFFFFFFF0 == tableBranch|15<<16: // TBB [PC,Rm]
		return e.offsets(at, 1)
	case w&0xFFFFFFF0 == tableBranch|15<<16|0x10: // TBH [PC,Rm,LSL #1]
		return e.offsets(at, 2)
	}
	return nil
}

const maxTable = 512 // entries

func literal(pc schema.Address, up bool, n uint32) schema.Address {
	if up {
		return (pc + schema.Address(n)).In32()
	}
	return (pc - schema.Address(n)).In32()
}

// fetch reads size bytes of program memory.
func (e *executor) fetch(at step.Place, address schema.Address, size uint32) (uint32, bool) {
	b := e.program.Fetch(at.Security, address)
	if len(b) < int(size) {
		return 0, false
	}
	switch size {
	case 1:
		return uint32(b[0]), true
	case 2:
		return uint32(binary.LittleEndian.Uint16(b)), true
	}
	return binary.LittleEndian.Uint32(b), true
}

// words reads a table of addresses: where the first code it leads to begins, it
// ends.
func (e *executor) words(at step.Place, address schema.Address, n int) []step.Place {
	var places []step.Place
	end := schema.MaxAddress
	for range n {
		w, ok := e.fetch(at, address, 4)
		to := at
		to.Address, to.ISA = schema.Address(w&^1), schema.ISA(w&1)
		if !ok || address >= end || to.ISA == schema.A32 && (w&2 != 0 || e.o.profileM()) || !e.mapped(to) {
			break
		}
		if to.Address > address {
			end = min(end, to.Address)
		}
		places = append(places, to)
		address += 4
	}
	return places
}

// branches are the branches that ADD PC leads to, those of the table only, which begins at an
// address: they have so many bytes, no condition, and an opcode of which the highest bits are given.
func (e *executor) branches(at step.Place, table schema.Address, size, opcode uint32, shift int) []step.Place {
	var places []step.Place
	for at.Address = table; len(places) < maxTable; at.Address += schema.Address(size) {
		if w, ok := e.fetch(at, at.Address, size); !ok || w>>shift != opcode {
			break
		}
		places = append(places, at)
	}
	return places
}

// offsets reads a table of halfword offsets from the PC, which is its start.
func (e *executor) offsets(at step.Place, size uint32) []step.Place {
	var places []step.Place
	start := at.Address + 4
	end := ^uint32(0) // of the table, less its start
	for i := uint32(0); i < maxTable*size && i < end; i += size {
		d, ok := e.fetch(at, start+schema.Address(i), size)
		to := at
		to.Address = start + schema.Address(2*d)
		if !ok || 2*d <= i || !e.mapped(to) {
			break
		}
		end = min(end, 2*d)
		places = append(places, to)
	}
	return places
}
