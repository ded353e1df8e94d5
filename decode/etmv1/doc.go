// Package etmv1 reads and writes the trace of an Embedded Trace Macrocell,
// architecture versions 1.0 to 1.3 (ARM IHI 0014Q, chapter 5). Sections (§) without a
// document are those of IHI 0014Q; docs/etmv2.md has the rules one by one, each with
// its section there, and what this project chooses where the specification leaves
// room.
//
// packet.go is the codec of addresses. frame.go is the first pass over the samples of
// a trace port: which branch has which address. It needs no program. sync.go finds
// with it where a stream may be cut.
package etmv1
