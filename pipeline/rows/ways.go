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

// ways are distinct ways in the order they first come.
type ways struct {
	list []way
	// last has, for each block with a low number and each outcome, the way that was
	// found last: mostly it is the next one, too.
	last []waySlot

	slots []waySlot // found by hashing: twice as many as there are ways, or more, a power of 2
	stamp uint32    // of the slots that are in use
	shift int
}

type waySlot struct {
	way   way // never 0: it has instructions
	index uint32
	stamp uint32
}

// lastWays is the most slots of last.
const lastWays = 1 << 16

// find returns the index of a way, adding it if it is new.
func (s *ways) find(w way) uint32 {
	if i := w.last(); i < len(s.last) && s.last[i].way == w {
		return s.last[i].index
	}
	return s.search(w)
}

// last is where a way is among the last ones.
func (w way) last() int { return int(w>>32)<<2 | int(w&3) }

// search is find for a way that is not the last one.
func (s *ways) search(w way) uint32 {
	i := w.last()
	if i >= len(s.last) && i < lastWays {
		s.last = append(s.last, make([]waySlot, min(2*i+4, lastWays)-len(s.last))...)
	}
	index := s.index(w)
	if i < len(s.last) {
		s.last[i] = waySlot{way: w, index: index}
	}
	return index
}

// index returns the index of a way by its hash.
func (s *ways) index(w way) uint32 {
	if 2*len(s.list) >= len(s.slots) {
		s.grow()
	}
	for h := w.hash() >> s.shift; ; h++ {
		slot := &s.slots[h&uint64(len(s.slots)-1)]
		if slot.stamp != s.stamp {
			*slot = waySlot{w, uint32(len(s.list)), s.stamp}
			s.list = append(s.list, w)
			return slot.index
		}
		if slot.way == w {
			return slot.index
		}
	}
}

// hash is multiplicative (Knuth, The Art of Computer Programming, volume 3, 6.4).
func (w way) hash() uint64 { return uint64(w) * 0x9E3779B97F4A7C15 }

// grow doubles the slots.
func (s *ways) grow() {
	n := max(1<<10, 2*len(s.slots))
	s.slots, s.stamp, s.shift = make([]waySlot, n), 1, 65-bits.Len(uint(n))
	for i, w := range s.list {
		h := w.hash() >> s.shift
		for s.slots[h&uint64(n-1)].stamp == s.stamp {
			h++
		}
		s.slots[h&uint64(n-1)] = waySlot{w, uint32(i), s.stamp}
	}
}

func (s *ways) reset() {
	s.list = s.list[:0]
	clear(s.last)
	if s.stamp++; s.stamp == 0 {
		clear(s.slots)
		s.stamp = 1
	}
}
