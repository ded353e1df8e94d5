package codegen

import (
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/schema"
)

// The vectors of AArch64 are of so many bytes, in groups of so many.
const (
	vectorSize  = 0x80
	vectorGroup = 4
)

// The vectors of a group.
const (
	vectorSynchronous = iota
	vectorIRQ
	vectorFIQ
)

// handlersA64 writes the vectors, which all levels share, the handlers they lead to, and that
// of reset. Handlers are those of an exception from the level itself.
func (g *generator) handlersA64() {
	helper := g.leaf(schema.A64)
	g.begin(schema.A64)
	for g.here()%program.VectorBytesA64 != 0 {
		g.word(0)
	}
	table := g.begin(schema.A64)
	branches := make([]branch, program.VectorBytesA64/vectorSize)
	for i := range branches {
		g.straight(g.random.IntN(4))
		branches[i] = g.jump(schema.A64)
		for g.here() < table.Address+vectorSize*schema.Address(i+1) {
			g.word(0)
		}
	}
	for i := vectorGroup; i < len(branches); i++ {
		at := g.begin(schema.A64).Address
		g.handlerA64(i, helper)
		g.land(branches[i], at)
		if i < 2*vectorGroup {
			g.land(branches[i-vectorGroup], at)
		}
	}
	for x, offset := range program.VectorsA64() {
		at := table
		at.Address += program.FromSame + offset
		if at, ok := g.leveled(x, at); ok {
			g.handlers[x] = at
		}
	}
	g.handlers[schema.ExcReset], _ = g.leveled(schema.ExcReset, g.begin(schema.A64))
	g.straight(2)
	g.contextID()
	g.a64(0xD69F03E0) // ERET
}

// leveled is the place of the handler of an exception of V8A, in the state it is entered in.
// There may be none.
func (g *generator) leveled(x schema.ExceptionType, at step.Place) (step.Place, bool) {
	at.Level = max(g.o.Level, 1)
	switch x {
	case schema.ExcHVC:
		at.Level = max(g.o.Level, 2)
		return at, g.o.HVC
	case schema.ExcSMC, schema.ExcReset:
		at.Level = 3
		at.Security = program.MonitorSecurity(at.Security)
		return at, g.o.SMC || x == schema.ExcReset
	}
	return at, true
}

// handlerA64 writes the handler that vector i leads to.
func (g *generator) handlerA64(i int, helper step.Place) {
	vector, fromLower := i%vectorGroup, i >= 2*vectorGroup
	g.a64(
		0xA9BF07E0, // STP X0,X1,[SP,#-16]!
		0xA9BF7BFD, // STP X29,X30,[SP,#-16]!
		0xD5384020, // MRS X0,ELR_EL1
	)
	if vector == vectorSynchronous {
		g.a64(0xD5385201) // MRS X1,ESR_EL1
		g.skip(func() { g.straight(1 + g.random.IntN(4)) })
	}
	if g.chance(2) || vector == vectorIRQ {
		g.land(g.call(schema.A64, schema.A64), helper.Address)
	}
	if g.o.SMC && fromLower && g.chance(2) { // else that of the monitor could call it
		g.skip(g.smc)
	}
	if g.o.HVC && fromLower && g.chance(2) {
		g.skip(g.hvc)
	}
	if g.chance(3) || g.o.Switches && (vector == vectorIRQ || vector == vectorFIQ) {
		g.contextID()
	}
	g.a64(
		0xD5184020, // MSR ELR_EL1,X0
		0xA8C17BFD, // LDP X29,X30,[SP],#16
		0xA8C107E0, // LDP X0,X1,[SP],#16
	)
	returns := []uint32{0xD69F03E0, 0xD69F03E0, 0xD69F03E0, 0xD69F0BFF} // ERET; ERETAA
	g.a64(returns[g.random.IntN(len(returns))])
}

// handlersV8A32 makes the handlers of V7A those of AArch32 in V8A.
func (g *generator) handlersV8A32() {
	of7 := g.handlers
	g.handlers = make(map[schema.ExceptionType]step.Place)
	for x, at := range of7 {
		at.Security = g.o.Security // level 2 says what Hyp says in V7A
		x, ok := program.InV8A(x)
		if at, there := g.leveled(x, at); ok && there {
			g.handlers[x] = at
		}
	}
}
