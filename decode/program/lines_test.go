package program_test

import (
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode/program"
	"github.com/tracelake/tracelake/decode/program/internal/forge"
)

// four is a program of four T32 instructions at 0x8000, in a function f, with
// the sections of its debug information. The second branches.
func four(debug ...forge.Section) forge.File {
	return forge.File{
		Sections: append(debug, forge.Code(".text", 0x8000, forge.T32(tMovs, 0xE000, tMovs, tBXLR))),
		Symbols:  []forge.Symbol{mapping("$t", 0x8000), function("f", 0x8001, 8, elf.STB_GLOBAL)},
	}
}

// lineTable is .debug_line with files a.c and b.h.
func lineTable(version int, operations ...[]byte) forge.Section {
	l := forge.Lines{Version: version, Files: []forge.SourceFile{{Name: "a.c"}, {Name: "b.h"}}, Program: forge.Program(operations...)}
	if version >= 5 { // where files count from 0, and the directory of compilation is 0
		l.Directories = []string{"/src"}
		l.Files = slices.Concat(l.Files[:1], l.Files)
	}
	return forge.Section{Name: ".debug_line", Data: l.Bytes()}
}

// linesFile is four with a line.
func linesFile() forge.File {
	info := forge.Info(forge.Unit{Version: 4, Entry: unit(0, subprogram("f", 0x8000, 0x8008))})
	return four(append(info, lineTable(4, forge.At(0x8000), forge.Row(0, 8), forge.End(4)))...)
}

// rows returns lines as "address/depth file:line:column inlined function", with a
// star where is_stmt.
func rows(p *program.Program) []string {
	var lines []string
	for _, l := range p.Lines {
		text := fmt.Sprintf("%x/%d %s:%d:%d", l.Address, l.InlineDepth, l.File, l.Line, l.Column)
		if l.IsStmt {
			text += "*"
		}
		if l.InlinedName != "" {
			text += " " + l.InlinedName
		}
		lines = append(lines, text)
	}
	return lines
}

// The line of an instruction is that of the last row at or before it, in a
// sequence that contains it; line 0 is none.
func TestLines(t *testing.T) {
	for _, tt := range []struct {
		name       string
		operations [][]byte
		want       []string
	}{
		{
			"up to the next row",
			[][]byte{forge.At(0x8000), forge.Row(0, 4), forge.Row(2, 2), forge.End(2)},
			[]string{"8000/0 /src/a.c:5:0*", "8002/0 /src/a.c:5:0*", "8004/0 /src/a.c:7:0*", "8006/0 /src/a.c:7:0*"},
		},
		{
			"the last of several rows, statement or not",
			[][]byte{forge.At(0x8000), forge.Row(0, 4), forge.NegateStmt(), forge.SetFile(2), forge.SetColumn(9), forge.Row(0, 1), forge.End(1)},
			[]string{"8000/0 /src/b.h:6:9"},
		},
		{
			"line 0 is none",
			[][]byte{forge.At(0x8000), forge.Row(0, 4), forge.Row(1, -5), forge.Row(1, 6), forge.End(1)},
			[]string{"8000/0 /src/a.c:5:0*", "8004/0 /src/a.c:6:0*"},
		},
		{
			"not before a sequence, not after its end",
			[][]byte{forge.At(0x8002), forge.Row(0, 4), forge.End(1), forge.At(0x8006), forge.Row(0, 7), forge.End(1)},
			[]string{"8002/0 /src/a.c:5:0*", "8006/0 /src/a.c:8:0*"},
		},
		{
			"of sequences that overlap, the one that begins first",
			[][]byte{forge.At(0x8002), forge.Row(0, 7), forge.End(2), forge.At(0x8000), forge.Row(0, 4), forge.End(2)},
			[]string{"8000/0 /src/a.c:5:0*", "8002/0 /src/a.c:5:0*", "8004/0 /src/a.c:8:0*"},
		},
		{"a file that there is not", [][]byte{forge.At(0x8000), forge.SetFile(3), forge.Row(0, 4), forge.End(4)}, nil},
		{"code that there is not", [][]byte{forge.At(0xFFFF_FFF0), forge.Row(0, 4), forge.End(4), forge.At(0x100), forge.Row(0, 4), forge.End(4)}, nil},
	} {
		for version := 2; version <= 5; version++ {
			info := forge.Info(forge.Unit{Version: version, Entry: unit(0, subprogram("f", 0x8000, 0x8008))})
			p := read(t, four(append(info, lineTable(version, tt.operations...))...))
			if got := rows(p); !slices.Equal(got, tt.want) {
				t.Errorf("%s, version %d: %q, want %q (notes %q)", tt.name, version, got, tt.want, p.Notes)
			}
			for _, l := range p.Lines {
				if !l.Function.OK || l.Function.V != 0 {
					t.Errorf("%s: function %v", tt.name, l.Function)
				}
			}
		}
	}
}

