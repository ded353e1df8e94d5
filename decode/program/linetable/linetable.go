// Package linetable reads line number tables (.debug_line) of DWARF 2 to 5. It
// knows no other debug information and no code. Section numbers in parentheses are
// those of the DWARF 5 standard.
//
// The reader of debug/dwarf is none for files that nobody vouches for: it
// allocates as many files as a header claims, and joins each of them to its
// directory, which a header can make the square of its length; and it reads a
// table once for each unit that names it. Here each byte is read once, makes at
// most one row, and paths are joined when asked for.
//
// Its API is not stable (docs/guide/library.md).
package linetable

import (
	"encoding/binary"
	"fmt"

	"github.com/tracelake/tracelake/decode/program/internal/cursor"
)

// Sections are what a line table is read from.
type Sections struct {
	Line    []byte // .debug_line
	LineStr []byte // .debug_line_str
	Str     []byte // .debug_str
	Order   binary.ByteOrder

	AddressBytes int // 4 or 8
}

// A Unit is the line table of one or more compilation units.
type Unit struct {
	Offset    int // in .debug_line: what DW_AT_stmt_list says
	Sequences []Sequence

	directories [][]byte
	files       []file
	base        int // the number of the first file and directory: 1 up to DWARF 4
}

// A Sequence is the rows of contiguous code (6.2.2), not empty, by address.
type Sequence struct {
	Rows []Row
	End  uint64 // the address after its last instruction
}

// Start returns the address of the first instruction.
func (s *Sequence) Start() uint64 { return s.Rows[0].Address }

// A Row is the source line of the instructions up to the next row.
type Row struct {
	Address uint64
	File    uint32 // a number for [Unit.File]
	Line    uint32 // 0 is none
	Column  uint32 // 0 is unknown
	IsStmt  bool
}

// A file is a source file, relative to one of the directories.
type file struct {
	name      []byte // of the section
	directory uint64
}

// Read reads all tables of a section, one after another. A damaged one is left
// out; the error is that of the first, with its offset, and damaged is how many
// there are.
func Read(s Sections) (units []Unit, damaged int, err error) {
	for at := 0; at < len(s.Line); {
		b := &cursor.Cursor{Data: s.Line[at:], Order: s.Order}
		length, wide := b.UnitLength()
		if b.Bad || length > uint64(len(b.Data)) {
			return units, damaged + 1, firstError(err, at, fmt.Errorf("a table of %#x bytes reaches beyond the end", length))
		}
		if length > 0 {
			b.Data = b.Data[:length]
			unit, unitErr := readUnit(&s, b, wide)
			if unitErr != nil {
				damaged++
				err = firstError(err, at, unitErr)
			} else {
				unit.Offset = at
				units = append(units, unit)
			}
		}
		at += headLength(wide) + int(length)
	}
	return units, damaged, err
}

// headLength returns the size of the length of a table.
func headLength(wide bool) int {
	if wide {
		return 12
	}
	return 4
}

func firstError(first error, at int, err error) error {
	if first != nil {
		return first
	}
	return fmt.Errorf("table at offset %#x: %w", at, err)
}

// readUnit reads the table in b, after its length.
func readUnit(s *Sections, b *cursor.Cursor, wide bool) (Unit, error) {
	var unit Unit
	h, err := readHeader(s, b, wide, &unit)
	if err != nil {
		return unit, err
	}
	return unit, run(h, &unit, s.AddressBytes)
}
