package etmv2

import "github.com/tracelake/tracelake/bench/encode/pipestat"

// Variation says how often an encoder does what the specification allows
// and hardware seldom does. Rates are from 0, never, to 1, whenever it may.
type Variation struct {
	Seed uint64 // of all chances

	Undefined  float64 // samples in which something is on undefined pins
	Idle       float64 // idle cycles where none are needed
	Longer     float64 // addresses of more bytes than needed
	Split      float64 // groups split between a status and later DWs
	Sync       float64 // TFOs that are not due
	SplitByte  float64 // TFOs that may come between the nibbles of a byte, without a gap
	Phantom    float64 // direct branches as phantoms
	Cancel     float64 // exceptions that cancel an instruction that was begun
	OutOfOrder float64 // load misses
	NotTraced  float64 // transfers that are not traced
	Delay      float64 // transfers that are traced under later instructions
	InProgress float64 // trace starts in the middle of a load or store multiple
	Overflow   float64 // packets that an overflow takes
	Restart    float64 // trace that comes on while the FIFO is not empty
	Halves     float64 // TFOs and exceptions between the halves of a Thumb BL, and returns to there
	Again      float64 // branch addresses before the one that counts
	After      float64 // data that is sent after trace went off
}

// Vary is the variation with one rate for everything but SplitByte and Halves: few executions
// have a chance for these, and take every other.
func Vary(seed uint64, rate float64) *Variation {
	return &Variation{
		Seed: seed, Undefined: rate, Idle: rate, Longer: rate, Split: rate, Sync: rate, SplitByte: 0.5, Phantom: rate, Cancel: rate,
		OutOfOrder: rate,
		NotTraced:  rate, Delay: rate, InProgress: rate, Overflow: rate, Restart: rate, Halves: 0.5, Again: rate, After: rate,
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
	return dice{*v, pipestat.NewDice(v.Seed, '2')}
}
