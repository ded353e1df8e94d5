package decode

// A TimestampCode says how the timestamps of a source are told.
type TimestampCode struct {
	Bits uint8 // width of a whole one: 48 or 64; 0 if the protocol has none
	Gray bool  // Gray code, else natural binary
}

// Value returns the timestamp whose raw form, as sent, is raw. Gray code is
// decoded from the whole value, never from the part a packet sent.
func (c TimestampCode) Value(raw uint64) uint64 {
	if c.Gray {
		for shift := uint(1); shift < 64; shift *= 2 {
			raw ^= raw >> shift
		}
	}
	return raw
}

// Merge replaces the low bits of base by those of raw.
func Merge(base, raw uint64, bits uint8) uint64 {
	if bits >= 64 {
		return raw
	}
	mask := uint64(1)<<bits - 1
	return base&^mask | raw&mask
}
