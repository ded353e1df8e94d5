package flow

// returnStackDepth is deeper than any PTM's: a deeper stack holds a superset
// with the same top, so it is right for every smaller one (IHI 0035B §4.13).
const returnStackDepth = 32

// A returnStack is a ring: when it is full, the oldest entry goes.
type returnStack struct {
	entries [returnStackDepth]location
	top     int // index of the next free entry
	n       int // number of entries
}

func (s *returnStack) empty() { s.n = 0 }

func (s *returnStack) push(p location) {
	s.entries[s.top] = p
	s.top = (s.top + 1) % returnStackDepth
	s.n = min(s.n+1, returnStackDepth)
}

func (s *returnStack) pop() (location, bool) {
	if s.n == 0 {
		return location{}, false
	}
	s.n--
	s.top = (s.top + returnStackDepth - 1) % returnStackDepth
	return s.entries[s.top], true
}
