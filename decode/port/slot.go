package port

import (
	"encoding/binary"
	"slices"
)

// A slot is the bits of a sample in a word of an ETB (docs/etmv2.md §3.2): PIPESTAT[2:0]
// lowest, then TRACEPKT, then the top bit, which is TRACESYNC or PIPESTAT[3].
type slot struct {
	bits   uint   // of a slot
	status uint   // how many of them are the low bits of PIPESTAT: 3, or 4 if that is all
	packet uint32 // mask of TRACEPKT
	top    uint32 // 1 if there is a top bit
	to     uint   // the bit of a sample that it is
}

// slotBits is how many bits a slot has: 8, 12 or 20. Half of them are a record of a
// multiplexed port.
func (c *Config) slotBits() int { return 4 + int(c.Width) }

func (c *Config) slot() slot {
	s := slot{bits: uint(c.slotBits()), status: 3, packet: uint32(c.Width.mask()), top: 1}
	switch {
	case c.CaptureLayout == LayoutETBv2Flat:
		s.status, s.top = 4, 0
	case c.Major() == 1:
		s.to = 4 // TRACESYNC
	default: // the pin that carries TRACESYNC in ETMv1
		s.to = 3
	}
	return s
}

// sample returns the sample in the low bits of v.
func (f slot) sample(v uint32) Sample {
	low := v & (1<<(f.status&31) - 1)
	packet := v >> (f.status & 31) & f.packet
	top := v >> ((f.bits - 1) & 31) & f.top
	return Sample(low | top<<(f.to&31) | packet<<16)
}

// number returns the bits of a sample. Those that the layout does not have are lost.
func (f slot) number(s Sample) uint32 {
	low := uint32(s) & (1<<f.status - 1)
	packet := uint32(s.Packet()) & f.packet
	top := uint32(s) >> f.to & f.top
	return low | packet<<f.status | top<<(f.bits-1)
}

// unpack appends the records of the samples in the numbers of cells, and returns how
// many of those have bits above the last slot.
func (f slot) unpack(dst []byte, cells []uint32, slots int) (_ []byte, above int) {
	used := uint64(1)<<(f.bits*uint(slots)) - 1
	n := len(dst)
	dst = slices.Grow(dst, len(cells)*slots*SampleBytes)[:n+len(cells)*slots*SampleBytes]
	out := dst[n:]
	for _, v := range cells {
		if uint64(v)&^used != 0 {
			above++
		}
		for range slots {
			binary.LittleEndian.PutUint32(out, uint32(f.sample(v)))
			out = out[SampleBytes:]
			v >>= f.bits & 31
		}
	}
	return dst, above
}
