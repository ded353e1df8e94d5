package decode

// Numbers of a fixed size in packets.

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
