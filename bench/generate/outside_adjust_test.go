package generate

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/bench/outside"
)

// An adjustment takes one fault of OpenCSD out of rows that it shows in, and
// nothing else: the faults of docs/conformance.md, where a whole capture shows
// them.
type adjustment struct {
	name   string
	adjust func(truth, got []outside.Row) ([]outside.Row, []outside.Row)
}

// offsets are those of the rows that are wanted.
func offsets(rows []outside.Row, wanted func(outside.Row) bool) map[int64]outside.Row {
	at := map[int64]outside.Row{}
	for _, r := range rows {
		if wanted(r) {
			at[r.Offset] = r
		}
	}
	return at
}

func isKind(kind outside.RowKind) func(outside.Row) bool {
	return func(r outside.Row) bool { return r.Kind == kind }
}

func isNull(kind outside.RowKind) func(outside.Row) bool {
	return func(r outside.Row) bool { return r.Kind == kind && r.Text == "NULL" }
}

// without returns rows but those that drop wants.
func without(rows []outside.Row, drop func(outside.Row) bool) []outside.Row {
	return slices.DeleteFunc(slices.Clone(rows), drop)
}

// unknownCounts: counts of restarts that are not to be used come out as sent.
var unknownCounts = adjustment{"counts that are unknown",
	func(truth, got []outside.Row) ([]outside.Row, []outside.Row) {
		unknown, got := offsets(truth, isNull(outside.Cycles)), slices.Clone(got)
		for i := range got {
			if _, ok := unknown[got[i].Offset]; ok && got[i].Kind == outside.Cycles {
				got[i].Text = "NULL"
			}
		}
		return truth, got
	}}

// timestampOf finds the timestamp in the text of an instruction.
var timestampOf = regexp.MustCompile(` timestamp (\d+)`)

// partialTimestamps: those of which not all bits are known come out, the others
// being 0.
var partialTimestamps = adjustment{"timestamps of unknown high bits",
	func(truth, got []outside.Row) ([]outside.Row, []outside.Row) {
		unknown, got := offsets(truth, isNull(outside.Timestamp)), slices.Clone(got)
		now := false
		for i := range got {
			if got[i].Kind == outside.Timestamp {
				if _, now = unknown[got[i].Offset]; now {
					got[i].Text = "NULL"
				}
			}
			if now && got[i].Kind == outside.Instruction {
				got[i].Text = timestampOf.ReplaceAllString(got[i].Text, "")
			}
		}
		return truth, got
	}}

// grayTimestamps: Gray code of 48 bits comes out as sent.
var grayTimestamps = adjustment{"Gray timestamps", func(truth, got []outside.Row) ([]outside.Row, []outside.Row) {
	got = slices.Clone(got)
	for i := range got {
		switch got[i].Kind {
		case outside.Timestamp:
			got[i].Text = fromGray(got[i].Text)
		case outside.Instruction:
			got[i].Text = timestampOf.ReplaceAllStringFunc(got[i].Text, func(s string) string {
				return " timestamp " + fromGray(strings.TrimPrefix(s, " timestamp "))
			})
		}
	}
	return truth, got
}}

// fromGray is the number that one in Gray code means.
func fromGray(text string) string {
	var v uint64
	fmt.Sscan(text, &v)
	for shift := 1; shift < 64; shift *= 2 {
		v ^= v >> shift
	}
	return fmt.Sprint(v)
}

// informationBytes: any of a PFT branch packet makes an exception, of number 0,
// in place of the instructions up to the branch.
var informationBytes = adjustment{"information bytes without exception",
	func(truth, got []outside.Row) ([]outside.Row, []outside.Row) {
		zero := func(r outside.Row) bool { return r.Kind == outside.Exception && strings.HasPrefix(r.Text, "0 ") }
		at := offsets(got, zero)
		return byOffset(without(truth, func(r outside.Row) bool {
			_, ok := at[r.Offset]
			return ok && r.Kind == outside.Instruction
		})), byOffset(without(got, zero))
	}}

