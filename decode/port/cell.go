package port

import "encoding/binary"

// loadCells appends the numbers of whole cells to dst.
func (c *Config) loadCells(dst []uint32, b []byte) []uint32 {
	g := c.grid()
	load := c.cellLoader(g.cell)
	for ; len(b) >= g.cell; b = b[g.cell:] {
		dst = append(dst, load(b))
	}
	return dst
}

// cellLoader returns what reads the number of a cell of n bytes.
func (c *Config) cellLoader(n int) func(b []byte) uint32 {
	switch {
	case c.CaptureLayout == LayoutMux:
		return c.muxLoader(n)
	case c.CaptureLayout == LayoutETBBE:
		return binary.BigEndian.Uint32
	case n == 4:
		return binary.LittleEndian.Uint32
	case n == 3:
		return func(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }
	case n == 2:
		return func(b []byte) uint32 { return uint32(binary.LittleEndian.Uint16(b)) }
	}
	return func(b []byte) uint32 { return uint32(b[0]) }
}

// muxLoader returns what reads the two halves of a sample from a cell of n bytes. Bits
// above the low half come out above the sample.
func (c *Config) muxLoader(n int) func(b []byte) uint32 {
	bits := c.slotBits()
	half := bits / 2
	join := func(low, high uint32) uint32 { return low&(1<<half-1) | low>>half<<bits | high<<half }
	if n == 2 {
		return func(b []byte) uint32 { return join(uint32(b[0]), uint32(b[1])) }
	}
	return func(b []byte) uint32 {
		return join(uint32(binary.LittleEndian.Uint16(b)), uint32(binary.LittleEndian.Uint16(b[2:])))
	}
}

// appendCell appends the bytes of a cell of n bytes.
func (c *Config) appendCell(dst []byte, v uint32, n int) []byte {
	half := c.slotBits() / 2
	switch {
	case c.CaptureLayout == LayoutMux:
		low, high := v&(1<<half-1), v>>half
		if n == 2 {
			return append(dst, byte(low), byte(high))
		}
		return binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(dst, uint16(low)), uint16(high))
	case c.CaptureLayout == LayoutETBBE:
		return binary.BigEndian.AppendUint32(dst, v)
	}
	for range n {
		dst = append(dst, byte(v))
		v >>= 8
	}
	return dst
}
