package program_test

import (
	"debug/dwarf"
	"debug/elf"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode/program"
	"github.com/tracelake/tracelake/decode/program/internal/forge"
)

// A leftover is a unit whose code the linker left out, or that is at 0: its line
// table has one sequence from 0 up to the end, in file a.c.
type leftover struct {
	end       uint64
	assembler bool
	entries   []forge.Entry
}

// atZero is a program with eight instructions from 0 on, the functions `reset` in
// the first four, 8 bytes, and `next` in two more; the last two are padding.
func atZero(symbols []forge.Symbol, units ...leftover) forge.File {
	var lines []byte
	var infos []forge.Unit
	for _, u := range units {
		entry := unit(uint32(len(lines)), u.entries...)
		if u.assembler {
			entry.Values = append(entry.Values, forge.Of(dwarf.AttrLanguage, forge.Raw{Form: 0x05, Bytes: []byte{0x01, 0x80}}))
		}
		infos = append(infos, forge.Unit{Version: 4, Entry: entry})
		lines = append(lines, forge.Lines{
			Version: 4, Files: []forge.SourceFile{{Name: "a.c"}},
			Program: forge.Program(forge.At(0), forge.Row(0, 4), forge.End(u.end/2)),
		}.Bytes()...)
	}
	return forge.File{
		Sections: append(forge.Info(infos...), forge.Code(".text", 0, forge.T32(slices.Repeat([]uint16{tMovs}, 8)...)),
			forge.Section{Name: ".debug_line", Data: lines}),
		Symbols: append(symbols, mapping("$t", 0)),
	}
}

// What stands at address 0 is of the code there, or was left out by the linker:
// a sequence lives if its end is in the section, and its unit has a function there
// that has the name of a symbol; of assembler, if a symbol is at 0 and its end is
// that of a function or the section.
func TestSequencesAtZero(t *testing.T) {
	const global = elf.STB_GLOBAL
	symbols := []forge.Symbol{function("reset", 1, 8, global), function("next", 9, 4, global)}
	for _, tt := range []struct {
		name    string
		symbols []forge.Symbol
		unit    leftover
		live    bool
	}{
		{"the function of a symbol", symbols, leftover{end: 8, entries: []forge.Entry{subprogram("reset", 0, 8)}}, true},
		{"of no symbol", symbols, leftover{end: 8, entries: []forge.Entry{subprogram("left_out", 0, 8)}}, false},
		{"of a symbol elsewhere", symbols, leftover{end: 8, entries: []forge.Entry{subprogram("next", 0, 8)}}, false},
		{"of the same name, and another size", symbols, leftover{end: 6, entries: []forge.Entry{subprogram("reset", 0, 6)}},
			false},
		{"of a symbol without size", []forge.Symbol{function("reset", 1, 0, global)},
			leftover{end: 8, entries: []forge.Entry{subprogram("reset", 0, 8)}}, true},
		{"of a label", []forge.Symbol{label("reset", 0, global)},
			leftover{end: 8, entries: []forge.Entry{subprogram("reset", 0, 8)}}, true},
		{"of a symbol of another section", []forge.Symbol{{Name: "reset", Section: ".debug_line"}},
			leftover{end: 8, entries: []forge.Entry{subprogram("reset", 0, 8)}}, false},
		{"assembler, at a symbol of another section", []forge.Symbol{{Name: "reset", Section: ".debug_line"}},
			leftover{end: 16, assembler: true}, false},
		{"two functions in one sequence", symbols, leftover{end: 12, entries: []forge.Entry{subprogram("reset", 0, 8),
			subprogram("next", 8, 12)}}, true},
		{"two, of which one was left out", symbols, leftover{end: 12, entries: []forge.Entry{subprogram("reset", 0, 8),
			subprogram("left_out", 8, 12)}}, false},
		{"two, of which the first was left out", symbols,
			leftover{end: 12, entries: []forge.Entry{subprogram("left_out", 0, 8), subprogram("next", 8, 12)}}, false},
		{"another end", symbols, leftover{end: 10, entries: []forge.Entry{subprogram("reset", 0, 8)}}, false},
		{"beyond the section", []forge.Symbol{function("reset", 1, 0, global)},
			leftover{end: 18, entries: []forge.Entry{subprogram("reset", 0, 18)}}, false},
		{"no function at all", symbols, leftover{end: 8}, false},
		{"assembler, up to the end of a function", symbols, leftover{end: 12, assembler: true}, true},
		{"assembler, up to the end of the section", symbols, leftover{end: 16, assembler: true}, true},
		{"assembler, up to nowhere", symbols, leftover{end: 6, assembler: true}, false},
		{"assembler, without a symbol", symbols[1:], leftover{end: 16, assembler: true}, false},
		{"assembler, beyond the section", symbols, leftover{end: 18, assembler: true}, false},
	} {
		p := read(t, atZero(tt.symbols, tt.unit))
		want := program.Dropped{DeadSequences: 1}
		if tt.live {
			want = program.Dropped{SequencesAtZero: 1}
		}
		if p.Dropped != want || (len(p.Lines) > 0) != tt.live {
			t.Errorf("%s: %+v, %d lines, want %+v", tt.name, p.Dropped, len(p.Lines), want)
		}
	}
}

