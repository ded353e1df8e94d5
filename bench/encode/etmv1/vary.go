package etmv1

import "github.com/tracelake/tracelake/bench/encode/pipestat"

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
	Halves    float64 // exceptions between the halves of a Thumb BL, and returns to there
}

// Vary is the variation with one rate for everything but Halves: few executions have a
// chance for that, and take every other.
func Vary(seed uint64, rate float64) *Variation {
	return &Variation{
		Seed: seed, Undefined: rate, Idle: rate, Longer: rate, Sync: rate, Early: rate, NotTraced: rate, Abandon: rate,
		Cancel:   rate,
		Overflow: rate, Restart: rate, Halves: 0.5,
	}
}

// dice decide what varies, and what is left to chance besides.
type dice struct {
	Variation
	pipestat.Dice
}

func newDice(v *Variation) dice {
	if v == nil {
		v = &Variation{}
	}
	return dice{*v, pipestat.NewDice(v.Seed, '1')}
}
