package probe

import (
	"github.com/tracelake/tracelake/decode"
)

// Agreements distinguish a wrong program image from the one that ran, without a
// reference: see [decode.Quality].
type Agreements struct {
	Branches BranchAgreement `json:"branch_packets"`
	ISyncs   Agreement       `json:"periodic_i_syncs"`
	FIFO     *FIFOAgreement  `json:"fifo,omitempty"` // of samples of a trace port
}

// A FIFOAgreement distinguishes a wrong layout or port from the right one, without a
// program: see [decode.Quality].
type FIFOAgreement struct {
	Offsets      int64 `json:"offsets"` // that could be compared
	OffsetsRight int64 `json:"offsets_right"`
	Waits        int64 `json:"waits"`
	WaitsUnowed  int64 `json:"waits_unowed"` // in which no byte was owed
	Reserved     int64 `json:"reserved"`     // losses by a header that no trace unit sends
}

// An Agreement is how many packets of one kind agree with the program image.
type Agreement struct {
	Compared    int64    `json:"compared"`
	Agree       int64    `json:"agree"`
	Share       *float64 `json:"share"`        // Agree of Compared; nil if nothing was compared
	NotCompared int64    `json:"not_compared"` // the position in the program was not known
	Misses      []Miss   `json:"misses"`       // the first 16 that do not agree
}

// A BranchAgreement is the agreement of the branch packets without exception.
type BranchAgreement struct {
	Agreement
	Indirect int64 `json:"indirect"` // after an instruction that can branch indirectly
	Repeated int64 `json:"repeated"` // with the address where the program continues anyway
}

// A Miss is a [decode.Miss], its addresses in hex.
type Miss struct {
	Offset      int64  `json:"offset"`
	After       string `json:"after,omitempty"`
	Expected    string `json:"expected"`
	ExpectedISA string `json:"expected_isa"`
	Found       string `json:"found"`
	FoundISA    string `json:"found_isa"`
	Security    string `json:"security,omitempty"` // found, if another was expected
}

func agreements(q *decode.Quality, fifo *FIFOAgreement) Agreements {
	return Agreements{
		Branches: BranchAgreement{
			Agreement: agreement(q.Branches, q.BranchesAgree(), q.BranchesUnplaced, q.BranchMisses),
			Indirect:  q.BranchesIndirect, Repeated: q.BranchesRepeated,
		},
		ISyncs: agreement(q.ISyncs, q.ISyncsEqual, q.ISyncsUnplaced, q.ISyncMisses),
		FIFO:   fifo,
	}
}

func agreement(compared, agree, notCompared int64, misses []decode.Miss) Agreement {
	a := Agreement{Compared: compared, Agree: agree, NotCompared: notCompared, Misses: []Miss{}}
	if compared > 0 {
		a.Share = new(float64(agree) / float64(compared))
	}
	for _, m := range misses {
		miss := Miss{
			Offset: m.Offset, Expected: m.Expected.Address.Hex(), ExpectedISA: m.Expected.ISA.String(),
			Found: m.Found.Address.Hex(), FoundISA: m.Found.ISA.String(),
		}
		if m.After.OK {
			miss.After = m.After.V.Hex()
		}
		if m.Security.OK {
			miss.Security = m.Security.V.String()
		}
		a.Misses = append(a.Misses, miss)
	}
	return a
}
