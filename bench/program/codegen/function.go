package codegen

import (
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/schema"
)

// callDepth is how deep direct calls go: a function calls those only whose
// number has a larger remainder, so that no call comes back.
const callDepth = 8

// function writes the next function.
func (g *generator) function() {
	n := len(g.functions)
	g.functions = append(g.functions, g.begin(g.setOf(n)))
	if (g.o.SMC || g.o.HVC) && g.o.callsMonitor() && g.chance(6) {
		g.monitorCall()
		return
	}
	leaf := n%callDepth == callDepth-1
	saves := !leaf || g.chance(2)
	if saves {
		g.push()
	}
	for range 2 + g.random.IntN(5) {
		g.piece(n, 0)
	}
	if g.chance(100) {
		g.straight(1100 + g.random.IntN(1500)) // beyond 4096 bytes in most cases
	}
	if saves && g.chance(3) {
		g.popLR()
		saves = false
	}
	switch {
	case saves:
		g.popPC()
	case !leaf && g.chance(3):
		g.tailCall(n)
	default:
		g.returnByLR()
	}
}

// piece writes a piece of function n that is inside so many loops.
func (g *generator) piece(n, loops int) {
	if g.o.v5TE() && g.chance(12) {
		g.pieceV5TE()
		return
	}
	if g.o.Arch == program.V8M && g.chance(12) {
		g.loopV8M()
		return
	}
	leaf := n%callDepth == callDepth-1
	switch k := g.random.IntN(24); {
	case k < 2 && loops < 2:
		g.loop(func() {
			for range 1 + g.random.IntN(2) {
				g.piece(n, loops+1)
			}
		})
	case k < 5:
		g.skip(func() { g.straight(1 + g.random.IntN(10)) })
	case k < 6:
		g.skipFar(func() { g.piece(n, loops) })
	case k < 9:
		g.conditionals()
	case k < 14 && !leaf:
		g.directCall(n)
	case k < 15 && g.chance(3):
		g.skip(g.pointerCall)
	case k < 16 && g.chance(2):
		g.table()
	case k < 17:
		g.exclusive()
	case k < 18:
		g.barrier()
	case k < 19 && g.chance(2):
		g.skip(g.system)
	default:
		g.straight(1 + g.random.IntN(12))
	}
}

// one is an instruction that does not branch.
func (g *generator) one() uint32 {
	if g.o.v5TE() {
		return g.oneV5TE()
	}
	switch plain := !g.chance(3); {
	case g.set == schema.A64 && plain:
		return pick(g.random, a64Plain)
	case g.set == schema.A64:
		return pick(g.random, a64Data)
	case g.set == schema.A32 && plain:
		return pick(g.random, a32Plain)
	case g.set == schema.A32:
		return pick(g.random, a32Data)
	case plain:
		return pick(g.random, t32Plain)
	case !g.o.profileM() && g.chance(8):
		return pick(g.random, t32DataA)
	}
	return pick(g.random, t32Data)
}

// write writes an instruction of the current instruction set.
func (g *generator) write(w uint32) {
	switch g.set {
	case schema.A64:
		g.a64(w)
	case schema.A32:
		g.a32(w)
	default:
		g.t32(w)
	}
}

// in writes the one of two instructions that is of the current instruction set.
func (g *generator) in(a32, t32 uint32) {
	if g.set == schema.A32 {
		g.a32(a32)
	} else {
		g.t32(t32)
	}
}

// three writes the one of three instructions that is of the current instruction set.
func (g *generator) three(a32, t32, a64 uint32) {
	if g.set == schema.A64 {
		g.a64(a64)
		return
	}
	g.in(a32, t32)
}

func (g *generator) straight(n int) {
	for range n {
		g.write(g.one())
	}
}

// condition is any but AL.
func (g *generator) condition() uint32 { return uint32(g.random.IntN(program.Always)) }

// conditional writes a conditional branch that may go far.
func (g *generator) conditional() branch {
	if g.set == schema.A64 {
		return g.conditionalA64()
	}
	if g.set == schema.A32 {
		return g.branch(formA32, 0x0A000000|g.condition()<<28)
	}
	if g.o.v5TE() { // where B<c> is short, and skips a B here
		g.t32(0xD000 | g.condition()<<8)
		return g.branch(formT2, 0xE000)
	}
	return g.branch(formT3, 0xF0008000|g.condition()<<22)
}

