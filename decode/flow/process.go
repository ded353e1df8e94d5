package flow

import (
	"slices"

	"github.com/tracelake/tracelake/decode/image"
)

// This file is about captures of several processes: each has its own program. Only one of them is walked at a
// time, so blocks of one never lead to those of another.

// programs are those of processes that the walker left, the last one last.
type programs []*Program

// take takes the program of a process out; nil if it is not there.
func (ps *programs) take(process uint32) *Program {
	i := slices.IndexFunc(*ps, func(p *Program) bool { return p.process == process })
	if i < 0 {
		return nil
	}
	p := (*ps)[i]
	*ps = slices.Delete(*ps, i, i+1)
	return p
}

// begin forgets the programs that were left first, until what all hold is not too much. It is called between
// work units: the results of those before have been made.
func (ps *programs) begin() {
	held := 0
	for i, p := range slices.Backward(*ps) {
		if held += p.held + programWeight; held > heldInstructions {
			for _, p := range (*ps)[:i+1] {
				p.forget()
			}
			*ps = slices.Delete(*ps, 0, i+1)
			return
		}
	}
}

// programWeight is what a program adds to those that are held beside its blocks, as so many instructions.
const programWeight = 1 << 10

// EnterProcess goes on in the program of another process, at the same address: that sees the memory.
func (w *Walker) EnterProcess(process uint32, memory *image.Memory) {
	if process == w.prog.process {
		return
	}
	left := w.prog
	if w.prog = w.programs.take(process); w.prog == nil {
		w.prog = newProgram(Program{mem: memory, process: process, rules: left.rules, lookaside: left.lookaside})
	}
	clear(w.prog.lookaside[:])
	w.programs = append(w.programs, left)
	if w.prog.unit != w.unit {
		w.prog.begin(w.unit)
	}
	w.prog.short = left.short
	if w.known {
		w.at.Address, w.cur, w.pos, w.open = w.PC().Address, nil, 0, false
	}
	w.stack.enter(w.prog)
}

// enter looks up the calls of the stack in another program: in the kernel, above all, they are the same. What
// is below a call that is not cannot be returned to.
func (s *returnStack) enter(p *Program) {
	for i := range s.n {
		entry := &s.entries[(s.top-1-i)%returnStackDepth]
		b := p.block((*entry).at().key())
		if b.end != atWaypoint || b.next() != (*entry).next() {
			s.n = i
			return
		}
		*entry = b
	}
}
