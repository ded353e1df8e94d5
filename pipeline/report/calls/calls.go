// Package calls says how long calls of functions took, and what call trees are of.
package calls

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A Table is how long calls of functions took, without exceptions and other tasks.
type Table struct {
	Calls   int64
	LeftOut int64 // calls that the datasets have no rows of
	Rows    []Row // those that took longest in all first
}

// A Row is the calls of a function. Recursion counts once, at the outermost call: in All, and in the
// sum of durations.
type Row struct {
	report.Name
	Calls   int64
	Unended int64       // whose return was not seen
	All     stacks.Work // what it took with all that it called, exceptions too, however that was entered or ended
	durations.Summary
}

// Read returns the calls in the datasets of m, which have to be those in dirs. It fails with
// a [*dataset.Error] if one has no `calls` or `stacks`.
func Read(m *report.Merged, dirs []string, test string) (*Table, error) {
	c := &Table{}
	index := map[report.Name]int{}
	err := read.EachSource(dirs, test, &schema.Calls, func(d *dataset.Dataset, s *schema.SourceTotals) error {
		if err := read.Need(d, &schema.Stacks); err != nil {
			return err
		}
		tree, err := ReadTree(m, d, s)
		if err != nil {
			return err
		}
		rows := c.rowsOf(tree, index)
		tree.Inclusive(func(node int32, all stacks.Work) { c.Rows[rows[node]].All.Add(all) })
		outermost := tree.Outermost()
		c.LeftOut += s.CallsLeftOut
		return read.EachBatch(d, &schema.Calls, s.Source,
			func(b *schema.Batch) error { return c.add(b, rows, outermost, d.Dir, s.Source) })
	})
	c.Rows = slices.DeleteFunc(c.Rows, func(r Row) bool { return r.Calls == 0 })
	for i := range c.Rows {
		c.Rows[i].Conclude()
	}
	slices.SortFunc(c.Rows, func(x, y Row) int {
		return cmp.Or(cmp.Compare(x.Unit, y.Unit), cmp.Compare(y.spent(), x.spent()), cmp.Compare(y.Sum, x.Sum),
			cmp.Compare(y.Calls, x.Calls), x.Compare(&y.Name))
	})
	return c, err
}

// spent is All in the unit of the durations.
func (r *Row) spent() int64 {
	if r.Unit == durations.InCycles {
		return r.All.Cycles.V
	}
	return r.All.Instructions
}

// rowsOf returns the row of each node, by the index of names. It adds rows that there are none of.
func (c *Table) rowsOf(tree *Tree, index map[report.Name]int) []int {
	rows := make([]int, len(tree.Nodes))
	for i := range tree.Nodes {
		name := tree.Name(int32(i))
		n, ok := index[name]
		if !ok {
			n = len(c.Rows)
			index[name] = n
			c.Rows = append(c.Rows, Row{Name: name})
		}
		rows[i] = n
	}
	return rows
}

// add adds rows of `calls`; rows are those of c by node, and outermost is as [stacks.Tree.Outermost] has it.
func (c *Table) add(b *schema.Batch, rows []int, outermost []bool, dir string, source uint8) error {
	for row := range b.Rows() {
		node := int32(schema.CallsStack.At(b, row))
		if node < 0 || int(node) >= len(rows) {
			return fmt.Errorf("call %d is of stack %d, which there is not", int64(schema.CallsCall.At(b, row)), node)
		}
		r := &c.Rows[rows[node]]
		c.Calls++
		r.Calls++
		if end := schema.CallEnd(schema.CallsEnd.At(b, row)); end != schema.CallReturn {
			r.Unended++
			continue
		}
		x := durations.One{
			durations.InCycles:       read.Null(b, row, schema.CallsCycles),
			durations.InInstructions: read.Null(b, row, schema.CallsInstructions),
		}
		if !x.Possible() {
			return fmt.Errorf("call %d took what no trace can have", int64(schema.CallsCall.At(b, row)))
		}
		r.Add(&x, read.Place{Dir: dir, Source: source, Seq: int64(schema.CallsSeq.At(b, row))}, !outermost[node])
	}
	return nil
}
