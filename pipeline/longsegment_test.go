package pipeline

import (
	"bytes"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/schema"
)

// Tests of segments that are decoded in parts.

// The bytes these tests put in: an ignore packet, and a header that is reserved.
const (
	ignorePacket   = 0x66
	reservedHeader = 0x02
)

// A longTrace is a trace as one long segment: without its A-syncs but the
// first, and with ignore packets put in so that the borders of parts fall where
// a test wants them.
type longTrace struct {
	*trace
	start int           // of the segment
	place map[int64]int // offset in the original → position
	cuts  []packetAt    // packets of the original that a border lies inside
}

// lengthen makes a segment of parts parts of which each but the last ends inside
// a packet of several bytes: another one, and after another of its bytes, for
// each seed.
func (tr *trace) lengthen(t *testing.T, parts, seed int) *longTrace {
	t.Helper()
	first := tr.asyncs()[0] - tr.async().Bytes()
	packets := tr.packetsFrom(first)
	whole := packets[len(packets)-1]
	l := &longTrace{place: map[int64]int{}}
	data := slices.Clone(tr.data[first : first+6]) // the first A-sync
	inSegment := false
	borders := 0
	for i, p := range packets {
		if p.Type == "a_sync" {
			continue
		}
		if p.Type == "i_sync" && !inSegment {
			inSegment, l.start = true, len(data)
		}
		// The next border is put into this packet, if its turn has come.
		due := inSegment && borders < parts-1 && p.Len > 1 && i >= (borders+1)*len(packets)/parts
		if due && (p.Len > 3 || i%5 == seed%5) {
			borders++
			inside := 1 + seed%(p.Len-1)
			data = append(data, bytes.Repeat([]byte{ignorePacket}, l.start+borders*engine.PartBytes-inside-len(data))...)
			l.cuts = append(l.cuts, p)
		}
		l.place[int64(tr.offsets[p.at])] = len(data)
		data = append(data, tr.data[p.at:p.at+p.Len]...)
	}
	rest := tr.data[whole.at+whole.Len:]
	if len(rest) > 0 {
		l.place[int64(tr.offsets[whole.at+whole.Len])] = len(data)
	}
	l.trace = tr.with(append(data, rest...))
	if borders != parts-1 {
		t.Fatalf("only %d borders", borders)
	}
	return l
}

// parts counts the parts of the units a stream is split into.
func (tr *trace) parts(t *testing.T) (parts, units int) {
	t.Helper()
	for u, err := range engine.Split(tr.stream(100_000), tr.protocol, engine.NoLead) {
		if err != nil {
			t.Fatal(err)
		}
		u.CutUp()
		parts += len(u.Parts)
		units++
	}
	return parts, units
}

// A segment of several parts has the rows that the same packets have in short
// segments.
func TestLongSegment(t *testing.T) {
	t.Parallel()
	const parts = 4
	for i, tr := range moreTraces(t) {
		if len(tr.data) < 4000 || testing.Short() && tr.name != "sample" {
			continue // too few packets for that many borders
		}
		if i%2 == 1 && !need.Long() || tr.few() {
			continue // one of each kind is enough
		}
		want := tr.decode(t)
		if slices.Contains(want.column(&schema.Losses, "reason").U8, uint8(schema.LossSplice)) {
			continue // that loss reaches to the next cut, of which a long segment has none
		}
		t.Run(tr.name, func(t *testing.T) {
			seeds := need.Size(1, 2)
			for seed := range seeds {
				l := tr.lengthen(t, parts, seed)
				if n, units := l.parts(t); n != parts || units != parts {
					t.Fatalf("%d parts in %d units, want %d in as many", n, units, parts)
				}
				got := l.decodeStream(t, l.stream(100_000), decodeOptions{workers: 2})
				got.checkAccounts(t, len(l.data))
				if got.totals.Segments != 1 || want.totals.Instructions+want.totals.DataAccesses == 0 || got.totals.Instructions != want.totals.Instructions {
					t.Errorf("%d segments, %d instructions, want 1, %d", got.totals.Segments, got.totals.Instructions, want.totals.Instructions)
				}
				l.sameButSegments(t, want, got)
				if t.Failed() {
					t.Fatalf("seed %d: the borders are inside %+v", seed, l.cuts)
				}
			}
		})
	}
}

