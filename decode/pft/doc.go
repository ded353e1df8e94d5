// Package pft reads and writes Program Flow Trace, versions 1.0 and 1.1: the
// protocol of the Program Trace Macrocell (ARM IHI 0035B). Section numbers are
// those of IHI 0035B.
//
// packet.go and append.go are the codec: bytes to [Packet] and back, one packet
// at a time, no state from one to the next beyond what [Config] says; field.go
// has the fields that several packets share. decoder.go and operations.go have the
// rules: what packets mean for the program; a [record.Recorder] writes it down.
// sync.go says where a stream may be cut, regs.go what the trace registers say.
package pft
