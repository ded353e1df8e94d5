package etmv1

import "math/rand/v2"

// Variation says how often an encoder does what the specification allows
// and hardware seldom does. Rates are from 0, never, to 1, whenever it may.
type Variation struct {
	Seed uint64 // of all chances

	Undefined float64 // samples in which something is on undefined pins
	Idle      float64 // idle cycles where none are needed
	Longer    float64 // addresses of more bytes than needed
	Sync      float64 // full addresses that are not due
	Early     float64 // data that is out before the status of its instruction
	NotTraced float64 // instructions whose data is not traced
	Abandon   float64 // branches that others abandon
	Cancel    float64 // data of instructions that abort
	Overflow  float64 // bytes that an overflow takes
	Restart   float64 // trace that comes on while the FIFO is not empty
}

// Vary is the variation with one rate for everything.
func Vary(seed uint64, rate float64) *Variation {
	return &Variation{
		Seed: seed, Undefined: rate, Idle: rate, Longer: rate, Sync: rate, Early: rate, NotTraced: rate, Abandon: rate, Cancel: rate,
		Overflow: rate, Restart: rate,
	}
}

// dice decide what varies, and what is left to chance besides.
type dice struct {
	Variation
	rand *rand.Rand
}

func newDice(v *Variation) dice {
	if v == nil {
		v = &Variation{}
	}
	return dice{*v, rand.New(rand.NewPCG(v.Seed, '1'))}
}

// happens says whether what has the given rate happens now.
func (d *dice) happens(rate float64) bool { return rate > 0 && d.rand.Float64() < rate }

// upTo is a number from 0 to n.
func (d *dice) upTo(n int) int { return d.rand.IntN(n + 1) }

// bytes is how many bytes to send of a field that needs n and has room for
// most.
func (d *dice) bytes(n, most uint8) uint8 {
	if n < most && d.happens(d.Longer) {
		n += 1 + uint8(d.upTo(int(most-n-1)))
	}
	return n
}

// pins is what undefined pins carry.
func (d *dice) pins() uint16 {
	if !d.happens(d.Undefined) {
		return 0
	}
	return uint16(d.rand.Uint32())
}
