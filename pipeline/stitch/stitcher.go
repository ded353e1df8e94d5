package stitch

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/access"
	"github.com/tracelake/tracelake/schema"
)

// A Stitcher stitches the units of one source.
type Stitcher struct {
	// Outcome is that of the units so far; Finish completes it.
	Outcome Outcome

	carry   carry
	pending pending
	data    *access.Collector
	code    decode.TimestampCode
	sinks   Sinks
	unit    *decode.Result // that the last part with runs is of

	// Of the last part that was taken; within: its segment began inside an
	// instruction.
	half, within bool
	reached      schema.Null[decode.Position]
	taken        int32 // ordinal of the next segment

	at        int64   // in the stream: units before the part at hand
	resumed   []carry // at the next places (Resume)
	dependent dependents
	window    window

	// The segment that is open: its base stays, its row grows. After the end of the segment
	// the row waits for what Lose takes.
	open       Base
	row        schema.Segment
	ended      bool
	rows       []schema.Segment // see rowAlone
	exceptions int64            // rows of `exceptions`, returns too
	lowered    []lowered        // what its parts say of instructions that were cancelled

	numbers map[schema.BlockKey]uint32 // of code blocks, by first use
	// lookaside has the numbers of blocks that were used last, by their address: parts
	// of a unit have the same ones.
	lookaside [lookasideBlocks]numbered
}

// lookasideBlocks is a power of two: enough for the code of a kernel that runs again and
// again, which is spread over megabytes.
const lookasideBlocks = 1 << 12

// A numbered is a code block and its number.
type numbered struct {
	block  *schema.Block
	number uint32
}

// A window is the segments whose rows are wanted; the zero value is all of them.
type window struct {
	on          bool
	first, last int32
}

// has reports whether rows of a segment are wanted; NULL is before the first cut.
func (w *window) has(segment schema.Null[int32]) bool {
	return !w.on || segment.V >= w.first && segment.V <= w.last
}
