package rows

import (
	"github.com/tracelake/tracelake/pipeline/stacks"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// A segmentTable has rows of `segments` wait for the node that their first instruction is executed in:
// stacks know it when the stretch ends that it is of.
type segmentTable struct {
	to      stitch.Sink[schema.Segment]
	waiting []segmentRow
	heads   []stacks.Head // known so far, of those that wait and of those to come
}

type segmentRow struct {
	base stitch.Base
	row  schema.Segment
}

// Add implements [stitch.Sink].
func (t *segmentTable) Add(b stitch.Base, rows []schema.Segment) error {
	for i := range rows {
		t.waiting = append(t.waiting, segmentRow{b, rows[i]})
	}
	return t.pass(false)
}

// addHeads takes nodes, by their segments. Segments that executed nothing have none.
func (t *segmentTable) addHeads(heads []stacks.Head) error {
	t.heads = append(t.heads, heads...)
	return t.pass(false)
}

// pass hands on the rows that wait for nothing any more: all, if no nodes come after this.
func (t *segmentTable) pass(all bool) error {
	for len(t.waiting) > 0 {
		x := &t.waiting[0]
		for len(t.heads) > 0 && t.heads[0].Segment < x.base.Segment.V {
			t.heads = t.heads[1:]
		}
		switch {
		case len(t.heads) > 0 && t.heads[0].Segment == x.base.Segment.V:
			x.row.Stack = schema.Of(t.heads[0].Stack)
		case len(t.heads) == 0 && !all && x.row.Instructions > 0:
			return nil
		}
		if err := t.to.Add(x.base, []schema.Segment{x.row}); err != nil {
			return err
		}
		t.waiting = t.waiting[1:]
	}
	return nil
}
