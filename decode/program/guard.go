package program

import (
	"bytes"
	"debug/dwarf"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/tracelake/tracelake/decode/program/internal/cursor"
)

// debug/dwarf makes of each entry as many fields as its abbreviation has, and of
// each field that is a string, a copy. Hostile sections could make much of a few
// bytes by this. So abbreviations and strings have limits, and what was made is
// summed up while entries are read.
const (
	// maxAttributes is how many attributes an abbreviation may have.
	maxAttributes = 128
	// maxText is how long a string of a section may be.
	maxText = 1 << 16
	// workShare is how many bytes may be made for each byte of the sections.
	workShare = 256
	// entryCost, fieldCost and rangeCost are the bytes of an entry, a field and
	// a range.
	entryCost, fieldCost, rangeCost = 64, 48, 64
)

var (
	errWork   = errors.New("its entries take more than 256 times its bytes: damaged")
	errNoUnit = errors.New("it has entries in no unit: damaged")
)

// charge counts work that was done.
func (r *infoReader) charge(cost int) error {
	if r.left -= cost; r.left < 0 {
		return errWork
	}
	return nil
}

// cost returns about how many bytes an entry takes.
func cost(e *dwarf.Entry) int {
	n := entryCost + fieldCost*len(e.Field)
	for i := range e.Field {
		if text, ok := e.Field[i].Val.(string); ok {
			n += len(text)
		}
	}
	return n
}

// checkInfo refuses sections of which one entry could take much memory.
func checkInfo(s map[string][]byte, order binary.ByteOrder) error {
	for _, name := range []string{".debug_str", ".debug_line_str"} {
		if longest(s[name]) > maxText {
			return fmt.Errorf("%s has a string of more than %d bytes: damaged", name, maxText)
		}
	}
	return checkAbbreviations(s[".debug_info"], s[".debug_abbrev"], order)
}

// longest returns the length of the longest string of a section.
func longest(section []byte) int {
	n := 0
	for len(section) > 0 {
		end := bytes.IndexByte(section, 0)
		if end < 0 {
			end = len(section)
		}
		n = max(n, end)
		section = section[min(end+1, len(section)):]
	}
	return n
}

// checkAbbreviations checks the tables of abbreviations that units name. They do
// not overlap, and so are not larger than the section together.
func checkAbbreviations(info, abbrev []byte, order binary.ByteOrder) error {
	seen := map[uint64]bool{}
	left := len(abbrev)
	for c := (&cursor.Cursor{Data: info, Order: order}); len(c.Data) > 0; {
		at := len(info) - len(c.Data)
		length, wide := c.UnitLength()
		u := &cursor.Cursor{Data: c.Bytes(length), Order: order}
		if c.Bad {
			return fmt.Errorf("unit at offset %#x reaches beyond the end", at)
		}
		if length == 0 {
			continue
		}
		if u.Uint(2) >= 5 { // the version; the type of unit and the size of addresses
			u.Bytes(2)
		}
		table := u.Offset(wide)
		if seen[table] {
			continue
		}
		seen[table] = true
		n, err := checkTable(&cursor.Cursor{Data: abbrev[min(table, uint64(len(abbrev))):], Order: order})
		if err != nil {
			return fmt.Errorf(".debug_abbrev at offset %#x: %w", table, err)
		}
		if left -= n; left < 0 {
			return errors.New("tables in .debug_abbrev overlap: damaged")
		}
	}
	return nil
}

// checkTable returns the length of a table of abbreviations.
func checkTable(c *cursor.Cursor) (int, error) {
	size := len(c.Data)
	for c.ULEB() != 0 {
		c.ULEB() // tag
		c.Uint8()
		for n := 0; ; n++ {
			name, form := c.ULEB(), c.ULEB()
			if name == 0 && form == 0 {
				break
			}
			if n == maxAttributes {
				return 0, fmt.Errorf("an abbreviation has more than %d attributes: damaged", maxAttributes)
			}
			if form == 0x21 { // DW_FORM_implicit_const
				c.SLEB()
			}
		}
	}
	return size - len(c.Data), nil
}
