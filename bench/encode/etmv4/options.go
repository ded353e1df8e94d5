package etmv4

import codec "github.com/tracelake/tracelake/decode/etmv4"

// Options say what a trace unit traces and how. What the version does not have has no effect.
type Options struct {
	codec.Config
	Source uint8 // CoreSight trace ID

	// SyncBytes is how many bytes of packets there are between two A-syncs, at least: those
	// after which one is sent as soon as it may be. 0 is never.
	SyncBytes int
	// ReturnStackDepth is how many entries the return stack of the unit has.
	ReturnStackDepth int
	// Threshold is the fewest cycles that a cycle count packet has.
	Threshold uint32
	// Timestamps are sent after each synchronisation and each entry to and return from an
	// exception. The clock starts at TimestampBase and ticks every CyclesPerTick cycles.
	TimestampBase uint64
	CyclesPerTick uint64
	// QElements sends some stretches of the program as Q elements, of which the trace does not
	// say how branches went.
	QElements bool

	// Lost is how many bytes of the stream, from its start, are gone, as in a ring that wrapped:
	// the truth is that of the rest.
	Lost int64
	// Variation is what the unit does otherwise than hardware does.
	Variation Variation
}

// profileM is the profile of microcontrollers.
const profileM = "M"

// v7M says whether the core is one of v7-M, whose exception returns are P0 elements (§5.1).
func (o *Options) v7M() bool { return o.Profile == profileM && !o.ETE && o.Minor < firstV8M }

// firstV8M is n of the first ETMv4.n for v8-M.
const firstV8M = 2

// v8M says whether the core is one of v8-M, whose function returns may be traced (§6.6).
func (o *Options) v8M() bool { return o.Profile == profileM && !o.ETE && o.Minor >= firstV8M }

// ignores says whether there are Ignore packets.
func (o *Options) ignores() bool { return o.ETE || o.Minor >= 3 }

// counter is the largest number that the cycle counter holds, at which it stays (§8).
func (o *Options) counter() uint64 { return 1<<o.CycleBits - 1 }
