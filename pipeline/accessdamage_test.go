package pipeline

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"testing"

	"github.com/tracelake/tracelake/bench/truth"
	"github.com/tracelake/tracelake/decode/etmv3"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file works out which rows of `data_accesses` may change by damage outside
// their packets: those of transfers that depend on packets on both sides of it.

// A tracedTransfer is the packet of a transfer, with the positions of the packets
// that determine its row.
type tracedTransfer struct {
	at     int64 // of the packet
	row    int64 // of the packet that completed the row: at, or that of its value
	until  int64 // where its tag was free again; at if it had none
	opened int64 // where its group was opened: by the instruction, or the stack frame
	closed int64 // where it was closed: after that nothing changes the row
}

// never is after all packets.
const never = math.MaxInt64

// tracedTransfers are the transfers of a generated stream, in order.
type tracedTransfers struct {
	of    []tracedTransfer
	whole []int64 // packets with a whole data address
	atoms []int64 // P-headers with some
	data  []int64 // packets about data
}

// newTracedTransfers reads the transfers of a stream. Its decode, known to be
// right, names their instructions.
func newTracedTransfers(t testing.TB, g *generated, intact *decodedTables) *tracedTransfers {
	t.Helper()
	cfg, ok := g.protocol.(*etmv3.Config)
	if !ok || !cfg.TracesData() {
		return nil
	}
	w := transferReader{cfg: cfg, open: [4]int{-1, -1, -1, -1}, frame: never, group: never}
	for at := int(intact.integers(&schema.Segments, "byte_offset")[0]); at < len(g.data); {
		var p etmv3.Packet
		if err := cfg.Parse(&p, g.data[at:]); err != nil {
			t.Fatal(err)
		}
		w.read(&p, int64(at))
		at += p.Len
	}
	w.restart(never)
	w.name(intact)
	return &w.tracedTransfers
}

// A transferReader finds transfers packet by packet.
type transferReader struct {
	tracedTransfers
	cfg      *etmv3.Config
	open     [4]int // by tag: the transfer that waits for its value, or -1
	restarts []int64
	firsts   []int64 // of data-only mode: transfers with a new address
	group    int64   // the last of them
	frame    int64   // the packet of a stack frame, if no atom came since
}

func (w *transferReader) read(p *etmv3.Packet, at int64) {
	switch p.Kind {
	case etmv3.PHeader:
		if p.Atoms.Count > 0 {
			w.atoms, w.frame = append(w.atoms, at), never
		}
	case etmv3.ISync:
		if p.Reason != schema.ISyncPeriodic {
			w.restart(at)
		}
	case etmv3.ExceptionEntry, etmv3.ExceptionReturn:
		if w.cfg.ProfileM {
			w.frame = at
		}
	case etmv3.OutOfOrderData:
		x := &w.of[w.open[p.Tag]]
		x.row, x.until, w.open[p.Tag] = at, at, -1
		w.data = append(w.data, at)
	case etmv3.OutOfOrderPlaceholder, etmv3.NormalData, etmv3.ValueNotTraced:
		w.transfer(p, at)
		w.data = append(w.data, at)
	case etmv3.DataSuppressed, etmv3.StoreFailed:
		w.data = append(w.data, at)
	default:
	}
	if p.AddressBits == 32 && p.Kind != etmv3.ISync {
		w.whole = append(w.whole, at)
	}
}

func (w *transferReader) transfer(p *etmv3.Packet, at int64) {
	if w.cfg.DataOnly && p.NewAddress {
		w.group, w.firsts = at, append(w.firsts, at)
	}
	x := tracedTransfer{at: at, row: at, until: at, opened: min(w.group, w.frame), closed: never}
	if p.Kind == etmv3.OutOfOrderPlaceholder {
		w.free(p.Tag, at)
		w.open[p.Tag], x.until = len(w.of), never
	}
	w.of = append(w.of, x)
}

// free ends the wait for a value.
func (w *transferReader) free(tag uint8, at int64) {
	if i := w.open[tag]; i >= 0 {
		w.of[i].until, w.open[tag] = at, -1
	}
}

func (w *transferReader) restart(at int64) {
	for tag := range w.open {
		w.free(uint8(tag), at)
	}
	w.restarts = append(w.restarts, at)
}

