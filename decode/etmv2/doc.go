// Package etmv2 reads and writes the trace of an Embedded Trace Macrocell,
// architecture versions 2.0 and 2.1: instruction and data trace (ARM IHI 0014Q,
// chapter 6). Sections (§) without a document are those of IHI 0014Q;
// docs/etmv2.md has the rules one by one, each with its section there, and what
// this project chooses where the specification leaves room.
//
// A stream consists of samples of the trace port (package port): each has a status
// of the pipeline and pins that carry the bytes of a FIFO. The codec is packet.go
// (the packets of a group), branch.go and tfo.go: bytes to [Packet] and [TFO] and
// back, with no state beside [Config]. frame.go joins the statuses with the bytes
// they owe, without the program; sync.go finds where a stream may be cut; regs.go
// reads the trace registers and options, tune.go finds those that are not known.
//
// decoder.go decodes the parts of a segment, and a [record.Recorder] writes their
// rows: follow.go walks the program by statuses, branch.go and exception.go apply
// branch addresses, split.go handles Thumb instructions with two statuses, data.go
// data packets. text.go describes samples and packets for people.
//
// Its API is not stable (docs/guide/library.md).
package etmv2
