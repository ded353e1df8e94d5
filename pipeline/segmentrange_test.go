package pipeline

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// A segmentRange is a range of consecutive segments of a decode.
type segmentRange struct {
	*decodedTables
	first, end int // segments
}

// rangeFacts are offsets in a range that its packets determine.
type rangeFacts struct {
	firstVMID int64 // the first VMID packet, or -1: whether it changes anything depends on the past
	knownFrom int64 // the first packet with a whole timestamp: before it, timestamps may depend on the past
}

// facts returns the facts of a range of a decode with packets.
func (s segmentRange) facts(code decode.TimestampCode) rangeFacts {
	f := rangeFacts{firstVMID: -1, knownFrom: math.MaxInt64}
	types, fields := s.column(&schema.Packets, "type"), s.column(&schema.Packets, "fields")
	offset := s.column(&schema.Packets, "byte_offset")
	whole := fmt.Sprintf(`"timestamp_bits":%d,`, code.Bits)
	for _, i := range s.rowsOf(&schema.Packets, -1) {
		if f.firstVMID < 0 && types.Str[i] == "vmid" {
			f.firstVMID = integer(offset, i)
		}
		if f.knownFrom == math.MaxInt64 && strings.Contains(fields.Str[i], whole) {
			f.knownFrom = integer(offset, i)
		}
	}
	return f
}

// from returns the range from a segment to the end.
func (d *decodedTables) from(segment int) segmentRange {
	return segmentRange{d, segment, d.rows(&schema.Segments)}
}

// segmentAt returns the segment whose I-sync has an offset, or -1.
func (d *decodedTables) segmentAt(offset int64) int {
	for i, at := range d.integers(&schema.Segments, "byte_offset") {
		if at == offset {
			return i
		}
	}
	return -1
}

// firstOffset is the offset of the I-sync that the range begins with.
func (s segmentRange) firstOffset() int64 {
	return integer(s.column(&schema.Segments, "byte_offset"), s.first)
}

// span returns where the rows of a table in the range begin and end.
func (s segmentRange) span(t *schema.Table) (from, to int) {
	segment := s.column(t, "segment")
	at := func(k int) int {
		return sort.Search(segment.Len(), func(i int) bool { return !null(segment, i) && integer(segment, i) >= int64(k) })
	}
	return at(s.first), at(s.end)
}

// rowsOf returns the rows of a table in the range. It omits the events and contexts
// that depend on the state before the range: those of its first I-sync and of its
// first VMID packet, at the offset vmid.
func (s segmentRange) rowsOf(t *schema.Table, vmid int64) []int {
	offset, first := s.column(t, "byte_offset"), int64(-1)
	switch t {
	case &schema.Events:
		first, vmid = s.firstOffset(), -1
	case &schema.Contexts:
		first = s.firstOffset()
	default:
		vmid = -1
	}
	all := s.allRowsOf(t)
	rows := all[:0]
	for _, i := range all {
		if first >= 0 {
			if at := integer(offset, i); at == first || at == vmid {
				continue
			}
		}
		rows = append(rows, i)
	}
	return rows
}

// allRowsOf returns the rows of a table in the range.
func (s segmentRange) allRowsOf(t *schema.Table) []int {
	from, to := s.span(t)
	segment := s.column(t, "segment")
	if t == &schema.DataAccesses { // rows may be of placeholders in earlier segments
		from, to = 0, segment.Len()
	}
	rows := make([]int, 0, to-from)
	for i := from; i < to; i++ {
		if k := integer(segment, i); t != &schema.DataAccesses || k >= int64(s.first) && k < int64(s.end) {
			rows = append(rows, i)
		}
	}
	return rows
}

// bases are the values that columns count from. They depend on what is before the
// range.
type bases struct {
	seq, segment, ordinal, epoch int64
	cycle                        schema.Null[int64] // of the first epoch
}

func (s segmentRange) bases() bases {
	b := bases{
		seq:     integer(s.column(&schema.Segments, "seq"), s.first),
		segment: int64(s.first), epoch: math.MaxInt64,
	}
	if rows := s.rowsOf(&schema.Exceptions, -1); len(rows) > 0 {
		b.ordinal = int64(rows[0])
	}
	for _, t := range []*schema.Table{&schema.Instructions, &schema.Exceptions, &schema.Timestamps, &schema.CycleCounts} {
		epoch, cycle := s.column(t, "epoch"), s.column(t, "cycle")
		offset, first := s.column(t, "byte_offset"), s.firstOffset()
		for _, i := range s.rowsOf(t, -1) {
			if null(epoch, i) || integer(offset, i) == first {
				continue
			}
			e := integer(epoch, i)
			if e < b.epoch {
				b.epoch, b.cycle = e, schema.Null[int64]{}
			}
			if e == b.epoch && !null(cycle, i) && !b.cycle.OK {
				b.cycle = schema.Of(integer(cycle, i))
			}
		}
	}
	return b
}

