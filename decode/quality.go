package decode

import (
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// MaxMisses is how many misses of each kind a [Quality] keeps: the first ones.
const MaxMisses = 16

// A Quality counts how far the trace and the program image agree. A right
// decoder with the program that ran has no miss on intact trace; a wrong image
// has them from the start.
type Quality struct {
	// Branches are the branch packets without exception that could be compared
	// with the instruction they follow. BranchesIndirect are those behind an
	// instruction that can branch indirectly, BranchesRepeated those that tell
	// again where the program goes by itself, as with branch broadcast or a
	// change of security state. All others are misses.
	Branches, BranchesIndirect, BranchesRepeated int64
	// BranchesUnplaced came where the position in the program was not known.
	BranchesUnplaced int64
	// ISyncs are the periodic I-syncs that could be compared with the position
	// in the program, ISyncsEqual those that say the same. All others are
	// misses.
	ISyncs, ISyncsEqual int64
	// ISyncsUnplaced came where the position was not known.
	ISyncsUnplaced int64

	BranchMisses, ISyncMisses []Miss

	// Undefined are the packets that were read though the version of the
	// protocol does not have them, in the plural, sorted: the registers may be
	// wrong.
	Undefined []string
}

// A Miss is a packet that does not agree with the program image.
type Miss struct {
	Offset int64 // capture offset of the packet
	// After is the address of the instruction a branch packet follows. It is
	// NULL where there is none, in straight code without end, and for I-syncs.
	After schema.Null[uint32]
	// Expected is where the program goes without the packet, Found where the
	// packet says.
	Expected, Found PC
	// Security is what an I-sync says, if it is not that of the flow.
	Security schema.Null[schema.Security]
}

// IndirectBranch counts a branch packet behind an instruction that can branch
// indirectly.
func (q *Quality) IndirectBranch() {
	q.Branches++
	q.BranchesIndirect++
}

// Branch counts a branch packet behind any other instruction.
func (q *Quality) Branch(m Miss) {
	q.Branches++
	if m.After.OK && m.Expected == m.Found {
		q.BranchesRepeated++
		return
	}
	q.BranchMisses = appendMisses(q.BranchMisses, m)
}

// ISync compares a periodic I-sync at a capture offset with the position the
// flow had reached.
func (q *Quality) ISync(offset int64, reached schema.Null[Position], told Position) {
	switch {
	case !reached.OK:
		q.ISyncsUnplaced++
		return
	case reached.V == told:
		q.ISyncsEqual++
	default:
		m := Miss{Offset: offset, Expected: reached.V.PC, Found: told.PC}
		if told.NonSecure != reached.V.NonSecure {
			m.Security = schema.Of(told.security())
		}
		q.ISyncMisses = appendMisses(q.ISyncMisses, m)
	}
	q.ISyncs++
}

// Add adds what is counted behind q in the stream.
func (q *Quality) Add(behind *Quality) {
	q.Branches += behind.Branches
	q.BranchesIndirect += behind.BranchesIndirect
	q.BranchesRepeated += behind.BranchesRepeated
	q.BranchesUnplaced += behind.BranchesUnplaced
	q.ISyncs += behind.ISyncs
	q.ISyncsEqual += behind.ISyncsEqual
	q.ISyncsUnplaced += behind.ISyncsUnplaced
	q.BranchMisses = appendMisses(q.BranchMisses, behind.BranchMisses...)
	q.ISyncMisses = appendMisses(q.ISyncMisses, behind.ISyncMisses...)
	for _, packets := range behind.Undefined {
		q.Undefine(packets)
	}
}

// Undefine notes packets that the version of the protocol does not have.
func (q *Quality) Undefine(packets string) {
	if i, found := slices.BinarySearch(q.Undefined, packets); !found {
		q.Undefined = slices.Insert(q.Undefined, i, packets)
	}
}

// BranchesAgree returns how many of the Branches are no misses.
func (q *Quality) BranchesAgree() int64 { return q.BranchesIndirect + q.BranchesRepeated }

func appendMisses(to []Miss, m ...Miss) []Miss {
	return append(to, m[:min(len(m), MaxMisses-len(to))]...)
}
