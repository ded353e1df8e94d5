package pipestat

import "github.com/tracelake/tracelake/bench/encode"

// Variation says how often an encoder does what the specification allows
// and hardware seldom does. Rates are from 0, never, to 1, whenever it may.
type Variation struct {
	Seed uint64 // of all chances

	Undefined float64 // samples in which something is on undefined pins
	Idle      float64 // idle cycles where none are needed
	Longer    float64 // addresses of more bytes than needed
	Sync      float64 // full addresses, or TFOs, that are not due
	NotTraced float64 // transfers that are not traced
	Cancel    float64 // instructions that were begun, or their data, before an exception
	Overflow  float64 // bytes or packets that an overflow takes
	Restart   float64 // trace that comes on while the FIFO is not empty
	Halves    float64 // TFOs and exceptions between the halves of a Thumb BL, and returns to there

	// ETMv1.
	Early   float64 // data that is out before the status of its instruction
	Abandon float64 // branches that others abandon

	// ETMv2.
	Split      float64 // groups split between a status and later DWs
	SplitByte  float64 // TFOs that may come between the nibbles of a byte, without a gap
	Phantom    float64 // direct branches as phantoms
	OutOfOrder float64 // load misses
	Delay      float64 // transfers that are traced under later instructions
	InProgress float64 // trace starts in the middle of a load or store multiple
	Again      float64 // branch addresses before the one that counts
	After      float64 // data that is sent after trace went off
}

// Vary is the variation with one rate for everything but SplitByte and Halves: few executions
// have a chance for these, and take every other.
func Vary(seed uint64, rate float64) *Variation {
	return &Variation{
		Seed: seed, Undefined: rate, Idle: rate, Longer: rate, Sync: rate, NotTraced: rate, Cancel: rate,
		Overflow: rate, Restart: rate, Halves: 0.5, Early: rate, Abandon: rate, Split: rate, SplitByte: 0.5,
		Phantom: rate, OutOfOrder: rate, Delay: rate, InProgress: rate, Again: rate, After: rate,
	}
}

// Dice decide what varies, and what is left to chance besides.
type Dice struct {
	Variation
	encode.Dice
}

// newDice returns the dice of a protocol, which has a number of its own so that no two throw
// alike.
func newDice(v *Variation, protocol uint64) Dice {
	if v == nil {
		v = &Variation{}
	}
	return Dice{*v, encode.NewDice(v.Seed, protocol)}
}

// pins is what undefined pins carry: something other than 0 at the given rate.
func (d *Dice) pins() uint16 {
	if !d.Happens(d.Undefined) {
		return 0
	}
	return uint16(d.Number())
}
