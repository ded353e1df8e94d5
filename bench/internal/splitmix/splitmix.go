// Package splitmix hashes numbers, so that what a seed decides for one place does
// not depend on the order in which places are met.
package splitmix

// Hash makes of a seed and a number 64 bits that look random (Stafford's
// variant 13 of the finalizer of MurmurHash3, as in SplitMix64).
func Hash(seed, n uint64) uint64 {
	z := seed + (n+1)*0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}
