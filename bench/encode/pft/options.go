package pft

import codec "github.com/tracelake/tracelake/decode/pft"

// Options say what a PTM traces and how. With Minor 0 the options that PFT 1.0 does
// not have (VMID, timestamps of 64 bits or in natural binary) have no effect.
type Options struct {
	codec.Config
	Source uint8 // CoreSight trace ID

	// SyncBytes is how many bytes of packets there are between two A-syncs, at
	// least: those after which one is sent as soon as it may be. 0 is never.
	SyncBytes int
	// ReturnStackDepth is how many entries the return stack of the PTM has.
	ReturnStackDepth int
	// BranchBroadcast makes taken direct branches branch packets (ETMCR[8]).
	BranchBroadcast bool
	// Timestamps sends timestamps after each synchronisation and each entry to
	// and return from an exception. The clock starts at TimestampBase and
	// ticks every CyclesPerTick cycles.
	Timestamps    bool
	TimestampBase uint64
	CyclesPerTick uint64
	// TraceVMID sends VMID packets after each synchronisation and where the VMID
	// changes (ETMCR[30], 1.1).
	TraceVMID bool

	// Lost is how many bytes of the stream, from its start, are gone, as in a ring
	// that wrapped: the truth is that of the rest.
	Lost int64
	// Variation is what the PTM does otherwise than hardware does.
	Variation Variation
}
