package decode

import (
	"errors"
	"io"

	"github.com/tracelake/tracelake/schema"
)

// This file is what a protocol has beside [Protocol] if its unit is not a byte of
// the buffer: the samples of a trace port, whose packets are bytes that come out in
// later samples than the status that owes them.

// A Layouter is a [Protocol] whose units lie in a buffer in one of several layouts:
// packed into words, or as records after a header. The stream of any other protocol
// is the bytes of the buffer.
type Layouter interface {
	Protocol
	// Layout returns how the units lie in a buffer of size bytes. It fails if the
	// layout that the registers name does not fit the size.
	Layout(size int64) (Layout, error)
}

// A Layout is how the units of a stream lie in a buffer.
type Layout interface {
	// Name is the word for the layout in --reg LAYOUT=NAME: "etms".
	Name() string
	// Units is how many whole units the buffer has. Rest is how many bytes follow
	// the last of them: a record or word that is cut off.
	Units() int64
	Rest() int64
	// Overhead is how many bytes are part of no unit: headers and padding.
	Overhead() int64
	// Stream returns the units in reading order, each as a record of
	// Protocol.UnitBytes. Pieces have whole records, and Piece.Offsets those of the
	// records. A ring starts with the unit at the byte ringStart of buf; 0: with
	// the first, or where the registers of the buffer say.
	Stream(buf io.ReaderAt, ringStart int64) Stream
}

// A Noter is a [Stream] that knows, once it has ended, what casts doubt on its units.
type Noter interface {
	Stream
	Notes() []string // for people
}

// ErrRing is what a [Layout]'s stream fails with, wrapped, if a ring cannot start where
// the command line says.
var ErrRing = errors.New("start of the ring")

// A SpoiledError is what a [Layout]'s stream fails with if the units are there, but
// whoever wrote the buffer lost part of them, so that nothing can be decoded.
type SpoiledError struct {
	Reason string
}

func (e *SpoiledError) Error() string { return e.Reason }

// A Lister lists the packets of one unbroken stream for people to read, where a
// packet is not the bytes that follow a place in the stream: see [Listing].
type Lister interface {
	// List takes the units of b: those that the previous call did not settle, and
	// those that followed them in the stream. last reports that no more follow. It
	// calls emit for each line, in order, with where in b its first unit begins, in
	// bytes, and how many units it is of, and returns how many bytes of b are settled:
	// all of them if last. It fails only as emit does.
	List(b []byte, last bool, emit func(at, units int, text PacketText) error) (settled int, err error)
}

// A Listing is a [Protocol] that lists its packets itself.
type Listing interface {
	Protocol
	NewLister() Lister
}

// A Tuner is a [Protocol] some of whose settings are found by trying them on the
// first units of the stream.
type Tuner interface {
	Protocol
	// Tune returns the protocol with the settings that fit the units of b best, and
	// how each choice did, the best first. If nothing is left to be found, it returns
	// the protocol itself and no trials.
	Tune(b []byte) (Protocol, []Trial)
}

// A Trial is how a choice of settings did on the first units of a stream.
type Trial struct {
	Settings string // in words: "TFO=flag FIRST=same GAP=after"
	Checks   int64  // that could be made
	Right    int64  // of those
	Errors   int64  // units that no macrocell sends, as reserved headers
}

// A Leader is a [Protocol] whose decoder has to see what comes before a cut: always as much before
// cuts of one reason (else see [SegmentStart.Lead]).
type Leader interface {
	Protocol
	// Lead returns how many bytes before the cut it has to see (see [Cut]), by the reason
	// of the I-sync there.
	Lead(reason schema.ISyncReason) int
}
