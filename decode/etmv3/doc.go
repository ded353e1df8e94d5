// Package etmv3 reads and writes the trace of an Embedded Trace Macrocell,
// architecture versions 3.0 to 3.5: instruction and data trace (ARM IHI 0014Q,
// chapter 7). Sections (§) without a document are those of IHI 0014Q;
// docs/etmv3.md has the rules one by one, each with its section there, and what
// this project chooses where the specification leaves room.
//
// packet.go and append.go are the codec: bytes to [Packet] and back, one packet
// at a time, with no state beside [Config]. Packets that are more than a header
// have a file each, for both directions: pheader.go, branch.go, isync.go, data.go.
// sync.go finds where a stream may be cut, regs.go reads the trace registers.
//
// decoder.go dispatches the packets of a segment, and a [record.Recorder] writes
// their rows: follow.go walks the program by atoms, split.go handles T32
// instructions with two atoms, target.go branch packets and exceptions,
// exception.go exception returns and the types of exceptions, restart.go I-syncs
// and cycle counts, transfer.go data, as far as [record.Follower] does not, debug.go
// what follows an entry to debug state.
//
// Of its API the codec is promised (docs/guide/library.md): Config, NewConfig, Packet and Kind.
package etmv3
