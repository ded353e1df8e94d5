package linetable_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/program/internal/forge"
	"github.com/tracelake/tracelake/decode/program/linetable"
)

// table returns a table of the version with a file a.c and the operations.
func table(version int, operations ...[]byte) []byte {
	return forge.Lines{
		Version: version, Directories: []string{"/src", "lib"}, Files: []forge.SourceFile{{Name: "a.c"}, {Name: "b.h", Directory: 1}},
		Program: forge.Program(operations...),
	}.Bytes()
}

func read(line []byte) ([]linetable.Unit, int, error) {
	return linetable.Read(linetable.Sections{Line: line, Order: binary.LittleEndian, AddressBytes: 4})
}

// What each opcode does to the rows (DWARF 5, 6.2.5).
func TestOpcodes(t *testing.T) {
	const address = 0x8000
	at := func(row linetable.Row) linetable.Row {
		row.Address += address
		return row
	}
	for _, tt := range []struct {
		name    string
		program []byte
		want    []linetable.Row
	}{
		{"copy", []byte{1}, []linetable.Row{{File: 1, Line: 1, IsStmt: true}}},
		{"advance_pc by instructions", []byte{2, 3, 1}, []linetable.Row{{Address: 6, File: 1, Line: 1, IsStmt: true}}},
		{"advance_line", []byte{3, 9, 1, 3, 0x7F, 1}, []linetable.Row{{File: 1, Line: 10, IsStmt: true}, {File: 1, Line: 9, IsStmt: true}}},
		{"set_file, set_column", []byte{4, 2, 5, 0x80, 1, 1}, []linetable.Row{{File: 2, Line: 1, Column: 128, IsStmt: true}}},
		{"negate_stmt", []byte{6, 1, 6, 1}, []linetable.Row{{File: 1, Line: 1}, {File: 1, Line: 1, IsStmt: true}}},
		{"no rows of set_basic_block, set_prologue_end, set_epilogue_begin, set_isa", []byte{7, 10, 11, 12, 5, 1}, []linetable.Row{{File: 1, Line: 1, IsStmt: true}}},
		{"const_add_pc as special opcode 255", []byte{8, 1}, []linetable.Row{{Address: 2 * (255 - 13), File: 1, Line: 1, IsStmt: true}}},
		{"fixed_advance_pc by bytes", []byte{9, 4, 1, 1}, []linetable.Row{{Address: 0x104, File: 1, Line: 1, IsStmt: true}}},
		{"special", []byte{13, 15}, []linetable.Row{{File: 1, Line: 1, IsStmt: true}, {Address: 4, File: 1, Line: 1, IsStmt: true}}},
		{"set_discriminator and unknown ones are skipped", []byte{0, 2, 4, 9, 0, 3, 0x80, 1, 1, 1}, []linetable.Row{{File: 1, Line: 1, IsStmt: true}}},
	} {
		for version := 2; version <= 5; version++ {
			units, damaged, err := read(table(version, forge.At(address), tt.program, forge.End(1)))
			if err != nil || damaged != 0 || len(units) != 1 || len(units[0].Sequences) != 1 {
				t.Errorf("%s, version %d: %+v, %d damaged, %v", tt.name, version, units, damaged, err)
				continue
			}
			var want []linetable.Row
			for _, row := range tt.want {
				want = append(want, at(row))
			}
			s := units[0].Sequences[0]
			if !slices.Equal(s.Rows, want) || s.End != want[len(want)-1].Address+2 {
				t.Errorf("%s, version %d: rows %+v up to %#x, want %+v", tt.name, version, s.Rows, s.End, want)
			}
		}
	}
}

// The header says what special opcodes do, and how many others there are: a table
// may have fewer, or more with operands to skip.
func TestHeader(t *testing.T) {
	b := table(3)
	const fieldsAt, listsAt = 10, 27
	for _, tt := range []struct {
		name            string
		fields, program []byte
		want            []linetable.Row
	}{
		{
			"line base -3, range 12, no statements",
			[]byte{4, 0, 0xFD, 12, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1},
			[]byte{200, 2, 1},
			[]linetable.Row{{Address: 0x8000 + 4*15, File: 1, Line: 5}},
		},
		{
			"opcodes of DWARF 2",
			[]byte{1, 1, 0, 200, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1},
			[]byte{200, 11, 2, 1},
			[]linetable.Row{{Address: 0x8000, File: 1, Line: 191, IsStmt: true}, {Address: 0x8000, File: 1, Line: 192, IsStmt: true}},
		},
		{
			"special ones only",
			[]byte{1, 1, 0, 10, 1},
			[]byte{200, 11},
			[]linetable.Row{{Address: 0x8013, File: 1, Line: 10, IsStmt: true}, {Address: 0x8014, File: 1, Line: 10, IsStmt: true}},
		},
		{
			"one more",
			[]byte{1, 1, 0, 10, 14, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 2},
			[]byte{13, 0x80, 1, 1, 14, 2, 1},
			[]linetable.Row{{Address: 0x8000, File: 1, Line: 1, IsStmt: true}},
		},
	} {
		line := binary.LittleEndian.AppendUint32(slices.Clone(b[:fieldsAt-4]), uint32(len(tt.fields)+len(b)-listsAt))
		line = slices.Concat(line, tt.fields, b[listsAt:], forge.At(0x8000), tt.program, []byte{0, 1, 1})
		binary.LittleEndian.PutUint32(line, uint32(len(line)-4))
		units, _, err := read(line)
		if err != nil || len(units) != 1 || len(units[0].Sequences) != 1 || !slices.Equal(units[0].Sequences[0].Rows, tt.want) {
			t.Errorf("%s: %+v, %v, want %+v", tt.name, units, err, tt.want)
		}
	}
}

