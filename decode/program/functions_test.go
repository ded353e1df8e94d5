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

// summary returns functions as "address+size name origin (aliases)".
func summary(p *program.Program) []string {
	var lines []string
	for _, f := range p.Functions {
		line := fmt.Sprintf("%x+%x %s %s", f.Address, f.Size, f.Name, f.Origin)
		if len(f.Aliases) > 0 {
			line += fmt.Sprintf(" (%s)", strings.Join(f.Aliases, ", "))
		}
		lines = append(lines, line)
	}
	return lines
}

// Which functions there are, from where to where, and their names. Code is A32
// from 0x8000 to 0x8020.
func TestFunctions(t *testing.T) {
	const local, global, weak = elf.STB_LOCAL, elf.STB_GLOBAL, elf.STB_WEAK
	straight := slices.Repeat([]uint32{0xE2800001}, 8)
	padded := slices.Clone(straight) // NOP and zeros from 0x8008 on
	padded[2], padded[3] = nop, 0
	for _, tt := range []struct {
		name    string
		code    []uint32
		symbols []forge.Symbol
		want    []string
	}{
		{"sized", straight, []forge.Symbol{function("f", 0x8004, 8, local)}, []string{"8004+8 f symbol"}},
		{
			"the T bit is no address", straight,
			[]forge.Symbol{function("f", 0x8005, 8, local)},
			[]string{"8004+8 f symbol"},
		},
		{
			"no size: up to the next one or the end", straight,
			[]forge.Symbol{function("g", 0x8010, 0, global), function("f", 0x8004, 0, global)},
			[]string{"8004+c f unsized", "8010+10 g unsized"},
		},
		{
			"not beyond the section", straight,
			[]forge.Symbol{function("f", 0x801C, 0x100, global), function("end", 0x8020, 0, global)},
			[]string{"801c+4 f symbol"},
		},
		{
			"names: sized, then global, weak, local, then by alphabet", straight,
			[]forge.Symbol{
				function("c", 0x8000, 4, local), function("b", 0x8000, 4, weak), function("a", 0x8000, 0, global),
				function("f", 0x8010, 4, global), function("e", 0x8010, 4, global), function("d", 0x8010, 4, weak),
			},
			[]string{"8000+4 b symbol (a, c)", "8010+4 e symbol (d, f)"},
		},
		{
			"the same name twice is no alias", straight,
			[]forge.Symbol{function("f", 0x8000, 4, local), function("f", 0x8000, 4, local)},
			[]string{"8000+4 f symbol"},
		},
		{
			"names as in the source: C++, Rust", straight,
			[]forge.Symbol{
				function("_ZN3foo3barEi", 0x8000, 4, global), function("_ZN4core3fmt5write17h0123456789abcdefE", 0x8004, 4, global),
				function("_RNvC6_123foo3bar", 0x8008, 4, global), function("_Zebra", 0x800C, 4, global),
			},
			[]string{"8000+4 foo::bar(int) symbol", "8004+4 core::fmt::write symbol", "8008+4 123foo::bar symbol",
				"800c+4 _Zebra symbol"},
		},
		{
			"labels outside functions", straight,
			[]forge.Symbol{
				function("f", 0x8008, 8, global), label("in_f", 0x800C, global), label("before", 0x8004, global),
				label("weak", 0x8018, weak),
				label("__TI_static_base__", 0x8014, global),
			},
			[]string{"8004+4 before label", "8008+8 f symbol", "8018+8 weak label"},
		},
		{
			"a local label where a hole begins", straight,
			[]forge.Symbol{function("f", 0x8000, 8, global), label("g", 0x8008, local), label("loop", 0x800C, local),
				label("h", 0x8014, global)},
			[]string{"8000+8 f symbol", "8008+c g label", "8014+c h label"},
		},
		{
			"or after what fills it", padded,
			[]forge.Symbol{function("f", 0x8000, 8, global), label("g", 0x8010, local), label("loop", 0x8014, local)},
			[]string{"8000+8 f symbol", "8010+10 g label"},
		},
		{
			"or with what else fills holes", padded,
			[]forge.Symbol{function("f", 0x8000, 8, global), label("g", 0x8008, local)},
			[]string{"8000+8 f symbol", "8008+18 g label"},
		},
		{
			"or a section", straight,
			[]forge.Symbol{label("start", 0x8000, local), label("loop", 0x8004, local)},
			[]string{"8000+20 start label"},
		},
		{
			"labels at one address", straight,
			[]forge.Symbol{label("b", 0x8000, local), label("c", 0x8000, global), label("a", 0x8000, weak)},
			[]string{"8000+20 c label (a, b)"},
		},
	} {
		f := forge.File{
			Sections: []forge.Section{forge.Code(".text", 0x8000, forge.A32(tt.code...)),
				forge.Code(".next", 0x8020, forge.A32(nop))},
			Symbols: append(tt.symbols, mapping("$a", 0x8000), forge.Symbol{Name: "$a", Value: 0x8020, Section: ".next"}),
		}
		if got := summary(read(t, f)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A label on data is no function.
func TestLabelOfData(t *testing.T) {
	f := forge.File{
		Sections: []forge.Section{forge.Code(".text", 0x8000, forge.A32(bxLR, 0, bxLR))},
		Symbols: []forge.Symbol{mapping("$a", 0x8000), mapping("$d", 0x8004), mapping("$a", 0x8008),
			label("f", 0x8000, elf.STB_GLOBAL), label("table", 0x8004, elf.STB_GLOBAL)},
	}
	if got, want := summary(read(t, f)), []string{"8000+c f label"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Padding is in no function; what is in two is in the one that begins last, and
// after its end in the other again.
func TestFunctionOfInstruction(t *testing.T) {
	f := forge.File{
		Sections: []forge.Section{forge.Code(".text", 0x8000, forge.A32(slices.Repeat([]uint32{nop}, 8)...))},
		Symbols: []forge.Symbol{
			mapping("$a", 0x8000), function("outer", 0x8004, 16, elf.STB_GLOBAL), function("inner", 0x8008, 4, elf.STB_GLOBAL),
			function("last", 0x8018, 4, elf.STB_GLOBAL),
		},
	}
	var got strings.Builder
	for _, c := range read(t, f).Code {
		if c.Function.OK {
			fmt.Fprint(&got, c.Function.V)
		} else {
			got.WriteString("-")
		}
	}
	if want := "-0100-2-"; got.String() != want {
		t.Errorf("functions %s, want %s", got.String(), want)
	}
}

// Symbols are those of sections, but for sections, files and mapping symbols.
func TestSymbols(t *testing.T) {
	p := read(t, forge.File{
		Sections: []forge.Section{forge.Code(".text", 0x8000, forge.T32(tBXLR, tBXLR)), {Name: ".data", Address: 0x9000}},
		Symbols: []forge.Symbol{
			mapping("$t", 0x8000), function("f", 0x8001, 2, elf.STB_WEAK), label("l", 0x8002, elf.STB_LOCAL),
			{Name: "o", Value: 0x9000, Size: 12, Type: elf.STT_OBJECT, Binding: elf.STB_GLOBAL, Section: ".data"},
			{Name: "b", Value: 0x8002, Type: elf.STT_OBJECT, Section: ".text"},
			{Name: ".text", Value: 0x8000, Type: elf.STT_SECTION, Section: ".text"},
			{Name: "a.c", Type: elf.STT_FILE},
			{Name: "size", Value: 0x1000, Binding: elf.STB_GLOBAL},
		},
	})
	want := []program.Symbol{
		{Address: 0x8000, Size: 2, Name: "f", Kind: schema.SymbolFunction, Binding: schema.BindingWeak, Section: ".text"},
		{Address: 0x8002, Name: "b", Kind: schema.SymbolObject, Section: ".text"},
		{Address: 0x8002, Name: "l", Kind: schema.SymbolLabel, Section: ".text"},
		{Address: 0x9000, Size: 12, Name: "o", Kind: schema.SymbolObject, Binding: schema.BindingGlobal, Section: ".data"},
	}
	if !slices.Equal(p.Symbols, want) {
		t.Errorf("symbols %+v, want %+v", p.Symbols, want)
	}
}