// name finds the group of each transfer: that of the instruction its row names;
// that of the last instruction traced if it names none because of a cancel; or the
// stack frame.
func (w *transferReader) name(intact *decodedTables) {
	table := &schema.DataAccesses
	seq, reported := intact.column(table, "seq"), intact.integers(&schema.Instructions, "byte_offset")
	rows := map[int64]int{}
	for i, at := range intact.integers(table, "byte_offset") {
		rows[at] = i
	}
	var data []int64
	for i, at := range reported {
		if _, ok := intact.transfersOf(i); ok {
			data = append(data, at)
		}
	}
	for i := range w.of {
		x := &w.of[i]
		switch row := rows[x.row]; {
		case w.cfg.DataOnly:
			x.closed = min(after(w.firsts, x.at), after(w.restarts, x.at))
			continue
		case x.opened != never:
			x.closed = min(after(w.atoms, x.at), after(w.restarts, x.at))
			continue
		case null(seq, row):
			n, _ := slices.BinarySearch(w.atoms, x.at)
			x.opened = w.atoms[n-1]
		default:
			x.opened = reported[integer(seq, row)]
		}
		x.closed = min(after(data, x.opened), after(w.restarts, x.opened))
	}
}

// after returns the first place after at.
func after(places []int64, at int64) int64 {
	i, _ := slices.BinarySearch(places, at+1)
	if i == len(places) {
		return never
	}
	return places[i]
}

// transfersOf returns what an instruction transfers, if it does.
func (d *decodedTables) transfersOf(instruction int) (isa.Transfers, bool) {
	column := func(name string) *schema.Vector { return d.column(&schema.Instructions, name) }
	if executed := column("executed"); null(executed, instruction) || executed.U8[instruction] == 0 {
		return isa.Transfers{}, false
	}
	t := isa.DataOf(column("opcode").U32[instruction], column("size").U8[instruction],
		schema.ISA(column("isa").U8[instruction]))
	return t, t.Count > 0
}

// find returns the transfer of a row by its offset, or nil.
func (t *tracedTransfers) find(row int64) *tracedTransfer {
	i := sort.Search(len(t.of), func(i int) bool { return t.of[i].at >= row })
	if i < len(t.of) && t.of[i].at == row {
		return &t.of[i]
	}
	for i--; i >= 0; i-- { // a value, whose placeholder is before it
		if t.of[i].row == row {
			return &t.of[i]
		}
	}
	return nil
}

// An accessComparison compares the data accesses of two ranges that differ in what
// is before them, after them, or both.
type accessComparison struct {
	*tracedTransfers
	from, to          int64 // places in want: what differs ends before, or begins at
	otherPast, future bool  // it does differ
	addressed         int64 // from here on addresses do not depend on anything before
}

// newAccessComparison is for segments from k to before n.
func (v *variants) newAccessComparison(k, n int, p past) *accessComparison {
	if v.transfers == nil {
		return nil
	}
	c := &accessComparison{tracedTransfers: v.transfers, from: int64(v.isyncs[k]), to: never, otherPast: p != samePast}
	if n < len(v.isyncs) {
		c.to, c.future = int64(v.isyncs[n]), true
	}
	c.addressed = after(v.transfers.whole, c.from-1)
	return c
}

// offsets returns the offsets, in want and in order, at which there may be another
// row or none: of values whose transfers were traced before the range, and of
// transfers whose values come after it.
func (c *accessComparison) offsets() (values, placeholders []int64) {
	for i := range c.of {
		x := &c.of[i]
		switch {
		case c.otherPast && x.at < c.from && x.row >= c.from && x.row < c.to:
			values = append(values, x.row)
		case c.future && x.at >= c.from && x.at < c.to && x.until > c.to:
			placeholders = append(placeholders, x.at)
		}
	}
	slices.Sort(values)
	return values, placeholders
}

// mayDiffer says whether a cell may differ, in the row at an offset of want whose
// seq counts from the start of the range.
func (c *accessComparison) mayDiffer(column string, row int64, seq schema.Null[int64]) bool {
	x := c.find(row)
	past := c.otherPast && x.opened < c.from
	future := c.future && x.closed > c.to
	switch column {
	case "seq": // a return may be right before
		return past || future || c.otherPast && seq.OK && seq.V < 0
	case "position", "access":
		return past || future
	case "state": // the next packet may report that the store failed
		last := c.future && after(c.data, row) > c.to && after(c.atoms, row) > c.to
		return past || future || last
	case "size":
		return past
	case "address":
		return past || c.otherPast && x.at < c.addressed
	}
	return false
}

