package pipestat

import "math/rand/v2"

// Dice decide what an encoder leaves to chance, all of it from one seed.
type Dice struct{ rand *rand.Rand }

// NewDice returns the dice of a seed and a protocol, which has a number of its own so
// that no two throw alike.
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

// Pins is what undefined pins carry: something other than 0 at the given rate.
func (d *Dice) Pins(rate float64) uint16 {
	if !d.Happens(rate) {
		return 0
	}
	return uint16(d.rand.Uint32())
}

// Value is any value of a transfer.
func (d *Dice) Value() uint32 { return d.rand.Uint32() }