// Damage is named with its offset; other tables are read.
func TestDamaged(t *testing.T) {
	good := table(4, forge.At(0x8000), forge.Row(0, 1), forge.End(1))
	patched := func(version, at int, with ...byte) []byte {
		b := table(version, forge.At(0x8000), forge.Row(0, 1), forge.End(1))
		copy(b[at:], with)
		return b
	}
	for _, tt := range []struct {
		name, want string
		table      []byte
	}{
		{"version 1", "version 1", patched(4, 4, 1)},
		{"version 6", "version 6", patched(4, 4, 6)},
		{"addresses of 8 bytes", "addresses of 8 bytes", patched(5, 6, 8)},
		{"long header", "header is cut short", patched(4, 6, 0xFF, 0xFF)},
		{"short header", "header is cut short", patched(4, 6, 20)},
		{"VLIW", "4 operations in an instruction", patched(4, 11, 4)},
		{"no line range", "a line range of 0", patched(4, 14, 0)},
		{"other operands", "standard opcode 2 has 9 operands", patched(4, 17, 9)},
		{"no opcode base", "header is cut short", patched(4, 15, 0)},
		{"program cut", "program is cut short", table(4, forge.At(0x8000), []byte{2, 0x80})},
		{"extended opcode cut", "program is cut short", table(4, []byte{0, 9, 2, 0})},
		{"sequence without end", "program is cut short", table(4, forge.At(0x8000), forge.Row(0, 1))},
		{"address of 8 bytes", "address of 8 bytes", table(4, []byte{0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0}, forge.Row(0, 1), forge.End(1))},
		{"backwards", "address 0x7000 after 0x8000", table(4, forge.At(0x8000), forge.Row(0, 1), forge.At(0x7000), forge.Row(0, 1), forge.End(1))},
		{"end before the last row", "address 0x7000 after 0x8000", table(4, forge.At(0x8000), forge.Row(0, 1), forge.At(0x7000), forge.End(0))},
		{"unknown form", "unknown form 0x99", patched(5, 0x1F, 1, 0x99, 1)},
	} {
		units, damaged, err := read(slices.Concat(good, tt.table, make([]byte, 4), good))
		if err == nil || damaged != 1 || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "table at offset 0x") {
			t.Errorf("%s: %d damaged, %v, want %q", tt.name, damaged, err, tt.want)
		}
		if len(units) != 2 || len(units[0].Sequences) != 1 || len(units[1].Sequences) != 1 {
			t.Errorf("%s: %d other tables", tt.name, len(units))
		}
	}
}

// After a length that cannot be, nothing can be found.
func TestDamagedLength(t *testing.T) {
	good := table(4, forge.At(0x8000), forge.Row(0, 1), forge.End(1))
	for _, length := range [][]byte{{0xFF, 0xFF, 0, 0}, {0xF0, 0xFF, 0xFF, 0xFF}, {0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 1}, {1}} {
		units, damaged, err := read(slices.Concat(good, length))
		if len(units) != 1 || damaged != 1 || err == nil {
			t.Errorf("length % x: %d tables, %d damaged, %v", length, len(units), damaged, err)
		}
	}
}

// A sequence of no instructions, or beyond the address space, says nothing; that
// is how some linkers mark what they left out.
func TestEmptySequences(t *testing.T) {
	units, _, err := read(table(4,
		forge.At(0x8000), forge.Row(0, 1), forge.End(0), forge.At(0xFFFF_FFFF), forge.Row(0, 1), forge.End(1), forge.End(1),
		forge.At(0xFFFF_FFFE), forge.Row(0, 1), forge.End(1),
	))
	if err != nil || len(units) != 1 || len(units[0].Sequences) != 1 || units[0].Sequences[0].Start() != 0xFFFF_FFFE {
		t.Errorf("%+v, %v", units, err)
	}
}

