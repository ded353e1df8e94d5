package decode

import "fmt"

// A TimestampCode is how the timestamps of a source are encoded.
type TimestampCode struct {
	Bits uint8 // width of a whole one: 48 or 64; 0 if the protocol has none
	Gray bool  // Gray code, else natural binary
}

// Value returns the timestamp whose raw form, as sent, is raw. Gray code is
// decoded from the whole value, never from only the bits that a packet sent.
func (c TimestampCode) Value(raw uint64) uint64 {
	if c.Gray {
		for shift := uint(1); shift < 64; shift *= 2 {
			raw ^= raw >> shift
		}
	}
	return raw
}

// Raw returns the raw form of a timestamp: the inverse of Value.
func (c TimestampCode) Raw(value uint64) uint64 {
	if c.Gray {
		return value ^ value>>1
	}
	return value
}

// Merge replaces the low bits of base by those of raw.
func Merge(base, raw uint64, bits uint8) uint64 {
	if bits >= 64 {
		return raw
	}
	mask := uint64(1)<<bits - 1
	return base&^mask | raw&mask
}

// String returns the code in words, as "48-bit timestamps in Gray code".
func (c TimestampCode) String() string {
	if c.Gray {
		return fmt.Sprintf("%d-bit timestamps in Gray code", c.Bits)
	}
	return fmt.Sprintf("%d-bit timestamps in natural binary", c.Bits)
}

// Parse returns the raw timestamp at the start of b and its length in bytes, 0 if
// b ends inside it: 7 bits a byte, low first, and the last possible byte has no
// bit that says more follow.
func (c TimestampCode) Parse(b []byte) (raw uint64, n int) {
	last := c.maxBytes() - 1
	for i, x := range b {
		switch {
		case i == last:
			return raw | uint64(x&c.lastMask())<<(7*i), i + 1
		case x&0x80 == 0:
			return raw | uint64(x)<<(7*i), i + 1
		}
		raw |= uint64(x&^0x80) << (7 * i)
	}
	return 0, 0
}

// Append appends the n bytes of a raw timestamp. It is the inverse of Parse.
func (c TimestampCode) Append(dst []byte, raw uint64, n uint8) []byte {
	dst = AppendSevens(dst, raw, int(n))
	if int(n) == c.maxBytes() {
		dst[len(dst)-1] = byte(raw>>(7*(n-1))) & c.lastMask()
	}
	return dst
}

// BitsSent returns how many low bits a timestamp of n bytes has.
func (c TimestampCode) BitsSent(n uint8) uint8 {
	if int(n) == c.maxBytes() {
		return c.Bits
	}
	return 7 * n
}

// maxBytes is the number of bytes of a whole timestamp.
func (c TimestampCode) maxBytes() int {
	if c.Bits == 64 {
		return 9
	}
	return 7
}

// lastMask has the bits of the last possible byte: all 8 of 64, the lower 6 of
// 48.
func (c TimestampCode) lastMask() byte {
	if c.Bits == 64 {
		return 0xff
	}
	return 0x3f
}
