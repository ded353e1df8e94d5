package pipeline

import (
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// tables are the tables of one source, while they are being filled. A table
// that is not wanted is nil and drops what it is given.
type tables struct {
	runs       *runTable // `instructions` or `blocks`
	codeBlocks *table[codeBlock]
	exceptions *table[exceptionRow]
	counts     *table[schema.CycleCount]
	timestamps *table[schema.Timestamp]
	contexts   *table[schema.Context]
	accesses   *table[schema.DataAccess]
	events     *table[schema.Event]
	losses     *table[schema.Loss]
	segments   *table[schema.Segment]
	packets    *table[schema.Packet]
}

// A job is a row group to be encoded: fill passes its rows on, batch by batch.
type job struct {
	series *dataset.Series
	fill   func(batch *schema.Batch, emit func() error) error
}

// A table collects rows of one kind and cuts them into row-group jobs by
// ordinal.
type table[T any] struct {
	series *dataset.Series
	submit func(job) error
	fill   func(batch *schema.Batch, b *base, x *T)
	pieces []piece[T]
	rows   int
}

// A piece is some rows of a segment and what they stand on.
type piece[T any] struct {
	base base
	rows []T
}

// add appends rows, which the table then owns.
func (t *table[T]) add(b base, rows []T) error {
	if t == nil {
		return nil
	}
	for len(rows) > 0 {
		n := min(len(rows), t.series.Table.RowGroupRows()-t.rows)
		t.pieces = append(t.pieces, piece[T]{b, rows[:n]})
		t.rows += n
		rows = rows[n:]
		if t.rows == t.series.Table.RowGroupRows() {
			if err := t.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush submits the rows collected so far as a row group.
func (t *table[T]) flush() error {
	if t == nil || t.rows == 0 {
		return nil
	}
	pieces := t.pieces
	t.pieces, t.rows = nil, 0
	return t.submit(job{series: t.series, fill: func(batch *schema.Batch, emit func() error) error {
		n := 0
		for i := range pieces {
			p := &pieces[i]
			for j := range p.rows {
				t.fill(batch, &p.base, &p.rows[j])
				if n++; n%schema.BatchRows == 0 {
					if err := emit(); err != nil {
						return err
					}
				}
			}
		}
		return emit()
	}})
}
