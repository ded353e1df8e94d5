package port

import "encoding/binary"

// SampleBytes is how many bytes the record of a sample takes in a stream.
const SampleBytes = 4

// A Sample is what the pins of the port carry in one core clock (docs/etmv2.md §3.4):
// PIPESTAT in bits 3:0, TRACESYNC in bit 4, TRACEPKT in bits 31:16.
type Sample uint32

// traceSync is the bit of TRACESYNC in a [Sample].
const traceSync = 1 << 4

// NewSample returns the sample with these values of the pins.
func NewSample(status uint8, sync bool, packet uint16) Sample {
	s := Sample(status&0xF) | Sample(packet)<<16
	if sync {
		s |= traceSync
	}
	return s
}

// Status returns PIPESTAT. That of ETMv1 has three bits.
func (s Sample) Status() uint8 { return uint8(s & 0xF) }

// Sync reports TRACESYNC, which ETMv2 does not have.
func (s Sample) Sync() bool { return s&traceSync != 0 }

// Packet returns TRACEPKT.
func (s Sample) Packet() uint16 { return uint16(s >> 16) }

// At returns the sample at the start of b, which has SampleBytes.
func At(b []byte) Sample { return Sample(binary.LittleEndian.Uint32(b)) }

// Append appends the record of a sample.
func Append(dst []byte, s Sample) []byte { return binary.LittleEndian.AppendUint32(dst, uint32(s)) }
