package code

import (
	"encoding/binary"

	"github.com/tracelake/tracelake/decode/program"
	"github.com/tracelake/tracelake/pipeline/tally"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/verdict"
)

// Images returns the rows of `images` for the executable sections of programs, each
// with the share of what was executed in it that has the same opcode there.
func Images(programs []Program, executed []Executed) []schema.ImageRegion {
	var rows []schema.ImageRegion
	for i := range programs {
		p := &programs[i]
		for j := range p.Sections {
			s := &p.Sections[j]
			row := schema.ImageRegion{
				File: p.File, SHA256: p.SHA256, BuildID: p.BuildID, Address: s.Address, Bytes: int64(len(s.Bytes)),
				Core: p.Core,
				Role: schema.RoleSymbols.String(), CodeSHA256: p.CodeSHA256, Base: p.Base,
			}
			if ran, equal := p.match(s, executed); ran > 0 {
				row.Match = new(float64(equal) / float64(ran))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// Matches returns how much of what was executed in each program has the same opcode there.
func Matches(programs []Program, executed []Executed) []verdict.Match {
	var all []verdict.Match
	for i := range programs {
		p, m := &programs[i], verdict.Match{}
		for j := range p.Sections {
			ran, equal := p.match(&p.Sections[j], executed)
			m.Ran, m.Equal = m.Ran+int64(ran), m.Equal+int64(equal)
		}
		all = append(all, m)
	}
	return all
}

// Outside counts the addresses that cores executed where none of their programs has that instruction. A core without
// a program has none: `code` has what it executed.
func Outside(programs []Program, executed []Executed) int64 {
	type place struct {
		core    string
		address schema.Address
	}
	outside := map[place]bool{}
	for _, x := range executed {
		has := map[tally.PC]bool{}
		for i := range programs {
			if p := &programs[i]; p.runs(x.Core) {
				for j := range p.Code {
					has[tally.PC{Address: p.Code[j].Address, ISA: p.Code[j].ISA}] = true
				}
			}
		}
		for _, y := range x.Instructions {
			if len(has) > 0 && !has[y.PC] {
				outside[place{x.Core, y.Address}] = true
			}
		}
	}
	return int64(len(outside))
}

// Idle returns the files of programs of which nothing was executed, by the rows that
// [Images] made.
func Idle(images []schema.ImageRegion) []string {
	ran := map[[3]string]bool{}
	key := func(r *schema.ImageRegion) [3]string { return [3]string{r.File, r.SHA256, r.Core} }
	for i := range images {
		r := &images[i]
		ran[key(r)] = ran[key(r)] || r.Match != nil
	}
	var files []string
	for i := range images {
		if k := key(&images[i]); !ran[k] {
			files = append(files, images[i].File)
			ran[k] = true // once
		}
	}
	return files
}

// match counts the distinct addresses in a section that cores of p executed, and
// those where each of their opcodes is that of the section.
func (p *Program) match(s *program.Section, executed []Executed) (ran, equal int) {
	same := map[schema.Address]bool{}
	for i := range executed {
		if !p.runs(executed[i].Core) {
			continue
		}
		for _, x := range executed[i].Instructions {
			if x.Address < s.Address || uint64(x.Address) >= end(s) {
				continue
			}
			before, seen := same[x.Address]
			same[x.Address] = (before || !seen) && has(s, &x)
		}
	}
	for _, ok := range same {
		if ok {
			equal++
		}
	}
	return len(same), equal
}

// has says whether a section has the opcode of an instruction at its address.
func has(s *program.Section, x *Instruction) bool {
	b := s.Bytes[x.Address-s.Address:]
	switch {
	case len(b) < int(x.Size):
		return false
	case x.Size == 2:
		return uint32(binary.LittleEndian.Uint16(b)) == x.Opcode
	case x.ISA == schema.A32, x.ISA == schema.A64:
		return binary.LittleEndian.Uint32(b) == x.Opcode
	}
	return uint32(binary.LittleEndian.Uint16(b))<<16|uint32(binary.LittleEndian.Uint16(b[2:])) == x.Opcode
}
