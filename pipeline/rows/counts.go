package rows

import (
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// What waits for a row group of `cycle_counts` takes up, in bytes, and where one ends: rows
// of runs wait beside it.
const (
	countBytes      = 24
	countSpanBytes  = 80
	countGroupBytes = 8 << 20
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

// countTable returns the table `cycle_counts`, nil if it is not wanted.
func (t *Tables) countTable() *countTable {
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
	counts stitch.CountRows
}

// add takes the next rows.
func (t *countTable) add(b stitch.Base, counts stitch.CountRows) error {
	for len(counts.Rows) > 0 {
		if n := len(t.group); n == 0 || t.group[n-1].base.Segment != b.Segment {
			t.bytes += pieceBytes
		}
		perRow := countBytes + countSpanBytes*int64(len(counts.Spans))/int64(len(counts.Rows))
		n := min(len(counts.Rows), 1+int(max(countGroupBytes-1-t.bytes, 0)/perRow))
		t.bytes += perRow * int64(n)
		cut, end := counts.Base+n, counts.Base+len(counts.Rows)
		counts.Retain()
		t.group = append(t.group, countPiece{b, counts.Slice(counts.Base, cut)})
		counts = counts.Slice(cut, end)
		if t.bytes >= countGroupBytes {
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
	return t.submit(Job{Series: t.series, Bytes: bytes, group: group})
}

// fill implements group.
func (g countGroup) fill(batch *schema.Batch, emit func() error) error {
	f := newCountFiller(batch)
	room := batch.Limit
	for i := range g {
		b, counts := &g[i].base, &g[i].counts
		for s, rows := range counts.Each {
			for len(rows) > 0 {
				n := min(room, len(rows))
				f.fill(b, s, rows[:n])
				rows = rows[n:]
				if room -= n; room > 0 {
					continue
				}
				if err := emit(); err != nil {
					return err
				}
				f = newCountFiller(batch)
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

// A countFiller fills a batch with counts, whose numbers are a byte each: see
// [schema.Narrow].
type countFiller struct {
	batch              *schema.Batch
	rows               int
	seq, offset, cycle schema.Stepper
	cycles             *schema.Vector
}

func newCountFiller(batch *schema.Batch) countFiller {
	v := batch.Columns
	return countFiller{
		batch: batch, cycles: &v[schema.CycleCountsCycles],
		seq:    schema.Stepper{Vector: &v[schema.CycleCountsSeq]},
		offset: schema.Stepper{Vector: &v[schema.CycleCountsByteOffset]},
		cycle:  schema.Stepper{Vector: &v[schema.CycleCountsCycle]},
	}
}

// fill appends rows of one span.
func (f *countFiller) fill(b *stitch.Base, s *schema.CountSpan, rows []schema.Count) {
	keys := b.Keys(schema.Key{Seq: s.Seq})
	epoch, start := b.At(s.Point)
	f.fillPlaces(keys.Seq, rows)
	if f.marked(f.cycles, s.Cycles.OK, len(rows)) {
		all := f.cycles.Extend(len(rows))
		for i := range rows {
			all[i] = f.cycles.Narrow(uint64(s.Cycles.V + int64(rows[i].Cycles)))
		}
	}
	if f.marked(f.cycle.Vector, start.OK, len(rows)) {
		f.cycle.Begin(uint64(start.V + int64(rows[0].Cycle)))
		totals := f.cycle.Vector.Extend(len(rows))
		for i := range rows {
			totals[i] = f.cycle.Step(uint64(start.V + int64(rows[i].Cycle)))
		}
	}
	v, n := f.batch.Columns, len(rows)
	v[schema.CycleCountsSource].AppendRepeat(uint64(b.Source), false, n)
	appendRepeat(&v[schema.CycleCountsSegment], b.Segment, n)
	appendRepeat(&v[schema.CycleCountsEpoch], schema.Null[int32]{V: epoch, OK: !s.OutOfEpoch}, n)
	v[schema.CycleCountsLate].AppendRepeat(uint64(flag(s.Late)), false, n)
	f.rows += n
}

// fillPlaces appends where rows are, and their kind.
func (f *countFiller) fillPlaces(first int64, rows []schema.Count) {
	f.seq.Begin(uint64(first + int64(rows[0].Seq)))
	f.offset.Begin(uint64(rows[0].Offset))
	n := len(rows)
	seqs, offsets := f.seq.Vector.Extend(n), f.offset.Vector.Extend(n)
	kinds := extend(schema.CycleCountsKind.In(f.batch), n)
	for i := range rows {
		x := &rows[i]
		seqs[i], offsets[i], kinds[i] = f.seq.Step(uint64(first+int64(x.Seq))), f.offset.Step(uint64(x.Offset)), uint8(x.Kind)
	}
}

// marked marks whether the next n rows have a value in a column, and returns that. As long as
// all rows have one, there are no marks.
func (f *countFiller) marked(v *schema.Vector, ok bool, n int) bool {
	switch {
	case !ok:
		if v.Marks.N == 0 {
			mark(v, 0, f.rows)
		}
		v.Encoding = schema.Narrow
		v.Marks.Pad(f.rows + n)
	case v.Marks.N > 0:
		mark(v, f.rows, n)
	}
	return ok
}
