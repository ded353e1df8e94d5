package etmv4

import (
	"github.com/tracelake/tracelake/bench/encode"
	codec "github.com/tracelake/tracelake/decode/etmv4"
)

// Variation is what a trace unit may do otherwise than hardware does: what the specification
// permits, so that a decoder must make the same rows of it. Each rate is the share of the
// places where it might happen at which it does, from 0 to 1.
type Variation struct {
	Seed uint64 // the same seed makes the same choices

	Addresses  float64 // addresses in longer forms than they need, and ones that nothing calls for
	Contexts   float64 // contexts that say what was said, and in packets of their own
	Fields     float64 // fields, counts and timestamps in more bytes than they need, Trace Infos in more sections
	Atoms      float64 // atom packets sent before they are full
	Ignores    float64 // Ignore packets between packets
	Syncs      float64 // extra synchronisation
	OldFlow    float64 // synchronisation amid the packets of the flow before it
	Zeros      float64 // A-syncs with more zeros
	Timestamps float64 // extra timestamps
	Returns    float64 // Function Returns of cores of v8-M
	Sources    float64 // source addresses in place of atoms
	Events     float64 // events, Instrumentation and conditional elements that nothing calls for
	Discards   float64 // Discards where trace goes off
	Exceptions float64 // addresses of exceptions that are sent otherwise
	Commits    float64 // no commit though more than MAXSPEC elements will be open
}

// Vary is the variation with one rate for everything.
func Vary(seed uint64, rate float64) Variation {
	return Variation{
		Seed: seed, Addresses: rate, Contexts: rate, Fields: rate, Atoms: rate, Ignores: rate, Syncs: rate / 8,
		OldFlow: rate, Zeros: rate, Timestamps: rate / 4, Returns: rate, Sources: rate, Events: rate / 4, Discards: rate, Exceptions: rate,
		Commits: rate,
	}
}

// dice make the choices.
type dice struct {
	Variation
	encode.Dice
}

// field is a number in as few bytes as it needs, or now and then in more.
func (d *dice) field(value uint32, most uint8) codec.Field {
	need := max(1, uint8(bitsOf(uint64(value))+6)/7)
	return codec.Field{Value: value, Bytes: d.Bytes(d.Fields, need, most)}
}