// Paths have slashes and no dots, and begin where the unit was compiled.
func TestPaths(t *testing.T) {
	for _, tt := range []struct {
		compilation, directory, file string
		want                         string
	}{
		{`/src`, `lib`, `a.c`, "/src/lib/a.c"},
		{`/src`, `/lib`, `a.c`, "/lib/a.c"},
		{`/src`, `lib`, `/a.c`, "/a.c"},
		{`/src/build`, `../lib`, `./a.c`, "/src/lib/a.c"},
		{`C:\src`, `dpl/r5`, `X.S`, "C:/src/dpl/r5/X.S"},
		{`C:\src`, `e:\lib\r5`, `a\X.S`, "e:/lib/r5/a/X.S"},
		{`C:\src`, `..\lib`, `a.c`, "C:/lib/a.c"},
		{``, `lib`, `a.c`, "lib/a.c"},
		{`/src/`, `.`, `a.c`, "/src/a.c"},
	} {
		for version := 4; version <= 5; version++ {
			l := forge.Lines{
				Version: version, Directories: []string{tt.directory}, Files: []forge.SourceFile{{Name: tt.file, Directory: 1}},
				Program: forge.Program(forge.At(0x8000), forge.Row(0, 8), forge.End(1)),
			}
			if version == 5 {
				l.Directories = []string{tt.compilation, tt.directory}
				l.Files = append(l.Files, l.Files...)
			}
			entry := unit(0)
			entry.Values[0].Value = tt.compilation
			info := forge.Info(forge.Unit{Version: version, Entry: entry})
			p := read(t, four(append(info, forge.Section{Name: ".debug_line", Data: l.Bytes()})...))
			if len(p.Lines) != 1 || p.Lines[0].File != tt.want {
				t.Errorf("%v, version %d: %q, want %q", tt, version, rows(p), tt.want)
			}
		}
	}
}

// inlined returns the entry of a function inlined where the values say, called in
// a line of a.c.
func inlined(of string, line int, where []forge.Value, children ...forge.Entry) forge.Entry {
	return forge.Entry{
		Tag: dwarf.TagInlinedSubroutine, Children: children,
		Values: append(where, forge.Of(dwarf.AttrAbstractOrigin, forge.Ref(of)), forge.Of(dwarf.AttrCallFile, 1),
			forge.Of(dwarf.AttrCallLine, line), forge.Of(dwarf.AttrCallColumn, 3)),
	}
}

// between are the addresses of an entry.
func between(low, high uint64) []forge.Value {
	return []forge.Value{forge.Of(dwarf.AttrLowpc, forge.Address(low)), forge.Of(dwarf.AttrHighpc, forge.Address(high))}
}

// abstract returns the entry of an inlined function, to which others refer.
func abstract(name, label string, more ...forge.Value) forge.Entry {
	values := append([]forge.Value{forge.Of(dwarf.AttrInline, 1)}, more...)
	if name != "" {
		values = append(values, forge.Of(dwarf.AttrName, name))
	}
	return forge.Entry{Tag: dwarf.TagSubprogram, Label: label, Values: values}
}

// aLine is a line for all of four, in b.h.
func aLine(version int) forge.Section {
	return lineTable(version, forge.At(0x8000), forge.SetFile(2), forge.Row(0, 4), forge.End(4))
}

