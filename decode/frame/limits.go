package frame

// Sizes in bytes, unless they say otherwise. Memory does not depend on the
// size of a buffer: it is read through a window of chunkBytes.
const (
	// chunkBytes are read at a time.
	chunkBytes = 256 << 10
	// pieceBytes is the most a piece holds.
	pieceBytes = 64 << 10

	// windowBytes are the 64 frames that are judged together.
	windowBytes = 64 * frameSize
	// realignBytes are looked at where frames fall out of step, but only
	// windowBytes where they do so again soon after; and rescoreBytes to choose
	// between offsets of one parity: 4 KiB often have only three A-syncs.
	realignBytes = 4 << 10
	rescoreBytes = 16 << 10
	// headBytes are looked at to find the first frame, and sectionBytes of
	// them together to learn which IDs are common.
	headBytes    = 64 << 10
	sectionBytes = 4 << 10
	// steadyWindows is how many windows in step are hardly chance.
	steadyWindows = 2
	// syncBytes are looked at to find FSYNCs. A CoreSight TPIU sends one every
	// 4,096 frames at least (the counter in its FSCR has 12 bits); that of a
	// Cortex-M has no counter, and sends one when the DWT requests it.
	syncBytes = 1 << 20

	// maxPlaces is how many places a census names; more are only counted.
	maxPlaces = 16
)

// Shares of good ID bytes (docs/containers.md §2).
const (
	// minShare is reached by frames that are in step.
	minShare = 0.9
	// commonShare makes a legal ID good that nobody configured.
	commonShare = 0.05
	// nearShare is how far the shares of even and odd offsets may differ for
	// the streams to decide between them: a few damaged ID bytes must not
	// outweigh A-syncs.
	nearShare = 0.02
	// nearScore is the part of the best score that makes another offset worth
	// naming.
	nearScore = 0.75
	// minBad ID bytes make 64 frames suspect: one may be a flipped bit.
	minBad = 2
	// minEvidence ID bytes are needed to leave one alignment for another.
	minEvidence = 8
)
