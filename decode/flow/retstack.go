package flow

// returnStackDepth is deeper than any PTM's: a deeper stack holds a superset
// with the same top, so it is right for every smaller one (IHI 0035B §4.13).
const returnStackDepth = 32

// A returnStack is a ring: when it is full, the oldest entry goes. An entry is the
// block of the call, which execution returns to the end of.
type returnStack struct {
	entries [returnStackDepth]*block
	top     uint32 // index of the next free entry, modulo the depth
	n       uint32 // number of entries
}

func (s *returnStack) empty() { s.n = 0 }

func (s *returnStack) push(b *block) {
	s.entries[s.top%returnStackDepth] = b
	s.top++
	s.n = min(s.n+1, returnStackDepth)
}

// pop returns nil if the stack is empty.
func (s *returnStack) pop() *block {
	if s.n == 0 {
		return nil
	}
	s.n--
	s.top--
	return s.entries[s.top%returnStackDepth]
}
