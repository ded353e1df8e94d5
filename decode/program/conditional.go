package program

import "github.com/tracelake/tracelake/decode/isa"

// An itState is ITSTATE (DDI 0406C, A8.8.54): what of an IT block is still to
// come, the condition of the next instruction in the high half.
type itState uint8

// conditional reports whether the next instruction is in an IT block and can
// fail: a block with condition AL has none that can.
func (it itState) conditional() bool { return it&0xF != 0 && it>>4 < 14 }

// after returns the state after an instruction: an IT begins a block, another one
// advances it.
func (it itState) after(i isa.Instruction) itState {
	switch {
	case i.Size == 2 && i.Opcode&0xFF00 == 0xBF00 && i.Opcode&0xF != 0: // IT; a mask of 0 is a hint
		return itState(i.Opcode)
	case it&7 == 0:
		return 0
	default:
		return it&0xE0 | it<<1&0x1F
	}
}
