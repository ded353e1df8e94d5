// Package decode holds the types that all protocols share: streams and their
// offsets, segments, results, protocols and decoders.
//
// Damage in a trace is no error here. It becomes rows of `losses`.
//
// Its API is not stable (docs/guide/library.md).
package decode

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// A CaptureOffset is a position in the buffer the user gave, in bytes.
type CaptureOffset int64

// A Piece is some whole units of one source's stream, after deformatting, and the room
// for more after them.
type Piece struct {
	Data []byte
	// Offsets are the capture offsets of the units of Data.
	Offsets CaptureOffsets
}

// Room returns the memory after Data, at least n bytes.
func (p *Piece) Room(n int) []byte {
	p.Data = slices.Grow(p.Data, n)
	return p.Data[len(p.Data):cap(p.Data)]
}

// Drop removes the last n bytes, of whole units of so many bytes.
func (p *Piece) Drop(n, unitBytes int) {
	p.Data = p.Data[:len(p.Data)-n]
	p.Offsets = p.Offsets.Slice(0, p.Offsets.Len()-n/unitBytes)
}

// Clear removes all units. Their memory is used again, so nothing else may use it.
func (p *Piece) Clear() {
	p.Data = p.Data[:0]
	p.Offsets.clear()
}

// A Stream gives the units of one source in order.
type Stream interface {
	// Next appends the next units to p: one at least, and as many as there is room
	// for at most, if there is room for some. After the last it returns io.EOF.
	// A break after the last byte of a source is not reported.
	Next(p *Piece) (Break, error)
}

// A Break is what is right before units of a stream: where there is one, no packet continues from the
// units before.
type Break uint8

// The breaks.
const (
	NoBreak Break = iota
	Broken        // the input broke: 4×FSYNC, lost frame alignment
	NewRun        // the trace unit began another run
)

// Loss returns why the bytes up to the next cut are lost: at the start of a run they are as those at the start
// of the stream.
func (b Break) Loss() (reason schema.LossReason, detail string) {
	if b == NewRun {
		return schema.LossUnsynced, ""
	}
	return schema.LossDiscontinuity, "the input broke before it"
}

// A Source is what a protocol is bound to.
type Source struct {
	Registers
	// CoreType is the type of the traced core, as "Cortex-R5"; "" if unknown.
	CoreType string
	// Profile is the profile of the core's architecture, "A", "R" or "M"; "" if
	// unknown.
	Profile string
}

// Registers are the trace registers of a source.
type Registers interface {
	// Lookup returns the value of the register of that name, as ETMCR.
	Lookup(name string) (value uint64, ok bool)
}

// A Protocol is a trace protocol bound to the registers of one source. It is
// safe for concurrent use.
type Protocol interface {
	// Version is the version of the protocol, as "1.1".
	Version() string
	// Words describes in words how the registers configure the stream.
	Words() []string
	// UnitBytes is how many bytes of the stream one unit takes: 1 where the
	// stream consists of bytes, else a power of two, as 4 where it consists of
	// records of samples; such a protocol is a [Layouter]. Rows, losses and totals
	// count units.
	UnitBytes() int
	// AheadBytes is how many bytes after the end of a part its decoder may read
	// (Part.Ahead): a whole number of units, 0 where no packet begins before the
	// end of the previous packet.
	AheadBytes() int
	// NewCutter returns a Cutter for one stream.
	NewCutter() Cutter
	// Resync returns how many bytes of b precede the first place where packets
	// can be read after a gap. Without such a place it returns false, and how
	// many bytes can be skipped, whatever follows b.
	Resync(b []byte) (n int, ok bool)
	// RateSyncs rates how likely b is a stream of the protocol. It counts the
	// places where packets can be read after a gap, and weighs those higher that
	// good packets follow. The wrong registers can make good packets bad, but
	// the places remain.
	RateSyncs(b []byte) int
	// TimestampCode is how timestamps are encoded.
	TimestampCode() TimestampCode
	// TracesData reports whether the stream can have data accesses.
	TracesData() bool
	// ParsePacket decodes the packet at the start of b, for people to read.
	// It fails like the protocol's own codec: with io.ErrUnexpectedEOF, or with
	// an error that names what is wrong.
	ParsePacket(b []byte) (PacketText, error)
	// NewDecoder returns a decoder that follows the program in mem.
	NewDecoder(mem *image.Memory, want Wanted) Decoder
}

