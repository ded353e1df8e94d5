package decode

import (
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// MaxMisses is how many misses of each kind a [Quality] keeps: the first ones.
const MaxMisses = 16

// A Quality counts how far the trace and the program image agree. A right
// decoder with the program that ran has no miss on intact trace; with a wrong
// image it has misses from the start.
type Quality struct {
	// Branches are the branch packets without exception that could be compared
	// with the instruction they follow. BranchesIndirect are those after an
	// instruction that can branch indirectly, BranchesRepeated those that repeat
	// where the program goes anyway, as with branch broadcast or a change of
	// security state. All others are misses.
	Branches, BranchesIndirect, BranchesRepeated int64
	// BranchesUnplaced are the branch packets at an unknown PC.
	BranchesUnplaced int64
	// ISyncs are the periodic I-syncs that could be compared with the PC,
	// ISyncsEqual those that agree with it. All others are misses.
	ISyncs, ISyncsEqual int64
	// ISyncsUnplaced are the periodic I-syncs at an unknown PC.
	ISyncsUnplaced int64

	// FIFOChecks are the offsets into the FIFO that the stream reports (TFO values,
	// address packet offsets) and that could be compared with the bytes still to come
	// as the decoder counts them, FIFORight those that agree.
	FIFOChecks, FIFORight int64
	// Waits are samples whose status says that the FIFO sends bytes and nothing
	// executes, WaitsUnowed those of them in which no byte was owed.
	Waits, WaitsUnowed int64

	BranchMisses, ISyncMisses []Miss

	// Undefined names the packets that were read though the version of the
	// protocol does not have them: the registers may be wrong. The names are
	// plurals, sorted.
	Undefined []string
}

// A Miss is a packet that does not agree with the program image.
type Miss struct {
	Offset int64 // capture offset of the packet
	// After is the address of the instruction that a branch packet follows. It
	// is NULL where there is none, in straight code without end, and for
	// I-syncs.
	After schema.Null[schema.Address]
	// Expected is the PC without the packet, Found the one in the packet.
	Expected, Found PC
	// Security is the security state in an I-sync, if that of the flow differs.
	Security schema.Null[schema.Security]
}

// IndirectBranch counts a branch packet after an instruction that can branch
// indirectly.
func (q *Quality) IndirectBranch() {
	q.Branches++
	q.BranchesIndirect++
}

// RepeatedBranch counts a branch packet that repeats where the program goes anyway.
func (q *Quality) RepeatedBranch() {
	q.Branches++
	q.BranchesRepeated++
}

// Branch counts a branch packet after any other instruction.
func (q *Quality) Branch(m Miss) {
	if m.After.OK && m.Expected == m.Found {
		q.RepeatedBranch()
		return
	}
	q.Branches++
	q.BranchMisses = appendMisses(q.BranchMisses, m)
}

// ISync compares the position in a periodic I-sync, which is at a capture offset,
// with the position that the flow had reached.
func (q *Quality) ISync(offset int64, reached schema.Null[Position], traced Position) {
	switch {
	case !reached.OK:
		q.ISyncsUnplaced++
		return
	case reached.V == traced:
		q.ISyncsEqual++
	default:
		m := Miss{Offset: offset, Expected: reached.V.PC, Found: traced.PC}
		if traced.NonSecure != reached.V.NonSecure {
			m.Security = schema.Of(traced.security())
		}
		q.ISyncMisses = appendMisses(q.ISyncMisses, m)
	}
	q.ISyncs++
}

// Add adds the counts of what follows q in the stream.
func (q *Quality) Add(later *Quality) {
	q.Branches += later.Branches
	q.BranchesIndirect += later.BranchesIndirect
	q.BranchesRepeated += later.BranchesRepeated
	q.BranchesUnplaced += later.BranchesUnplaced
	q.ISyncs += later.ISyncs
	q.ISyncsEqual += later.ISyncsEqual
	q.ISyncsUnplaced += later.ISyncsUnplaced
	q.FIFOChecks += later.FIFOChecks
	q.FIFORight += later.FIFORight
	q.Waits += later.Waits
	q.WaitsUnowed += later.WaitsUnowed
	q.BranchMisses = appendMisses(q.BranchMisses, later.BranchMisses...)
	q.ISyncMisses = appendMisses(q.ISyncMisses, later.ISyncMisses...)
	for _, packets := range later.Undefined {
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
