package codegen

import (
	"fmt"

	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/schema"
)

// This file has what programs for ARMv5TE have in place of what came later.

// vectorPage is how many bytes are kept for the vectors of V5TE.
const vectorPage = 0x1000

// checkV5TE says what cannot be of a program for V5TE.
func (o *Options) checkV5TE() error {
	end := uint64(o.Base) + uint64(o.Bytes) + slack
	switch {
	case o.Security != schema.Secure:
		return fmt.Errorf("codegen: program for %s in the state %s; it has no security extensions: its state is %s", o.Arch,
			o.Security, schema.Secure)
	case !o.HighVectors && o.Base < vectorPage:
		return fmt.Errorf("codegen: program at 0x%x; the vectors are at 0: it begins at 0x%x or above", o.Base, vectorPage)
	case o.HighVectors && end > uint64(program.Vectors(true)):
		return fmt.Errorf("codegen: program of %d bytes at 0x%x; the vectors are at 0x%x: it ends below", o.Bytes, o.Base,
			program.Vectors(true))
	}
	return nil
}

// thumb1 says whether the current instruction set is T32 without instructions of
// 32 bits but BL and BLX.
func (g *generator) thumb1() bool { return g.o.v5TE() && g.set == schema.T32 }

// near writes a branch inside a function.
func (g *generator) near() branch {
	if g.thumb1() {
		return g.branch(formT2, 0xE000)
	}
	return g.jump(g.set)
}

// oneV5TE is an instruction of V5TE that does not branch.
func (g *generator) oneV5TE() uint32 {
	switch plain := !g.chance(3); {
	case g.set == schema.T32 && plain:
		return pick(g.random, thumb1Plain)
	case g.set == schema.T32:
		return pick(g.random, thumb1Data)
	case plain:
		return pick(g.random, a32PlainV5TE)
	case g.o.LDC && g.chance(12):
		return pick(g.random, a32LDC)
	}
	return pick(g.random, a32DataV5TE)
}

// pieceV5TE writes a call of the system, or of a subroutine.
func (g *generator) pieceV5TE() {
	if g.set == schema.T32 || g.chance(2) {
		g.system()
		return
	}
	g.local()
}

// local writes a subroutine inside of a function, and its call: MOV PC,LR does not
// change the instruction set.
func (g *generator) local() {
	call := g.call(schema.A32, schema.A32)
	over := g.jump(schema.A32)
	g.land(call, g.here())
	g.straight(1 + g.random.IntN(4))
	g.a32(0xE1A0F00E) // MOV PC,LR
	g.land(over, g.here())
}

// semaphore writes a loop that takes one by SWP, or SWPB. T32 has neither.
func (g *generator) semaphore() {
	if g.set == schema.T32 {
		g.straight(3)
		return
	}
	g.loop(func() {
		g.a32(0xE1089090 | uint32(g.random.IntN(8)) | uint32(g.random.IntN(2))<<22) // SWP R9,Rm,[R8]
		g.straight(1)
	})
}

// barrierV5TE writes what its cores have of that sort, which are coprocessor
// operations, or PLD.
func (g *generator) barrierV5TE() {
	if g.set == schema.T32 {
		g.straight(1)
		return
	}
	opcodes := []uint32{
		0xEE070F9A, // MCR p15, 0, R0, c7, c10, 4: drain the write buffer
		0xEE070F15, // MCR p15, 0, R0, c7, c5, 0: invalidate the instruction cache
		0xF5D0F000, // PLD [R0]
	}
	g.a32(opcodes[g.random.IntN(len(opcodes))])
}

// tableThumb1 writes a switch by ADD PC, of n cases.
func (g *generator) tableThumb1(n int) {
	other := g.conditional()
	g.t32(0x4487, 0x46C0) // ADD PC,R0; MOV R8,R8
	var entries []branch
	for range n {
		entries = append(entries, g.near())
	}
	for i, at := range g.cases(n) {
		g.land(entries[i], at)
	}
	g.land(other, g.here())
}