// rows returns the rows to compare. In got, a value may have no transfer: that is
// an event.
func (c *accessComparison) rows(s *rangeComparison, table *schema.Table, want, got []int) (_, _ []int) {
	values, placeholders := c.offsets()
	moved := func(offsets []int64) []int64 {
		there := make([]int64, len(offsets))
		for i, at := range offsets {
			there[i] = s.moved(at)
		}
		return there
	}
	offset := s.got.column(table, "byte_offset")
	switch table {
	case &schema.DataAccesses:
		there := s.want.column(table, "byte_offset")
		want = without(without(want, there, values), there, placeholders)
		got = without(without(got, offset, moved(values)), offset, moved(placeholders))
	case &schema.Events:
		there, event := moved(values), s.got.column(table, "event")
		got = slices.DeleteFunc(got, func(i int) bool {
			_, found := slices.BinarySearch(there, integer(offset, i))
			return found && schema.EventKind(event.U8[i]) == schema.EventDataUnmatched
		})
	}
	return want, got
}

// checkValues checks that each value whose transfer was traced before the range
// completed a row or is an event.
func (c *accessComparison) checkValues(t testing.TB, s *rangeComparison) {
	t.Helper()
	values, _ := c.offsets()
	for _, at := range values {
		at = s.moved(at)
		row := slices.Contains(s.got.integers(&schema.DataAccesses, "byte_offset"), at)
		event := slices.Index(s.got.integers(&schema.Events, "byte_offset"), at)
		unmatched := event >= 0 && schema.EventKind(s.got.column(&schema.Events,
			"event").U8[event]) == schema.EventDataUnmatched
		if row == unmatched {
			t.Errorf("the value at %d: a row %t, an event %t", at, row, unmatched)
		}
	}
}

// comparer returns what compares the cells of a column that may not differ by
// same.
func (c *accessComparison) comparer(s *rangeComparison, v *schema.Vector, same func(i, j int) bool) func(i,
	j int) bool {
	offset, seq := s.want.column(&schema.DataAccesses, "byte_offset"), s.want.column(&schema.DataAccesses, "seq")
	return func(i, j int) bool {
		if same(i, j) {
			return true
		}
		at := schema.Null[int64]{OK: !null(seq, i)}
		if at.OK {
			at.V = integer(seq, i) - s.wantBases.seq
		}
		return c.mayDiffer(v.Column.Name, integer(offset, i), at)
	}
}

// without returns rows but those at some offsets, which are in order.
func without(rows []int, offset *schema.Vector, offsets []int64) []int {
	return slices.DeleteFunc(rows, func(i int) bool {
		_, found := slices.BinarySearch(offsets, integer(offset, i))
		return found
	})
}

// checkAccesses checks that there is a row for each transfer that was traced, and
// no other; and that a row has an address if, and only if, a whole address was
// traced since the last loss.
func (v *variants) checkAccesses(t testing.TB, got *decodedTables, data []byte) {
	t.Helper()
	cfg := v.protocol.(*etmv3.Config)
	rows := map[int64]truth.DataAccess{}
	for _, x := range got.accesses() {
		rows[x.Offset] = x
	}
	var p etmv3.Packet
	want, whole := 0, false
	decoded, losses := got.integers(&schema.Segments, "bytes_decoded"), got.lossesBefore()
	for k, from := range got.integers(&schema.Segments, "byte_offset") {
		whole = whole && losses[k] == losses[max(k-1, 0)]
		for at, end := int(from), int(from+decoded[k]); at < end; at += p.Len {
			if err := cfg.Parse(&p, data[at:end]); err != nil {
				t.Fatalf("segment %d: %v at %d, which was decoded", k, err, at)
			}
			whole = whole || p.AddressBits == 32 && p.Kind != etmv3.ISync
			switch p.Kind {
			case etmv3.OutOfOrderPlaceholder, etmv3.NormalData, etmv3.ValueNotTraced:
				want++
			default:
			}
			if x, ok := rows[int64(at)]; ok && p.NewAddress && x.Address.OK != whole && (!whole || !got.isRegister(&x)) {
				t.Errorf("an address %t at %d: %s", x.Address.OK, at, p.Kind)
			}
		}
	}
	if n := len(rows); n != want || got.rows(&schema.DataAccesses) != n || got.totals.DataAccesses != int64(n) {
		t.Errorf("%d data accesses, %d counted; %d transfers were traced", n, got.totals.DataAccesses, want)
	}
}

// isRegister says whether a row is of a transfer between core and coprocessor.
func (d *decodedTables) isRegister(x *truth.DataAccess) bool {
	if x.NoInstruction || x.Access.V >= schema.AccessPush {
		return x.State == schema.DataCancelled // it may be one
	}
	of, _ := d.transfersOf(int(x.Seq))
	return of.Register
}

// lossesBefore returns how many losses of sync are in front of each segment.
func (d *decodedTables) lossesBefore() []int {
	before := make([]int, d.rows(&schema.Segments)+1)
	segment, reason := d.column(&schema.Losses, "segment"), d.column(&schema.Losses, "reason")
	for i := range segment.Len() {
		if !null(segment, i) && schema.LossReason(reason.U8[i]) != schema.LossTruncated {
			before[integer(segment, i)+1]++
		}
	}
	for k := range before[1:] {
		before[k+1] += before[k]
	}
	return before
}

