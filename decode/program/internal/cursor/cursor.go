// Package cursor reads the numbers and strings that DWARF is made of. Section
// numbers in parentheses are those of the DWARF 5 standard.
package cursor

import (
	"bytes"
	"encoding/binary"
)

// maxText is the length of a string, with its zero byte.
const maxText = 1 << 14

// A Cursor is bytes still to read. Reading beyond the end makes it bad, and then
// gives zeros.
type Cursor struct {
	Data  []byte
	Order binary.ByteOrder
	Bad   bool
}

// Bytes returns the next n bytes.
func (c *Cursor) Bytes(n uint64) []byte {
	if n > uint64(len(c.Data)) {
		c.Bad, c.Data = true, nil
		return nil
	}
	head := c.Data[:n]
	c.Data = c.Data[n:]
	return head
}

// Uint returns the next number of 1, 2, 4 or 8 bytes.
func (c *Cursor) Uint(size uint64) uint64 {
	head := c.Bytes(size)
	switch len(head) {
	case 1:
		return uint64(head[0])
	case 2:
		return uint64(c.Order.Uint16(head))
	case 4:
		return uint64(c.Order.Uint32(head))
	case 8:
		return c.Order.Uint64(head)
	default:
		c.Bad = true
		return 0
	}
}

// Uint8 returns the next byte.
func (c *Cursor) Uint8() uint8 { return uint8(c.Uint(1)) }

// Offset returns the next offset into a section: of 8 bytes in 64-bit DWARF.
func (c *Cursor) Offset(wide bool) uint64 {
	if wide {
		return c.Uint(8)
	}
	return c.Uint(4)
}

// UnitLength returns the initial length of a table (7.4), and whether it is one
// of 64-bit DWARF.
func (c *Cursor) UnitLength() (length uint64, wide bool) {
	length = c.Uint(4)
	if length == 0xFFFFFFFF {
		return c.Uint(8), true
	}
	if length >= 0xFFFFFFF0 { // reserved
		c.Bad = true
	}
	return length, false
}

// ULEB returns the next LEB128 number (7.6); what is beyond 64 bits is lost.
func (c *Cursor) ULEB() uint64 {
	x, _, _ := c.leb()
	return x
}

// SLEB returns the next signed LEB128 number.
func (c *Cursor) SLEB() int64 {
	x, shift, last := c.leb()
	if shift < 64 && last&0x40 != 0 {
		x |= ^uint64(0) << shift
	}
	return int64(x)
}

func (c *Cursor) leb() (x uint64, shift uint, last byte) {
	for i, b := range c.Data {
		x |= uint64(b&0x7F) << shift
		shift += 7
		if b&0x80 == 0 {
			c.Data = c.Data[i+1:]
			return x, shift, b
		}
	}
	c.Bad, c.Data = true, nil
	return 0, 64, 0
}

// Text returns the next string, without the zero byte at its end. It shares the
// memory of the data.
func (c *Cursor) Text() []byte {
	end := bytes.IndexByte(c.Data[:min(len(c.Data), maxText)], 0)
	if end < 0 {
		c.Bad, c.Data = true, nil
		return nil
	}
	text := c.Data[:end]
	c.Data = c.Data[end+1:]
	return text
}
