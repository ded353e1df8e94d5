package decode

import "github.com/tracelake/tracelake/schema"

// A Cutter finds the cuts of one stream, in order: the places where a decoder can
// begin without knowing what came before. Its stream has no break; after a break,
// a new Cutter begins.
type Cutter interface {
	// Find looks for cuts in b: the bytes from where the previous call settled,
	// and those that followed them in the stream. last reports that no more
	// follow. How the stream is divided into calls does not change what they
	// find. The result is valid until the next call.
	Find(b []byte, last bool) Cuts
}

// An AnywhereCutter is a [Cutter] that may begin anywhere in a stream, even within a
// packet: it misses cuts that depend on the bytes before, but finds none that a Cutter
// from the start would not find. One that begins at a cut finds all after it.
type AnywhereCutter interface {
	Cutter
	BeginsAnywhere()
}

// Cuts are what a [Cutter] found. Positions are those in the bytes it was given.
type Cuts struct {
	At []Cut // rising
	// Bounds are positions, rising, that no packet reaches past: the ends of
	// A-syncs.
	Bounds []int
	// Settled is a position before which no cut is left to be found. It is a
	// multiple of Protocol.UnitBytes.
	Settled int
}

// MaxLead is how many bytes before a cut its decoder has to see at most.
const MaxLead = 64 << 10

// A Cut is where a segment begins.
type Cut struct {
	At int
	// Before is how many bytes right before the cut the decoder of the segment
	// has to see, at most MaxLead: those of packets that the segment before it owns.
	Before int
	// Preserved is what the bytes before the cut report for the rows after it,
	// even if those bytes are lost: of the first cut alone, before which they are.
	Preserved Preserved
}

// Preserved is what the packets in lost bytes report for the rows after the loss.
type Preserved struct {
	TimestampRaw  uint64
	TimestampBits uint8 // low bits of TimestampRaw that were sent
	VMID          schema.Null[uint32]
}
