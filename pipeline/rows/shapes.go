package rows

import (
	"math/bits"

	"github.com/tracelake/tracelake/schema"
)

// A way is how a block was run through: a row of `block_runs`, without its number.
type way uint64

func newWay(block uint32, first uint16, instructions uint8, outcome schema.Outcome) way {
	return way(uint64(block)<<32 | uint64(first)<<16 | uint64(instructions)<<8 | uint64(outcome))
}

func (w way) block() uint32           { return uint32(w >> 32) }
func (w way) first() uint16           { return uint16(w >> 16) }
func (w way) instructions() uint8     { return uint8(w >> 8) }
func (w way) outcome() schema.Outcome { return schema.Outcome(w & 0xff) }

// A shape is all that a row of `blocks` says of a run, but where and when it was.
type shape struct {
	way    way
	failed uint64 // value of the column, or none
}

// none is no value of `failed`, which has 63 bits.
const none = 1 << 63

// newShape returns the shape of a run of a block with a number, as far as its row has it.
func newShape(run *schema.Run, number uint32, first uint16, instructions uint8, outcome schema.Outcome) shape {
	failed := uint64(none)
	if run.Flags&schema.RunHasFailed != 0 {
		failed = run.Failed
	}
	return shape{newWay(number, first, instructions, outcome), failed}
}

// shapes are distinct shapes in the order they first come, found by hashing.
type shapes struct {
	list  []shape
	slots []uint32 // 1 + index of the shape that hashes here, 0 is free: twice as many as shapes, or more, a power of 2
	shift int      // of a hash, to a slot
}

// find returns the index of a shape, adding it if it is new.
func (s *shapes) find(x shape) uint32 {
	if h := x.hash() >> (s.shift & 63); h < uint64(len(s.slots)) {
		if i := s.slots[h] - 1; i < uint32(len(s.list)) && s.list[i] == x {
			return i
		}
	}
	return s.search(x)
}

// search is find for a shape that is not where it hashes to.
func (s *shapes) search(x shape) uint32 {
	if len(s.slots) == 0 {
		return s.add(x)
	}
	mask := uint64(len(s.slots) - 1)
	for h := x.hash() >> (s.shift & 63); s.slots[h&mask] != 0; h++ {
		if i := s.slots[h&mask] - 1; s.list[i] == x {
			return i
		}
	}
	return s.add(x)
}

// add adds a shape that is not there.
func (s *shapes) add(x shape) uint32 {
	s.list = append(s.list, x)
	if 2*len(s.list) > len(s.slots) {
		s.grow()
	} else {
		s.place(len(s.list) - 1)
	}
	return uint32(len(s.list) - 1)
}

// hash is multiplicative (Knuth, The Art of Computer Programming, volume 3, 6.4), good
// in its high bits.
func (x shape) hash() uint64 {
	return (uint64(x.way) ^ bits.RotateLeft64(x.failed, 17)) * 0x9E3779B97F4A7C15
}

// grow doubles the slots.
func (s *shapes) grow() {
	n := max(1<<10, 2*len(s.slots))
	s.slots, s.shift = make([]uint32, n), 65-bits.Len(uint(n))
	for i := range s.list {
		s.place(i)
	}
}

func (s *shapes) place(i int) {
	mask := uint64(len(s.slots) - 1)
	h := s.list[i].hash() >> s.shift
	for s.slots[h&mask] != 0 {
		h++
	}
	s.slots[h&mask] = uint32(i) + 1
}

func (s *shapes) reset() {
	s.list = s.list[:0]
	clear(s.slots)
}
