package report

import "github.com/tracelake/tracelake/schema"

// A Stretch is instructions that ran one after another where nothing has names: from an address
// that was executed to the first that was not, or to the end of a page of memory.
type Stretch struct {
	Core         string
	Address      schema.Address
	Bytes        int64
	Code         Tally
	Branches     int64 // conditional ones
	Both         int64 // of those: seen to go both ways
	Instructions int64 // executions, those that failed their condition too
	Entries      int64 // executions of the first instruction
	Timed        int64 // executions that Cycles are for
	Cycles       float64
}

// StretchPage is the size of a page of memory. A stretch is of one.
const StretchPage = 4096

// Stretches returns what ran of a program without names, by core and address.
func (m *Merged) Stretches() []Stretch {
	var all []Stretch
	for _, core := range m.cores() {
		open, end := false, int64(0)
		p := m.programs[core]
		for i := range p.code {
			x := &p.code[i]
			if x.reached() == 0 {
				open = false
				continue
			}
			if !open || int64(x.address) != end || x.address/StretchPage != all[len(all)-1].Address/StretchPage {
				all = append(all, Stretch{Core: core, Address: x.address, Entries: x.passed()})
			}
			open, end = true, int64(x.address)+int64(x.size)
			all[len(all)-1].add(x)
		}
	}
	return all
}

// add adds an instruction.
func (s *Stretch) add(x *instruction) {
	s.Bytes += int64(x.size)
	s.Code.add(x)
	if x.conditional && x.branches() {
		s.Branches++
		s.Both += one(x.executed > 0 && x.failed > 0)
	}
	s.Instructions += x.reached()
	s.Timed += x.timed
	s.Cycles += x.cycles
}
