package image

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

// named is an ELF file with two sections: one that has the name at an offset of
// the table of names, and the table.
func named(names string, at uint32) []byte {
	b := testELF{progs: []testProg{{vaddr: 0x8000, data: "code"}}}.bytes()
	tableAt := uint32(len(b) + 3*40)
	header := func(name, kind, flags, size uint32) {
		for _, v := range []uint32{name, kind, flags, 0, tableAt, size, 0, 0, 1, 0} {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
	}
	b = patch(b, 48, 3, 0, 2) // e_shnum, e_shstrndx
	header(0, uint32(elf.SHT_NULL), 0, 0)
	header(at, uint32(elf.SHT_PROGBITS), 0, 0)
	header(0, uint32(elf.SHT_STRTAB), 0, uint32(len(names)))
	return append(b, names...)
}

// OpenELF returns what ReadELF does not need: the names of sections.
func TestOpenELF(t *testing.T) {
	for _, tt := range []struct {
		name, names string
		at          uint32
		want        string
	}{
		{"a name", "\x00.text\x00", 1, ".text"},
		{"the end of another", "\x00.rel.text\x00", 5, ".text"},
		{"none", "\x00.text\x00", 0, ""},
		{"beyond the table", "\x00.text\x00", 0xFFFF_FFFF, ""},
		{"without end", "\x00.text", 1, ".text"},
		{"long", "\x00" + strings.Repeat("x", 1000), 1, strings.Repeat("x", maxSectionName)},
	} {
		e, err := OpenELF(asFile(named(tt.names, tt.at)), nil)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := e.Sections[1].Name; got != tt.want || e.Section(tt.want) == nil {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// It refuses what ReadELF refuses, and a table of names that cannot be one.
func TestOpenELFRefuses(t *testing.T) {
	good := named("\x00.text\x00", 1)
	table := len(good) - len("\x00.text\x00") - 40
	for name, file := range map[string][]byte{
		"text":       []byte("no program at all, but long enough for a header"),
		"no strings": patch(good, table+4, byte(elf.SHT_PROGBITS)),
		"beyond":     patch(good, table+20, 0xFF),
	} {
		_, err := OpenELF(asFile(file), nil)
		if _, ok := errors.AsType[*FormatError](err); !ok {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if e, err := OpenELF(asFile(testELF{progs: []testProg{{vaddr: 0x8000, data: "code"}}}.bytes()), nil); err != nil ||
		len(e.Sections) != 0 {
		t.Errorf("without sections: %v, %v", e, err)
	}
}
