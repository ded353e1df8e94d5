package encode

import "math/rand/v2"

// Dice decide what an encoder leaves to chance, all of it from one seed.
type Dice struct{ rand *rand.Rand }

// NewDice returns the dice of a seed and a protocol: two that are to throw differently have
// different numbers.
func NewDice(seed, protocol uint64) Dice { return Dice{rand.New(rand.NewPCG(seed, protocol))} }

// Happens says whether what has the given rate happens now.
func (d *Dice) Happens(rate float64) bool { return rate > 0 && d.rand.Float64() < rate }

// UpTo is a number from 0 to n.
func (d *Dice) UpTo(n int) int { return d.rand.IntN(n + 1) }

// Bytes is how many bytes to send of a field that needs n and has room for most: more
// than it needs at the given rate.
func (d *Dice) Bytes(rate float64, n, most uint8) uint8 {
	if n < most && d.Happens(rate) {
		n += 1 + uint8(d.UpTo(int(most-n-1)))
	}
	return n
}

// Number is any number of 32 bits.
func (d *Dice) Number() uint32 { return d.rand.Uint32() }
