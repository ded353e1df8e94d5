// Package seekable writes and reads the zstd seekable format, version 0.1.0
// (docs/format.md): independent zstd frames, and after them a seek table in a
// skippable frame. So any program that unpacks zstd gives the whole back, and a
// [Reader] reads any place of it by the frames that it touches.
//
// The seek table is written without checksums: each frame has that of its content.
//
// Its API is not stable (docs/guide/library.md).
package seekable

// Limits.
const (
	// FrameBytes is how many bytes each frame holds that [Writer] writes, but for the
	// last.
	FrameBytes = 4 << 20
	// MaxFrame is how many bytes a frame may hold that [Reader] reads.
	MaxFrame = 32 << 20
)

// The numbers of the format, little-endian.
const (
	tableMagic  = 0x184D2A5E // of the skippable frame
	footerMagic = 0x8F92EAB1
	headerBytes = 8 // of the skippable frame: magic, size of what follows
	footerBytes = 9 // number of frames, descriptor, magic
	entryBytes  = 8 // packed size, size
	sumBytes    = 4 // of the checksum of an entry, if there are any

	hasSums      = 0x80 // in the descriptor
	reservedBits = 0x7C
)
