package report

import (
	"cmp"
	"slices"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A Mark is something other than an instruction: an exception, an event, a loss.
type Mark struct {
	Seq   int64  // of the instruction after it
	Table string // that has the row
	What  string // in words of that table

	offset int64
}

// readMarks reads what happened between the instructions, and from the last one to the point.
func (l *Last) readMarks(d *dataset.Dataset) error {
	first := l.Rows[0].Seq
	for _, t := range []*schema.Table{&schema.Losses, &schema.Events, &schema.Exceptions} {
		if !d.Has(t) {
			continue
		}
		err := eachFrom(d, l.Source, ordered{t, schema.KeySeq}, first+1, func(b *schema.Batch, row int) bool {
			x := Mark{
				Seq: int64(b.Columns[schema.KeySeq].U64[row]), Table: t.Name, What: markText(b, row),
				offset: int64(b.Columns[schema.KeyByteOffset].U64[row]),
			}
			if x.Seq > first && x.Seq <= l.Before {
				l.Marks = append(l.Marks, x)
			}
			return x.Seq <= l.Before
		})
		if err != nil {
			return err
		}
	}
	slices.SortStableFunc(l.Marks, func(x,
		y Mark,
	) int {
		return cmp.Or(cmp.Compare(x.Seq, y.Seq), cmp.Compare(x.offset, y.offset))
	})
	return nil
}

// markText says what a row of `losses`, `events` or `exceptions` is.
func markText(b *schema.Batch, row int) string {
	switch b.Table {
	case &schema.Losses:
		return schema.LossReason(schema.LossesReason.At(b, row)).String()
	case &schema.Events:
		return schema.EventKind(schema.EventsEvent.At(b, row)).String()
	}
	x := exceptionAt(b, row)
	return x.String()
}

// String is type and number of an entry, or "return".
func (x *Exception) String() string {
	if x.Event == schema.ExceptionReturn {
		return schema.ExceptionEventNames[schema.ExceptionReturn]
	}
	return x.Exception.String()
}