// A past is what is known about the stream before the second of two ranges that
// are compared.
type past uint8

const (
	noPast    past = iota // nothing: values from before are NULL
	otherPast             // something else
	samePast              // the same: nothing may differ
)

// A rangeComparison compares two ranges of the same packets.
type rangeComparison struct {
	want, got segmentRange
	moved     func(int64) int64 // offsets of want in got
	past      past
	accesses  *accessComparison // nil: data accesses do not depend on what is around the ranges

	wantBases, gotBases bases
	facts               rangeFacts // of want
}

// sameSegments checks that two ranges have the same rows, except for values that
// depend on the past (docs/conformance.md, Damage to generated streams): the bases
// of ordinals, epochs and cycles; timestamp and VMID before the first one traced in
// the range; and what its first I-sync says of the flow before it.
func sameSegments(t testing.TB, want, got segmentRange, code decode.TimestampCode, moved func(int64) int64, p past) (rows int) {
	t.Helper()
	return newRangeComparison(want, got, want.facts(code), moved, p).all(t)
}

func newRangeComparison(want, got segmentRange, facts rangeFacts, moved func(int64) int64, p past) *rangeComparison {
	return &rangeComparison{
		want: want, got: got, moved: moved, past: p,
		wantBases: want.bases(), gotBases: got.bases(), facts: facts,
	}
}

// all compares the rows of all tables that both decodes have.
func (c *rangeComparison) all(t testing.TB) (rows int) {
	t.Helper()
	tables := []*schema.Table{
		&schema.Instructions, &schema.Exceptions, &schema.CycleCounts, &schema.Timestamps, &schema.Contexts,
		&schema.DataAccesses, &schema.Events, &schema.Losses, &schema.Segments, &schema.Packets,
	}
	for _, table := range tables {
		if c.want.tables[table.Name] != nil && c.got.tables[table.Name] != nil {
			rows += c.table(t, table)
		}
	}
	return rows
}

// rows returns the rows of a table to compare.
func (c *rangeComparison) rows(table *schema.Table) (want, got []int) {
	if c.past == samePast {
		want, got = c.want.allRowsOf(table), c.got.allRowsOf(table)
	} else {
		vmid := c.facts.firstVMID
		want = c.want.rowsOf(table, vmid)
		if vmid >= 0 {
			vmid = c.moved(vmid)
		}
		got = c.got.rowsOf(table, vmid)
	}
	if c.accesses != nil {
		return c.accesses.rows(c, table, want, got)
	}
	return want, got
}

// table compares the rows of a table and returns how many there are.
func (c *rangeComparison) table(t testing.TB, table *schema.Table) int {
	t.Helper()
	want, got := c.rows(table)
	n := min(len(want), len(got))
	if len(want) != len(got) {
		t.Errorf("%s has %d rows, want %d", table.Name, len(got), len(want))
		if len(got) > n {
			t.Errorf("first row too many: %s", c.got.rowText(table, got[n]))
		} else {
			t.Errorf("first row missing: %s", c.want.rowText(table, want[n]))
		}
	}
	for k := range table.Columns {
		v, w := &c.want.tables[table.Name].Columns[k], &c.got.tables[table.Name].Columns[k]
		isStart := slices.Contains(startColumns, v.Column.Name) && (c.past != samePast || v.Column.Name == "stack")
		if table == &schema.Segments && isStart { // of stacks what comes later decides, too
			continue
		}
		if n > 0 && sideBySide(want[:n]) && sideBySide(got[:n]) && sameValues(v, want[0], w, got[0], n, c.base(v.Column.Name)) {
			continue // quicker, for those who compare many
		}
		same := c.comparer(table, v, w)
		if c.accesses != nil && table == &schema.DataAccesses {
			same = c.accesses.comparer(c, v, same)
		}
		for i := range n {
			if !same(want[i], got[i]) {
				t.Errorf("%s row %d of the range differs in %s:\n got %s\nwant %s", table.Name, i, v.Column.Name,
					c.got.rowText(table, got[i]), c.want.rowText(table, want[i]))
				break
			}
		}
	}
	return n
}

// sideBySide says whether rows, which rise, have no holes.
func sideBySide(rows []int) bool { return rows[len(rows)-1]-rows[0] == len(rows)-1 }

// startColumns are the columns of `segments` that say what came before them, or are numbered by it.
var startColumns = []string{
	"stream_offset", "epoch", "cycle", "ordinal", "timestamp", "context_id", "vmid", "security", "exception_level", "carried",
	"decode_from", "stack",
}

