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
	counts stitch.CountRows
}

// Add implements [stitch.CountSink].
func (t *countTable) Add(b stitch.Base, counts stitch.CountRows) error {
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
	return t.submit(Job{t.series, bytes, group})
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

// A countFiller fills a batch with counts. As long as none is NULL, their numbers are a
// byte each: see [schema.Stepped].
type countFiller struct {
	batch              *schema.Batch
	plain              bool // a number is NULL, so there are plain values
	seq, offset, cycle schema.Stepper
	cycles             *schema.Vector
}

func newCountFiller(batch *schema.Batch) countFiller {
	v := batch.Columns
	return countFiller{
		batch: batch, cycles: &v[schema.CycleCountsCycles],
		seq: schema.Stepper{Vector: &v[schema.CycleCountsSeq]}, offset: schema.Stepper{Vector: &v[schema.CycleCountsByteOffset]},
		cycle: schema.Stepper{Vector: &v[schema.CycleCountsCycle]},
	}
}

// fill appends rows of one span.
func (f *countFiller) fill(b *stitch.Base, s *schema.CountSpan, rows []schema.Count) {
	keys := b.Keys(schema.Key{Seq: s.Seq})
	epoch, start := b.At(s.Point)
	if !f.plain && (!start.OK || !s.Cycles.OK) {
		f.plain = true
		for _, v := range []*schema.Vector{f.seq.Vector, f.offset.Vector, f.cycle.Vector, f.cycles} {
			v.Expand()
		}
	}
	if f.plain {
		f.fillPlain(s, rows, keys.Seq, start)
	} else {
		f.fillBytes(s, rows, keys.Seq, start.V)
	}
	v, n := f.batch.Columns, len(rows)
	v[schema.CycleCountsSource].AppendRepeat(uint64(b.Source), false, n)
	appendRepeat(&v[schema.CycleCountsSegment], b.Segment, n)
	appendRepeat(&v[schema.CycleCountsEpoch], schema.Null[int32]{V: epoch, OK: !s.OutOfEpoch}, n)
	v[schema.CycleCountsLate].AppendRepeat(uint64(flag(s.Late)), false, n)
}

// fillBytes appends numbers of a byte each.
func (f *countFiller) fillBytes(s *schema.CountSpan, rows []schema.Count, first, start int64) {
	n := len(rows)
	x := &rows[0]
	f.seq.Begin(uint64(first + int64(x.Seq)))
	f.offset.Begin(uint64(x.Offset))
	f.cycle.Begin(uint64(start + int64(x.Cycle)))
	seqs, offsets := f.seq.Vector.Extend(schema.Stepped, n), f.offset.Vector.Extend(schema.Stepped, n)
	all, totals := f.cycles.Extend(schema.Narrow, n), f.cycle.Vector.Extend(schema.Stepped, n)
	kinds := extend(schema.CycleCountsKind.In(f.batch), n)
	for i := range rows {
		x = &rows[i]
		seqs[i] = f.seq.Step(uint64(first + int64(x.Seq)))
		offsets[i] = f.offset.Step(uint64(x.Offset))
		all[i] = f.cycles.Narrow(uint64(s.Cycles.V + int64(x.Cycles)))
		totals[i] = f.cycle.Step(uint64(start + int64(x.Cycle)))
		kinds[i] = uint8(x.Kind)
	}
}

// fillPlain appends numbers as they are.
func (f *countFiller) fillPlain(s *schema.CountSpan, rows []schema.Count, first int64, start schema.Null[int64]) {
	n, batch := len(rows), f.batch
	seq := extend(schema.CycleCountsSeq.In(batch), n)
	offset := extend(schema.CycleCountsByteOffset.In(batch), n)
	cycles := extend(schema.CycleCountsCycles.In(batch), n)
	cycle := extend(schema.CycleCountsCycle.In(batch), n)
	kind := extend(schema.CycleCountsKind.In(batch), n)
	for i := range rows {
		x := &rows[i]
		seq[i] = uint64(first + int64(x.Seq))
		offset[i] = uint64(x.Offset)
		cycles[i] = uint64(s.Cycles.V + int64(x.Cycles))
		cycle[i] = uint64(start.V + int64(x.Cycle))
		kind[i] = uint8(x.Kind)
	}
	repeatFlag(&f.cycles.Valid, s.Cycles.OK, n)
	repeatFlag(&f.cycle.Vector.Valid, start.OK, n)
}