func (g *generator) loop(body func()) {
	top := g.here()
	body()
	g.three(0xE2544001, 0x3C01, 0xF1000673) // SUBS R4,#1; SUBS X19,X19,#1
	if g.set == schema.T32 && g.here()-top < 200 {
		g.land(g.branch(formT1, 0xD000|g.condition()<<8), top)
		return
	}
	g.land(g.conditional(), top)
}

// skip writes a branch over a body of at most 120 bytes.
func (g *generator) skip(body func()) {
	var b branch
	switch {
	case g.set == schema.A64 && g.chance(3):
		g.testA64(body)
		return
	case g.set != schema.T32:
		b = g.conditional()
	case !g.o.v5TE() && g.chance(3):
		b = g.branch(formCBZ, 0xB100|uint32(g.random.IntN(2))<<11|uint32(g.random.IntN(8)))
	default:
		b = g.branch(formT1, 0xD000|g.condition()<<8)
	}
	body()
	g.land(b, g.here())
}

func (g *generator) skipFar(body func()) {
	b := g.conditional()
	body()
	g.land(b, g.here())
}

// conditionals writes instructions that may fail: some in a row, or an IT
// block.
func (g *generator) conditionals() {
	c := g.condition()
	n := 1 + g.random.IntN(4)
	if g.set == schema.A32 {
		for range n {
			other := uint32(g.random.IntN(2)) // the opposite
			g.a32(g.one()&0x0FFFFFFF | (c^other)<<28)
		}
		if g.chance(8) {
			g.a32(0x012FFF1E | c<<28) // BX LR
		}
		return
	}
	if g.o.v5TE() || g.set == schema.A64 { // has no IT
		g.skip(func() { g.straight(n) })
		return
	}
	// The mask has a bit for each instruction except the first, and then a 1.
	others := uint32(g.random.IntN(1 << (n - 1)))
	mask := (others<<1 | 1) << (4 - n)
	g.t32(0xBF00 | c<<4 | mask)
	for range n - 1 {
		g.write(g.one())
	}
	switch g.random.IntN(8) {
	case 0:
		g.t32(0x4770) // BX LR
	case 1:
		b := g.branch(formT2, 0xE000)
		g.straight(3)
		g.land(b, g.here())
	default:
		g.write(g.one())
	}
}

// callees is how much larger than its own the number of a function's callee can
// be: the callee is in reach of all branches.
const callees = 512

// callee is the number of a function that function n may call.
func (g *generator) callee(n int) int {
	for {
		if c := n + 1 + g.random.IntN(callees); c%callDepth > n%callDepth {
			return c
		}
	}
}

func (g *generator) directCall(n int) {
	to := g.callee(n)
	g.calls = append(g.calls, call{g.call(g.set, g.setOf(to)), to})
}

// tailCall jumps to another function; into the other instruction set it goes by
// register.
func (g *generator) tailCall(n int) {
	to := g.callee(n)
	switch {
	case g.set == schema.A64 && g.chance(3):
		g.a64(jumpA64(g.random))
		return
	case g.setOf(to) != g.set || g.thumb1(): // whose B is short
		g.in(0xE12FFF13, 0x4718) // BX R3
		return
	}
	g.calls = append(g.calls, call{g.jump(g.set), to})
}

func (g *generator) pointerCall() {
	if g.set == schema.A64 {
		g.a64(callA64(g.random))
		return
	}
	g.in(0xE12FFF33, 0x4798) // BLX R3
}

func (g *generator) push() {
	if g.set == schema.A64 {
		g.pushA64()
		return
	}
	g.in(0xE92D40F0, 0xB5F0) // PUSH {R4-R7,LR}
}

func (g *generator) popLR() {
	if g.set == schema.A64 {
		g.popA64()
		if g.signed {
			g.a64(0xD50323BF) // AUTIASP
			g.signed = false
		}
		return
	}
	if g.thumb1() {
		g.t32(0xBCF0, 0xBC08, 0x469E) // POP {R4-R7}; POP {R3}; MOV LR,R3
		return
	}
	g.in(0xE8BD40F0, 0xE8BD40F0) // POP {R4-R7,LR}
}

