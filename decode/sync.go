package decode

import (
	"bytes"
	"io"
)

// The end of an A-sync, and the fewest zeros before it.
const (
	asyncEnd      = 0x80
	minAsyncZeros = 5
)

// MaxAsyncZeros bounds the zeros of one A-sync, so that a stream of nothing but
// zeros needs no memory. Hardware sends five.
const MaxAsyncZeros = 65536

// ParseAsync returns the length of the A-sync at the start of b, which is a 00:
// five or more of them and one 80. The error is [io.ErrUnexpectedEOF] if b ends
// inside it, or a [*SyntaxError] of the protocol of that name.
func ParseAsync(b []byte, protocol string) (int, error) {
	n := 1
	for n < len(b) && b[n] == 0 && n <= MaxAsyncZeros {
		n++
	}
	wrong := ""
	switch {
	case n > MaxAsyncZeros:
		wrong = "an A-sync of more zeros than any hardware sends"
	case n == len(b):
		return 0, io.ErrUnexpectedEOF
	case n < minAsyncZeros:
		wrong = "an A-sync of fewer than five zeros"
	case b[n] != asyncEnd:
		wrong = "an A-sync that does not end in 80"
	default:
		return n + 1, nil
	}
	return 0, &SyntaxError{Protocol: protocol, Reason: wrong}
}

// AppendAsync appends an A-sync of n bytes, but of five zeros at least.
func AppendAsync(dst []byte, n int) []byte {
	for range max(n-1, minAsyncZeros) {
		dst = append(dst, 0)
	}
	return append(dst, asyncEnd)
}

// asyncTail is how every A-sync ends, in all protocols: five zeros or more, then
// 0x80.
var asyncTail = []byte{0, 0, 0, 0, 0, 0x80}

// NextAsync returns where the first A-sync that begins in b ends, or -1.
func NextAsync(b []byte) int {
	i := bytes.Index(b, asyncTail)
	if i < 0 {
		return -1
	}
	return i + len(asyncTail)
}

// AsyncOverlap is how many bytes of an A-sync may stand before the place where
// the search for its end goes on.
const AsyncOverlap = 5

// syncedPackets is how many good packets behind an A-sync show that it is one.
const syncedPackets = 16

// CountSyncs counts the A-syncs in b that are followed by 16 good packets, or by
// good packets up to the end of b.
func CountSyncs(p Protocol, b []byte) int {
	n := 0
	for {
		end := NextAsync(b)
		if end < 0 {
			return n
		}
		b = b[end:]
		if goodPackets(p, b) {
			n++
		}
	}
}

func goodPackets(p Protocol, b []byte) bool {
	for n := 0; n < syncedPackets && (n == 0 || len(b) > 0); n++ {
		text, err := p.ParsePacket(b)
		if err != nil {
			return false
		}
		b = b[text.Len:]
	}
	return true
}
