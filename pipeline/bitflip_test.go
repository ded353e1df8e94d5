package pipeline

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/schema"
)

// flipFrom and flipBytes are where a generated stream has its bits flipped.
const (
	flipFrom  = 4 << 10
	flipBytes = 4 << 10
)

// A notice is how a dataset shows damage.
type notice uint8

const (
	noticedLoss          notice = iota // bytes are lost
	noticedContradiction               // none, but stream and program contradict each other
	otherProgram                       // instructions are wrong, and nothing says so
	otherRows                          // only other rows or columns are: cycles, times, contexts
	harmless                           // all rows are right
	notices
)

// A flipCount counts flips by how they were noticed.
type flipCount [notices]int

func (c *flipCount) total() int {
	n := 0
	for _, k := range c {
		n += k
	}
	return n
}

// share is that of a notice, in words.
func (c *flipCount) share(n notice) string {
	return fmt.Sprintf("%.1f %%", 100*float64(c[n])/float64(c.total()))
}

// Every bit of a window, flipped by itself.
func TestEveryBit(t *testing.T) {
	need.FullRun(t, oneGoroutine)
	eachMacrocell(t, func(t *testing.T, m macrocell) {
		v := newVariants(t, m.generate(t, smallRun))
		data := slices.Clone(v.data)
		var count flipCount
		each := damageEach(1031) // odd, so that every bit of a byte is met
		for bit := 0; bit < 8*flipBytes; bit += each {
			at := flipFrom + bit/8
			data[at] ^= 1 << (bit % 8)
			got := v.decode(t, data)
			v.check(t, got, data, damage{{at: at, n: 1, by: []byte{1 << (bit % 8)}}})
			if t.Failed() {
				t.Fatalf("bit %d of the byte at %d", bit%8, at)
			}
			count[v.noticed(got)]++
			data[at] = v.data[at]
		}
		t.Logf("%d flips: %v", count.total(), count)
		if need.Long() {
			row := []any{m.name, count.total()}
			for n := range notices {
				row = append(row, count.share(n))
			}
			wantConformance(t, row...)
		}
		if noticed := count[noticedLoss] + count[noticedContradiction]; noticed == 0 || noticed == count.total() {
			t.Errorf("%d of %d flips noticed", noticed, count.total())
		}
	})
}

// noticed says how a decode of a damaged stream shows it.
func (v *variants) noticed(got *decodedTables) notice {
	switch {
	case got.totals.BytesLost != v.intact.totals.BytesLost:
		return noticedLoss
	case got.contradictions() > v.intact.contradictions():
		return noticedContradiction
	}
	if !sameProgram(v.intact, got) {
		return otherProgram
	}
	for name := range got.tables {
		table := schema.FindTable(name)
		if i, _ := firstDifference(v.intact, got, table, nil); i >= 0 || v.intact.rows(table) != got.rows(table) {
			return otherRows
		}
	}
	return harmless
}

// sameProgram says whether two decodes have the same instructions.
func sameProgram(a, b *decodedTables) bool {
	column := func(d *decodedTables, name string) *schema.Vector { return d.column(&schema.Instructions, name) }
	executed, other := column(a, "executed"), column(b, "executed")
	return slices.Equal(column(a, "address").U64, column(b, "address").U64) && slices.Equal(column(a, "isa").U8, column(b, "isa").U8) &&
		slices.Equal(executed.U8, other.U8) && slices.Equal(executed.Valid, other.Valid)
}

// contradictions counts the events that say that something is wrong.
func (d *decodedTables) contradictions() int {
	n := 0
	for _, e := range d.column(&schema.Events, "event").U8 {
		switch schema.EventKind(e) {
		case schema.EventUnmapped, schema.EventInconsistent, schema.EventJazelle, schema.EventNoAddress,
			schema.EventSplitInstruction, schema.EventCountUnexpected, schema.EventBadISync, schema.EventDataUnmatched:
			n++
		default:
		}
	}
	return n
}

// A stream is cut off after every byte: the rows before the cut do not change, and
// the packet that was cut is lost.
func TestEveryTruncation(t *testing.T) {
	need.FullRun(t, oneGoroutine)
	eachMacrocell(t, func(t *testing.T, m macrocell) {
		v := newVariants(t, m.generate(t, smallRun))
		for n := 0; n < len(v.data); n += damageEach(331) {
			got := v.decode(t, v.data[:n])
			v.check(t, got, v.data[:n], damage{{at: n, n: len(v.data) - n}})
			v.checkPrefix(t, got, n)
			if t.Failed() {
				t.Fatalf("the first %d bytes", n)
			}
		}
	})
}

// checkPrefix checks that a decode has the instructions that whole packets of the
// first n bytes report, and that the packet which was cut off is a loss:
// `truncated`, or part of the loss before the first cut.
func (v *variants) checkPrefix(t testing.TB, got *decodedTables, n int) {
	t.Helper()
	packets := v.intact.integers(&schema.Packets, "byte_offset")
	k, whole := slices.BinarySearch(packets, int64(n))
	cut := int64(n) // where the packet begins that is cut off
	if !whole && k > 0 {
		cut = packets[k-1]
	}
	lost, at, reason := got.rows(&schema.Losses)-1, int64(-1), schema.LossReason(0)
	if lost >= 0 {
		at = got.integers(&schema.Losses, "byte_offset")[lost]
		reason = schema.LossReason(got.column(&schema.Losses, "reason").U8[lost])
	}
	switch synced := n > v.isyncs[0] && (whole || int(cut) > v.isyncs[0]); {
	case !synced:
		if got.totals.BytesLost != int64(n) || n > 0 && reason != schema.LossUnsynced {
			t.Errorf("%d bytes lost, reason %s: want all, unsynced", got.totals.BytesLost, reason)
		}
	case whole && got.totals.BytesLost != v.intact.totals.BytesLost:
		t.Errorf("%d bytes lost, want %d: no packet is cut off", got.totals.BytesLost, v.intact.totals.BytesLost)
	case !whole && (at != cut || reason != schema.LossTruncated || got.totals.BytesLost != v.intact.totals.BytesLost+int64(n)-cut):
		t.Errorf("%d bytes lost, the last %s at %d: want truncated at %d", got.totals.BytesLost, reason, at, cut)
	}
	want := v.truth.instructions
	end, _ := slices.BinarySearchFunc(want, cut, func(in tracedInstruction, at int64) int { return int(int64(in.offset) - at) })
	traced := got.tracedInstructions()
	if len(traced) == end+1 && v.cancels(traced[end], cut) {
		traced = traced[:end]
	}
	if slices.Contains(got.column(&schema.Events, "event").U8, uint8(schema.EventDiscard)) {
		end = min(end, len(traced)) // what was not committed has no rows
	}
	if !slices.Equal(traced, want[:end]) {
		t.Errorf("%d instructions, want %d, or others", len(traced), end)
	}
	v.checkAccessPrefix(t, got, cut)
}

// cancels says whether the stream cancels an instruction from an offset on.
func (v *variants) cancels(in tracedInstruction, from int64) bool {
	event, address := v.intact.column(&schema.Events, "event"), v.intact.column(&schema.Events, "address")
	for i, at := range v.intact.integers(&schema.Events, "byte_offset") {
		if at >= from && schema.EventKind(event.U8[i]) == schema.EventCancelled && schema.Address(address.U64[i]) == in.address {
			return true
		}
	}
	return false
}
