package etmv3

import "github.com/tracelake/tracelake/schema"

// A warmKind is how the fast path handles a header.
type warmKind uint8

const (
	notWarm     warmKind = iota
	warmAtoms            // a P-header of atoms
	warmCycles           // a P-header of cycles alone
	warmAddress          // a branch address
)

// A warmHeader is a header for the fast path, by all bits of its byte.
type warmHeader struct {
	kind   warmKind
	count  uint8  // atoms
	failed uint16 // as Atoms.N
	// In cycle-accurate mode, the cycles before the first atom, before the others, and
	// all, and how many rows of `cycle_counts` they make.
	waits, between, cycles, rows uint8
	// Of a run of all atoms inside a block: the last one, 1 is E, and the outcome.
	last    uint8
	outcome schema.Outcome
}

// newWarmHeaders returns the headers of the mode and version.
func (c *Config) newWarmHeaders() *[256]warmHeader {
	var table [256]warmHeader
	for i := range table {
		switch h := &table[i]; {
		case i&0x81 == 0x80: // 1xxx xxx0
			*h = newWarmHeader(&c.pheaders()[i>>1&0x3f])
		case i&1 != 0: // Cxxx xxx1
			h.kind = warmAddress
		}
	}
	return &table
}

// newWarmHeader returns a P-header, whose atoms are a.
func newWarmHeader(a *Atoms) warmHeader {
	h := warmHeader{count: a.Count, failed: a.N, waits: a.Waits, between: a.Between, cycles: a.Waits}
	switch {
	case a.Count > 0:
		h.kind = warmAtoms
		h.cycles += a.Between * (a.Count - 1)
		h.last = uint8(a.N>>(a.Count-1)&1 ^ 1)
		h.outcome = [2]schema.Outcome{schema.NotTaken, schema.Passed}[h.last]
	case a.Waits > 0:
		h.kind = warmCycles
	}
	if h.cycles > 0 {
		h.rows = 1
	}
	return h
}