// base returns by how much the values of a column are greater in got.
func (c *rangeComparison) base(column string) int64 {
	switch column {
	case "seq":
		return c.gotBases.seq - c.wantBases.seq
	case "segment":
		return c.gotBases.segment - c.wantBases.segment
	case "ordinal":
		return c.gotBases.ordinal - c.wantBases.ordinal
	case "epoch":
		return c.gotBases.epoch - c.wantBases.epoch
	}
	return 0
}

// sameValues says whether n values of w from j on are those of v from i on, each
// greater by base.
func sameValues(v *schema.Vector, i int, w *schema.Vector, j, n int, base int64) bool {
	if v.Column.Name == "byte_offset" || v.Column.Nullable && !bytes.Equal(v.Valid[i:i+n], w.Valid[j:j+n]) {
		return false
	}
	switch v.Column.Type {
	case schema.Uint8, schema.Enum, schema.Bool:
		return base == 0 && bytes.Equal(v.U8[i:i+n], w.U8[j:j+n])
	case schema.Uint32, schema.Int32:
		return sameBut(v.U32[i:i+n], w.U32[j:j+n], uint32(base), v.Valid, i)
	case schema.Float64:
		return base == 0 && slices.Equal(v.U64[i:i+n], w.U64[j:j+n])
	case schema.Uint63, schema.Uint64, schema.Int64:
		return sameBut(v.U64[i:i+n], w.U64[j:j+n], uint64(base), v.Valid, i)
	default:
		return false
	}
}

// sameBut says whether the values of b are those of a and base more. What is not
// valid, by valid from at on, is not compared.
func sameBut[T uint32 | uint64](a, b []T, base T, valid []uint8, at int) bool {
	if base == 0 {
		return slices.Equal(a, b)
	}
	for i := range a {
		if a[i]+base != b[i] && (valid == nil || valid[at+i] == 1) {
			return false
		}
	}
	return true
}

// comparer returns what compares the cells of a column.
func (c *rangeComparison) comparer(table *schema.Table, v, w *schema.Vector) func(i, j int) bool {
	shifted := func(base, other int64) func(i, j int) bool {
		return func(i, j int) bool {
			if null(v, i) || null(w, j) {
				return null(v, i) && null(w, j)
			}
			return integer(v, i)-base == integer(w, j)-other
		}
	}
	offset := c.want.column(table, "byte_offset")
	if table == &schema.CycleCounts && (v.Column.Name == "epoch" || v.Column.Name == "cycle") {
		// The count of the first I-sync may lie before the epoch or in it.
		compare := c.timeComparer(table, v, w, shifted)
		return func(i, j int) bool {
			return c.past != samePast && integer(offset, i) == c.want.firstOffset() || compare(i, j)
		}
	}
	switch v.Column.Name {
	case "seq":
		return shifted(c.wantBases.seq, c.gotBases.seq)
	case "segment":
		return shifted(c.wantBases.segment, c.gotBases.segment)
	case "ordinal":
		return shifted(c.wantBases.ordinal, c.gotBases.ordinal)
	case "epoch", "cycle":
		return c.timeComparer(table, v, w, shifted)
	case "cycles": // some of those of the first instruction may be before the range
		first := c.wantBases.seq
		return func(i, j int) bool {
			return c.past != samePast && table == &schema.Instructions && int64(i) == first || sameCell(v, i, w, j)
		}
	case "byte_offset": // rows of one packet are adjacent
		last, there := int64(-1), int64(-1)
		return func(i, j int) bool {
			if at := integer(v, i); at != last {
				last, there = at, c.moved(at)
			}
			return there == integer(w, j)
		}
	case "timestamp", "known_bits":
		return func(i, j int) bool {
			return integer(offset, i) < c.facts.knownFrom && c.mayDiffer(w, j) || sameCell(v, i, w, j)
		}
	case "vmid":
		return func(i, j int) bool { return c.mayDiffer(w, j) || sameCell(v, i, w, j) }
	default:
		return func(i, j int) bool { return sameCell(v, i, w, j) }
	}
}

// mayDiffer says whether a value that depends on the past may differ.
func (c *rangeComparison) mayDiffer(w *schema.Vector, j int) bool {
	return c.past == otherPast || c.past == noPast && (null(w, j) || w.Column.Name == "known_bits")
}

// timeComparer compares epoch and cycle.
func (c *rangeComparison) timeComparer(table *schema.Table, v, w *schema.Vector, shifted func(base, other int64) func(i, j int) bool) func(i, j int) bool {
	if v.Column.Name == "epoch" {
		return shifted(c.wantBases.epoch, c.gotBases.epoch)
	}
	first, later := shifted(c.wantBases.cycle.V, c.gotBases.cycle.V), shifted(0, 0)
	epoch := c.want.column(table, "epoch")
	return func(i, j int) bool {
		if !null(epoch, i) && integer(epoch, i) == c.wantBases.epoch {
			return first(i, j)
		}
		return later(i, j)
	}
}
