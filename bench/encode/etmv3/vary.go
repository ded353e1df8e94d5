package etmv3

import "github.com/tracelake/tracelake/bench/encode"

// Variation says how often an encoder does what the specification allows
// and hardware seldom does. Rates are from 0, never, to 1, whenever it may.
type Variation struct {
	Seed uint64 // of all chances

	Packing    float64 // P-headers that are not full; Ws by themselves
	Longer     float64 // addresses, counts and A-syncs of more bytes than needed
	Ignore     float64 // ignore packets
	Sync       float64 // syncs that are not due; I-syncs some way after their A-sync
	Timestamps float64 // timestamps that are not due, late, or with R
	Branch     float64 // branch packets that could be left out or are sent twice, and such left out
	Cancel     float64 // exceptions that cancel an instruction, aborts that do not; packets between
	Halves     float64 // syncs and exceptions between the two atoms of a T32 instruction
	OldForm    float64 // exceptions in the old form
	LSiP       float64 // trace starts while a load or store is in progress
	LateCounts float64 // counts after their I-sync, and unknown ones
	OutOfOrder float64 // data whose value comes later, or never
	NotTraced  float64 // transfers of a load or store multiple that are left out
	Suppress   float64 // data suppressed
	Delay      float64 // data after instructions that ran underneath
}

// Vary is the variation with one rate for everything.
func Vary(seed uint64, rate float64) *Variation {
	return &Variation{
		Seed: seed, Packing: rate, Longer: rate, Ignore: rate, Sync: rate, Timestamps: rate, Branch: rate, Cancel: rate,
		Halves:  rate,
		OldForm: rate, LSiP: rate, LateCounts: rate, OutOfOrder: rate, NotTraced: rate, Suppress: rate, Delay: rate,
	}
}

// dice decide what varies.
type dice struct {
	Variation
	encode.Dice
	on bool
}

func newDice(v *Variation) dice {
	on := v != nil
	if !on {
		v = &Variation{}
	}
	return dice{*v, encode.NewDice(v.Seed, 0), on}
}
