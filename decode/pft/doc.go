// Package pft reads and writes Program Flow Trace, versions 1.0 and 1.1: the
// protocol of the Program Trace Macrocell (ARM IHI 0035B). Section numbers are
// those of IHI 0035B.
//
// packet.go and append.go are the codec: bytes to [Packet] and back, one packet
// at a time, with no state beside [Config]; field.go has the fields that several
// packets share. decoder.go and operations.go apply the packets to the program, and
// a [record.Recorder] writes the rows. sync.go finds where a stream may be cut,
// regs.go reads the trace registers.
//
// Of its API the codec is promised (docs/guide/library.md): Config, NewConfig, Packet and Kind.
package pft
