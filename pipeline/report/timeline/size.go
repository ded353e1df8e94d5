package timeline

import (
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A Size is how large timelines are.
type Size struct {
	Sources int   // that have an instruction in the window
	Slices  int64 // of all sources, in the window
	LeftOut int64 // calls that the datasets have no rows of
	Longest int64 // instructions of a source
}

// ReadSize returns how large the timelines of datasets are in a window. It fails with a
// [*dataset.Error] if one has no `calls`.
func ReadSize(dirs []string, test string, w Window) (*Size, error) {
	size := &Size{}
	return size, read.EachSource(dirs, test, &schema.Calls, func(d *dataset.Dataset, s *schema.SourceTotals) error {
		size.LeftOut += s.CallsLeftOut
		size.Longest = max(size.Longest, s.Instructions)
		if s.Instructions <= w.From {
			return nil
		}
		size.Sources++
		n, err := countSlices(d, s, w)
		size.Slices += n
		return err
	})
}

// countSlices counts the slices of a source in a window.
func countSlices(d *dataset.Dataset, s *schema.SourceTotals, w Window) (n int64, err error) {
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
