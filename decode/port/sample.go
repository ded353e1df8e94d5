package port

import "encoding/binary"

// SampleBytes is how many bytes the record of a sample takes in a stream.
const SampleBytes = 4

// A Sample is what the pins of the port carry in one core clock (docs/etmv2.md §3.4):
// PIPESTAT in bits 3:0, TRACESYNC in bit 4, TRACEPKT in bits 31:16.
type Sample uint32

// traceSync is the bit of TRACESYNC in a [Sample].
const traceSync = 1 << 4

// The statuses without FIFO bytes, whose codes are the same in both protocols
// (docs/etmv2.md §4.1, §5.1).
const (
	StatusTR = 6 // trigger: TRACEPKT has the status it replaced
	StatusTD = 7 // trace disabled, or nothing; ETMv2: or a TFO
)

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

// Droppable reports whether a capture device may leave the sample out: trace is
// disabled (docs/etmv2.md §3.1).
func (s Sample) Droppable() bool { return s&(1<<16|0xF) == StatusTD }

// carries reports whether FIFO bytes can come out in the sample, by its status.
func (s Sample) carries() bool { return s.Status()&^1 != StatusTR } // nor StatusTD

// At returns the sample at the start of b, which has SampleBytes.
func At(b []byte) Sample { return Sample(binary.LittleEndian.Uint32(b)) }

// Append appends the record of a sample.
func Append(dst []byte, s Sample) []byte { return binary.LittleEndian.AppendUint32(dst, uint32(s)) }

// Records returns the records of samples.
func Records(samples []Sample) []byte {
	b := make([]byte, 0, len(samples)*SampleBytes)
	for _, s := range samples {
		b = Append(b, s)
	}
	return b
}

// Samples returns the samples of whole records.
func Samples(records []byte) []Sample {
	samples := make([]Sample, 0, len(records)/SampleBytes)
	for ; len(records) >= SampleBytes; records = records[SampleBytes:] {
		samples = append(samples, At(records))
	}
	return samples
}

// DropDisabled removes the droppable samples from whole records, in place.
func DropDisabled(records []byte) []byte {
	kept := records[:0]
	for i := 0; i+SampleBytes <= len(records); i += SampleBytes {
		if s := At(records[i:]); !s.Droppable() {
			kept = Append(kept, s)
		}
	}
	return kept
}

// Alike returns how many records, the first and those that follow it, have one PIPESTAT.
// It does not look at the first, and compares two at a time, since runs are long.
func Alike(records []byte, pipestat uint8) int {
	const both = 0xF<<32 | 0xF
	two := uint64(pipestat)<<32 | uint64(pipestat)
	n := SampleBytes
	for n+2*SampleBytes <= len(records) && binary.LittleEndian.Uint64(records[n:])&both == two {
		n += 2 * SampleBytes
	}
	for n < len(records) && records[n]&0xF == pipestat {
		n += SampleBytes
	}
	return n / SampleBytes
}