// vectorsV5TE are the exceptions of V5TE in the order of their vectors (DDI 0100I,
// table A2-4); the sixth vector is reserved.
var vectorsV5TE = []schema.ExceptionType{
	schema.ExcReset, schema.ExcUndefined, schema.ExcSVC, schema.ExcPrefetchAbort, schema.ExcDataAbort,
	schema.ExcGeneric, schema.ExcIRQ, schema.ExcFIQ,
}

// handlersV5TE writes the handlers, and the vectors, which lie apart.
func (g *generator) handlersV5TE(helpers map[schema.ISA]step.Place) {
	handlers := make([]schema.Address, len(vectorsV5TE))
	for i, exception := range vectorsV5TE {
		handlers[i] = g.begin(schema.A32).Address
		g.handlerV5TE(exception, helpers)
	}
	code := g.assembler
	g.assembler = assembler{base: program.Vectors(g.o.HighVectors)}
	g.page(handlers)
	page := g.assembler
	g.assembler, g.vectors = code, &page
}

// handlerV5TE writes a handler, with one of the ways to return.
func (g *generator) handlerV5TE(exception schema.ExceptionType, helpers map[schema.ISA]step.Place) {
	g.straight(g.random.IntN(4))
	switch k := g.random.IntN(4); {
	case exception == schema.ExcReset:
		g.contextID()
		g.toEntry()
	case k == 0 || g.o.Switches && exception == schema.ExcIRQ:
		g.reentrant(helpers)
	case k == 1:
		g.a32(0xE92D500F) // PUSH {R0-R3,R12,LR}
		g.help(helpers)
		g.a32(0xE8FD900F) // LDM SP!,{R0-R3,R12,PC}^
	case k == 2:
		g.a32(0xE1B0F00E) // MOVS PC,LR
	default:
		g.skip(func() { g.straight(5) })
		g.a32(0xE25EF004) // SUBS PC,LR,#4
	}
}

// reentrant writes a handler that others may interrupt: it saves SPSR and works in
// System mode.
func (g *generator) reentrant(helpers map[schema.ISA]step.Place) {
	g.a32(
		0xE24EE004, // SUB LR,LR,#4
		0xE92D500F, // PUSH {R0-R3,R12,LR}
		0xE14F0000, // MRS R0,SPSR
		0xE92D0001, // PUSH {R0}
		0xE321F01F, // MSR CPSR_c,#0x1F
		0xE92D4000, // PUSH {LR}
	)
	g.help(helpers)
	g.contextID()
	g.a32(
		0xE8BD4000, // POP {LR}
		0xE321F092, // MSR CPSR_c,#0x92
		0xE8BD0001, // POP {R0}
		0xE169F000, // MSR SPSR_fc,R0
		0xE8FD900F, // LDM SP!,{R0-R3,R12,PC}^
	)
}

// literals is where the page of vectors has the addresses of the handlers: as far
// from each vector.
const literals = 0x40

// page writes the vectors: LDR PC of a literal, or B to code that does that in the
// end. The last one, of FIQ, may be followed by its handler at once.
func (g *generator) page(handlers []schema.Address) {
	g.begin(schema.A32)
	last := len(handlers) - 1
	stubs := make(map[int]branch)
	for i := range handlers {
		switch {
		case i == last && g.chance(2):
			g.straight(1 + g.random.IntN(4))
			g.a32(0xE25EF004) // SUBS PC,LR,#4
		case g.chance(2):
			stubs[i] = g.jump(schema.A32)
		default:
			g.a32(0xE59FF000 | literals - 8) // LDR PC,[PC,#…]
		}
	}
	for g.here()%vectorPage < literals {
		g.word(0)
	}
	for _, at := range handlers {
		g.word(uint32(at))
	}
	for i := range handlers {
		if b, ok := stubs[i]; ok {
			g.land(b, g.here())
			g.straight(g.random.IntN(3))
			literal := program.Vectors(g.o.HighVectors) + literals + 4*schema.Address(i)
			g.a32(0xE51FF000 | uint32(g.here()+8-literal)) // LDR PC,[PC,#-…]
		}
	}
	for i, exception := range vectorsV5TE {
		if exception != schema.ExcGeneric {
			g.handlers[exception] = step.Place{Address: program.Vectors(g.o.HighVectors) + 4*schema.Address(i), ISA: schema.A32}
		}
	}
}
