package codegen

import (
	"math/rand/v2"

	"github.com/tracelake/tracelake/schema"
)

// This file has what functions of A64 have in place of A32 and T32.

// conditionalA64 writes a conditional branch that may go far: B.<c>, CBZ or CBNZ.
func (g *generator) conditionalA64() branch {
	if g.chance(2) {
		return g.branch(formA64Cond, 0x54000000|g.condition())
	}
	wide, not, register := uint32(g.random.IntN(2)), uint32(g.random.IntN(2)), uint32(g.random.IntN(8))
	return g.branch(formA64Cond, 0x34000000|wide<<31|not<<24|register)
}

// testA64 writes TBZ or TBNZ over a body.
func (g *generator) testA64(body func()) {
	bit, not, register := uint32(g.random.IntN(64)), uint32(g.random.IntN(2)), uint32(g.random.IntN(8))
	b := g.branch(formA64Test, 0x36000000|bit>>5<<31|not<<24|bit&31<<19|register)
	body()
	g.land(b, g.here())
}

// callA64 is a call by X3: BLR, or one that authenticates.
func callA64(random *rand.Rand) uint32 {
	calls := []uint32{
		0xD63F0060, 0xD63F0060, // BLR
		0xD73F0864, // BLRAA X3,X4
		0xD73F0C64, // BLRAB X3,X4
		0xD63F087F, // BLRAAZ
		0xD63F0C7F, // BLRABZ
	}
	return calls[random.IntN(len(calls))]
}

// jumpA64 is a jump by X16: BR, or one that authenticates.
func jumpA64(random *rand.Rand) uint32 {
	jumps := []uint32{
		0xD61F0200, 0xD61F0200, // BR
		0xD71F0A11, // BRAA X16,X17
		0xD71F0E11, // BRAB X16,X17
		0xD61F0A1F, // BRAAZ
		0xD61F0E1F, // BRABZ
	}
	return jumps[random.IntN(len(jumps))]
}

// pushA64 begins a function: one in three signs its return address.
func (g *generator) pushA64() {
	g.signed = g.chance(3)
	if g.signed {
		g.a64(0xD503233F) // PACIASP
	}
	g.a64(
		0xA9BE7BFD, // STP X29,X30,[SP,#-32]!
		0xF9000BF3, // STR X19,[SP,#16]
		0x910003FD, // MOV X29,SP
	)
}

func (g *generator) popA64() {
	g.a64(
		0xF9400BF3, // LDR X19,[SP,#16]
		0xA8C27BFD, // LDP X29,X30,[SP],#32
	)
}

// returnA64 ends a function.
func (g *generator) returnA64() {
	if g.signed {
		g.a64(0xD65F0BFF) // RETAA
		g.signed = false
		return
	}
	g.a64(0xD65F03C0) // RET
}

// exclusiveA64 writes a loop of LDXR and STXR.
func (g *generator) exclusiveA64() {
	top := g.here()
	g.a64(0xC85F7D00) // LDXR X0,[X8]
	g.straight(1)
	g.a64(0xC8097D00)                              // STXR W9,X0,[X8]
	g.land(g.branch(formA64Cond, 0x35000009), top) // CBNZ W9
}

// barrierA64 writes a barrier, a wait, or a piece of a transaction.
func (g *generator) barrierA64() {
	if g.o.Transactions && g.chance(3) {
		g.transaction()
		return
	}
	opcodes := []uint32{
		0xD5033FDF, 0xD5033FDF, // ISB
		0xD5033F9F, // DSB SY
		0xD5033B9F, // DSB ISH
		0xD5033BBF, // DMB ISH
		0xD50339BF, // DMB ISHLD
		0xD503207F, // WFI
		0xD503205F, // WFE
		0xD5031000, // WFET X0
		0xD5031020, // WFIT X0
	}
	g.a64(opcodes[g.random.IntN(len(opcodes))])
}

// transaction writes one: it ends where TSTART says that it failed, or by TCOMMIT or TCANCEL.
func (g *generator) transaction() {
	g.a64(0xD5233060)                           // TSTART X0
	failed := g.branch(formA64Cond, 0xB5000000) // CBNZ X0
	g.straight(1 + g.random.IntN(4))
	if g.chance(4) {
		g.testA64(func() { g.a64(0xD4600000 | uint32(g.random.IntN(1<<15))<<5) }) // TCANCEL
	}
	g.a64(0xD503307F) // TCOMMIT
	g.land(failed, g.here())
}

// tableA64 writes a switch: offsets of the cases from the table, which follows BR.
func (g *generator) tableA64(n int) {
	other := g.conditional()
	adr := g.here()
	g.a64(
		0,          // ADR X16 of the table
		0xB8A05A11, // LDRSW X17,[X16,W0,UXTW #2]
		0x8B110210, // ADD X16,X16,X17
		0xD61F0200, // BR X16
	)
	table := g.here()
	g.put(adr, 0x10000010|uint32(table-adr)>>2<<5)
	for range n {
		g.word(0)
	}
	for i, at := range g.cases(n) {
		g.put(table+4*schema.Address(i), uint32(at-table))
	}
	g.land(other, g.here())
}
