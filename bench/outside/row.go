package outside

import (
	"cmp"
	"fmt"
	"slices"
)

// A Row is one thing that happened, as both sides have it.
type Row struct {
	Kind   RowKind
	Seq    int64 // of the instruction, or of the next one; of cycles as in `cycle_counts`
	Offset int64
	// Text is what happened; rows of one kind are laid out alike.
	Text string
}

func (r Row) String() string {
	if r.Text == "" {
		return fmt.Sprintf("%d %s", r.Offset, r.Kind)
	}
	return fmt.Sprintf("%d %s %s", r.Offset, r.Kind, r.Text)
}

// RowKind says what a row is.
type RowKind uint8

// The kinds, in the order of the rows of one Seq.
const (
	Restart     RowKind = iota // trace continues; no text
	Trigger                    // no text
	Unmapped                   // address
	Exception                  // number, return address
	Return                     // no text
	Context                    // Context ID, VMID, security
	Timestamp                  // value
	Cycles                     // number
	Instruction                // address, size, instruction set, outcome; cycles, timestamp, Context ID, VMID, security
	NoSync                     // no packet sync; OpenCSD's alone
	Cancelled                  // address; the truth's alone, and never a difference
)

func (k RowKind) String() string {
	return [...]string{"restart", "trigger", "unmapped", "exception", "return", "context", "timestamp", "cycles",
		"instruction", "no_sync", "cancelled"}[k]
}

// sortRows puts rows into the order in which they are compared.
func sortRows(rows []Row) {
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Offset, b.Offset))
	})
}

// Offsets says how far the offsets of OpenCSD are to be trusted.
type Offsets uint8

// The ways streams come.
const (
	Exact  Offsets = iota // a stream by itself
	Frames                // up to three too low: OpenCSD has offsets of pieces of frames
	Port                  // OpenCSD leaves out what is between frames
)

const frameSlack = 3

// Diff says what of the rows the truth has (-), and what OpenCSD has instead
// (+).
func Diff(truth, got []Row, offsets Offsets) []string {
	same := func(a, b Row) bool {
		near := offsets == Port || a.Offset == b.Offset ||
			offsets == Frames && a.Offset > b.Offset && a.Offset <= b.Offset+frameSlack
		return near && a.Kind == b.Kind && a.Text == b.Text
	}
	truth = slices.DeleteFunc(slices.Clone(truth), func(r Row) bool { return r.Kind == Cancelled })
	var diff []string
	for len(truth) > 0 || len(got) > 0 {
		if len(truth) > 0 && len(got) > 0 && same(truth[0], got[0]) {
			truth, got = truth[1:], got[1:]
			continue
		}
		i, j := nextSame(truth, got, same)
		for _, r := range truth[:i] {
			diff = append(diff, "- "+r.String())
		}
		for _, r := range got[:j] {
			diff = append(diff, "+ "+r.String())
		}
		truth, got = truth[i:], got[j:]
	}
	return diff
}

// nextSame finds the nearest rows that are the same; else all are different.
func nextSame(a, b []Row, same func(a, b Row) bool) (int, int) {
	const far = 200
	for n := 1; n <= far; n++ {
		for i := range n + 1 {
			if j := n - i; i < len(a) && j < len(b) && same(a[i], b[j]) {
				return i, j
			}
		}
	}
	return len(a), len(b)
}
