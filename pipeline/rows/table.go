package rows

import (
	"github.com/tracelake/tracelake/pipeline/stacks"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A table collects rows of one kind and cuts them into row-group jobs: where they
// take up rowGroupBytes, so by the rows alone.
type table[T any] struct {
	series *dataset.Series
	submit func(Job) error
	write  func(batch *schema.Batch, b *stitch.Base, x *T)

	group rowGroup[T]
	bytes int64
}

// A rowGroup is a row group of any table but those of runs.
type rowGroup[T any] struct {
	pieces []piece[T]
	write  func(batch *schema.Batch, b *stitch.Base, x *T)
}

// A piece is some rows of a segment and what they are relative to.
type piece[T any] struct {
	base stitch.Base
	rows []T
}

// Add implements [stitch.Sink].
func (t *table[T]) Add(b stitch.Base, rows []T) error {
	for len(rows) > 0 {
		if n := len(t.group.pieces); n == 0 || t.group.pieces[n-1].base.Segment != b.Segment {
			t.bytes += pieceBytes
		}
		n := t.take(rows)
		t.group.pieces = append(t.group.pieces, piece[T]{b, rows[:n]})
		rows = rows[n:]
		if t.bytes >= rowGroupBytes {
			if err := t.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// take counts the rows that still go into the row group, and returns how many.
func (t *table[T]) take(rows []T) int {
	n := 0
	for n < len(rows) && (n == 0 || t.bytes < rowGroupBytes) {
		t.bytes += rowBytes + int64(moreBytes(&rows[n]))
		n++
	}
	return n
}

// moreBytes returns the bytes that a row takes beyond those of most: of text and data that it refers to.
func moreBytes[T any](row *T) int {
	switch x := any(row).(type) {
	case *stacks.Stack:
		return rowBytes // it has many columns
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
	if len(t.group.pieces) == 0 {
		return nil
	}
	group, bytes := t.group, t.bytes
	group.write = t.write
	t.group, t.bytes = rowGroup[T]{pieces: make([]piece[T], 0, len(group.pieces))}, 0 // the next one is alike
	return t.submit(Job{Series: t.series, Bytes: bytes, group: &group})
}

// fill implements group.
func (g *rowGroup[T]) fill(batch *schema.Batch, emit func() error) error {
	n := 0
	for i := range g.pieces {
		n += len(g.pieces[i].rows)
	}
	batch.Grow(min(n, batch.Limit))
	n = 0
	for i := range g.pieces {
		p := &g.pieces[i]
		for j := range p.rows {
			g.write(batch, &p.base, &p.rows[j])
			if n++; n%batch.Limit == 0 {
				if err := emit(); err != nil {
					return err
				}
			}
		}
	}
	return emit()
}

// A runTable collects runs and cuts them into row-group jobs: by the ordinal of
// their rows, or earlier where they take up runGroupBytes.
type runTable struct {
	series *dataset.Series
	submit func(Job) error
	limit  *Limit
	form   form

	pieces []runs
	rows   int64
	bytes  int64

	ways *blockRuns // nil but for `blocks`
	// Of the unit of the last runs, nil if none waits: its first so many blocks have no more
	// instructions than a row of `blocks`.
	short struct {
		unit   any
		blocks int
	}
}

// A runGroup is a row group of `instructions` or of `blocks`.
type runGroup struct {
	pieces []runs
	rows   int64
	form   form
	turn   *numbering
}

// Add implements [stitch.RunSink].
func (t *runTable) Add(of stitch.Runs) error {
	if t.ways != nil {
		t.ways.source = of.Base.Source
	}
	r := runs{Runs: of, rows: t.form.count(&of, t.ways != nil && t.areShort(&of))}
	if err := t.limit.take(r.rows); err != nil {
		return err
	}
	limit := int64(t.series.Table.RowGroupRows())
	for r.rows > 0 {
		if n := len(t.pieces); n == 0 || t.pieces[n-1].Base.Segment != r.Base.Segment {
			t.bytes += runPieceBytes
		}
		head := r
		head.rows = t.take(&r, limit-t.rows)
		head.Unit.Retain()
		t.pieces = append(t.pieces, head)
		r.advance(head.rows, t.form.perRow)
		if t.rows == limit || t.bytes >= runGroupBytes {
			if err := t.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// areShort says whether no run can have more instructions than a row of `blocks`, because
// no block has: units have far more runs than blocks.
func (t *runTable) areShort(of *stitch.Runs) bool {
	if of.From == of.To {
		return true
	}
	if t.short.unit != of.Unit {
		t.short.unit, t.short.blocks = of.Unit, 0
	}
	for t.short.blocks < of.Blocks && len(of.Unit.Blocks[t.short.blocks].Address) <= schema.MaxBlockRow {
		t.short.blocks++
	}
	return t.short.blocks >= of.Blocks
}

// take counts the first rows of r that still go into the row group, at most room,
// and returns how many. A run counts where its first row is.
func (t *runTable) take(r *runs, room int64) int64 {
	if whole := r.bytes(); r.rows <= room && r.skip == 0 && t.bytes+whole < runGroupBytes {
		t.bytes += whole
		t.rows += r.rows
		return r.rows
	}
	rows, skip, perRow := int64(0), r.skip, t.form.perRow
	for i := r.From; i < r.To && rows < room && (rows == 0 || t.bytes < runGroupBytes); i++ {
		run := &r.Unit.Runs[i]
		if skip == 0 {
			t.bytes += runBytes
			if run.Flags&schema.RunHasCosts != 0 {
				t.bytes += costBytes * int64(run.Count)
			}
			if run.Flags&schema.RunHasOffsets != 0 {
				t.bytes += costBytes * int64(run.Count)
			}
		}
		rows += rowCount(int64(run.Count)-int64(skip), perRow)
		skip = 0
	}
	rows = min(rows, room)
	t.rows += rows
	return rows
}

// flush submits the runs collected so far as a row group.
func (t *runTable) flush() error {
	if t.rows == 0 {
		return nil
	}
	j := Job{Series: t.series, Bytes: t.bytes, group: &runGroup{t.pieces, t.rows, t.form, t.ways.next()}}
	t.pieces, t.rows, t.bytes = make([]runs, 0, len(t.pieces)), 0, 0 // the next one is alike
	t.short.unit = nil                                               // it may be recycled now
	return t.submit(j)
}

// fill implements group.
func (g *runGroup) fill(batch *schema.Batch, emit func() error) error {
	f, ended := g.form.filler(), false
	defer func() {
		if !ended {
			g.turn.end()
		}
	}()
	room := batch.Limit
	for i := range g.pieces {
		for r := &g.pieces[i]; r.rows > 0; {
			n := f.fill(r, batch, room)
			r.rows -= int64(n)
			g.rows -= int64(n)
			if room -= n; room > 0 && g.rows > 0 {
				continue
			}
			f.finish(batch, g.turn)
			if ended = g.rows == 0; ended {
				g.turn.end() // before the last batch is encoded, which takes longest
			}
			if err := emit(); err != nil {
				return err
			}
			room = batch.Limit
		}
	}
	for i := range g.pieces {
		g.pieces[i].Unit.Release() // batches may refer to runs until they are emitted
	}
	return nil
}
