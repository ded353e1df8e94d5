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
	var last *Stretch // that the next instruction may belong to; nil: none
	for p, x := range m.code() {
		if x.reached() == 0 {
			last = nil
			continue
		}
		if last == nil || last.Core != p.core || last.end() != x.address ||
			x.address/StretchPage != last.Address/StretchPage {
			all = append(all, Stretch{Core: p.core, Address: x.address, Entries: x.passed()})
		}
		last = &all[len(all)-1]
		last.add(x)
	}
	return all
}

// end is the address after the last instruction.
func (s *Stretch) end() schema.Address { return s.Address + schema.Address(s.Bytes) }

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
