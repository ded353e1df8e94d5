package pipeline

import (
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// If a range of the program is missing, segments that execute nothing of it have
// the same rows, and the others stop there.
func TestHoleInMemory(t *testing.T) {
	need.FullRun(t, oneWorker)
	const holeBytes = 200
	for _, r := range synthTails(t, 0) {
		tr := r.trace(t)
		whole := tr.decode(t)
		if whole.totals.Instructions == 0 {
			continue
		}
		t.Run(tr.name, func(t *testing.T) {
			segments, rows, touched := 0, 0, 0
			for hole := r.code.Address; int(hole-r.code.Address) < len(r.code.Code); hole += 5 * holeBytes {
				before, after := hole-r.code.Address, min(len(r.code.Code), int(hole-r.code.Address)+holeBytes)
				holed := *tr
				holed.memory = image.New(
					image.Region{Address: r.code.Address, Bytes: r.code.Code[:before]},
					image.Region{Address: r.code.Address + schema.Address(after), Bytes: r.code.Code[after:]})
				got := holed.decode(t)
				got.checkAccounts(t, len(tr.data))
				in := whole.executesIn(hole, hole+holeBytes)
				for k := range whole.rows(&schema.Segments) {
					if in[int64(k)] {
						touched++
						continue
					}
					segments++
					rows += sameSegments(t, segmentRange{whole, k, k + 1}, segmentRange{got, k, k + 1}, tr.protocol.TimestampCode(), same, otherPast)
				}
				if stops := got.count(&schema.Events, "event", uint8(schema.EventUnmapped)); (stops > 0) != (len(in) > 0) {
					t.Errorf("%d segments execute what is missing, but %d stops", len(in), stops)
				}
				if t.Failed() {
					t.Fatalf("without 0x%x to 0x%x", hole, hole+holeBytes)
				}
			}
			if segments == 0 || touched == 0 {
				t.Errorf("%d segments compared, %d touched", segments, touched)
			}
			t.Logf("%d rows of %d segments compared; %d are touched", rows, segments, touched)
		})
	}
}

// executesIn returns the segments with instructions any byte of which lies in a
// range of addresses.
func (d *decodedTables) executesIn(from, to schema.Address) map[int64]bool {
	in := map[int64]bool{}
	segment, size := d.column(&schema.Instructions, "segment"), d.integers(&schema.Instructions, "size")
	for i, address := range d.integers(&schema.Instructions, "address") {
		if address < int64(to) && address+size[i] > int64(from) {
			in[integer(segment, i)] = true
		}
	}
	return in
}

// count counts the rows of a table with a value of an enum.
func (d *decodedTables) count(table *schema.Table, column string, value uint8) (n int) {
	for _, v := range d.column(table, column).U8 {
		if v == value {
			n++
		}
	}
	return n
}

// With a program other than the one that ran, the accounts are unchanged, and the
// dataset reports a contradiction.
func TestWrongProgram(t *testing.T) {
	need.FullRun(t, oneWorker)
	for _, r := range synthTails(t, 0) {
		tr := r.trace(t)
		whole := tr.decode(t)
		if whole.totals.Instructions == 0 {
			continue
		}
		for _, moved := range []schema.Address{2, 4, 100, 1000} {
			wrong := *tr
			wrong.memory = image.New(image.Region{Address: r.code.Address + moved, Bytes: r.code.Code})
			got := wrong.decode(t)
			got.checkAccounts(t, len(tr.data))
			if got.totals.Segments != whole.totals.Segments || got.totals.BytesLost != whole.totals.BytesLost {
				t.Errorf("%s, moved by %d: totals %+v, want %+v", tr.name, moved, got.totals, whole.totals)
			}
			events := func(e schema.EventKind) int { return got.count(&schema.Events, "event", uint8(e)) }
			if events(schema.EventInconsistent) == 0 {
				t.Errorf("%s, moved by %d: nothing inconsistent", tr.name, moved)
			}
		}
	}
}
