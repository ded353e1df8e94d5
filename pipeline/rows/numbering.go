package rows

import (
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// blockRuns are the rows of `block_runs` of a source. They are numbered where row
// groups of `blocks` are filled: in parallel, but each row group has its turn after the
// one before.
type blockRuns struct {
	source  uint8
	numbers map[way]uint32
	rows    []way // by number
	last    *numbering
}

// A numbering is the turn of a row group; nil is that of one that numbers nothing.
type numbering struct {
	of     *blockRuns
	before *numbering // its turn comes first
	begun  bool
	done   chan struct{}
}

// next returns the turn of the next row group.
func (b *blockRuns) next() *numbering {
	if b == nil {
		return nil
	}
	n := &numbering{of: b, before: b.last, done: make(chan struct{})}
	b.last = n
	return n
}

// begin waits for the turn. Those before were given to workers earlier, and each ends
// its turn, whatever becomes of it.
func (n *numbering) begin() {
	if !n.begun && n.before != nil {
		<-n.before.done
	}
	n.begun, n.before = true, nil
}

// end ends the turn.
func (n *numbering) end() {
	if n == nil {
		return
	}
	n.begin()
	close(n.done)
}

// number appends the numbers of the ways of shapes in the source, new ones in their order.
func (n *numbering) number(dst []uint64, list []shape) []uint64 {
	n.begin()
	b := n.of
	for i := range list {
		w := list[i].way
		i, ok := b.numbers[w]
		if !ok {
			i = uint32(len(b.rows))
			b.numbers[w] = i
			b.rows = append(b.rows, w)
		}
		dst = append(dst, uint64(i))
	}
	return dst
}

// A blockRunTable makes a row group of `block_runs` after all those of `blocks`.
type blockRunTable struct {
	series *dataset.Series
	submit func(Job) error
	rows   *blockRuns
}

// flush implements flusher.
func (t *blockRunTable) flush() error {
	if t.rows.last == nil {
		return nil
	}
	g := &blockRunGroup{t.rows, t.rows.next()}
	t.rows.last = nil
	return t.submit(Job{Series: t.series, group: g})
}

// A blockRunGroup is the row group of `block_runs`. It is filled from what row groups
// of `blocks` have found by then.
type blockRunGroup struct {
	rows *blockRuns
	turn *numbering
}

// fill implements group.
func (g *blockRunGroup) fill(batch *schema.Batch, emit func() error) error {
	defer g.turn.end()
	g.turn.begin()
	for i, w := range g.rows.rows {
		schema.AppendBlockRuns(batch, g.rows.source, int32(i), int32(w.block()), w.first(), uint16(w.instructions()),
			w.outcome())
		if (i+1)%batch.Limit == 0 {
			if err := emit(); err != nil {
				return err
			}
		}
	}
	return emit()
}