func (g *generator) popPC() {
	switch {
	case g.set == schema.A64:
		g.popA64()
		g.returnByLR()
	case g.thumb1():
		g.t32(0xBDF0) // POP {R4-R7,PC}
	case g.chance(8):
		g.in(0xE8BD00F0, 0xBCF0)     // POP {R4-R7}
		g.in(0xE49DF004, 0xF85DFB04) // LDR PC,[SP],#4
	case g.set == schema.T32 && g.chance(4):
		g.t32(0xE8BD80F0) // POP.W
	default:
		g.in(0xE8BD80F0, 0xBDF0) // POP {R4-R7,PC}
	}
}

func (g *generator) returnByLR() {
	if g.set == schema.A64 {
		g.returnA64()
		return
	}
	if g.set == schema.A32 && !g.o.v5TE() && g.chance(4) {
		g.a32(0xE1A0F00E) // MOV PC,LR
		return
	}
	g.in(0xE12FFF1E, 0x4770) // BX LR
}

// exclusive writes a loop of LDREX and STREX.
func (g *generator) exclusive() {
	switch {
	case g.o.v5TE():
		g.semaphore()
		return
	case g.set == schema.A64:
		g.exclusiveA64()
		return
	}
	g.loop(func() {
		g.in(0xE1980F9F, 0xE8580F00) // LDREX R0,[R8]
		g.straight(1)
		g.in(0xE1889F90, 0xE8480900) // STREX R9,R0,[R8]
	})
}

func (g *generator) barrier() {
	switch {
	case g.o.v5TE():
		g.barrierV5TE()
		return
	case g.set == schema.A64:
		g.barrierA64()
		return
	case g.o.Arch == program.V8M && g.chance(2):
		g.t32(pick(g.random, lookalikesV8M))
		return
	case g.o.Arch == program.V8A && g.chance(3):
		g.in(0x0320F002|g.condition()<<28|uint32(g.random.IntN(2)), 0xBF20|uint32(g.random.IntN(2))<<4) // WFE, WFI
		return
	}
	switch g.random.IntN(5) {
	case 0:
		g.in(0xF57FF06F, 0xF3BF8F6F) // ISB
	case 1:
		g.in(0xF57FF04F, 0xF3BF8F4F) // DSB
	case 2:
		g.in(0xF57FF05F, 0xF3BF8F5F) // DMB
	case 3:
		g.in(0xF57FF05B, 0xF3BF8F5B) // DMB ISH
	default:
		if g.o.profileM() {
			g.t32(0xF3BF8F6F)
			return
		}
		opcodes := []uint32{0xEE070F95, 0xEE070F9A, 0xEE070FBA} // CP15ISB, CP15DSB, CP15DMB
		g.write(opcodes[g.random.IntN(len(opcodes))])
	}
}

// system writes a call of whoever is above: SVC, SMC, HVC.
func (g *generator) system() {
	switch k := g.random.IntN(4); {
	case k == 0 && g.o.SMC && g.o.callsMonitor():
		g.smc()
	case k == 1 && g.o.HVC && g.o.callsMonitor():
		g.hvc()
	case g.set == schema.A64:
		g.a64(0xD4000001 | uint32(g.random.IntN(1<<16))<<5) // SVC
	default:
		g.in(0xEF000000|uint32(g.random.IntN(256)), 0xDF00|uint32(g.random.IntN(256)))
	}
}

// monitorCall writes a function that does nothing but call the monitor or the
// hypervisor.
func (g *generator) monitorCall() {
	g.straight(g.random.IntN(4))
	if g.o.SMC && (!g.o.HVC || g.chance(2)) {
		g.smc()
	} else {
		g.hvc()
	}
	g.returnByLR()
}

// callsMonitor says whether functions may call the monitor and the hypervisor.
func (o *Options) callsMonitor() bool {
	return o.Arch == program.V7A || o.Arch == program.V8A && o.Level > 0
}

func (g *generator) smc() { g.three(0xE1600070, 0xF7F08000, 0xD4000003) }
func (g *generator) hvc() { g.three(0xE1400070, 0xF7E08000, 0xD4000002) }
