package dataset

import (
	"iter"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/arrowfile"
)

// Records reads the rows of a table as record batches of Arrow, of all sources in order, whatever
// the format of the files: at most [schema.BatchRows] rows each, with a field for each column
// (docs/tables.md), whose metadata has `description` and `unit`. Of a dataset at level blocks,
// those of [schema.Instructions] are made of `blocks`, as by [Dataset.Expand]. A table that the dataset does not have
// has no rows.
//
// A record is the caller's, who may release it. After an error there are no more; one for files is
// an [*Error].
func (d *Dataset) Records(t *schema.Table) iter.Seq2[arrow.Record, error] {
	return func(yield func(arrow.Record, error) bool) {
		records := arrowfile.NewRecords(t)
		for b, err := range d.rows(t) {
			var r arrow.Record
			if err == nil {
				r, err = records.Record(b)
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// rows reads the rows of a table, and instructions also from `blocks`.
func (d *Dataset) rows(t *schema.Table) iter.Seq2[*schema.Batch, error] {
	if t != &schema.Instructions || d.Has(t) {
		return d.Batches(t)
	}
	return func(yield func(*schema.Batch, error) bool) {
		for _, source := range d.Sources(&schema.Blocks) {
			x, err := d.Expand(source)
			if err != nil {
				yield(nil, err)
				return
			}
			if !each(x, yield) {
				return
			}
		}
	}
}