// sameButSegments compares all that does not depend on where segments begin.
func (l *longTrace) sameButSegments(t *testing.T, want, got *decodedTables) {
	t.Helper()
	for _, table := range []*schema.Table{
		&schema.Instructions, &schema.CodeBlocks, &schema.Exceptions, &schema.CycleCounts, &schema.Timestamps,
		&schema.Contexts, &schema.DataAccesses, &schema.Events,
	} {
		if n := want.rows(table); n != got.rows(table) {
			t.Errorf("%s has %d rows, want %d", table.Name, got.rows(table), n)
			continue
		}
		for c := range table.Columns {
			v, w := &want.tables[table.Name].Columns[c], &got.tables[table.Name].Columns[c]
			if v.Column.Name == "segment" {
				continue
			}
			for i := range v.Len() {
				equal := sameCell(v, i, w, i)
				if v.Column.Name == "byte_offset" {
					at, ok := l.place[integer(v, i)]
					equal = ok && int64(at) == integer(w, i)
				}
				if !equal {
					t.Errorf("%s row %d differs in %s:\n got %s\nwant %s", table.Name, i, v.Column.Name, got.rowText(table, i), want.rowText(table, i))
					break
				}
			}
		}
	}
}

// A loss that begins in one part reaches through the next ones: to the end of
// the stream, or to the next cut.
func TestLossAcrossParts(t *testing.T) {
	t.Parallel()
	tr := sampleTrace(t)
	l := tr.lengthen(t, 3, 0)
	at := l.start + engine.PartBytes - 1000 // in the first part, among ignore packets
	for l.data[at] != ignorePacket {
		at--
	}
	damaged := l.with(slices.Clone(l.data))
	damaged.data[at] = reservedHeader
	t.Run("to the end", func(t *testing.T) {
		d := damaged.decodeStream(t, damaged.stream(100_000), decodeOptions{workers: 2})
		d.checkAccounts(t, len(damaged.data))
		d.wantLoss(t, 1, at, len(damaged.data)-at, "reserved_header")
	})
	t.Run("to the next cut", func(t *testing.T) {
		again := l.with(slices.Concat(damaged.data, tr.data))
		d := again.decodeStream(t, again.stream(100_000), decodeOptions{workers: 2})
		d.checkAccounts(t, len(again.data))
		first := tr.decode(t).from(0)
		cut := len(damaged.data) + tr.position(first.firstOffset())
		d.wantLoss(t, 1, at, cut-at, "reserved_header")
		moved := func(offset int64) int64 { return int64(len(damaged.data) + tr.position(offset)) }
		if rows := sameSegments(t, first, d.from(1), tr.protocol.TimestampCode(), moved, otherPast); rows == 0 {
			t.Error("no rows compared")
		}
	})
	t.Run("to a break and on", func(t *testing.T) {
		// The break lies in the second part; the bytes after it are a loss of their own.
		broken := l.start + 2*engine.PartBytes - 100
		d := damaged.decodeStream(t, damaged.stream(100_000, broken), decodeOptions{workers: 2})
		d.checkAccounts(t, len(damaged.data))
		d.wantLoss(t, 1, at, broken-at, "reserved_header")
		d.wantLoss(t, 2, broken, len(damaged.data)-broken, "discontinuity")
	})
}

// wantLoss demands what a row of losses is.
func (d *decodedTables) wantLoss(t *testing.T, row, offset, n int, reason string) {
	t.Helper()
	table := &schema.Losses
	if row >= d.rows(table) {
		t.Fatalf("%d losses, want more", d.rows(table))
	}
	if integer(d.column(table, "byte_offset"), row) != int64(offset) || integer(d.column(table, "bytes"), row) != int64(n) ||
		cellText(d.column(table, "reason"), row) != reason {
		t.Errorf("loss %s, want %d bytes at %d: %s", d.rowText(table, row), n, offset, reason)
	}
}
