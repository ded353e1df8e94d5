package pipeline

import (
	"fmt"
	"math"
	"sort"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// A stretch is some segments of a decode, one behind another.
type stretch struct {
	*dataset
	first, end int // segments
}

// from returns the stretch from a segment to the end.
func (d *dataset) from(segment int) stretch {
	return stretch{d, segment, d.rows(&schema.Segments)}
}

// segmentAt returns the segment whose I-sync has an offset, or -1.
func (d *dataset) segmentAt(offset int64) int {
	for i, at := range d.integers(&schema.Segments, "byte_offset") {
		if at == offset {
			return i
		}
	}
	return -1
}

// lead is the offset of the I-sync a stretch begins with.
func (s stretch) lead() int64 {
	return integer(s.column(&schema.Segments, "byte_offset"), s.first)
}

// rowsOf returns the rows of a table that are of the stretch. Left out are the
// events and contexts that depend on the state before it: those its first I-sync
// and its first VMID packet make.
func (s stretch) rowsOf(t *schema.Table) []int {
	segment, offset := s.column(t, "segment"), s.column(t, "byte_offset")
	n := segment.Len()
	at := func(k int) int {
		return sort.Search(n, func(i int) bool { return !null(segment, i) && integer(segment, i) >= int64(k) })
	}
	from, to := at(s.first), at(s.end)
	lead, vmid := int64(-1), int64(-1)
	switch t {
	case &schema.Events:
		lead = s.lead()
	case &schema.Contexts:
		lead, vmid = s.lead(), s.firstVMID()
	}
	if t == &schema.DataAccesses { // some rows are those of placeholders segments before
		from, to = 0, n
	}
	var rows []int
	for i := from; i < to; i++ {
		if k := integer(segment, i); t == &schema.DataAccesses && (k < int64(s.first) || k >= int64(s.end)) {
			continue
		}
		if at := integer(offset, i); at != lead && at != vmid {
			rows = append(rows, i)
		}
	}
	return rows
}

// firstVMID returns the offset of the first VMID packet, or -1: whether it
// changes anything depends on the past.
func (s stretch) firstVMID() int64 {
	types, offset := s.column(&schema.Packets, "type"), s.column(&schema.Packets, "byte_offset")
	for _, i := range s.rowsOf(&schema.Packets) {
		if types.Str[i] == "vmid" {
			return integer(offset, i)
		}
	}
	return -1
}

// bases are what values count from that depend on what stands before a stretch.
type bases struct {
	seq, segment, ordinal, epoch int64
	cycle                        schema.Null[int64] // of the first epoch
}

func (s stretch) bases() bases {
	b := bases{
		seq:     integer(s.column(&schema.Segments, "seq"), s.first),
		segment: int64(s.first), epoch: math.MaxInt64,
	}
	if rows := s.rowsOf(&schema.Exceptions); len(rows) > 0 {
		b.ordinal = int64(rows[0])
	}
	for _, t := range []*schema.Table{&schema.Instructions, &schema.Exceptions, &schema.Timestamps, &schema.CycleCounts} {
		epoch, cycle := s.column(t, "epoch"), s.column(t, "cycle")
		offset := s.column(t, "byte_offset")
		for _, i := range s.rowsOf(t) {
			if null(epoch, i) || integer(offset, i) == s.lead() {
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

// knownFrom returns the offset of the first packet in the stretch that tells a
// whole timestamp: before it, timestamps may rest on what came before.
func (s stretch) knownFrom(code decode.TimestampCode) int64 {
	fields, offset := s.column(&schema.Packets, "fields"), s.column(&schema.Packets, "byte_offset")
	whole := fmt.Sprintf(`"timestamp_bits":%d,`, code.Bits)
	for _, i := range s.rowsOf(&schema.Packets) {
		if strings.Contains(fields.Str[i], whole) {
			return integer(offset, i)
		}
	}
	return math.MaxInt64
}

// A past is what is known of what stood before the second of two stretches that
// are compared.
type past uint8

const (
	noPast    past = iota // nothing: what would be carried on is NULL
	otherPast             // something else
)

// A stretchComparison compares two stretches of the same packets.
type stretchComparison struct {
	want, got stretch
	moved     func(int64) int64 // offsets of want in got
	past      past

	wantBases, gotBases bases
	knownFrom           int64 // offset in want
}

// sameStretch demands that two stretches have the same rows, but for what
// depends on the past (design.md §4.5): what ordinals, epochs and cycles count
// from; timestamp and VMID as far as none was told in the stretch; and what its
// first I-sync says of the flow before it.
func sameStretch(t testing.TB, want, got stretch, code decode.TimestampCode, moved func(int64) int64, p past) (rows int) {
	t.Helper()
	c := stretchComparison{
		want: want, got: got, moved: moved, past: p,
		wantBases: want.bases(), gotBases: got.bases(), knownFrom: want.knownFrom(code),
	}
	for _, table := range []*schema.Table{
		&schema.Instructions, &schema.Exceptions, &schema.CycleCounts, &schema.Timestamps, &schema.Contexts,
		&schema.DataAccesses, &schema.Events, &schema.Losses, &schema.Segments, &schema.Packets,
	} {
		rows += c.table(t, table)
	}
	return rows
}

// table compares the rows of a table and returns how many there are.
func (c *stretchComparison) table(t testing.TB, table *schema.Table) int {
	t.Helper()
	want, got := c.want.rowsOf(table), c.got.rowsOf(table)
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
		same := c.comparer(table, v, w)
		for i := range n {
			if !same(want[i], got[i]) {
				t.Errorf("%s row %d of the stretch differs in %s:\n got %s\nwant %s", table.Name, i, v.Column.Name,
					c.got.rowText(table, got[i]), c.want.rowText(table, want[i]))
				break
			}
		}
	}
	return n
}

// comparer returns what compares the cells of a column.
func (c *stretchComparison) comparer(table *schema.Table, v, w *schema.Vector) func(i, j int) bool {
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
		return func(i, j int) bool { return integer(offset, i) == c.want.lead() || compare(i, j) }
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
	case "cycles": // of the first instruction some may have gone by before
		first := c.wantBases.seq
		return func(i, j int) bool {
			return table == &schema.Instructions && int64(i) == first || sameCell(v, i, w, j)
		}
	case "byte_offset":
		return func(i, j int) bool { return c.moved(integer(v, i)) == integer(w, j) }
	case "timestamp", "known_bits":
		return func(i, j int) bool {
			return integer(offset, i) < c.knownFrom && c.mayDiffer(w, j) || sameCell(v, i, w, j)
		}
	case "vmid":
		return func(i, j int) bool { return c.mayDiffer(w, j) || sameCell(v, i, w, j) }
	default:
		return func(i, j int) bool { return sameCell(v, i, w, j) }
	}
}

// mayDiffer says whether a value that rests on the past may differ.
func (c *stretchComparison) mayDiffer(w *schema.Vector, j int) bool {
	return c.past == otherPast || null(w, j) || w.Column.Name == "known_bits"
}

// timeComparer compares epoch and cycle.
func (c *stretchComparison) timeComparer(table *schema.Table, v, w *schema.Vector, shifted func(base, other int64) func(i, j int) bool) func(i, j int) bool {
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