// An instruction has a row for each function that it was inlined into: at the
// lines of the calls, outward.
func TestInlinedFunctions(t *testing.T) {
	block := forge.Entry{Tag: dwarf.TagLexDwarfBlock, Children: []forge.Entry{
		inlined("inner", 20, between(0x8004, 0x8006), inlined("innermost", 30, between(0x8004, 0x8006))),
	}}
	for version := 2; version <= 5; version++ {
		info := forge.Info(forge.Unit{Version: version, Entry: unit(0,
			abstract("outer", "outer"), abstract("inner", "inner"), abstract("innermost", "innermost"),
			subprogram("f", 0x8000, 0x8008, inlined("outer", 10, between(0x8002, 0x8006), block)),
		)})
		want := []string{
			"8000/0 /src/b.h:5:0*",
			"8002/0 /src/b.h:5:0* outer", "8002/1 /src/a.c:10:3*",
			"8004/0 /src/b.h:5:0* innermost", "8004/1 /src/a.c:30:3* inner", "8004/2 /src/a.c:20:3* outer", "8004/3 /src/a.c:10:3*",
			"8006/0 /src/b.h:5:0*",
		}
		if got := rows(read(t, four(append(info, aLine(version))...))); !slices.Equal(got, want) {
			t.Errorf("version %d: %q, want %q", version, got, want)
		}
	}
}

