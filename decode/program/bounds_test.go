package program_test

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/decode/program"
	"github.com/tracelake/tracelake/decode/program/internal/forge"
)

// Few bytes are no way to much work: what is made of a file is at most so many
// times its size, whatever it says.
func TestBounds(t *testing.T) {
	n := need.Size(5000, 100_000)
	for _, tt := range []struct {
		name, note string
		file       forge.File
	}{
		{"symbols with names without end", "section .symtab: names of more than", endless(manySymbols(n, strings.Repeat("x", 1<<20)))},
		{"symbols with one long name", "section .symtab: names take more than", manySymbols(n, strings.Repeat("x", 1<<13))},
		{"symbols with names that stand for long ones", "", longNames(n / 50)},
		{"functions one in another", "", nestedFunctions(n)},
		{"inlined in one another", "functions are inlined in one another 8 deep", inlinedDeep(min(n, 1<<14))},
		{"inlined in the same place", "inlined functions cover the code more than 8 times", inlinedWide(n)},
		{"all with the same ranges", "section .debug_info: its entries take more than", sharedRanges(n)},
		{"all with the same string", "section .debug_info: its entries take more than", sharedString(n)},
		{"more files than there can be", "section .debug_line: table at offset 0x0: header has directories or files that take no bytes", with(".debug_line", claimsFiles())},
		{"all files in one directory", "paths of files take more than 16 times", longDirectory(n)},
		{"sequences over one another", "", manySequences(n)},
	} {
		file := tt.file.Bytes()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p, err := program.Read(open(file), nil, isa.PFT)
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		if tt.note != "" && !hasNote(p, tt.note) {
			t.Errorf("%s: notes %q, want %q", tt.name, p.Notes, tt.note)
		}
		if len(p.Code) == 0 || len(p.Functions) == 0 {
			t.Errorf("%s: %d instructions, %d functions", tt.name, len(p.Code), len(p.Functions))
		}
		if made, limit := after.TotalAlloc-before.TotalAlloc, uint64(500*len(file)+1<<22); made > limit {
			t.Errorf("%s: %d bytes were made of a file of %d, more than %d", tt.name, made, len(file), limit)
		}
	}
}

// manySymbols is a file with n symbols of one name, at different addresses.
func manySymbols(n int, name string) forge.File {
	f := wide(n, nil)
	for i := range uint64(n) {
		f.Symbols = append(f.Symbols, label(name, 0x8000+2*i, elf.STB_LOCAL))
	}
	return f
}

// longNames is a file with n functions whose names stand for ones that are a
// thousand times as long: each type has the one before it twice.
func longNames(n int) forge.File {
	f := wide(n, nil)
	for i := range uint64(n) {
		var name strings.Builder
		fmt.Fprintf(&name, "_Z5f%04x1XIiiE", i)
		for level := range 15 {
			fmt.Fprintf(&name, "S_IS%X_S%X_E", level, level)
		}
		f.Symbols = append(f.Symbols, function(name.String(), 0x8003+2*i, 2, elf.STB_LOCAL))
	}
	return f
}

// endless is such a file whose name has no end.
func endless(f forge.File) forge.File {
	f.Endless = true
	return f
}

// nestedFunctions has n functions that all reach to the end.
func nestedFunctions(n int) forge.File {
	f := forge.File{
		Sections: []forge.Section{forge.Code(".text", 0x8000, make([]byte, 2*n))},
		Symbols:  []forge.Symbol{mapping("$t", 0x8000)},
	}
	for i := range uint64(n) {
		f.Symbols = append(f.Symbols, function("f", 0x8000+2*i, 1<<30, elf.STB_LOCAL))
	}
	return f
}

