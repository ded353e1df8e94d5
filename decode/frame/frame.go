// Package frame takes CoreSight formatter frames apart into one byte stream
// per source, and puts streams together into frames.
//
// A frame has 16 bytes: bytes 0, 2 … 14 are mixed (data or a new source ID),
// bytes 1, 3 … 13 are data, and byte 15 holds eight auxiliary bits, one for
// each mixed byte (Arm CoreSight Architecture Specification, ARM IHI 0029). Captures keep them aligned to the start of
// memory, or as they came from a trace port (TPIU), with synchronization
// packets between them.
//
// [Detect] finds out how frames lie in a buffer, [Scan] counts what is in it,
// a [Reader] gives the stream of one source, a [Writer] makes frames. All read
// the buffer front to back through a small window; to watch or to stop them,
// wrap the [io.ReaderAt].
//
// Its API is not stable (docs/guide/library.md).
package frame

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// IDs that are no sources. 0x70–0x7A, 0x7C and 0x7E are reserved; 0x7F is
// never used, because it would look like a sync packet.
const (
	NullID    = 0x00 // padding
	FlushID   = 0x7B // flush response (CoreSight 2)
	TriggerID = 0x7D // each data byte is a trigger event of the capture

	firstReservedID = 0x70
	unknownID       = 0x80 // the current ID before the first ID byte
)

// IsSource reports whether id may be that of a trace source: 0x01–0x6F.
func IsSource(id uint8) bool { return id > NullID && id < firstReservedID }

const (
	frameSize = 16
	lastMixed = 14 // its ID applies from the next frame on
	auxByte   = 15
	frameData = auxByte     // data bytes of a frame without an ID
	lostByte  = 0x7F<<1 | 1 // ID 0x7F: lost alignment, or part of a sync packet
)

// Synchronization packets (docs/containers.md §2).
const (
	fsync     = "\xff\xff\xff\x7f"
	hsync     = "\xff\x7f"
	syncFrame = fsync + fsync + fsync + fsync
)

// evenBits are the bits 0 of the mixed bytes in half a frame.
const evenBits = 0x0001_0001_0001_0001

// auxSpread has the bits of a nibble as bits 0 of the mixed bytes in half a
// frame.
var auxSpread = func() (t [16]uint64) {
	for n := range t {
		for k := range 4 {
			t[n] |= uint64(n>>k&1) << (16 * k)
		}
	}
	return t
}()

// halves returns the two halves of the frame at the start of b.
func halves(b []byte) (lo, hi uint64) {
	_ = b[frameSize-1]
	return binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
}

// putPlain writes the frame whose halves and auxiliary byte are given into d, its mixed bytes
// as the data bytes that they are if they have no ID. The last of d is no data.
func putPlain(d []byte, lo, hi uint64, aux uint8) {
	_ = d[frameSize-1]
	binary.LittleEndian.PutUint64(d, lo|auxSpread[aux&0xF])
	binary.LittleEndian.PutUint64(d[8:], hi|auxSpread[aux>>4])
}

// idBits has bit k set if byte 2k of the frame is an ID byte. The factor
// brings bits 0, 16, 32 and 48 together at 48.
func idBits(lo, hi uint64) uint8 {
	const gather = 1<<48 | 1<<33 | 1<<18 | 1<<3
	l := (lo & evenBits) * gather >> 48 & 0xF
	h := (hi & evenBits) * gather >> 48 & 0xF
	return uint8(l | h<<4)
}

// A dataByte is a data byte of a frame, with its source ID.
type dataByte struct {
	b   byte
	id  uint8 // unknownID before the first ID byte
	pos uint8 // in the frame
}

// unpack takes the frame at the start of f apart, byte by byte: the plain
// statement of the rules that the fast paths of Reader and Census follow. It
// fills d, and returns how many it filled and the current ID after the frame.
func unpack(f []byte, cur uint8, d *[frameData]dataByte) (n int, next uint8) {
	f = f[:frameSize]
	for k := 0; k <= lastMixed; k += 2 {
		mixed, aux := f[k], f[auxByte]>>(k/2)&1
		isID, delayed := mixed&1 == 1, aux == 1
		switch {
		case !isID:
			d[n] = dataByte{mixed | aux, cur, uint8(k)}
			n++
		case !delayed:
			cur = mixed >> 1
		}
		if k < lastMixed {
			d[n] = dataByte{f[k+1], cur, uint8(k + 1)}
			n++
		}
		if isID {
			cur = mixed >> 1
		}
	}
	return n, cur
}

// isSyncFrame reports whether b begins with four FSYNCs.
func isSyncFrame(b []byte) bool { return len(b) >= frameSize && string(b[:frameSize]) == syncFrame }

// quiet returns how many bytes of whole frames at the start of b precede the first
// frame with an ID byte that is in stop.
func quiet(b []byte, stop *[256]bool) int {
	i := 0
	for ; i+frameSize <= len(b); i += frameSize {
		f := b[i : i+frameSize : i+frameSize]
		lo, hi := halves(f)
		if (lo|hi)&evenBits == 0 {
			continue
		}
		for ids := idBits(lo, hi); ids != 0; ids &= ids - 1 {
			if stop[f[2*bits.TrailingZeros8(ids)&0xF]] {
				return i
			}
		}
	}
	return i
}

// lostBytes stops at ID 0x7F alone.
var lostBytes = [256]bool{lostByte: true}

// hasPrefix reports whether b begins with the sync packet p.
func hasPrefix(b []byte, p string) bool { return bytes.HasPrefix(b, []byte(p)) }
