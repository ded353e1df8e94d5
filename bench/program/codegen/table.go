package codegen

import "github.com/tracelake/tracelake/schema"

// table writes a switch of a few cases: TBB, TBH, LDR PC or ADD PC, its table,
// the cases.
func (g *generator) table() {
	n := 2 * (1 + g.random.IntN(4))
	switch {
	case g.set == schema.A64:
		g.tableA64(n)
	case g.thumb1():
		g.tableThumb1(n)
	case g.set == schema.T32:
		g.tableT32(n)
	default:
		g.tableA32(n)
	}
}

// cases writes n cases, each of which jumps to the end of the last, and returns
// where they are.
func (g *generator) cases(n int) []schema.Address {
	var at []schema.Address
	var ends []branch
	for range n {
		at = append(at, g.here())
		g.straight(1 + g.random.IntN(3))
		ends = append(ends, g.near())
	}
	for _, b := range ends {
		g.land(b, g.here())
	}
	return at
}

func (g *generator) tableT32(n int) {
	other := g.conditional()
	wide := g.chance(2)
	if wide {
		g.t32(0xE8DFF010) // TBH [PC,R0,LSL #1]
	} else {
		g.t32(0xE8DFF000) // TBB [PC,R0]
	}
	start := g.here()
	size := schema.Address(1)
	if wide {
		size = 2
	}
	for range schema.Address(n) * size {
		g.byte(0)
	}
	for i, at := range g.cases(n) {
		g.code[start-g.base+schema.Address(i)*size] = byte((at - start) / 2) // at most 8 cases of 16 bytes
	}
	g.land(other, g.here())
}

func (g *generator) tableA32(n int) {
	var other branch
	if g.chance(2) {
		g.a32(0x979FF100) // LDRLS PC,[PC,R0,LSL #2]
		other = g.jump(schema.A32)
		start := g.here()
		for range n {
			g.word(0)
		}
		for i, at := range g.cases(n) {
			g.put(start+4*schema.Address(i), uint32(at))
		}
	} else {
		g.a32(0x908FF100) // ADDLS PC,PC,R0,LSL #2
		other = g.jump(schema.A32)
		var entries []branch
		for range n {
			entries = append(entries, g.jump(schema.A32))
		}
		for i, at := range g.cases(n) {
			g.land(entries[i], at)
		}
	}
	g.land(other, g.here())
}
