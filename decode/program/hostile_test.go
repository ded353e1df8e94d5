package program_test

import (
	"bytes"
	"compress/zlib"
	"debug/elf"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/program/internal/forge"
)

// with replaces the content of a section of linesFile, or adds it.
func with(name string, data []byte) forge.File {
	f := linesFile()
	for i := range f.Sections {
		if f.Sections[i].Name == name {
			f.Sections[i].Data = data
			return f
		}
	}
	f.Sections = append(f.Sections, forge.Section{Name: name, Data: data})
	return f
}

// abbreviation returns a table with one abbreviation, of a compilation unit with
// that many attributes without bytes.
func abbreviation(attributes int) []byte {
	b := []byte{1, 0x11, 0}
	for range attributes {
		b = append(b, 0x34, 0x19) // DW_AT_artificial, DW_FORM_flag_present
	}
	return append(b, 0, 0, 0)
}

// header returns a unit header of DWARF 4 with its abbreviations and entries.
func header(abbreviations uint32, entries ...byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(7+len(entries)))
	b = binary.LittleEndian.AppendUint32(append(b, 4, 0), abbreviations)
	return append(append(b, 4), entries...)
}

// compressed returns a section compressed by zlib that claims a size.
func compressed(name string, data []byte, claims uint32) forge.Section {
	b := bytes.NewBuffer(forge.A32(1, claims, 1)) // ELFCOMPRESS_ZLIB
	w := zlib.NewWriter(b)
	w.Write(data)
	w.Close()
	return forge.Section{Name: name, Flags: elf.SHF_COMPRESSED, Data: b.Bytes()}
}

// Damage to debug information or symbols costs what it says, and a note names the
// section; the rest of the program is there.
func TestDamage(t *testing.T) {
	big := compressed(".debug_line", []byte{0}, 1<<31)
	wrong := compressed(".debug_line", []byte{0}, 500)
	unknown := compressed(".debug_line", []byte{0}, 1)
	unknown.Data[0] = 7
	split := unit(0)
	split.Values = append(split.Values, forge.Of(0x76, "a.dwo"))
	for _, tt := range []struct {
		name, note string
		file       forge.File
	}{
		{"entries of nothing", "section .debug_info: unit at offset 0x0 reaches beyond",
			with(".debug_info", []byte("nothing at all, this"))},
		{"entries cut", "section .debug_info", with(".debug_info", []byte{1})},
		{"entries of another version", "section .debug_info: decoding dwarf section info",
			with(".debug_info", []byte{8, 0, 0, 0, 9, 0, 0, 0, 0, 0, 4, 0})},
		{"no abbreviations", "section .debug_info", with(".debug_abbrev", nil)},
		{"an unknown abbreviation", "section .debug_info", with(".debug_info", header(0, 99))},
		{"large abbreviations",
			"section .debug_info: .debug_abbrev at offset 0x0: an abbreviation has more than 128 attributes",
			with(".debug_abbrev", abbreviation(200))},
		{"abbreviations in one another", "section .debug_info: tables in .debug_abbrev overlap",
			with(".debug_info", slices.Concat(header(0), header(1), header(2)))},
		{"an entry in no unit", "section .debug_info: it has entries in no unit",
			with(".debug_info", header(0, append([]byte{2}, "f\x00\x00\x80\x00\x00\x08\x80\x00\x00"...)...))},
		{"a string without end", "section .debug_info: .debug_str has a string of more than 65536 bytes",
			with(".debug_str", bytes.Repeat([]byte{'x'}, 1<<17))},
		{"a long name of a symbol", "section .symtab: names of more than", longName()},
		{"lines of nothing", "section .debug_line: table at offset 0x0: a table of",
			with(".debug_line", []byte("nothing at all, this"))},
		{"lines of another version", "section .debug_line: table at offset 0x0: version 9",
			with(".debug_line", []byte{2, 0, 0, 0, 9, 0})},
		{"compressed, of any size", "section .debug_line: claims 0x80000000 bytes unpacked", replaced(".debug_line", big)},
		{"compressed, of another size", "section .debug_line", replaced(".debug_line", wrong)},
		{"compressed in an unknown way", "section .debug_line", replaced(".debug_line", unknown)},
		{"an old form of compression", "section .zdebug_info is of an old form", with(".zdebug_info", []byte("ZLIB"))},
		{"entries in another file", "1 units of split DWARF",
			four(append(forge.Info(forge.Unit{Version: 4, Entry: split}), aLine(4))...)},
	} {
		p := read(t, tt.file)
		if !hasNote(p, tt.note) {
			t.Errorf("%s: notes %q, want %q", tt.name, p.Notes, tt.note)
		}
		if got, want := summary(p), []string{"8000+8 f symbol"}; !slices.Equal(got, want) || len(p.Code) != 4 {
			t.Errorf("%s: functions %q, %d instructions", tt.name, got, len(p.Code))
		}
		if lines := len(p.Lines) == 4; lines == strings.Contains(tt.note, ".debug_line") {
			t.Errorf("%s: lines %q", tt.name, rows(p))
		}
	}
}

// longName is linesFile with a symbol whose name is too long.
func longName() forge.File {
	f := linesFile()
	f.Symbols = append(f.Symbols, label(strings.Repeat("x", 1<<14), 0x8002, elf.STB_GLOBAL))
	return f
}

// replaced is linesFile with another section in the place of the one of a name.
func replaced(name string, s forge.Section) forge.File {
	f := linesFile()
	for i := range f.Sections {
		if f.Sections[i].Name == name {
			f.Sections[i] = s
		}
	}
	return f
}

// Compressed sections are as good as others.
func TestCompressed(t *testing.T) {
	f := linesFile()
	want := rows(read(t, f))
	for i, s := range f.Sections {
		if strings.HasPrefix(s.Name, ".debug_") {
			f.Sections[i] = compressed(s.Name, s.Data, uint32(len(s.Data)))
		}
	}
	if p := read(t, f); !slices.Equal(rows(p), want) || len(want) != 4 {
		t.Errorf("compressed: %q, %q, want %q", rows(p), p.Notes, want)
	}
}
