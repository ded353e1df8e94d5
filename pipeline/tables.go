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

// A job is a row group to be encoded.
type job struct {
	series *dataset.Series
	rowGroup
	bytes int64 // about what the rows take up until then
}

// A rowGroup has the rows of a row group, not yet expanded.
type rowGroup interface {
	// fill passes the rows on, batch by batch.
	fill(batch *schema.Batch, emit func() error) error
}

// About what waits for its row group takes up, in bytes. It decides where row
// groups end, so it is the same on every machine.
const (
	pieceBytes    = 128 // of the rows of one segment
	runPieceBytes = 256 // of its runs
	rowBytes      = 80
	runBytes      = 40
	costBytes     = 4
)

// A table collects rows of one kind and cuts them into row-group jobs: by
// ordinal, or earlier where they take up more than rowGroupBytes.
type table[T any] struct {
	series *dataset.Series
	submit func(job) error
	write  func(batch *schema.Batch, b *base, x *T)

	group tableRows[T]
	rows  int
	bytes int64
}

// tableRows are the rows of a row group of any table but those of runs.
type tableRows[T any] struct {
	pieces []piece[T]
	write  func(batch *schema.Batch, b *base, x *T)
}

// A piece is some rows of a segment and what they are relative to.
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
		if n := len(t.group.pieces); n == 0 || t.group.pieces[n-1].base.segment != b.segment {
			t.bytes += pieceBytes
		}
		n := t.take(rows)
		t.group.pieces = append(t.group.pieces, piece[T]{b, rows[:n]})
		rows = rows[n:]
		if t.rows == t.series.Table.RowGroupRows() || t.bytes >= rowGroupBytes {
			if err := t.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// take counts the rows that still go into the row group, and returns how many.
func (t *table[T]) take(rows []T) int {
	room := t.series.Table.RowGroupRows() - t.rows
	n := 0
	for n < min(len(rows), room) && (n == 0 || t.bytes < rowGroupBytes) {
		t.bytes += rowBytes + int64(textBytes(&rows[n]))
		n++
	}
	t.rows += n
	return n
}

// textBytes returns the bytes of text and data that a row refers to.
func textBytes[T any](row *T) int {
	switch x := any(row).(type) {
	case *schema.Event:
		return len(x.Detail)
	case *schema.Loss:
		return len(x.Detail)
	case *schema.Packet:
		return len(x.Bytes) + len(x.Fields)
	}
	return 0
}

// flush submits the rows collected so far as a row group.
func (t *table[T]) flush() error {
	if t == nil || t.rows == 0 {
		return nil
	}
	group, bytes := t.group, t.bytes
	group.write = t.write
	t.group, t.rows, t.bytes = tableRows[T]{}, 0, 0
	return t.submit(job{t.series, &group, bytes})
}

// fill implements rowGroup.
func (g *tableRows[T]) fill(batch *schema.Batch, emit func() error) error {
	n := 0
	for i := range g.pieces {
		p := &g.pieces[i]
		for j := range p.rows {
			g.write(batch, &p.base, &p.rows[j])
			if n++; n%schema.BatchRows == 0 {
				if err := emit(); err != nil {
					return err
				}
			}
		}
	}
	return emit()
}

// A runTable collects runs and cuts them into row-group jobs, as a table does.
type runTable struct {
	series *dataset.Series
	submit func(job) error
	limit  *rowLimit
	blocks bool // rows of `blocks`, else of `instructions`

	pieces []runs
	rows   int64
	bytes  int64
}

// runRows are the rows of a row group of `instructions` or of `blocks`.
type runRows struct {
	pieces []runs
	blocks bool
}

func (t *runTable) add(r runs) error {
	if t == nil {
		return nil
	}
	if t.blocks {
		r.rows = r.blockRows()
	}
	if err := t.limit.take(r.rows); err != nil {
		return err
	}
	limit := int64(t.series.Table.RowGroupRows())
	for r.rows > 0 {
		if n := len(t.pieces); n == 0 || t.pieces[n-1].base.segment != r.base.segment {
			t.bytes += runPieceBytes
		}
		head := r
		head.rows = t.take(&r, limit-t.rows)
		t.pieces = append(t.pieces, head)
		r.advance(head.rows, t.blocks)
		if t.rows == limit || t.bytes >= runGroupBytes {
			if err := t.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// take counts the first rows of r that still go into the row group, at most room,
// and returns how many. A run counts where its first row is.
func (t *runTable) take(r *runs, room int64) int64 {
	if whole := r.bytes(); r.rows <= room && r.skip == 0 && t.bytes+whole < runGroupBytes {
		t.bytes += whole
		t.rows += r.rows
		return r.rows
	}
	rows, skip := int64(0), r.skip
	for i := r.from; i < r.to && rows < room && (rows == 0 || t.bytes < runGroupBytes); i++ {
		run := &r.unit.Runs[i]
		if skip == 0 {
			t.bytes += runBytes
			if run.Flags&schema.RunHasCosts != 0 {
				t.bytes += costBytes * int64(run.Count)
			}
		}
		rows += rowCount(int64(run.Count)-int64(skip), t.blocks)
		skip = 0
	}
	rows = min(rows, room)
	t.rows += rows
	return rows
}

// flush submits the runs collected so far as a row group.
func (t *runTable) flush() error {
	if t == nil || t.rows == 0 {
		return nil
	}
	j := job{t.series, &runRows{t.pieces, t.blocks}, t.bytes}
	t.pieces, t.rows, t.bytes = nil, 0, 0
	return t.submit(j)
}

// fill implements rowGroup.
func (g *runRows) fill(batch *schema.Batch, emit func() error) error {
	fill := (*runs).fillInstructions
	if g.blocks {
		fill = (*runs).fillBlocks
	}
	room := schema.BatchRows
	for i := range g.pieces {
		for r := &g.pieces[i]; r.rows > 0; {
			n := fill(r, batch, room)
			r.rows -= int64(n)
			if room -= n; room == 0 {
				if err := emit(); err != nil {
					return err
				}
				room = schema.BatchRows
			}
		}
	}
	return emit()
}