// byOffset returns rows, some of which are no more, in an order that does not
// depend on these.
func byOffset(rows []outside.Row) []outside.Row {
	slices.SortStableFunc(rows, func(a, b outside.Row) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Kind, b.Kind))
	})
	return rows
}

// cancelsNothing: a cancelled instruction stays, with the return that it was and
// its cycles.
var cancelsNothing = adjustment{"cancelled instructions",
	func(truth, got []outside.Row) ([]outside.Row, []outside.Row) {
		extra := map[int64]int{} // instructions more than there are, by packet
		for _, r := range got {
			extra[r.Offset] += count(r.Kind == outside.Instruction)
		}
		for _, r := range truth {
			extra[r.Offset] -= count(r.Kind == outside.Instruction)
		}
		var left []outside.Row
		last, cycles := -1, 0
		cancelled := without(truth, func(r outside.Row) bool { return r.Kind != outside.Cancelled })
		for _, r := range byOffset(slices.Concat(got, cancelled)) {
			switch r.Kind {
			case outside.Instruction:
				last = len(left)
				r.Text = addCycles(r.Text, cycles)
				cycles = 0
			case outside.Cancelled:
				if last < 0 || extra[left[last].Offset] == 0 || !strings.HasPrefix(left[last].Text, r.Text) {
					continue
				}
				extra[left[last].Offset]--
				cycles = cyclesIn(left[last].Text)
				after := without(left[last+1:], isKind(outside.Return))
				left = append(left[:last], after...)
				last = -1
				continue
			case outside.Restart:
				cycles = 0
			}
			left = append(left, r)
		}
		return byOffset(slices.Clone(truth)), byOffset(left)
	}}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// cyclesOf finds the cycles in the text of an instruction.
var cyclesOf = regexp.MustCompile(` cycles (\d+)`)

func cyclesIn(text string) (n int) {
	if m := cyclesOf.FindStringSubmatch(text); m != nil {
		fmt.Sscan(m[1], &n)
	}
	return n
}

// addCycles adds to the cycles in the text of an instruction, if it has any.
func addCycles(text string, n int) string {
	return cyclesOf.ReplaceAllString(text, fmt.Sprintf(" cycles %d", cyclesIn(text)+n))
}

// lsip: the load or store in progress at an I-sync is missing.
var lsip = adjustment{"LSiP", func(truth, got []outside.Row) ([]outside.Row, []outside.Row) {
	restarts := offsets(truth, isKind(outside.Restart))
	return without(truth, func(r outside.Row) bool {
		_, ok := restarts[r.Offset]
		return ok && r.Kind == outside.Instruction
	}), got
}}

// oldForm: exceptions of the old form that only their vector identifies are missing.
var oldForm = adjustment{"old exception form", func(truth, got []outside.Row) ([]outside.Row, []outside.Row) {
	return without(truth, func(r outside.Row) bool { return r.Kind == outside.Exception && r.Text == "0" }), got
}}

// noSecurity: branch packets do not change the security state, I-syncs do.
var noSecurity = adjustment{"security of branches", func(truth, got []outside.Row) ([]outside.Row, []outside.Row) {
	return withoutSecurity(truth), withoutSecurity(got)
}}

var securityOf = regexp.MustCompile(`\b(secure|non_secure|hyp)\b`)

// withoutSecurity returns rows as if there were one security state.
func withoutSecurity(rows []outside.Row) []outside.Row {
	var left []outside.Row
	context := ""
	for _, r := range rows {
		if r.Kind == outside.Instruction || r.Kind == outside.Context {
			r.Text = securityOf.ReplaceAllString(r.Text, "any")
		}
		if r.Kind == outside.Context {
			if r.Text == context {
				continue
			}
			context = r.Text
		}
		left = append(left, r)
	}
	return left
}