// The dead hide the living, wherever they are in the file.
func TestDeadBesideTrue(t *testing.T) {
	dead := leftover{end: 16, entries: []forge.Entry{subprogram("left_out", 0, 16)}}
	live := leftover{end: 8, entries: []forge.Entry{subprogram("reset", 0, 8)}}
	p := read(t, atZero([]forge.Symbol{function("reset", 1, 8, elf.STB_GLOBAL)}, dead, live, dead))
	if want := (program.Dropped{DeadSequences: 2, SequencesAtZero: 1}); p.Dropped != want || len(p.Lines) != 4 {
		t.Errorf("%+v, lines %q", p.Dropped, rows(p))
	}
}

// Without code at 0 nothing there is real.
func TestNothingAtZero(t *testing.T) {
	f := atZero(nil, leftover{end: 8, assembler: true, entries: []forge.Entry{subprogram("f", 0, 8)}})
	for i := range f.Sections {
		if f.Sections[i].Name == ".text" {
			f.Sections[i].Address = 0x8000
		}
	}
	f.Symbols = []forge.Symbol{mapping("$t", 0x8000), function("f", 0x8001, 8, elf.STB_GLOBAL)}
	if p := read(t, f); p.Dropped.DeadSequences != 1 || len(p.Lines) != 0 {
		t.Errorf("%+v, lines %q", p.Dropped, rows(p))
	}
}

// A subprogram that was left out goes with what is inlined in it: at 0, and
// further on in a sequence that was left out.
func TestDeadInlines(t *testing.T) {
	inner := inlined("g", 10, between(2, 4))
	late := inlined("g", 10, between(10, 12))
	symbols := []forge.Symbol{function("reset", 1, 8, elf.STB_GLOBAL), function("next", 9, 4, elf.STB_GLOBAL)}
	for _, tt := range []struct {
		name  string
		units []leftover
		kept  int
	}{
		{"live", []leftover{{end: 8, entries: []forge.Entry{abstract("g", "g"), subprogram("reset", 0, 8, inner)}}}, 1},
		{"dead at 0", []leftover{{end: 8, entries: []forge.Entry{abstract("g", "g"), subprogram("left_out", 0, 8, inner)}}},
			0},
		{"dead after 0", []leftover{{end: 12, entries: []forge.Entry{abstract("g", "g"), subprogram("left_out", 0, 8),
			subprogram("too", 8, 12, late)}}}, 0},
		{"live after 0", []leftover{{end: 12, entries: []forge.Entry{abstract("g", "g"), subprogram("reset", 0, 8),
			subprogram("next", 8, 12, late)}}}, 1},
	} {
		live := leftover{end: 8, entries: []forge.Entry{subprogram("reset", 0, 8)}}
		p := read(t, atZero(symbols, append(tt.units, live)...))
		if p.Dropped.InlineRanges != 1 || p.Dropped.InlineRangesKept != tt.kept {
			t.Errorf("%s: %+v, want %d of 1 range kept", tt.name, p.Dropped, tt.kept)
		}
		n := 0
		for _, l := range p.Lines {
			n += int(l.InlineDepth)
		}
		if (n > 0) != (tt.kept > 0) {
			t.Errorf("%s: lines %q", tt.name, rows(p))
		}
	}
}

// A function that was left out is none, though only the debug information names
// functions here.
func TestDeadFunctions(t *testing.T) {
	f := atZero(nil, leftover{end: 8, entries: []forge.Entry{subprogram("left_out", 0, 8)}})
	if got := summary(read(t, f)); len(got) != 0 {
		t.Errorf("functions %q", got)
	}
}
