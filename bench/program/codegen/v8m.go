package codegen

// This file has what programs for ARMv8-M have more than those for ARMv7-M: v8.1-M is meant.

// loopV8M writes a loop by WLS and LE.
func (g *generator) loopV8M() {
	skip := g.branch(formLoopEnd, 0xF040C001|uint32(g.random.IntN(8))<<16) // WLS LR,Rn
	top := g.here()
	g.straight(1 + g.random.IntN(6))
	le := uint32(0xF00FC001) // LE LR
	if g.chance(4) {
		le = 0xF02FC001 // LE
	}
	g.land(g.branch(formLoopStart, le), top)
	g.land(skip, g.here())
}

// lookalikesV8M are instructions that look like branches.
var lookalikesV8M = []template{
	{0xE89F8000, []field{{0, 16}}},         // CLRM, with APSR
	{0xE89F0001, []field{{1, 8}}},          // CLRM
	{0xE97FE97F, nil},                      // SG
	{0xF040E001, []field{{16, 8}}},         // DLS LR,Rn
	{0xF00FE001, nil},                      // LCTP
	{0xE840F000, []field{{16, 8}, {8, 8}}}, // TT
}
