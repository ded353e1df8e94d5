// Package perfdata writes perf.data files, as perf and simpleperf record CoreSight trace: headers,
// records, and the trace in them, which it does not make.
//
// A [Session] puts a recording together as perf would: who ran, what was mapped, which trace was
// read from which ring. A [Recording] is what a file holds, and may hold what perf never writes.
// Integers are little-endian.
//
// Its API is not stable (docs/guide/library.md).
package perfdata

import "encoding/binary"

// A Recording is what a perf.data file holds.
type Recording struct {
	Metadata Metadata
	// SampleType has the fields of the trailer that records of the kernel end in; 0: they have none.
	SampleType SampleType
	Config     uint64     // of the event cs_etm, as it was asked for
	AttrBytes  int        // of a perf_event_attr: 64 to 136; 0 is 128
	IDs        [][]uint64 // of each event, the first of which is cs_etm
	// Records are those of the data section, behind the one that has the metadata.
	Records []Record
	// Features are the feature sections by bit, beside those that depend on the rest of the file.
	Features map[int][]byte

	Compression Compression
	Piped       bool // as perf record -o - writes it
	// Interrupted leaves out what perf writes when a recording ends: the size of the data, and
	// features.
	Interrupted bool
	// Simpleperf leaves out the count of feature AUXTRACE.
	Simpleperf bool
}

// Compression is how records of the kernel are stored.
type Compression uint8

// The ways: as they are, in records COMPRESSED, or COMPRESSED2.
const (
	Uncompressed Compression = iota
	Compressed
	Compressed2
)

// SampleType has a bit for each field of the trailer.
type SampleType uint64

// The fields, in the order of the trailer, and two that only samples have.
const (
	SampleIP         SampleType = 1 << 0
	SamplePeriod     SampleType = 1 << 8
	SampleTID        SampleType = 1 << 1
	SampleTime       SampleType = 1 << 2
	SampleID         SampleType = 1 << 6
	SampleStreamID   SampleType = 1 << 9
	SampleCPU        SampleType = 1 << 7
	SampleIdentifier SampleType = 1 << 16
)

var order = binary.LittleEndian

// words are 64-bit words in a row.
func words(w ...uint64) []byte {
	b := make([]byte, 0, 8*len(w))
	for _, x := range w {
		b = order.AppendUint64(b, x)
	}
	return b
}

// halves are 32-bit words in a row.
func halves(w ...uint32) []byte {
	b := make([]byte, 0, 4*len(w))
	for _, x := range w {
		b = order.AppendUint32(b, x)
	}
	return b
}

// padded returns b with zeros after it, to a multiple of n.
func padded(b []byte, n int) []byte {
	return append(b, make([]byte, (n-len(b)%n)%n)...)
}

// name is a string of a record, which ends in a zero and is padded to whole words.
func name(s string) []byte { return padded(append([]byte(s), 0), 8) }
