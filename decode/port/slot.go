package port

// A slot is the bits of a sample in a word of an ETB (docs/etmv2.md §3.2): PIPESTAT[2:0]
// lowest, then TRACEPKT, then the top bit.
type slot struct {
	bits       int
	statusBits int    // PIPESTAT in the low bits: 3, or 4 if it is all there
	top        uint32 // the top bit of PIPESTAT or TRACESYNC, in a slot; 0: none
	topSample  Sample // that bit in a sample
	packet     uint32 // mask of TRACEPKT
}

// slotBits is how many bits a slot has: 8, 12 or 20. Half of them are a record of a
// multiplexed port.
func (c *Config) slotBits() int { return 4 + int(c.Width) }

func (c *Config) slot() slot {
	s := slot{bits: c.slotBits(), statusBits: 3, packet: uint32(c.Width.mask()), top: 1 << (3 + c.Width)}
	switch {
	case c.CaptureLayout == LayoutETBv2Flat:
		s.statusBits, s.top = 4, 0
	case c.Major() == 1:
		s.topSample = traceSync
	default: // the pin of TRACESYNC has PIPESTAT[3]
		s.topSample = 1 << 3
	}
	return s
}

// sample returns the sample in the low bits of v.
func (f *slot) sample(v uint32) Sample {
	s := Sample(v&(1<<(f.statusBits&7)-1) | v>>(f.statusBits&7)&f.packet<<16)
	if v&f.top != 0 {
		s |= f.topSample
	}
	return s
}

// number returns the bits of a sample. Those that the layout does not have are lost.
func (f *slot) number(s Sample) uint32 {
	v := uint32(s)&(1<<f.statusBits-1) | uint32(s.Packet())&f.packet<<f.statusBits
	if s&f.topSample != 0 {
		v |= f.top
	}
	return v
}

// unpack appends the records of the samples in the numbers of cells, and returns how
// many of those have bits above the last slot.
func (f *slot) unpack(dst []byte, cells []uint32, slots int) (_ []byte, above int) {
	used := uint64(1)<<(f.bits*slots) - 1
	for _, v := range cells {
		if uint64(v)&^used != 0 {
			above++
		}
		for range slots {
			dst = Append(dst, f.sample(v))
			v >>= f.bits & 31
		}
	}
	return dst, above
}
