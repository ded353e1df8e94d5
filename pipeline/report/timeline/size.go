package timeline

import (
	"math"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A Size is how large timelines are.
type Size struct {
	Sources int   // that have an instruction in the window
	Slices  int64 // of all sources, in the window
	Longest int64 // ordinal after the last instruction of a source
}

// ReadSize returns how large the timelines of datasets are in a window. It fails with a
// [*dataset.Error] if one has no `calls`.
func ReadSize(dirs []string, test string, w Window, calls Calls) (*Size, error) {
	size := &Size{}
	return size, read.EachSource(dirs, test, &schema.Calls, func(d *dataset.Dataset, s *schema.SourceTotals) error {
		_, end := d.Manifest.Seqs(s)
		size.Longest = max(size.Longest, end)
		if end <= w.From {
			return nil
		}
		size.Sources++
		count := func(d *dataset.Dataset, s *schema.SourceTotals) error {
			n, err := countSlices(d, s, w)
			size.Slices += n
			return err
		}
		if calls == nil || s.CallsAtLeast == 0 || w != Everything {
			return calls.with(d, s, w, count)
		}
		t, err := stacks.Read(d, s.Source, math.MaxInt32) // says how many calls there are
		if err != nil {
			return err
		}
		size.Slices -= d.RowsOf(&schema.Calls, s.Source) // which are among them
		for i := range t.Nodes {
			if n := &t.Nodes[i]; n.IsCall() {
				size.Slices += n.Calls
			}
		}
		return count(d, s)
	})
}

// countSlices counts the slices of a source in a window.
func countSlices(d *dataset.Dataset, s *schema.SourceTotals, w Window) (n int64, err error) {
	if w == Everything {
		for _, t := range []*schema.Table{&schema.Calls, &schema.ExceptionSpans, &schema.Events, &schema.Losses} {
			n += d.RowsOf(t, s.Source)
		}
		return n, nil
	}
	count := func(table *schema.Table, inside func(b *schema.Batch, row int) bool) {
		if err == nil {
			err = read.EachBatch(d, table, s.Source, func(b *schema.Batch) error {
				for row := range b.Rows() {
					if inside(b, row) {
						n++
					}
				}
				return nil
			})
		}
	}
	spans := func(seq, end schema.IndexU64) func(b *schema.Batch, row int) bool {
		return func(b *schema.Batch, row int) bool {
			from, until := int64(seq.At(b, row)), int64(end.At(b, row))
			return from < w.Until && (from >= w.From || b.Columns[end].Null(row) || until > w.From)
		}
	}
	marks := func(seq schema.IndexU64) func(b *schema.Batch, row int) bool {
		return func(b *schema.Batch, row int) bool {
			at := int64(seq.At(b, row))
			return w.From <= at && at < w.Until
		}
	}
	count(&schema.Calls, spans(schema.CallsSeq, schema.CallsEndSeq))
	count(&schema.ExceptionSpans, spans(schema.ExceptionSpansSeq, schema.ExceptionSpansEndSeq))
	count(&schema.Events, marks(schema.EventsSeq))
	count(&schema.Losses, marks(schema.LossesSeq))
	return n, err
}
