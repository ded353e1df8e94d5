// Package code fills the tables of the program: `code`, `functions`, `lines` and
// `symbols`, and the rows of `images` for program files. A core without a program
// file has in `code` what it executed.
//
// Its API is not stable (docs/guide/library.md).
package code

import (
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/decode/program"
	"github.com/tracelake/tracelake/pipeline/tally"
	"github.com/tracelake/tracelake/schema"
)

// A Program is a program file and the core that runs it.
type Program struct {
	*program.Program
	Core string         // "" is every core
	Base schema.Address // what was added to the addresses of the file
}

// An Instruction is one that was executed.
type Instruction = tally.Instruction

// Executed are the distinct instructions that a source executed, by address, then
// instruction set.
type Executed struct {
	Core         string // "" if it is not known
	Instructions []Instruction
}

// Counted returns what a core executed of what was counted.
func Counted(core string, counts []tally.Count) Executed {
	x := Executed{Core: core}
	for i := range counts {
		x.Instructions = append(x.Instructions, counts[i].Instruction)
	}
	return x
}

// An OverlapError says that a core has two programs at one address: names and
// coverage of what ran there would be a guess.
type OverlapError struct {
	Files   [2]string
	Address schema.Address
}

func (e *OverlapError) Error() string {
	return fmt.Sprintf("%s and %s both have code at %s; "+
		"give one of them, or each to the core that runs it with --symbols CORE=FILE",
		e.Files[0], e.Files[1], e.Address.Hex())
}

// Check drops programs that are there twice, and fails with an [*OverlapError] if a
// core has two at one address.
func Check(programs []Program) ([]Program, error) {
	var distinct []Program
	for i := range programs {
		p := &programs[i]
		same := func(q Program) bool { return q.CodeSHA256 == p.CodeSHA256 && q.SHA256 == p.SHA256 && q.Core == p.Core }
		if slices.ContainsFunc(distinct, same) {
			continue
		}
		for j := range distinct {
			if err := overlap(&distinct[j], p); err != nil {
				return nil, err
			}
		}
		distinct = append(distinct, *p)
	}
	return distinct, nil
}

// overlap fails if one core runs both programs, and they share an address.
func overlap(a, b *Program) error {
	if a.Core != b.Core && a.Core != "" && b.Core != "" {
		return nil
	}
	for i := range a.Sections {
		for j := range b.Sections {
			s, t := &a.Sections[i], &b.Sections[j]
			first := max(s.Address, t.Address)
			if uint64(first) < min(end(s), end(t)) {
				return &OverlapError{[2]string{a.File, b.File}, first}
			}
		}
	}
	return nil
}

// runs says whether a core runs p.
func (p *Program) runs(core string) bool { return p.Core == "" || p.Core == core }

// end returns the address after a section.
func end(s *program.Section) uint64 { return uint64(s.Address) + uint64(len(s.Bytes)) }
