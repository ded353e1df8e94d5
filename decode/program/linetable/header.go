package linetable

import (
	"errors"
	"fmt"

	"github.com/tracelake/tracelake/decode/program/internal/cursor"
)

// A header is what a line number program needs (6.2.4).
type header struct {
	program        *cursor.Cursor
	minInstruction uint64 // bytes of code of an advance by 1
	maxOperations  uint64 // per instruction: more than 1 only in VLIW
	defaultIsStmt  bool
	lineBase       int64
	lineRange      uint64
	opcodeLengths  []byte // of the standard opcodes, from 1 on
}

var (
	errCut   = errors.New("header is cut short")
	errEmpty = errors.New("header has directories or files that take no bytes")
)

// readHeader reads the header, and the directories and files into unit.
func readHeader(s *Sections, b *cursor.Cursor, wide bool, unit *Unit) (*header, error) {
	version := b.Uint(2)
	if b.Bad || version < 2 || version > 5 {
		return nil, fmt.Errorf("version %d is none of 2 to 5", version)
	}
	if version >= 5 {
		if address, segment := b.Uint8(), b.Uint8(); int(address) != s.AddressBytes || segment != 0 {
			return nil, fmt.Errorf("addresses of %d bytes and segments of %d are none of the program, which has %d and 0",
				address, segment, s.AddressBytes)
		}
	}
	length := b.Offset(wide)
	fields := &cursor.Cursor{Data: b.Bytes(length), Order: b.Order}
	if b.Bad {
		return nil, errCut
	}
	h := &header{program: b}
	h.readFields(fields, version)
	if fields.Bad {
		return nil, errCut
	}
	if h.maxOperations > 1 || h.lineRange == 0 {
		return nil, fmt.Errorf("%d operations in an instruction and a line range of %d are none of Arm", h.maxOperations,
			h.lineRange)
	}
	if version >= 5 {
		return h, readTables(s, fields, wide, unit)
	}
	return h, readLists(fields, unit)
}

// readFields reads the fields up to the lengths of the standard opcodes.
func (h *header) readFields(b *cursor.Cursor, version uint64) {
	h.minInstruction = uint64(b.Uint8())
	h.maxOperations = 1
	if version >= 4 {
		h.maxOperations = uint64(b.Uint8())
	}
	h.defaultIsStmt = b.Uint8() != 0
	h.lineBase = int64(int8(b.Uint8()))
	h.lineRange = uint64(b.Uint8())
	h.opcodeLengths = b.Bytes(uint64(b.Uint8()) - 1) // none is no number: 0 is bad
}

// readLists reads the directories and files of DWARF 2 to 4, which count from 1;
// directory 0 is that of compilation.
func readLists(b *cursor.Cursor, unit *Unit) error {
	unit.base = 1
	for name := b.Text(); len(name) > 0; name = b.Text() {
		unit.directories = append(unit.directories, name)
	}
	for name := b.Text(); len(name) > 0; name = b.Text() {
		unit.files = append(unit.files, entry(b, name))
	}
	if b.Bad {
		return errCut
	}
	return nil
}

// entry reads the rest of the entry of a file: its directory, time and length.
func entry(b *cursor.Cursor, name []byte) file {
	f := file{name: name, directory: b.ULEB()}
	b.ULEB()
	b.ULEB()
	return f
}

// readTables reads the directories and files of DWARF 5 (6.2.4.1), which count
// from 0; directory 0 is that of compilation.
func readTables(s *Sections, b *cursor.Cursor, wide bool, unit *Unit) error {
	directories, err := readTable(s, b, wide)
	if err != nil {
		return err
	}
	for _, d := range directories {
		unit.directories = append(unit.directories, d.name)
	}
	unit.files, err = readTable(s, b, wide)
	return err
}

// The content types of entries (7.22) that matter here.
const (
	contentPath      = 1
	contentDirectory = 2
)

// readTable reads the entries of one table, each of them as its format says.
func readTable(s *Sections, b *cursor.Cursor, wide bool) ([]file, error) {
	type field struct{ content, form uint64 }
	format := make([]field, b.Uint8())
	for i := range format {
		format[i] = field{b.ULEB(), b.ULEB()}
	}
	n := b.ULEB()
	if n > 0 && len(format) == 0 {
		return nil, errEmpty // and there could be any number of them
	}
	var entries []file
	for range n {
		var f file
		for _, field := range format {
			text, number, err := s.form(b, field.form, wide)
			if err != nil {
				return nil, err
			}
			switch field.content {
			case contentPath:
				f.name = text
			case contentDirectory:
				f.directory = number
			}
		}
		entries = append(entries, f)
	}
	if b.Bad {
		return nil, errCut
	}
	return entries, nil
}

// form reads a value of one of the forms that entries may have (7.5.6).
func (s *Sections) form(b *cursor.Cursor, form uint64, wide bool) (text []byte, number uint64, err error) {
	switch form {
	case 0x08: // DW_FORM_string
		text = b.Text()
	case 0x0E: // DW_FORM_strp
		text, err = s.text(s.Str, b.Offset(wide), ".debug_str")
	case 0x1F: // DW_FORM_line_strp
		text, err = s.text(s.LineStr, b.Offset(wide), ".debug_line_str")
	case 0x0B: // DW_FORM_data1
		number = b.Uint(1)
	case 0x05: // DW_FORM_data2
		number = b.Uint(2)
	case 0x06: // DW_FORM_data4
		number = b.Uint(4)
	case 0x07: // DW_FORM_data8
		number = b.Uint(8)
	case 0x0F: // DW_FORM_udata
		number = b.ULEB()
	case 0x1E: // DW_FORM_data16: an MD5 sum
		b.Bytes(16)
	case 0x09: // DW_FORM_block
		b.Bytes(b.ULEB())
	default:
		err = fmt.Errorf("header has a field of the unknown form %#x", form)
	}
	if err == nil && b.Bad {
		err = errCut
	}
	return text, number, err
}

// text returns a string of another section.
func (s *Sections) text(section []byte, at uint64, name string) ([]byte, error) {
	b := cursor.Cursor{Data: section[min(at, uint64(len(section))):]}
	text := b.Text()
	if b.Bad {
		return nil, fmt.Errorf("name at offset %#x of %s has no end", at, name)
	}
	return text, nil
}
