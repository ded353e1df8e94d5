package last

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

// readMarks reads what happened after an instruction and before another, which a point is before.
func readMarks(d *dataset.Dataset, source uint8, first, before int64) ([]Mark, error) {
	var marks []Mark
	for _, t := range []*schema.Table{&schema.Losses, &schema.Events, &schema.Exceptions} {
		if !d.Has(t) {
			continue
		}
		err := eachFrom(d, source, ordered{t, schema.KeySeq}, first+1, func(b *schema.Batch, row int) bool {
			x := Mark{
				Seq: int64(b.Columns[schema.KeySeq].U64[row]), Table: t.Name, What: markText(b, row),
				offset: int64(b.Columns[schema.KeyByteOffset].U64[row]),
			}
			if x.Seq > first && x.Seq <= before {
				marks = append(marks, x)
			}
			return x.Seq <= before
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(marks, func(x, y Mark) int {
		return cmp.Or(cmp.Compare(x.Seq, y.Seq), cmp.Compare(x.offset, y.offset))
	})
	return marks, nil
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
