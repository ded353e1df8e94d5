package decode

import "bytes"

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
