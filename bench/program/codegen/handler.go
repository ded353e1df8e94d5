package codegen

import (
	"encoding/binary"

	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/schema"
)

// vectorTypes are the exceptions of profile A/R in the order of the program's
// vectors: the first eight as in the architecture (DDI 0406C, table B1-3).
var vectorTypes = []schema.ExceptionType{
	schema.ExcReset, schema.ExcUndefined, schema.ExcSVC, schema.ExcPrefetchAbort, schema.ExcDataAbort,
	schema.ExcHyp, schema.ExcIRQ, schema.ExcFIQ, schema.ExcSMC, schema.ExcThumbEE, schema.ExcGeneric,
}

// vectorTable writes the vectors, in A32 or T32, and the handlers it leads to:
// by B, or by a load of the PC into either instruction set.
func (g *generator) vectorTable(helpers map[schema.ISA]step.Place) {
	set := schema.A32
	if g.chance(4) {
		set = schema.T32
	}
	begin := g.begin(set)
	size := 4 * uint32(len(vectorTypes))
	branches := make(map[int]branch)
	for i, exception := range vectorTypes {
		if at, ok := g.vector(exception, begin); ok {
			g.handlers[exception] = at
		}
		if g.chance(2) {
			branches[i] = g.jump(set)
		} else {
			g.in(0xE59FF000|size-8, 0xF8DFF000|size-4) // LDR PC of literal i
		}
	}
	for range vectorTypes {
		g.word(0)
	}
	g.handlers[schema.ExcAsyncDataAbort] = g.handlers[schema.ExcDataAbort]
	for i, exception := range vectorTypes {
		b, near := branches[i]
		handlerSet := set
		if !near {
			handlerSet = schema.ISA(g.random.IntN(2)) // A32, T32
		}
		at := g.handler(exception, g.begin(handlerSet), helpers)
		if near {
			g.land(b, at.Address)
		}
		g.put(begin.Address+schema.Address(size)+4*schema.Address(i), uint32(at.Address)|uint32(at.ISA))
	}
}

// vector is where the core goes in an exception, which is entered in the state
// it takes: the monitor is secure. There may be none.
func (g *generator) vector(exception schema.ExceptionType, begin step.Place) (step.Place, bool) {
	at := begin
	at.Address = g.here()
	switch exception {
	case schema.ExcSMC:
		at.Security = schema.Secure
		return at, g.o.SMC
	case schema.ExcHyp:
		at.Security = schema.Hyp
		return at, g.o.HVC
	}
	return at, true
}

// put overwrites a word.
func (g *generator) put(at schema.Address, w uint32) {
	binary.LittleEndian.PutUint32(g.code[at-g.base:], w)
}

// handler writes a handler at a place, with one of the ways to return.
func (g *generator) handler(exception schema.ExceptionType, at step.Place,
	helpers map[schema.ISA]step.Place,
) step.Place {
	g.straight(g.random.IntN(4))
	switch k := g.random.IntN(4); {
	case exception == schema.ExcReset:
		g.contextID()
		g.barrier()
		if g.o.Arch == program.V8A { // whose level is another
			g.in(0xE1B0F00E, 0xF3DE8F00) // MOVS PC,LR; ERET
			break
		}
		g.toEntry()
	case exception == schema.ExcHyp:
		g.straight(3)
		g.in(0xE160006E, 0xF3DE8F00) // ERET
	case k == 0 || g.o.Switches && exception == schema.ExcIRQ:
		g.in(0xF96D0513, 0xE82DC013) // SRSDB SP!,#19
		g.in(0xF1020013, 0xF3AF8113) // CPS #19
		g.in(0xE92D500F, 0xE92D500F) // PUSH {R0-R3,R12,LR}
		g.help(helpers)
		g.contextID()
		g.in(0xE8BD500F, 0xE8BD500F)
		g.in(0xF8BD0A00, 0xE9BDC000) // RFEIA SP!
	case k == 1 && at.ISA == schema.A32:
		g.a32(0xE92D500F)
		g.help(helpers)
		g.a32(0xE8FD900F) // LDM SP!,{R0-R3,R12,PC}^
	case k == 2 && at.ISA == schema.A32:
		g.a32(0xE1B0F00E) // MOVS PC,LR
	default:
		g.skip(func() { g.straight(5) })
		g.in(0xE25EF004, 0xF3DE8F04) // SUBS PC,LR,#4
	}
	return at
}

// help calls a helper, of the other instruction set now and then.
func (g *generator) help(helpers map[schema.ISA]step.Place) {
	to := helpers[g.set]
	if g.chance(3) && !g.o.profileM() {
		to = helpers[schema.A32+schema.T32-g.set]
	}
	g.land(g.call(g.set, to.ISA), to.Address)
}

// contextID writes the context ID, and waits for it now and then: MCR p15, 0,
// R0, c13, c0, 1; MSR CONTEXTIDR_EL1,X0.
func (g *generator) contextID() {
	g.three(0xEE0D0F30, 0xEE0D0F30, 0xD518D020)
	if !g.o.v5TE() && g.chance(2) {
		g.three(0xF57FF06F, 0xF3BF8F6F, 0xD5033FDF) // ISB
	}
}

// toEntry jumps to the entry of the program.
func (g *generator) toEntry() {
	if g.setOf(0) != g.set {
		g.in(0xE12FFF13, 0x4718) // BX R3
		return
	}
	g.calls = append(g.calls, call{g.jump(g.set), 0})
}

// exceptionsV7M are those of profile M.
var exceptionsV7M = []schema.ExceptionType{
	schema.ExcReset, schema.ExcNMI, schema.ExcHardFault, schema.ExcMemManage, schema.ExcBusFault,
	schema.ExcUsageFault, schema.ExcSVC, schema.ExcDebugMonitor, schema.ExcPendSV, schema.ExcSysTick,
	schema.ExcIRQ,
}

// handlersV7M writes the handlers of profile M, which are functions.
func (g *generator) handlersV7M(helpers map[schema.ISA]step.Place) {
	for _, exception := range exceptionsV7M {
		g.handlers[exception] = g.begin(schema.T32)
		g.straight(1 + g.random.IntN(4))
		switch k := g.random.IntN(4); {
		case exception == schema.ExcReset:
			g.barrier()
			g.toEntry()
		case k == 0:
			g.t32(0x4770) // BX LR
		case k == 1:
			g.push()
			g.help(helpers)
			g.t32(0xF85DFB04) // LDR PC,[SP],#4
		default:
			g.push()
			g.skip(func() { g.straight(5) })
			g.help(helpers)
			g.popPC()
		}
	}
}
