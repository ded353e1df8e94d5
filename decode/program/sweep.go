package program

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// sweep reads the instructions of all sections.
func (p *Program) sweep(t *symbolTable) {
	marks := map[int][]mark{}
	for _, m := range t.marks {
		marks[m.section] = append(marks[m.section], m)
	}
	functions := map[int][]mark{}
	for _, f := range t.functions {
		functions[f.section] = append(functions[f.section], p.mark(&f))
	}
	for i := range p.Sections {
		s := &p.Sections[i]
		m := sorted(marks[s.index])
		if len(m) == 0 {
			if m = sorted(functions[s.index]); len(m) > 0 {
				m[0].address = s.Address
			}
		}
		if len(m) == 0 && p.AArch64 {
			m = []mark{{s.Address, s.index, schema.Of(schema.A64)}} // which is the only one
		}
		if len(m) == 0 {
			p.note("section %s has neither mapping symbols ($a, $t, $d) nor functions: its instruction set is unknown, and it "+
				"was left out", s.Name)
			continue
		}
		p.sweepSection(s, m)
	}
}

// mark returns what a function of a section without mapping symbols says: in AArch32 its T
// bit is the instruction set.
func (p *Program) mark(s *symbol) mark {
	in := schema.A32
	switch {
	case p.AArch64:
		in = schema.A64
	case s.thumb:
		in = schema.T32
	}
	return mark{s.Address, s.section, schema.Of(in)}
}

// sorted sorts marks by address; of those at one address the last one holds.
func sorted(marks []mark) []mark {
	slices.SortStableFunc(marks, func(a, b mark) int { return cmp.Compare(a.address, b.address) })
	return marks
}

// sweepSection reads the instructions of one section: each stretch between marks
// by itself.
func (p *Program) sweepSection(s *Section, marks []mark) {
	for i, m := range marks {
		end := s.end()
		if i+1 < len(marks) {
			end = min(end, uint64(marks[i+1].address))
		}
		if m.address < s.Address || uint64(m.address) >= end || !m.isa.OK {
			continue
		}
		if m.isa.V == schema.T32 {
			p.sweepT32(s, m.address, end)
		} else {
			p.sweepWords(s, m, end)
		}
	}
}

// sweepWords reads the A32 or A64 instructions from a mark up to end. Code is
// little-endian in a big-endian image too.
func (p *Program) sweepWords(s *Section, m mark, end uint64) {
	read := p.dialect.A32
	if m.isa.V == schema.A64 {
		read = isa.A64
	}
	at := uint64(m.address)
	for at += -at & 3; at < end && end-at >= 4; at += 4 {
		w := binary.LittleEndian.Uint32(s.Bytes[at-uint64(s.Address):])
		i := read(w, schema.Address(at))
		p.add(s, schema.Address(at), m.isa.V, i, i.Conditional(m.isa.V))
	}
}

// sweepT32 reads the T32 instructions from an address up to end.
func (p *Program) sweepT32(s *Section, address schema.Address, end uint64) {
	var it itState
	for at := (uint64(address) + 1) &^ 1; at+2 <= end; {
		b := s.Bytes[at-uint64(s.Address) : end-uint64(s.Address)]
		h1, h2 := binary.LittleEndian.Uint16(b), uint16(0)
		if isa.Is32Bit(h1) {
			if len(b) < 4 {
				return // cut by the end of the stretch
			}
			h2 = binary.LittleEndian.Uint16(b[2:])
		}
		i := p.dialect.T32(h1, h2, schema.Address(at), false)
		p.add(s, schema.Address(at), schema.T32, i, it.conditional() || i.Conditional(schema.T32))
		it = it.after(i)
		at += uint64(i.Size)
	}
}

// add adds an instruction.
func (p *Program) add(s *Section, address schema.Address, in schema.ISA, i isa.Instruction, conditional bool) {
	row := rowOf(address, in, i, conditional)
	row.Section = s.Name
	p.Code = append(p.Code, row)
}

// rowOf returns what is known of an instruction without its place.
func rowOf(address schema.Address, in schema.ISA, i isa.Instruction, conditional bool) Instruction {
	row := Instruction{Address: address, Size: i.Size, ISA: in, Opcode: i.Opcode, Kind: i.Kind, Conditional: conditional}
	if i.Flow == isa.Direct {
		row.Target, row.TargetISA = schema.Of(i.Target), schema.Of(i.TargetISA)
	}
	return row
}