// Wanted is what a decoder makes beside the rows that all make.
type Wanted struct {
	Packets bool // rows of `packets`
	// Counted reports that runs are wanted for nothing but to be counted: the decoder
	// may count many of them itself (see [Stretch]). With Packets it does not.
	Counted bool
	// Summed reports that rows of `cycle_counts` are wanted for nothing but to be summed up:
	// the decoder may do so itself ([Result.Sums]).
	Summed bool
	// FunctionOf returns the number of the function that an address is in. If it is not nil,
	// the decoder may say of runs, and does of what it counts, where control leaves functions (see [Step]).
	FunctionOf func(address schema.Address) int32
}

// A Doubter is a [Protocol] that can recognise a packet that is read, but that no
// trace unit sends: the stream may be of another protocol, or the registers wrong.
type Doubter interface {
	Protocol
	// Doubts returns a function to be called with each packet of a segment, in order: it reports
	// whether no trace unit sends the packet that b begins with there.
	Doubts() func(b []byte) bool
}

// A RegisterChecker is a [Protocol] some of whose packets repeat what registers say.
type RegisterChecker interface {
	Protocol
	// OtherRegisters reports whether an event says that a packet was made with other registers.
	OtherRegisters(*schema.Event) bool
}

// A Teller is a [Protocol] some of whose packets say what needs no program: they become rows
// even before the first cut.
type Teller interface {
	Protocol
	// Tell returns the events and timestamps of b: the bytes before a cut that the cut asks
	// for (see [Cut]). Seq of each row is 0, Offset is its position in b.
	Tell(b []byte) *Result
}

// A CodeReader is a [Protocol] whose trace units report other instructions than those of PFT, or trace
// cores with other instructions.
type CodeReader interface {
	Protocol
	// Dialect is how the code of the core is read.
	Dialect() isa.Dialect
}

// A PacketText is a packet in words, or a sample of a trace port.
type PacketText struct {
	Len    int    // bytes, header included
	Type   string // the specification's word, in lower snake case; of a sample its status
	Fields []Field
	// Pins is what the data pins carry in a sample, in hex, with "*" after it for
	// TRACESYNC; "" of a packet. Owed are the bytes that the status of the sample
	// owes, which come out in this and later samples.
	Pins string
	Owed []byte
}

// Add adds a field.
func (t *PacketText) Add(name string, value any) {
	t.Fields = append(t.Fields, Field{Name: name, Value: value})
}

// JSON returns the fields as an object, in their order.
func (t *PacketText) JSON() string {
	b := []byte{'{'}
	for i, f := range t.Fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendQuote(b, f.Name)
		value, err := json.Marshal(f.Value)
		if err != nil {
			panic(err) // a string, a bool or an integer
		}
		b = append(append(b, ':'), value...)
	}
	return string(append(b, '}'))
}

// A Field is one value of a packet.
type Field struct {
	Name  string
	Value any // string, bool, an unsigned integer or a UnitIndex
}

// A UnitIndex is the place of a unit in the bytes that a [Lister] was given, counted
// in units. Its reader sees the capture offset of the unit.
type UnitIndex int

// A Decoder decodes the segments of one source, one after another. It keeps the
// state of the current segment. One goroutine at a time may use it.
type Decoder interface {
	// Decode decodes p and appends its rows to r, and exactly one entry to
	// r.Segments.
	Decode(r *Result, p Part)
}
