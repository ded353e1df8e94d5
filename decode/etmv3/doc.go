// Package etmv3 reads and writes the trace of an Embedded Trace Macrocell,
// architecture versions 3.0 to 3.5: instruction and data trace (ARM IHI 0014Q,
// chapter 7). Sections (§) without a document are those of IHI 0014Q;
// docs/etmv3.md has the rules one by one, each with its section there, and what
// this project chooses where the specification leaves room.
//
// packet.go and append.go are the codec: bytes to [Packet] and back, one packet
// at a time, no state from one to the next beyond what [Config] says. What is
// more than a header stands in a file of its own, in both directions: pheader.go,
// branch.go, isync.go, data.go; field.go has the fields that several packets
// share. sync.go says where a stream may be cut, regs.go what the trace
// registers say.
//
// decoder.go takes the packets of a segment to what they do, and a
// [record.Recorder] writes that down: follow.go walks the program by atoms,
// target.go has branch packets and exceptions, exception.go exception returns and
// the types of exceptions, restart.go I-syncs and cycle counts, transfer.go data,
// halt.go what follows an entry to debug state.
package etmv3
