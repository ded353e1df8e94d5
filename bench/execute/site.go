package execute

import (
	"github.com/tracelake/tracelake/bench/internal/splitmix"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// A site is an instruction of the program and how it behaves.
type site struct {
	at   step.Place
	in   isa.Instruction
	data isa.Transfers
	next [2]*site // of the last time: the following one, and a branch's target

	conditional bool
	plain       bool   // executes without condition, branch and data
	it          bool   // begins an IT block
	contextID   bool   // writes CONTEXTIDR
	exclusive   bool   // a store that may not store
	memory      bool   // loads or stores
	stays       bool   // an indirect branch that keeps the instruction set
	loops       bool   // a conditional branch back
	holds       uint16 // of 65,536 times
	trips       uint16 // mean, of a loop
	left        int    // trips

	table  []step.Place // where an indirect branch goes, if the program has a table
	first  uint64       // else targets from that number on
	spread uint         // so many

	base, stride, offset schema.Address // of data addresses
}

// here is the site of the next instruction, nil if there is no memory. Most often
// it is the site that followed the last one the time before.
func (e *executor) here() *site {
	if e.next != nil && *e.next != nil && (*e.next).at == e.at {
		return *e.next
	}
	s := e.site(e.at)
	if e.next != nil {
		*e.next = s
	}
	return s
}

// site is the one at a place, nil if there is no code.
func (e *executor) site(at step.Place) *site {
	if s, ok := e.sites[at]; ok {
		return s
	}
	in, err := e.program.Instruction(at)
	if err != nil || !e.mapped(at) {
		return nil
	}
	h := splitmix.Hash(e.o.Seed, uint64(at.Address)<<2|uint64(at.ISA))
	s := &site{
		at: at, in: in, data: isa.DataOf(in.Opcode, in.Size, at.ISA),
		conditional: hasCondition(in, at.ISA),
		contextID:   program.WritesContextID(in, at.ISA),
		exclusive:   storesExclusive(in, at.ISA),
		it:          at.ISA != schema.A32 && in.Size == 2 && in.Opcode>>8 == 0xBF && in.Opcode&15 != 0,
		stays:       e.stays(in, at.ISA),
		holds:       chances[h%uint64(len(chances))],
		trips:       2 << (h >> 8 % 4),
		first:       h >> 16,
		spread:      1 << (h >> 12 % 4),
	}
	if h>>40%32 == 0 {
		s.trips = 128
	}
	s.loops = s.conditional && in.Kind == schema.KindBranch && in.Target <= at.Address
	s.memory = s.data.Count > 0 && !s.data.Register || at.ISA == schema.A64 && program.TouchesMemory(in)
	s.plain = in.Kind == schema.KindOther && !s.conditional && !s.it && s.data.Count == 0
	s.stream(h)
	if in.Flow == isa.Indirect {
		s.table = e.table(in, at)
	}
	e.sites[at] = s
	return s
}

// chances are how often conditions hold, of 65,536 times.
var chances = [...]uint16{1000, 6000, 15000, 30000, 35000, 50000, 60000, 64500}

// hasCondition says whether an instruction may fail by itself (DDI 0406C, A8.3),
// not because of an IT block it is in.
func hasCondition(in isa.Instruction, set schema.ISA) bool {
	w := in.Opcode
	switch {
	case set == schema.A64:
		return in.Conditional(set)
	case set == schema.A32:
		return w>>28 < program.Always
	case in.Kind != schema.KindBranch:
		return false
	case in.Size == 2:
		return w>>12 == 0xD || w>>12 == 0xB // B<c>, CBZ
	}
	return w&0x1000 == 0 && w>>16&0xFFF0 != 0xF3B0 // B<c>.W; not ENTERX, LEAVEX
}

// storesExclusive says whether in is STREX, of any size.
func storesExclusive(in isa.Instruction, set schema.ISA) bool {
	w := in.Opcode
	switch set {
	case schema.A64:
		return false // its transfers are not known
	case schema.A32:
		return w&0x0F9000F0 == 0x01800090 && w>>28 != 15
	}
	return w>>20 == 0xE84 || w>>20 == 0xE8C && (w>>4&15 >= 4 && w>>4&15 <= 7)
}

// stays says whether an indirect branch keeps the instruction set. That of A32
// does in V5TE if it is no load and no BX (DDI 0406C, A2.3.1).
func (e *executor) stays(in isa.Instruction, set schema.ISA) bool {
	if set == schema.A32 {
		return e.o.Arch == program.V5TE && in.Kind != schema.KindExceptionReturn && in.Opcode>>26&3 == 0 &&
			in.Opcode&0x0FF000D0 != 0x01200010
	}
	return staysT32(in)
}

// staysT32 says whether an indirect branch of T32 cannot change to A32: ADD PC
// and MOV PC (DDI 0406C, A2.3.1), TBB and TBH.
func staysT32(in isa.Instruction) bool {
	w := in.Opcode
	return in.Size == 2 && (w&0xFF87 == 0x4687 || w&0xFF87 == 0x4487) || in.Size == 4 && w&0xFFF0FFE0 == tableBranch
}

// tableBranch is TBB or TBH, without registers.
const tableBranch = 0xE8D0F000
