package cursor

import (
	"encoding/binary"
	"strings"
	"testing"
)

// LEB128 numbers: the examples of the standard (7.6, tables 7.7 and 7.8), and
// longer ones.
func TestLEB128(t *testing.T) {
	for _, tt := range []struct {
		bytes    string
		unsigned uint64
		signed   int64
	}{
		{"\x02", 2, 2},
		{"\x7F", 127, -1},
		{"\x7E", 126, -2},
		{"\xFF\x00", 127, 127},
		{"\x81\x7F", 16257, -127},
		{"\x80\x01", 128, 128},
		{"\x80\x7F", 16256, -128},
		{"\x81\x01", 129, 129},
		{"\xFF\x7E", 16255, -129},
		{strings.Repeat("\x80", 12) + "\x01", 0, 0}, // beyond 64 bits
	} {
		u := Cursor{Data: []byte(tt.bytes + "x")}
		s := Cursor{Data: []byte(tt.bytes + "x")}
		if x, y := u.ULEB(), s.SLEB(); x != tt.unsigned || y != tt.signed || u.Bad || s.Bad || len(u.Data) != 1 ||
			len(s.Data) != 1 {
			t.Errorf("% x: %d, %d, want %d, %d", tt.bytes, x, y, tt.unsigned, tt.signed)
		}
	}
}

// What is beyond the end is zero, and so is all after it.
func TestEnd(t *testing.T) {
	for name, read := range map[string]func(c *Cursor) bool{
		"Bytes":  func(c *Cursor) bool { return c.Bytes(4) == nil },
		"Uint":   func(c *Cursor) bool { return c.Uint(4) == 0 },
		"Offset": func(c *Cursor) bool { return c.Offset(true) == 0 },
		"ULEB":   func(c *Cursor) bool { return c.ULEB() == 0 },
		"SLEB":   func(c *Cursor) bool { return c.SLEB() == 0 },
		"Text":   func(c *Cursor) bool { return c.Text() == nil },
		"UnitLength": func(c *Cursor) bool {
			n, _ := c.UnitLength()
			return n == 0
		},
	} {
		c := &Cursor{Data: []byte("\x81\x81\x81"), Order: binary.BigEndian}
		if !read(c) || !c.Bad || c.Uint8() != 0 || len(c.Data) != 0 {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// The length of a unit says whether it is of 64-bit DWARF; some are reserved
// (7.4).
func TestUnitLength(t *testing.T) {
	for text, want := range map[string]struct {
		length    uint64
		wide, bad bool
	}{
		"\x00\x00\x01\x02": {length: 0x102},
		"\xFF\xFF\xFF\xEF": {length: 0xFFFFFFEF},
		"\xFF\xFF\xFF\xF0": {length: 0xFFFFFFF0, bad: true},
		"\xFF\xFF\xFF\xFF\x00\x00\x00\x00\x00\x00\x01\x02": {length: 0x102, wide: true},
	} {
		c := &Cursor{Data: []byte(text), Order: binary.BigEndian}
		if length, wide := c.UnitLength(); length != want.length || wide != want.wide || c.Bad != want.bad {
			t.Errorf("% x: %#x, %t, bad %t; want %+v", text, length, wide, c.Bad, want)
		}
	}
}