// 64-bit DWARF has wider offsets.
func TestWide(t *testing.T) {
	b := table(4, forge.At(0x8000), forge.Row(0, 1), forge.End(1))
	wide := binary.LittleEndian.AppendUint64([]byte{0xFF, 0xFF, 0xFF, 0xFF}, uint64(len(b)-4+4))
	wide = append(wide, b[4:6]...)
	wide = binary.LittleEndian.AppendUint64(wide, uint64(binary.LittleEndian.Uint32(b[6:])))
	wide = append(wide, b[10:]...)
	units, _, err := read(slices.Concat(wide, b))
	if err != nil || len(units) != 2 || len(units[0].Sequences) != 1 || units[1].Offset != len(wide) {
		t.Errorf("%+v, %v", units, err)
	}
}

// Files of DWARF 5 may have their names in other sections, and fields that do not
// matter.
func TestFilesOfOtherSections(t *testing.T) {
	b := table(5, forge.At(0x8000), forge.Row(0, 1), forge.End(1))
	tables := slices.Concat(
		[]byte{1, 1, 0x1F, 2}, []byte{0, 0, 0, 0}, []byte{5, 0, 0, 0}, // directories: DW_LNCT_path, DW_FORM_line_strp
		[]byte{6, 1, 0x0E, 2, 0x0B, 5, 0x1E, 3, 0x09, 4, 0x06, 0x21, 0x07, 1},
		[]byte{2, 0, 0, 0}, []byte{1}, make([]byte, 16), []byte{2, 7, 7}, make([]byte, 4), make([]byte, 8),
	)
	fields := slices.Concat(b[12:30], tables)
	line := slices.Concat(b[:8], binary.LittleEndian.AppendUint32(nil, uint32(len(fields))), fields, forge.At(0x8000), forge.Row(0, 1), forge.End(1))
	binary.LittleEndian.PutUint32(line, uint32(len(line)-4))
	units, _, err := linetable.Read(linetable.Sections{
		Line: line, LineStr: []byte("/src\x00lib\x00"), Str: []byte("x\x00a.c\x00"), Order: binary.LittleEndian, AddressBytes: 4,
	})
	if err != nil || len(units) != 1 || units[0].File(0, "/elsewhere") != "/src/lib/a.c" {
		t.Errorf("%+v, %v", units, err)
	}
	if _, damaged, err := read(line); damaged != 1 || !strings.Contains(err.Error(), ".debug_line_str has no end") {
		t.Errorf("without the sections: %v", err)
	}
}

// The directory of compilation of a table of DWARF 5 may be relative, to that of
// the unit.
func TestRelativeDirectories(t *testing.T) {
	units, _, err := read(forge.Lines{
		Version: 5, Directories: []string{"build", "lib"}, Files: []forge.SourceFile{{Name: "a.c"}, {Name: "b.h", Directory: 1}},
	}.Bytes())
	if err != nil || units[0].File(0, "/src") != "/src/build/a.c" || units[0].File(1, "/src") != "/src/build/lib/b.h" {
		t.Errorf("%q, %q, %v", units[0].File(0, "/src"), units[0].File(1, "/src"), err)
	}
}

// Numbers of files count from 1 up to DWARF 4, from 0 in DWARF 5; the program of
// an older table may define more.
func TestFiles(t *testing.T) {
	define := []byte{0, 8, 3, 'c', '.', 'c', 0, 2, 0, 0}
	for version := 2; version <= 5; version++ {
		units, _, err := read(table(version, define))
		if err != nil || len(units) != 1 {
			t.Fatalf("version %d: %+v, %v", version, units, err)
		}
		var got []string
		for i := range uint32(5) {
			got = append(got, units[0].File(i, "/comp"))
		}
		want := []string{"", "/comp/a.c", "/src/b.h", "/comp/lib/c.c", ""}
		if version == 5 {
			want = []string{"/src/a.c", "/src/lib/b.h", "/src/c.c", "", ""}
		}
		if !slices.Equal(got, want) {
			t.Errorf("version %d: %q, want %q", version, got, want)
		}
	}
}

// Whatever the bytes, rows are no more than bytes, and sequences ascend.
func FuzzRead(f *testing.F) {
	for version := 2; version <= 5; version++ {
		f.Add(table(version, forge.At(0x8000), forge.Row(0, 4), forge.SetFile(2), forge.Row(1, -2), forge.End(1)))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		units, damaged, err := read(line)
		if (damaged == 0) != (err == nil) {
			t.Errorf("%d damaged, error %v", damaged, err)
		}
		rows := 0
		for _, u := range units {
			for _, s := range u.Sequences {
				rows += len(s.Rows)
				last := uint64(0)
				for _, r := range s.Rows {
					if r.Address < last || r.Address > s.End || s.End > 1<<32 {
						t.Fatalf("row %+v after %#x, end %#x", r, last, s.End)
					}
					last = r.Address
					u.File(r.File, "/src")
				}
			}
		}
		if rows > len(line) {
			t.Errorf("%d rows of %d bytes", rows, len(line))
		}
	})
}