// implausibleAccess says what is impossible about the data accesses of a decode.
func (v *variants) implausibleAccess(d *decodedTables) error {
	losses, segment := d.lossesBefore(), d.column(&schema.Instructions, "segment")
	for i, x := range d.accesses() {
		possible := possibleValue(&x) && v.possibleGroup(d, &x)
		if possible && !x.NoInstruction && x.Seq < int64(segment.Len()) { // none is over a loss
			of, at := integer(segment, int(x.Seq)), int64(x.Segment.V)
			possible = of > at || losses[of] == losses[at]
		}
		if !possible {
			return fmt.Errorf("data access %d: %s", i, d.rowText(&schema.DataAccesses, i))
		}
	}
	return nil
}

// possibleValue says whether a row has a value if its state requires one. It may
// have one if its data is not valid.
func possibleValue(x *truth.DataAccess) bool {
	switch x.State {
	case schema.DataOutOfOrderLost, schema.DataNotTraced:
		return !x.Value.OK
	case schema.DataSuppressed, schema.DataAborted, schema.DataCancelled:
		return true
	default:
		return x.Value.OK
	}
}

// possibleGroup says whether a row is possible: it is traced after the instruction
// it names, and that makes such a transfer; or it may be of a stack frame; or it
// names no instruction, and has no more than is known then.
func (v *variants) possibleGroup(d *decodedTables, x *truth.DataAccess) bool {
	traced := d.column(&schema.Instructions, "byte_offset")
	push, pop := x.Access == schema.Of(schema.AccessPush), x.Access == schema.Of(schema.AccessPop)
	switch {
	case push, pop: // a header that begins a push is followed in any profile
		return (push || v.cell.profileM) && x.Size == schema.Of[uint8](4) && (x.NoInstruction || x.Seq <= int64(traced.Len()))
	case x.NoInstruction:
		return x.Access.OK == x.Size.OK && (!x.Access.OK || x.State == schema.DataCancelled)
	case x.State == schema.DataCancelled || x.Seq >= int64(traced.Len()) || integer(traced, int(x.Seq)) >= x.Offset:
		return false
	}
	of, ok := d.transfersOf(int(x.Seq))
	return ok && x.Access == schema.Of(of.At(x.Position)) && x.Size == schema.Of(of.Size) &&
		(!of.Register || !x.Address.OK)
}

// checkAccessPrefix checks the data accesses that whole packets before end report:
// all cells except those that packets after it determine.
func (v *variants) checkAccessPrefix(t testing.TB, got *decodedTables, end int64) {
	t.Helper()
	if v.transfers == nil {
		return
	}
	c := accessComparison{tracedTransfers: v.transfers, to: end - 1, future: true}
	rows := map[int64]int{}
	table := &schema.DataAccesses
	for i, at := range v.intact.integers(table, "byte_offset") {
		rows[at] = i
	}
	there := map[int64]int{}
	for i, at := range got.integers(table, "byte_offset") {
		there[at] = i
	}
	want, n := v.intact.accesses(), 0
	found := got.accesses()
	for _, x := range v.transfers.of {
		if x.at >= end {
			break
		}
		n++
		w, row := want[rows[x.row]], x.row
		if x.row >= end {
			row, w.Offset = x.at, x.at
			w.Value, w.Segment = schema.Null[uint64]{}, schema.Of(v.segmentOf(x.at))
			if w.State == schema.DataOutOfOrder || w.State == schema.DataStoreFailed {
				w.State = schema.DataOutOfOrderLost
			}
		}
		i, ok := there[row]
		if !ok {
			t.Errorf("no data access at %d", row)
			return
		}
		g := found[i]
		if c.mayDiffer("seq", x.row, schema.Null[int64]{}) {
			w.Seq, w.NoInstruction, w.Position, w.Access = g.Seq, g.NoInstruction, g.Position, g.Access
		}
		if x.row < end && c.mayDiffer("state", x.row, schema.Null[int64]{}) ||
			c.mayDiffer("position", x.row, schema.Null[int64]{}) {
			w.State = g.State
		}
		if g != w {
			t.Errorf("data access %d: %+v, want %+v", i, g, w)
			return
		}
	}
	if len(found) != n {
		t.Errorf("%d data accesses, want %d", len(found), n)
	}
}

// segmentOf returns the segment a place is in.
func (v *variants) segmentOf(at int64) int32 {
	k, found := slices.BinarySearch(v.isyncs, int(at))
	if !found {
		k--
	}
	return int32(k)
}
