package port

import (
	"encoding/binary"

	"github.com/tracelake/tracelake/decode"
)

// loadCells appends the numbers of whole cells of n bytes to dst.
func (c *Config) loadCells(dst []uint32, b []byte, n int) []uint32 {
	switch {
	case c.CaptureLayout == LayoutMux:
		return c.loadHalves(dst, b, n/2)
	case c.CaptureLayout == LayoutETBBE:
		for ; len(b) >= 4; b = b[4:] {
			dst = append(dst, binary.BigEndian.Uint32(b))
		}
	case n == 4:
		for ; len(b) >= 4; b = b[4:] {
			dst = append(dst, binary.LittleEndian.Uint32(b))
		}
	default:
		for ; len(b) >= n; b = b[n:] {
			dst = append(dst, decode.LittleEndian(b[:n]))
		}
	}
	return dst
}

// loadHalves appends the samples whose halves are records of n bytes. Bits above the low
// half come out above the sample.
func (c *Config) loadHalves(dst []uint32, b []byte, n int) []uint32 {
	bits := c.slotBits()
	half := bits / 2
	for ; len(b) >= 2*n; b = b[2*n:] {
		low, high := decode.LittleEndian(b[:n]), decode.LittleEndian(b[n:2*n])
		dst = append(dst, low&(1<<half-1)|low>>half<<bits|high<<half)
	}
	return dst
}

// appendCell appends the bytes of a cell of n bytes.
func (c *Config) appendCell(dst []byte, v uint32, n int) []byte {
	switch c.CaptureLayout {
	case LayoutMux:
		half := c.slotBits() / 2
		dst = decode.AppendLittleEndian(dst, v&(1<<half-1), n/2)
		return decode.AppendLittleEndian(dst, v>>half, n/2)
	case LayoutETBBE:
		return binary.BigEndian.AppendUint32(dst, v)
	}
	return decode.AppendLittleEndian(dst, v, n)
}
