package etmv3

// The fields that several packets share: cycle counts and flags.

const maxCycleBytes = 5

// parseCycles decodes the cycle count at the start of b (§7.3.4): 7 bits a
// byte, low first, four in the fifth. n is its length in bytes, 0 if b ends
// before it does.
func parseCycles(b []byte) (cycles uint32, n int) {
	for i, x := range b {
		cycles |= uint32(x&^more) << (7 * i)
		if x&more == 0 || i == maxCycleBytes-1 {
			return cycles, i + 1
		}
	}
	return 0, 0
}

// appendSevens appends the n low groups of seven bits of v, low first, and sets the
// bit for more bytes in all but the last. A fifth byte has the four high bits of v.
func appendSevens(dst []byte, v uint32, n uint8) []byte {
	for ; n > 1; n-- {
		dst = append(dst, byte(v)|more)
		v >>= 7
	}
	return append(dst, byte(v)&^more)
}

func flag(set bool, bit byte) byte {
	if set {
		return bit
	}
	return 0
}
