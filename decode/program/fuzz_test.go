package program_test

import (
	"cmp"
	"errors"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/decode/program"
	"github.com/tracelake/tracelake/decode/program/internal/forge"
	"github.com/tracelake/tracelake/schema"
)

// Whatever a file holds, it is refused with the reason, or what comes of it is
// consistent and no larger than the file allows.
func FuzzRead(f *testing.F) {
	chain := inlined("g", 10, between(0x8002, 0x8006), inlined("g", 20, between(0x8004, 0x8006)))
	for version := 2; version <= 5; version++ {
		info := forge.Info(forge.Unit{Version: version, Entry: unit(0, abstract("g", "g"), subprogram("f", 0x8000, 0x8008, chain))})
		f.Add(four(append(info, aLine(version))...).Bytes())
	}
	dead := leftover{end: 16, entries: []forge.Entry{subprogram("left_out", 0, 16)}}
	live := leftover{end: 8, entries: []forge.Entry{subprogram("reset", 0, 8)}}
	f.Add(atZero([]forge.Symbol{function("reset", 1, 8, 1), label("_ZN1a1bEv", 8, 1)}, dead, live).Bytes())
	f.Add(replaced(".debug_line", compressed(".debug_line", aLine(4).Data, uint32(len(aLine(4).Data)))).Bytes())
	wide := forge.Lines{Version: 5, Wide: true, Directories: []string{"/src"}, Files: []forge.SourceFile{{Name: "a.c"}}, Program: forge.Program(forge.AtWide(kernel), forge.Row(0, 4), forge.End(8))}
	info := forge.Info(forge.Unit{Version: 5, Wide: true, Entry: unit(0, subprogram("f", kernel, kernel+16))})
	f.Add(wide64(kernel, append(info, forge.Section{Name: ".debug_line", Data: wide.Bytes()})...).Bytes())
	f.Add(forge.File{AArch64: true, Big: true, Sections: wide64(1).Sections, Symbols: wide64(1).Symbols}.Bytes())
	f.Add(sample.Program())
	f.Fuzz(func(t *testing.T, file []byte) {
		p, err := program.Read(open(file), nil, isa.PFT)
		if err != nil {
			if _, ok := errors.AsType[*image.FormatError](err); !ok {
				t.Fatalf("error %v is no FormatError", err)
			}
			return
		}
		checkSizes(t, p, len(file))
		checkOrder(t, p)
		checkFunctions(t, p)
	})
}

// checkSizes holds what came of a file against its size.
func checkSizes(t *testing.T, p *program.Program, size int) {
	bytes := 0
	for _, s := range p.Sections {
		bytes += len(s.Bytes)
	}
	for _, tt := range []struct {
		what    string
		n, most int
	}{
		{"bytes of code", bytes, 2 * size},
		{"instructions", len(p.Code), bytes / 2},
		{"lines", len(p.Lines), 8*len(p.Code) + 1024},
		{"symbols", len(p.Symbols), size / 16},
		{"functions", len(p.Functions), size},
		{"notes", len(p.Notes), 50},
	} {
		if tt.n > tt.most {
			t.Errorf("%d %s, more than %d", tt.n, tt.what, tt.most)
		}
	}
}

// checkOrder checks that everything is in the order that is promised.
func checkOrder(t *testing.T, p *program.Program) {
	sections := slices.IsSortedFunc(p.Sections, func(a, b program.Section) int { return cmp.Compare(a.Address, b.Address) })
	functions := slices.IsSortedFunc(p.Functions, func(a, b program.Function) int { return cmp.Compare(a.Address, b.Address) })
	symbols := slices.IsSortedFunc(p.Symbols, func(a, b program.Symbol) int {
		return cmp.Or(cmp.Compare(a.Address, b.Address), cmp.Compare(a.Name, b.Name))
	})
	lines := slices.IsSortedFunc(p.Lines, func(a, b program.Line) int {
		return cmp.Or(cmp.Compare(a.Address, b.Address), cmp.Compare(a.InlineDepth, b.InlineDepth))
	})
	if !sections || !functions || !symbols || !lines {
		t.Errorf("in order: sections %t, functions %t, symbols %t, lines %t", sections, functions, symbols, lines)
	}
	for i := 1; i < len(p.Code); i++ {
		if a, b := p.Code[i-1], p.Code[i]; uint64(a.Address)+uint64(a.Size) > uint64(b.Address) {
			t.Fatalf("%+v overlaps %+v", a, b)
		}
	}
	for i := 1; i < len(p.Functions); i++ {
		if p.Functions[i-1].Address == p.Functions[i].Address {
			t.Fatalf("two functions at %#x", p.Functions[i].Address)
		}
	}
}

// checkFunctions checks that instructions and lines are in the functions they
// say.
func checkFunctions(t *testing.T, p *program.Program) {
	in := map[schema.Address]program.Instruction{}
	for _, c := range p.Code {
		in[c.Address] = c
		if !c.Function.OK {
			continue
		}
		f := p.Functions[c.Function.V]
		if c.Address < f.Address || uint64(c.Address) >= uint64(f.Address)+uint64(f.Size) {
			t.Fatalf("%+v is not in %+v", c, f)
		}
	}
	for _, l := range p.Lines {
		c, ok := in[l.Address]
		if !ok || c.Function != l.Function || l.Line == 0 || l.File == "" {
			t.Fatalf("line %+v of instruction %+v", l, c)
		}
	}
}
