package program_test

import (
	"debug/elf"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/program"
	"github.com/tracelake/tracelake/decode/program/internal/forge"
	"github.com/tracelake/tracelake/schema"
)

// listing returns instructions as "address isa size".
func listing(p *program.Program) []string {
	var lines []string
	for _, c := range p.Code {
		lines = append(lines, fmt.Sprintf("%x %s %d", c.Address, c.ISA, c.Size))
	}
	return lines
}

// The instruction set is that of the mapping symbols (IHI 0044, 4.5.5), and of a
// section that has none, of its functions.
func TestInstructionSets(t *testing.T) {
	four := forge.T32(tMovs, tBXLR, tMovs, tBXLR)
	for _, tt := range []struct {
		name    string
		code    []byte
		symbols []forge.Symbol
		want    []string
	}{
		{
			"each from its address on", slices.Concat(forge.A32(bxLR, 0), forge.T32(tMovs, tBXLR)),
			[]forge.Symbol{mapping("$t", 0x8008), mapping("$a", 0x8000), mapping("$d", 0x8004)},
			[]string{"8000 a32 4", "8008 t32 2", "800a t32 2"},
		},
		{
			"with a dot and any text", slices.Concat(forge.A32(bxLR, 0), forge.T32(tMovs, tBXLR)),
			[]forge.Symbol{mapping("$a.1", 0x8000), mapping("$d.realdata", 0x8004), mapping("$t.n", 0x8008)},
			[]string{"8000 a32 4", "8008 t32 2", "800a t32 2"},
		},
		{
			"what only looks like one is a label", four,
			[]forge.Symbol{mapping("$t", 0x8000), mapping("$data", 0x8002), mapping("$a1", 0x8004), mapping("$x", 0x8006)},
			[]string{"8000 t32 2", "8002 t32 2", "8004 t32 2", "8006 t32 2"},
		},
		{"before the first is no code", four, []forge.Symbol{mapping("$t", 0x8004)}, []string{"8004 t32 2", "8006 t32 2"}},
		{
			"the last of those at an address holds", four,
			[]forge.Symbol{mapping("$a", 0x8000), mapping("$t", 0x8000)},
			[]string{"8000 t32 2", "8002 t32 2", "8004 t32 2", "8006 t32 2"},
		},
		{
			"one of another section at the same address does not", four,
			[]forge.Symbol{mapping("$t", 0x8000), {Name: "$d", Value: 0x8000, Section: ".data"}},
			[]string{"8000 t32 2", "8002 t32 2", "8004 t32 2", "8006 t32 2"},
		},
		{
			"none: by the T bit of functions", slices.Concat(forge.T32(tMovs, tBXLR), forge.A32(bxLR)),
			[]forge.Symbol{function("a", 0x8004, 4, elf.STB_GLOBAL), function("t", 0x8003, 2, elf.STB_GLOBAL)},
			[]string{"8000 t32 2", "8002 t32 2", "8004 a32 4"},
		},
		{"32-bit T32", forge.T32(0xF000, 0xF800, tBXLR), []forge.Symbol{mapping("$t", 0x8000)}, []string{"8000 t32 4", "8004 t32 2"}},
		{
			"32-bit T32 that the end cuts", forge.T32(tBXLR, 0xF000, 0, 0),
			[]forge.Symbol{mapping("$t", 0x8000), mapping("$d", 0x8004)},
			[]string{"8000 t32 2"},
		},
		{"a rest of A32", append(forge.A32(bxLR), 1, 2), []forge.Symbol{mapping("$a", 0x8000)}, []string{"8000 a32 4"}},
		{"a mark beyond the section", four[:2], []forge.Symbol{mapping("$t", 0x8000), mapping("$a", 0x9000)}, []string{"8000 t32 2"}},
	} {
		f := forge.File{Sections: []forge.Section{forge.Code(".text", 0x8000, tt.code), {Name: ".data"}}, Symbols: tt.symbols}
		if got := listing(read(t, f)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// What is conditional: A32 below condition 14, T32 branches with a condition of
// their own, and what is in an IT block (DDI 0406C, A8.8.54).
func TestConditional(t *testing.T) {
	for _, tt := range []struct {
		name string
		isa  string
		code []byte
		want string // a letter for each instruction: c conditional, - not
	}{
		{"A32: ADDEQ, ADDLE, ADD, BEQ, B, BLX", "$a", forge.A32(0x02800001, 0xD2800001, 0xE2800001, 0x0A000000, 0xEA000000, 0xFA000000), "cc-c--"},
		{"T32: BEQ, B, CBZ, CBNZ, BX", "$t", forge.T32(0xD000, 0xE000, 0xB100, 0xB900, tBXLR), "c-cc-"},
		{"T32: UDF and SVC have the places of conditions", "$t", forge.T32(0xDE00, 0xDF00), "--"},
		{"T32: BEQ.W, B.W, BL, DSB", "$t", forge.T32(0xF000, 0x8000, 0xF000, 0x9000, 0xF000, 0xF800, 0xF3BF, 0x8F4F), "c---"},
		{"IT", "$t", forge.T32(0xBF08, tMovs, tMovs), "-c-"},
		{"ITE", "$t", forge.T32(0xBF0C, tMovs, tMovs, tMovs), "-cc-"},
		{"ITTTT", "$t", forge.T32(0xBF01, tMovs, tMovs, tMovs, tMovs, tMovs), "-cccc-"},
		{"IT of 32-bit instructions", "$t", forge.T32(0xBF04, 0xF04F, 1, 0xF04F, 1, tMovs), "-cc-"},
		{"NOP in a block", "$t", forge.T32(0xBF04, 0xBF00, tMovs, tMovs), "-cc-"},
		{"ENTERX and LEAVEX have the place of a condition", "$t", forge.T32(0xF3BF, 0x8F1F, 0xF3BF, 0x8F0F), "--"},
		{"IT AL cannot fail", "$t", forge.T32(0xBFE8, tMovs, tMovs), "---"},
		{"hints are no IT", "$t", forge.T32(0xBF00, tMovs, 0xBF30, tMovs), "----"},
	} {
		f := forge.File{Sections: []forge.Section{forge.Code(".text", 0x8000, tt.code)}, Symbols: []forge.Symbol{mapping(tt.isa, 0x8000)}}
		var got strings.Builder
		for _, c := range read(t, f).Code {
			got.WriteString(map[bool]string{false: "-", true: "c"}[c.Conditional])
		}
		if got.String() != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got.String(), tt.want)
		}
	}
}

// A block does not reach over data.
func TestITEndsAtData(t *testing.T) {
	f := forge.File{
		Sections: []forge.Section{forge.Code(".text", 0x8000, forge.T32(0xBF01, 0, tMovs))},
		Symbols:  []forge.Symbol{mapping("$t", 0x8000), mapping("$d", 0x8002), mapping("$t", 0x8004)},
	}
	if c := read(t, f).Code[1]; c.Conditional || c.Address != 0x8004 {
		t.Errorf("after data: %+v", c)
	}
}

// A direct branch has its target and the instruction set there.
func TestTargets(t *testing.T) {
	f := forge.File{
		Sections: []forge.Section{forge.Code(".text", 0x8000, forge.A32(0xFA000002, 0xEA000000, bxLR))}, // BLX, B
		Symbols:  []forge.Symbol{mapping("$a", 0x8000)},
	}
	got := read(t, f).Code
	want := []program.Instruction{
		{Target: schema.Of[schema.Address](0x8010), TargetISA: schema.Of(schema.T32), Kind: schema.KindCall},
		{Target: schema.Of[schema.Address](0x800C), TargetISA: schema.Of(schema.A32), Kind: schema.KindBranch},
		{Kind: schema.KindReturn},
	}
	for i, w := range want {
		if g := got[i]; g.Target != w.Target || g.TargetISA != w.TargetISA || g.Kind != w.Kind || g.Section != ".text" {
			t.Errorf("instruction %d: %+v, want target, its set and kind of %+v", i, g, w)
		}
	}
}
