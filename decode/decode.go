// Package decode holds the words all protocols share: streams and their
// offsets, segments, and what a protocol and its decoder are.
//
// Damage in a trace is no error here. It becomes rows of `losses`.
package decode

import (
	"encoding/json"
	"strconv"

	"github.com/tracelake/tracelake/decode/image"
)

// A CaptureOffset is a position in the buffer the user gave, in bytes.
type CaptureOffset int64

// A Piece is some bytes of one source's stream, after deformatting.
type Piece struct {
	Data []byte
	// Base is the capture offset of Data[0].
	Base CaptureOffset
	// Delta has, for each byte of Data, its capture offset less Base. It is
	// nil where the bytes lie side by side in the capture.
	Delta []uint32
	// Break says that the input broke right before this piece (4×FSYNC, lost
	// frame alignment): nothing goes on from the piece before. A break behind
	// the last byte of a source is not told.
	Break bool
}

// Offset returns the capture offset of Data[i].
func (p *Piece) Offset(i int) CaptureOffset {
	if p.Delta == nil {
		return p.Base + CaptureOffset(i)
	}
	return p.Base + CaptureOffset(p.Delta[i])
}

// A Stream gives the bytes of one source in order.
type Stream interface {
	// Next returns the next piece, never an empty one, or io.EOF behind the
	// last. The piece holds until the next call.
	Next() (Piece, error)
}

// A Source is what a protocol is bound to.
type Source struct {
	Registers
	// CoreType is the type of the core that is traced, as "Cortex-R5"; "" if it
	// is not known.
	CoreType string
	// Profile is that of its architecture, "A", "R" or "M"; "" if it is not
	// known.
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
	// Version is that of the protocol, as "1.1".
	Version() string
	// Words says in words what the registers make of the stream.
	Words() []string
	// UnitBytes is how many bytes of the stream one unit takes: 1 where it
	// consists of bytes, 4 where it consists of records of samples. What rows,
	// losses and totals count is units.
	UnitBytes() int
	// AheadBytes is how many bytes after its end a part shows its decoder
	// (Part.Ahead): a whole number of units, 0 where no packet begins before the
	// end of the packet before.
	AheadBytes() int
	// NewCutter returns what finds the cuts of one stream.
	NewCutter() Cutter
	// Resync returns how many bytes of b precede the first place where packets
	// can be read after a gap. Without such a place it returns false, and how
	// many bytes can be passed over, whatever follows b.
	Resync(b []byte) (n int, ok bool)
	// RateSyncs rates how likely b is a stream of the protocol, by the places
	// where packets can be read after a gap: more are better, and those more
	// that good packets follow. Registers that are not those of the source can
	// make good packets bad; the places remain.
	RateSyncs(b []byte) int
	// TimestampCode is how timestamps are told.
	TimestampCode() TimestampCode
	// TracesData says whether the stream can tell data accesses.
	TracesData() bool
	// ParsePacket decodes the packet at the start of b, for people to read.
	// It fails like the protocol's own codec: io.ErrUnexpectedEOF or an error
	// that says what is wrong.
	ParsePacket(b []byte) (PacketText, error)
	// NewDecoder returns a decoder that follows the program in mem. With
	// packets it makes rows of `packets` too.
	NewDecoder(mem *image.Memory, packets bool) Decoder
}

// A PacketText is a packet in words.
type PacketText struct {
	Len    int    // bytes, header included
	Type   string // lower snake case, the specification's word
	Fields []Field
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
	Value any // string, bool or an unsigned integer
}

// A Decoder decodes the segments of one source, one after another. Its state is
// that of the segment at hand; it is used by one goroutine at a time.
type Decoder interface {
	// Decode decodes p and appends what it tells to u. It ends with exactly
	// one more entry in u.Segments.
	Decode(u *Result, p Part)
}
