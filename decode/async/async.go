// Package async holds what the protocols with A-syncs share: the A-sync packet,
// finding it in damaged bytes, and cutting a stream at the I-sync after it. PFT
// (IHI 0035B §4.11.2) and ETMv3 (IHI 0014Q §7.10.4) have the same A-sync.
//
// Its API is not stable (docs/guide/library.md).
package async

import (
	"bytes"
	"io"

	"github.com/tracelake/tracelake/decode"
)

// The end of an A-sync, and the fewest zeros before it.
const (
	end      = 0x80
	minZeros = 5
)

// MaxZeros bounds the zeros of one A-sync, so that a stream of nothing but
// zeros needs no memory. Hardware sends five.
const MaxZeros = 65536

// Parse returns the length of the A-sync at the start of b: five or more bytes 00
// and one 80. The caller has seen the first 00. The error is
// [io.ErrUnexpectedEOF] if b ends inside the A-sync, or a [*decode.SyntaxError] of
// the named protocol.
func Parse(b []byte, protocol decode.Codec) (int, error) {
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
	case n < minZeros:
		wrong = "an A-sync of fewer than five zeros"
	case b[n] != end:
		wrong = "an A-sync that does not end in 80"
	default:
		return n + 1, nil
	}
	return 0, protocol.Bad(0, wrong)
}

// Append appends an A-sync of n bytes, but with at least five zeros.
func Append(dst []byte, n int) []byte {
	for range max(n-1, minZeros) {
		dst = append(dst, 0)
	}
	return append(dst, end)
}

// tail is how every A-sync ends: five zeros, then 0x80.
var tail = []byte{0, 0, 0, 0, 0, 0x80}

// Next returns the end of the first A-sync that begins in b, or -1.
func Next(b []byte) int {
	i := bytes.Index(b, tail)
	if i < 0 {
		return -1
	}
	return i + len(tail)
}

// overlap is how many bytes of an A-sync may precede the position at which the
// search for its end continues.
const overlap = 5

// shownBytes bounds the bytes of an A-sync that [Resync] finds after a gap;
// hardware sends 6.
const shownBytes = 64

// Resync returns how many bytes of b precede the first A-sync in it. If there is
// none, it returns false, and in how many bytes no A-sync begins, whatever follows
// b.
func Resync(b []byte) (n int, ok bool) {
	last := Next(b)
	if last < 0 {
		return max(0, len(b)-overlap), false
	}
	start := last - len(tail)
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
func RateSyncs(p PacketParser, b []byte) int {
	n := 0
	for {
		i := Next(b)
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