// wide is a file with entries in a function of n instructions with one line.
func wide(n int, entries []forge.Entry, more ...forge.Section) forge.File {
	end := 0x8000 + 2*uint64(n)
	info := forge.Info(forge.Unit{Version: 4, Entry: unit(0, append(entries, abstract("g", "g"))...)})
	lines := lineTable(4, forge.At(0x8000), forge.Row(0, 4), forge.End(uint64(n)))
	return forge.File{
		Sections: slices.Concat(info, more, []forge.Section{lines, forge.Code(".text", 0x8000, make([]byte, 2*n))}),
		Symbols:  []forge.Symbol{mapping("$t", 0x8000), function("f", 0x8001, end-0x8000, elf.STB_GLOBAL)},
	}
}

// inlinedDeep has n functions inlined in one another, in n instructions.
func inlinedDeep(n int) forge.File {
	end := 0x8000 + 2*uint64(n)
	e := inlined("g", 1, between(0x8000, end))
	for range n {
		e = inlined("g", 1, between(end-2, end), e)
	}
	return wide(n, []forge.Entry{subprogram("f", 0x8000, end, e)})
}

// inlinedWide has n functions inlined side by side, in the same instructions.
func inlinedWide(n int) forge.File {
	end := 0x8000 + 2*uint64(n)
	return wide(n, []forge.Entry{subprogram("f", 0x8000, end, slices.Repeat([]forge.Entry{inlined("g", 1, between(0x8000, end))}, n)...)})
}

// sharedRanges has n functions with the same n ranges.
func sharedRanges(n int) forge.File {
	ranges := bytes.Repeat(forge.A32(1, 2), n)
	where := []forge.Value{forge.Of(dwarf.AttrRanges, forge.Offset(0))}
	return wide(8, []forge.Entry{subprogram("f", 0x8000, 0x8010, slices.Repeat([]forge.Entry{inlined("g", 1, where)}, n)...)},
		forge.Section{Name: ".debug_ranges", Data: ranges})
}

// sharedString has n functions with the same long name.
func sharedString(n int) forge.File {
	name := forge.Entry{Tag: dwarf.TagSubprogram, Values: []forge.Value{forge.Of(dwarf.AttrName, forge.Raw{Form: 0x0E, Bytes: make([]byte, 4)})}}
	return wide(8, slices.Repeat([]forge.Entry{name}, n), forge.Section{Name: ".debug_str", Data: append(bytes.Repeat([]byte{'x'}, 1<<15), 0)})
}

// claimsFiles is a line table of DWARF 5 with 2³² files that take no bytes.
func claimsFiles() []byte {
	b := forge.Lines{Version: 5}.Bytes()
	end := bytes.Index(b, []byte{2, 1, 0x08, 2, 0x0F, 0}) // the format of files, and their number
	b = append(b[:end], 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F)
	b[0], b[8] = byte(len(b)-4), byte(len(b)-12)
	return b
}

// longDirectory has n files in a directory with a long name, and a line in each.
func longDirectory(n int) forge.File {
	l := forge.Lines{Version: 4, Directories: []string{"/" + strings.Repeat("x", 1<<13)}}
	operations := forge.At(0x8000)
	for i := range n {
		l.Files = append(l.Files, forge.SourceFile{Name: "a", Directory: 1})
		operations = append(append(operations, forge.SetFile(uint64(i+1))...), forge.Row(1, 0)...)
	}
	l.Program = append(operations, forge.End(1)...)
	f := wide(2*n, []forge.Entry{subprogram("f", 0x8000, 0x8002)})
	for i := range f.Sections {
		if f.Sections[i].Name == ".debug_line" {
			f.Sections[i].Data = l.Bytes()
		}
	}
	return f
}

// manySequences has n sequences of the same n instructions.
func manySequences(n int) forge.File {
	operations := bytes.Repeat(forge.Program(forge.At(0x8000), forge.Row(0, 1), forge.End(uint64(n))), n)
	f := wide(n, []forge.Entry{subprogram("f", 0x8000, 0x8002)})
	for i := range f.Sections {
		if f.Sections[i].Name == ".debug_line" {
			f.Sections[i].Data = forge.Lines{Version: 4, Files: []forge.SourceFile{{Name: "a.c"}}, Program: operations}.Bytes()
		}
	}
	return f
}
