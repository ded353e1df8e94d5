package flow

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file finds the data instructions of a walk. The walk itself does not look
// for them: the decoder asks for the instruction that a data packet belongs to.

// A mark is a position in the runs of a result: after all runs before run, and
// after the first count instructions of run.
type mark struct {
	run   int
	count uint16
}

// clamp moves m back to the end of the runs, if instructions were taken back.
func (m *mark) clamp(runs []schema.Run) {
	if m.run >= len(runs) {
		*m = mark{run: len(runs)}
	} else {
		m.count = min(m.count, runs[m.run].Count)
	}
}

// DataInstruction returns the last instruction that transferred data, of those
// walked by Executed and Atom since the previous call, or since Begin. after
// counts the instructions walked after it. With registers, transfers between core
// and coprocessor count too.
func (w *Walker) DataInstruction(registers bool) (t isa.Transfers, after int64, ok bool) {
	runs, from := w.result.Runs, w.dataMark
	w.dataMark = mark{run: len(runs)}
	if n := len(runs); n > 0 {
		w.dataMark = mark{n - 1, runs[n-1].Count}
	}
	for r := len(runs) - 1; r >= from.run; r-- {
		run, first := &runs[r], uint16(0)
		if r == from.run {
			first = from.count
		}
		transfers := w.prog.dataOf(w.result.Blocks[run.Block])
		for i := run.Count; i > first; i-- {
			t := transfers[run.First+i-1]
			if t.Count > 0 && run.Failed>>(i-1)&1 == 0 && (registers || !t.Register) {
				return t, after, true
			}
			after++
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

// TransfersData reports whether the last instruction of the result transfers data.
// The result must have one.
func (w *Walker) TransfersData() bool {
	run := w.result.Last(decode.Ends{})
	return w.prog.dataOf(w.result.Blocks[run.Block])[run.First+run.Count-1].Count > 0
}
