package pft

import (
	"github.com/tracelake/tracelake/bench/encode"
	codec "github.com/tracelake/tracelake/decode/pft"
)

// Variation is what a PTM may do otherwise than hardware does: what the
// specification permits, so that a decoder must make the same rows of it. Each
// rate is the share of the places where it might happen at which it does, from
// 0 to 1.
type Variation struct {
	Seed uint64 // the same seed makes the same choices

	Addresses   float64 // addresses in more bytes than they need
	Information float64 // branch packets with more information bytes than they need
	Counts      float64 // cycle counts in more bytes than they need, but for those of I-syncs
	Atoms       float64 // atom packets sent before they are full
	Ignores     float64 // ignore packets between packets
	ASyncs      float64 // extra A-syncs, and ones whose I-sync follows later
	Zeros       float64 // A-syncs with more zeros
	ISyncs      float64 // extra I-syncs
	Timestamps  float64 // extra timestamps, and ones in more bytes than they need
	Updates     float64 // waypoint updates that nothing calls for
}

// Vary is the variation with one rate for everything.
func Vary(seed uint64, rate float64) Variation {
	return Variation{
		Seed: seed, Addresses: rate, Information: rate, Counts: rate, Atoms: rate, Ignores: rate,
		ASyncs: rate, Zeros: rate, ISyncs: rate, Timestamps: rate, Updates: rate,
	}
}

// dice make the choices.
type dice struct {
	Variation
	encode.Dice
}

// more is n, or now and then any number from there to most.
func (d *dice) more(rate float64, n, most uint8) uint8 {
	if n >= most || !d.Happens(rate) {
		return n
	}
	return n + uint8(d.UpTo(int(most-n)))
}

// ignore sends an ignore packet now and then, not before the first A-sync.
func (e *Encoder) ignore() {
	if e.bytes > 0 && e.vary.Happens(e.vary.Ignores) {
		e.send(codec.Packet{Kind: codec.Ignore})
	}
}
