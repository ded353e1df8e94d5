package rows

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// What waits for a row group of `cycle_counts` takes up, in bytes.
const (
	countBytes     = 24
	countSpanBytes = 80
)

// A countTable collects rows of `cycle_counts` and cuts them into row-group jobs, as
// [table] does. Cycle-accurate trace has one for each packet: they wait as the decoder
// wrote them, and become columns span by span.
type countTable struct {
	series *dataset.Series
	submit func(Job) error

	group countGroup
	bytes int64
}

// countSink returns the sink of `cycle_counts`, nil if the table is not wanted.
func (t *Tables) countSink() stitch.CountSink {
	series := t.out.Series(&schema.CycleCounts)
	if series == nil {
		return nil
	}
	s := &countTable{series: series, submit: t.out.Submit}
	t.open = append(t.open, s)
	return s
}

// A countGroup is a row group of `cycle_counts`.
type countGroup []countPiece

// A countPiece is some counts of a segment and what they are relative to.
type countPiece struct {
	base   stitch.Base
	counts decode.CountRows
}

// Add implements [stitch.CountSink].
func (t *countTable) Add(b stitch.Base, counts decode.CountRows) error {
	for len(counts.Rows) > 0 {
		if n := len(t.group); n == 0 || t.group[n-1].base.Segment != b.Segment {
			t.bytes += pieceBytes
		}
		t.bytes += countSpanBytes * int64(len(counts.Spans))
		n := min(len(counts.Rows), 1+int(max(rowGroupBytes-1-t.bytes, 0)/countBytes))
		t.bytes += countBytes * int64(n)
		cut, end := counts.Base+n, counts.Base+len(counts.Rows)
		counts.Retain()
		t.group = append(t.group, countPiece{b, counts.Slice(counts.Base, cut)})
		counts = counts.Slice(cut, end)
		if t.bytes >= rowGroupBytes {
			if err := t.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush submits the rows collected so far as a row group.
func (t *countTable) flush() error {
	if len(t.group) == 0 {
		return nil
	}
	group, bytes := t.group, t.bytes
	t.group, t.bytes = nil, 0
	return t.submit(Job{t.series, bytes, group})
}

// fill implements group.
func (g countGroup) fill(batch *schema.Batch, emit func() error) error {
	room := batch.Limit
	for i := range g {
		b, counts := &g[i].base, &g[i].counts
		for s, rows := range counts.Each {
			for len(rows) > 0 {
				n := min(room, len(rows))
				fillCounts(batch, b, s, rows[:n])
				rows = rows[n:]
				if room -= n; room > 0 {
					continue
				}
				if err := emit(); err != nil {
					return err
				}
				room = batch.Limit
			}
		}
	}
	if err := emit(); err != nil {
		return err
	}
	for i := range g {
		g[i].counts.Release()
	}
	return nil
}

// fillCounts appends rows of one span to batch.
func fillCounts(batch *schema.Batch, b *stitch.Base, s *schema.CountSpan, rows []schema.Count) {
	v, n := batch.Columns, len(rows)
	keys := b.Keys(schema.Key{Seq: s.Seq})
	epoch, start := b.At(s.Point)
	seq := extend(schema.CycleCountsSeq.In(batch), n)
	offset := extend(schema.CycleCountsByteOffset.In(batch), n)
	cycles := extend(schema.CycleCountsCycles.In(batch), n)
	cycle := extend(schema.CycleCountsCycle.In(batch), n)
	kind := extend(schema.CycleCountsKind.In(batch), n)
	for i := range rows {
		x := &rows[i]
		seq[i] = uint64(keys.Seq + int64(x.Seq))
		offset[i] = uint64(x.Offset)
		cycles[i] = uint64(s.Cycles.V + int64(x.Cycles))
		cycle[i] = uint64(start.V + int64(x.Cycle))
		kind[i] = uint8(x.Kind)
	}
	v[schema.CycleCountsSource].AppendRepeat(uint64(b.Source), false, n)
	appendRepeat(&v[schema.CycleCountsSegment], b.Segment, n)
	appendRepeat(&v[schema.CycleCountsEpoch], schema.Null[int32]{V: epoch, OK: !s.OutOfEpoch}, n)
	repeatFlag(&v[schema.CycleCountsCycles].Valid, s.Cycles.OK, n)
	repeatFlag(&v[schema.CycleCountsCycle].Valid, start.OK, n)
	v[schema.CycleCountsLate].AppendRepeat(uint64(flag(s.Late)), false, n)
}
