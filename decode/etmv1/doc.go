// Package etmv1 reads and writes the trace of an Embedded Trace Macrocell,
// architecture versions 1.0 to 1.3 (ARM IHI 0014Q, chapter 5). Sections (§) without a
// document are those of IHI 0014Q; docs/etmv2.md has the rules one by one, each with
// its section there, and what this project chooses where the specification leaves
// room.
//
// packet.go is the codec of addresses, regs.go reads the trace registers. frame.go is
// the first pass over the samples of a trace port: which branch has which address,
// which address.go reads. It needs no program. sync.go finds with it where a stream
// may be cut, lister.go lists the samples for people.
//
// decoder.go reads a segment in parts, and a [record.Recorder] writes its rows:
// follow.go walks the program by the statuses, split.go handles BL and BLX of Thumb
// code, exception.go branches to vectors, data.go the data of instructions; text.go
// has samples in words.
//
// Its API is not stable (docs/guide/library.md).
package etmv1
