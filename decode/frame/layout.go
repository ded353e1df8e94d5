package frame

import (
	"fmt"
	"sort"
)

// A Layout is how frames are placed in a buffer. The zero value is frames aligned
// to the start of the buffer, never realigned.
type Layout struct {
	// Sync reports that the buffer is the stream of a trace port: FSYNCs and
	// HSYNCs are looked for, and frames begin after the first FSYNC.
	Sync bool
	// Offset is where the first frame begins, in reading order; with Sync, from where on an
	// FSYNC is looked for. Bytes before it are unaligned, and not read.
	Offset int64
	// RingStart is the capture offset of the oldest byte of a ring that
	// wrapped: the buffer is read from there, round to the byte before.
	RingStart int64
	// Runs are where, in the buffer, another run of the trace unit begins, rising from 0: nothing
	// continues from the bytes before, and a frame begins there. Without a ring and without Sync only.
	Runs []int64
	// IDs are those that frames in step name. Where 64 frames in a row name too
	// many others, another alignment is looked for; not if IDs is empty, nor
	// with Sync, where the next FSYNC restores alignment.
	IDs IDSet
	// Steady reports that no frame needs a closer look, as [Census.Steady] says of the
	// whole buffer.
	Steady bool
	// Score rates part of the stream of source id by its A-syncs, to choose
	// between alignments that name the same IDs; nil takes the first.
	// Its result must depend on its arguments alone.
	Score func(id uint8, stream []byte) int
}

// check fails if the layout does not fit a buffer of size bytes.
func (l *Layout) check(size int64) error {
	if l.RingStart < 0 || l.RingStart > 0 && l.RingStart >= size {
		return fmt.Errorf("ring start %d is outside the buffer of %d bytes; give the offset of its oldest byte", l.RingStart,
			size)
	}
	if (l.RingStart > 0 || l.Sync) && len(l.Runs) > 0 {
		panic("frame: runs in a ring, or in the stream of a trace port")
	}
	if l.Offset < 0 || l.Offset > size {
		return fmt.Errorf("frame offset %d is outside the buffer of %d bytes; give 0 to %d", l.Offset, size,
			min(size, frameSize-1))
	}
	return nil
}

// SkipTo leaves out what is before a position in reading order, but for the rest of the frame
// that it is in: the bytes before that frame are unaligned. With Sync frames begin after the
// next FSYNC.
func (l *Layout) SkipTo(to int64) {
	switch {
	case to <= l.Offset:
	case l.Sync:
		l.Offset = to
	default:
		if i := sort.Search(len(l.Runs), func(i int) bool { return l.Runs[i] > to }); i > 0 {
			l.Offset = max(l.Offset, l.Runs[i-1])
		}
		l.Offset += (to - l.Offset) &^ (frameSize - 1)
	}
}

// An IDSet is a set of IDs, 0x00–0x7F.
type IDSet [2]uint64

// Add puts id into s. Bit 7 is ignored.
func (s *IDSet) Add(id uint8) { s[id>>6&1] |= 1 << (id & 63) }

// Has reports whether id is in s. Bit 7 is ignored.
func (s IDSet) Has(id uint8) bool { return s[id>>6&1]>>(id&63)&1 == 1 }

// Empty reports whether s has no IDs.
func (s IDSet) Empty() bool { return s == IDSet{} }
