package flow

import (
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file finds the data instructions of a walk. Nothing is looked at while
// walking: only a data packet asks for the instruction it belongs to.

// A mark is a place in the runs of a unit: behind all runs before run, and the
// first count instructions of that one.
type mark struct {
	run   int
	count uint16
}

// clamp keeps m from reaching over the end, where instructions were taken back.
func (m *mark) clamp(runs []schema.Run) {
	if m.run >= len(runs) {
		*m = mark{run: len(runs)}
	} else {
		m.count = min(m.count, runs[m.run].Count)
	}
}

// DataInstruction returns the last instruction that transferred data, of those
// walked by Executed and Atom since it was called before, or since Begin. before
// counts the instructions walked behind it. With registers, transfers between
// core and coprocessor count too.
func (w *Walker) DataInstruction(registers bool) (t isa.Transfers, behind int64, ok bool) {
	runs, from := w.unit.Runs, w.dataMark
	w.dataMark = mark{run: len(runs)}
	if n := len(runs); n > 0 {
		w.dataMark = mark{n - 1, runs[n-1].Count}
	}
	for r := len(runs) - 1; r >= from.run; r-- {
		run, first := &runs[r], uint16(0)
		if r == from.run {
			first = from.count
		}
		transfers := w.prog.dataOf(w.unit.Blocks[run.Block])
		for i := run.Count; i > first; i-- {
			t := transfers[run.First+i-1]
			if t.Count > 0 && run.Failed>>(i-1)&1 == 0 && (registers || !t.Register) {
				return t, behind, true
			}
			behind++
		}
	}
	return isa.Transfers{}, 0, false
}

// dataOf returns the transfers of each instruction of a block.
func (p *Program) dataOf(b *schema.Block) []isa.Transfers {
	t, ok := p.data[b]
	if !ok {
		t = make([]isa.Transfers, len(b.Opcode))
		for i := range t {
			t[i] = isa.DataOf(b.Opcode[i], b.Size[i], b.Key.ISA)
		}
		p.data[b] = t
	}
	return t
}

// TransfersData says whether the last instruction walked, which is of the unit,
// is one that transfers data.
func (w *Walker) TransfersData() bool {
	run := &w.unit.Runs[len(w.unit.Runs)-1]
	return w.prog.dataOf(w.unit.Blocks[run.Block])[run.First+run.Count-1].Count > 0
}
