package decode

// Fields of packets.

// Flag returns a bit if it is set, else 0.
func Flag(set bool, bit byte) byte {
	if set {
		return bit
	}
	return 0
}

// LittleEndian returns the number in b, which has at most four bytes.
func LittleEndian(b []byte) uint32 {
	var v uint32
	for i, x := range b {
		v |= uint32(x) << (8 * i)
	}
	return v
}

// AppendLittleEndian appends the n low bytes of v, at most four.
func AppendLittleEndian(dst []byte, v uint32, n int) []byte {
	for range n {
		dst = append(dst, byte(v))
		v >>= 8
	}
	return dst
}

// ParseSevens reads the number at the start of b: 7 bits a byte, low first, where bit 7 says that
// more follow, in so many bytes at most. n is its length, 0 if b ends before it does.
func ParseSevens(b []byte, most int) (v uint64, n int) {
	for i, x := range b {
		v |= uint64(x&0x7f) << (7 * i)
		if x&0x80 == 0 || i == most-1 {
			return v, i + 1
		}
	}
	return 0, 0
}

// AppendSevens appends the n low groups of seven bits of v as ParseSevens reads them.
func AppendSevens(dst []byte, v uint64, n int) []byte {
	for ; n > 1; n-- {
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v)&0x7f)
}
