// Package async holds what the protocols with A-syncs share: the A-sync packet,
// finding it in damaged bytes, and cutting a stream at the I-sync after it. PFT
// (IHI 0035B §4.11.2) and ETMv3 (IHI 0014Q §7.10.4) have the same A-sync; that of
// ETMv4 (IHI 0064) is longer.
//
// Its API is not stable (docs/guide/library.md).
package async

import (
	"bytes"
	"io"

	"github.com/tracelake/tracelake/decode"
)

// end is the last byte of an A-sync.
const end = 0x80

// A Form is how the A-syncs of a protocol look: at least so many bytes 00, then one
// 80. Hardware sends no more zeros.
type Form int

// The forms.
const (
	Short Form = 5  // PFT, ETMv3
	Long  Form = 11 // ETMv4, ETE
)

// Bytes is the length of an A-sync as hardware sends it.
func (f Form) Bytes() int { return int(f) + 1 }

// MaxZeros bounds the zeros of one A-sync, so that a stream of nothing but
// zeros needs no memory.
const MaxZeros = 65536

// Parse returns the length of the A-sync at the start of b. The caller has seen the
// first 00. The error is [io.ErrUnexpectedEOF] if b ends inside the A-sync, or a
// [*decode.SyntaxError] of the named protocol.
func (f Form) Parse(b []byte, protocol decode.Codec) (int, error) {
	n := 1
	for n < len(b) && b[n] == 0 && n <= MaxZeros {
		n++
	}
	wrong := ""
	switch {
	case n > MaxZeros:
		wrong = "an A-sync of more zeros than any hardware sends"
	case n == len(b):
		return 0, io.ErrUnexpectedEOF
	case n < int(f):
		wrong = "an A-sync of fewer than " + f.words() + " zeros"
	case b[n] != end:
		wrong = "an A-sync that does not end in 80"
	default:
		return n + 1, nil
	}
	return 0, protocol.Bad(0, wrong)
}

// words is the number of zeros in words.
func (f Form) words() string {
	if f == Short {
		return "five"
	}
	return "eleven"
}

// Append appends an A-sync of n bytes, but with at least as many zeros as the form has.
func (f Form) Append(dst []byte, n int) []byte {
	for range max(n-1, int(f)) {
		dst = append(dst, 0)
	}
	return append(dst, end)
}

// tails ends as A-syncs of every form do.
var tails = []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, end}

// tail is how every A-sync of the form ends.
func (f Form) tail() []byte { return tails[len(tails)-f.Bytes():] }

// Next returns the end of the first A-sync that begins in b, or -1.
func (f Form) Next(b []byte) int {
	i := bytes.Index(b, f.tail())
	if i < 0 {
		return -1
	}
	return i + f.Bytes()
}

// Overlap is how many bytes of an A-sync may precede the position at which the
// search for its end continues.
func (f Form) Overlap() int { return int(f) }

// shownBytes bounds the bytes of an A-sync that [Resync] finds after a gap;
// hardware sends 6 or 12.
const shownBytes = 64

// Resync returns how many bytes of b precede the first A-sync in it. If there is
// none, it returns false, and in how many bytes no A-sync begins, whatever follows
// b.
func (f Form) Resync(b []byte) (n int, ok bool) {
	last := f.Next(b)
	if last < 0 {
		return max(0, len(b)-f.Overlap()), false
	}
	start := last - f.Bytes()
	for start > max(0, last-shownBytes) && b[start-1] == 0 {
		start--
	}
	return start, true
}

// A PacketParser parses the packet at the start of b, as [decode.Protocol] does.
type PacketParser interface {
	ParsePacket(b []byte) (decode.PacketText, error)
}

// syncedPackets is how many good packets after an A-sync confirm it.
const syncedPackets = 16

// RateSyncs counts the A-syncs in b, and counts those twice that are followed by
// 16 good packets, or by good packets up to the end of b. A-syncs alone already
// show whether b was deformatted correctly: at a wrong frame offset most of them
// are broken.
func (f Form) RateSyncs(p PacketParser, b []byte) int {
	n := 0
	for {
		i := f.Next(b)
		if i < 0 {
			return n
		}
		b = b[i:]
		n++
		if goodPackets(p, b) {
			n++
		}
	}
}

func goodPackets(p PacketParser, b []byte) bool {
	for n := 0; n < syncedPackets && (n == 0 || len(b) > 0); n++ {
		text, err := p.ParsePacket(b)
		if err != nil {
			return false
		}
		b = b[text.Len:]
	}
	return true
}