// Line 0 is none: neither where inlined code is from, nor where it was called.
func TestInlinedInLine0(t *testing.T) {
	info := forge.Info(forge.Unit{Version: 4, Entry: unit(0, abstract("g", "g"), subprogram("f", 0x8000, 0x8008,
		inlined("g", 0, between(0x8000, 0x8002), inlined("g", 20, between(0x8000, 0x8002))), inlined("g", 10, between(0x8002, 0x8004)),
	))})
	lines := lineTable(4, forge.At(0x8000), forge.Row(0, 4), forge.Row(1, -5), forge.End(3))
	want := []string{"8000/0 /src/a.c:5:0* g", "8000/1 /src/a.c:20:3* g"}
	if got := rows(read(t, four(append(info, lines)...))); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A function can be inlined in several ranges (DWARF 3 to 5), of which empty ones
// are none.
func TestInlinedInRanges(t *testing.T) {
	words := func(numbers ...uint32) []byte { return forge.A32(numbers...) }
	lists := []byte{5, 0, 4, 0, 0, 0, 0, 0} // version 5, addresses of 4 bytes
	lists = append(lists, 7)                // DW_RLE_start_length
	lists = append(append(lists, words(0x8000)...), 2)
	lists = append(lists, 6) // DW_RLE_start_end
	lists = append(lists, words(0x8004, 0x8004)...)
	lists = append(lists, 5) // DW_RLE_base_address
	lists = append(append(lists, words(0x8000)...), 4, 6, 8, 0)
	lists = append(binary.LittleEndian.AppendUint32(nil, uint32(len(lists))), lists...)
	for _, tt := range []struct {
		version int
		offset  forge.Offset
		section forge.Section
	}{
		{3, 0, forge.Section{Name: ".debug_ranges", Data: words(0x8000, 0x8002, 0x8004, 0x8004, 0x8006, 0x8008, 0, 0)}},
		{4, 8, forge.Section{Name: ".debug_ranges", Data: words(0, 0, 0xFFFF_FFFF, 0x8000, 0, 2, 4, 4, 6, 8, 0, 0)}},
		{5, 12, forge.Section{Name: ".debug_rnglists", Data: lists}},
	} {
		where := []forge.Value{forge.Of(dwarf.AttrRanges, tt.offset)}
		info := forge.Info(forge.Unit{Version: tt.version, Entry: unit(0, abstract("g", "g"), subprogram("f", 0x8000, 0x8008, inlined("g", 10, where)))})
		p := read(t, four(append(info, aLine(tt.version), tt.section)...))
		want := []string{
			"8000/0 /src/b.h:5:0* g", "8000/1 /src/a.c:10:3*", "8002/0 /src/b.h:5:0*", "8004/0 /src/b.h:5:0*",
			"8006/0 /src/b.h:5:0* g", "8006/1 /src/a.c:10:3*",
		}
		if got := rows(p); !slices.Equal(got, want) {
			t.Errorf("version %d: %q, want %q (%q)", tt.version, got, want, p.Notes)
		}
		if p.Dropped.InlineRanges != 3 || p.Dropped.InlineRangesKept != 3 {
			t.Errorf("version %d: %+v, want 3 ranges", tt.version, p.Dropped)
		}
	}
}

// Names of inlined functions are those of the entries that theirs refer to, as in
// the source; references do not go on for ever.
func TestInlinedNames(t *testing.T) {
	linkage := func(name string) forge.Value { return forge.Of(dwarf.AttrLinkageName, name) }
	refers := func(to string) forge.Value { return forge.Of(dwarf.AttrSpecification, forge.Ref(to)) }
	for _, tt := range []struct {
		name    string
		entries []forge.Entry
		want    string
	}{
		{"C", []forge.Entry{abstract("g", "g")}, "g"},
		{"C++", []forge.Entry{abstract("g", "g", linkage("_ZN1a1gEv"))}, "a::g()"},
		{"before DWARF 4", []forge.Entry{abstract("g", "g", forge.Of(0x2007, "_ZN1a1gEv"))}, "a::g()"},
		{"Rust", []forge.Entry{abstract("g", "g", linkage("_ZN1a1g17h0123456789abcdefE"))}, "a::g"},
		{"a linkage name that is none of the source", []forge.Entry{abstract("g", "g", linkage("g_v2"))}, "g"},
		{"declared elsewhere", []forge.Entry{abstract("", "g", refers("class")), abstract("g", "class", linkage("_ZN1a1gEv"))}, "a::g()"},
		{"in a circle", []forge.Entry{abstract("", "g", refers("h")), abstract("", "h", refers("g"))}, "?"},
		{"nowhere", []forge.Entry{{Tag: dwarf.TagVariable, Label: "g"}}, "?"},
	} {
		entries := append(tt.entries, subprogram("f", 0x8000, 0x8008, inlined("g", 10, between(0x8000, 0x8002))))
		p := read(t, four(append(forge.Info(forge.Unit{Version: 4, Entry: unit(0, entries...)}), aLine(4))...))
		if len(p.Lines) != 5 || p.Lines[0].InlinedName != tt.want {
			t.Errorf("%s: %q, want the name %q (%q)", tt.name, rows(p), tt.want, p.Notes)
		}
	}
}

// The place of a function is that of its definition; in assembler, which has no
// entries, that of its first instruction.
func TestDefinitions(t *testing.T) {
	place := []forge.Value{forge.Of(dwarf.AttrDeclFile, 1), forge.Of(dwarf.AttrDeclLine, 77)}
	here := subprogram("f", 0x8000, 0x8008)
	here.Values = append(here.Values, place...)
	declared := subprogram("", 0x8000, 0x8008)
	declared.Values[0] = forge.Of(dwarf.AttrAbstractOrigin, forge.Ref("f"))
	for name, tt := range map[string]struct {
		entries []forge.Entry
		want    string
	}{
		"in its entry":      {[]forge.Entry{here}, "/src/a.c:77"},
		"in another entry":  {[]forge.Entry{declared, abstract("f", "f", place...)}, "/src/a.c:77"},
		"nowhere":           {[]forge.Entry{subprogram("f", 0x8000, 0x8008)}, "/src/b.h:5"},
		"no entry":          {nil, "/src/b.h:5"},
		"inlined at once":   {[]forge.Entry{abstract("g", "g"), subprogram("f", 0x8000, 0x8008, inlined("g", 10, between(0x8000, 0x8002)))}, "/src/a.c:10"},
		"entry of no lines": {[]forge.Entry{subprogram("g", 0x9000, 0x9008)}, "/src/b.h:5"},
	} {
		f := read(t, four(append(forge.Info(forge.Unit{Version: 4, Entry: unit(0, tt.entries...)}), aLine(4))...)).Functions[0]
		if got := fmt.Sprintf("%s:%d", f.File, f.Line); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// Without symbols, functions are those of the debug information, as far as they
// have a name and code that nothing else names.
func TestFunctionsOfDebugInformation(t *testing.T) {
	info := forge.Info(forge.Unit{Version: 4, Entry: unit(0,
		subprogram("f", 0x8000, 0x8004), subprogram("again", 0x8000, 0x8004), subprogram("none", 0x8004, 0x8004), subprogram("g", 0x8004, 0x9000),
		subprogram("elsewhere", 0x9000, 0x9004), subprogram("empty", 0x8002, 0x8002), subprogram("", 0x8006, 0x8008),
	)})
	file := four(info...)
	file.Symbols = nil
	p := read(t, file)
	if got, want := summary(p), []string{"8000+4 f dwarf", "8004+4 g dwarf"}; !slices.Equal(got, want) || !hasNote(p, "2 functions have no symbol") {
		t.Errorf("stripped: %q, want %q (%q)", got, want, p.Notes)
	}
	file = four(info...)
	file.Symbols[1].Size = 4
	if got, want := summary(read(t, file)), []string{"8000+4 f symbol", "8004+4 g dwarf"}; !slices.Equal(got, want) {
		t.Errorf("partly stripped: %q, want %q", got, want)
	}
}
