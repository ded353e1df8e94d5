// Package calls says how long calls of functions took, and what call trees are of.
//
// Its API is not stable (docs/guide/library.md).
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

// A Table is how long calls of functions took, tail calls too, without exceptions and other tasks. What
// a call took, how many there were, and the shortest and the longest are exact; medians and 99th
// percentiles above 63 are within 1.6 percent.
type Table struct {
	Calls   int64
	AtLeast int64 // instructions of a call that is ranked, unless it is the longest of its function; 0: any
	Rows    []Row // those that took longest in all first
}

// A Row is the calls of a function in a unit. Recursion counts once, at the outermost call: in All,
// and in the sum of durations.
type Row struct {
	report.Name
	Calls   int64
	Unended int64       // whose return, or whose call, was not seen
	All     stacks.Work // what it took with all that it called, exceptions too, however that was entered or ended
	durations.Summary
}

// A key is what a row is of. Of several datasets not all may count cycles.
type key struct {
	report.Name
	unit durations.Unit
}

// A reader reads a table.
type reader struct {
	table   Table
	index   read.Index[key]
	bounds  []durations.Bounds  // by row
	classes [][]durations.Class // likewise
}

// Read returns the calls in the datasets of m, which have to be those in dirs. It fails with
// a [*dataset.Error] if one has no `call_times` or `stacks`.
func Read(m *report.Merged, dirs []string, test string) (*Table, error) {
	r := &reader{index: read.Index[key]{}}
	err := read.EachSource(dirs, test, &schema.CallTimes, func(d *dataset.Dataset, s *schema.SourceTotals) error {
		if err := read.Need(d, &schema.Stacks); err != nil {
			return err
		}
		tree, err := ReadTree(m, d, s)
		if err != nil {
			return err
		}
		unit, place := unitOf(tree), read.Place{Dir: d.Dir, Source: s.Source}
		rows := r.add(tree, unit, place)
		if err := r.rank(d, s, rows, unit, place); err != nil {
			return err
		}
		return read.EachBatch(d, &schema.CallTimes, s.Source,
			func(b *schema.Batch) error { return r.addTimes(b, tree, unit) })
	})
	return r.conclude(m), err
}

// unitOf returns what durations in a tree are in.
func unitOf(t *Tree) durations.Unit {
	if slices.ContainsFunc(t.Nodes, func(n stacks.Node) bool { return n.Own.Cycles.OK }) {
		return durations.InCycles
	}
	return durations.InInstructions
}

// row returns the index of the row of a key, which it adds if need be.
func (r *reader) row(k key) int {
	i, isNew := r.index.Of(k)
	if isNew {
		r.table.Rows = append(r.table.Rows, Row{Name: k.Name})
		r.bounds, r.classes = append(r.bounds, durations.Bounds{}), append(r.classes, nil)
	}
	return i
}

// add adds the calls of a call tree, and returns the rows of its nodes.
func (r *reader) add(t *Tree, unit durations.Unit, at read.Place) (rows []int) {
	rows = make([]int, len(t.Nodes))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		rows[i] = r.row(key{t.Name(int32(i)), unit})
		if !n.IsCall() {
			continue
		}
		x := &r.table.Rows[rows[i]]
		r.table.Calls += n.Calls
		x.Calls, x.Unended = x.Calls+n.Calls, x.Unended+n.NotEnded
		at.Seq = n.LongestSeq.V
		r.bounds[rows[i]].Join(durations.Bounds{
			Ended: n.Calls - n.NotEnded, Shortest: n.Shortest.V, Longest: n.Longest.V, Worst: at,
		})
	}
	t.Inclusive(func(node int32, all stacks.Work) { r.table.Rows[rows[node]].All.Add(all) })
	t.InCalls(func(node int32, all stacks.Work) {
		r.bounds[rows[node]].Join(durations.Bounds{Sum: all.In(unit == durations.InCycles)})
	})
	return rows
}

// rank ranks the calls of a source that have rows, by the rows of nodes.
func (r *reader) rank(d *dataset.Dataset, s *schema.SourceTotals, rows []int, unit durations.Unit, at read.Place) error {
	if !d.Has(&schema.Calls) {
		return nil
	}
	r.table.AtLeast = max(r.table.AtLeast, s.CallsAtLeast)
	took := schema.CallsInstructions
	if unit == durations.InCycles {
		took = schema.CallsCycles
	}
	return read.EachBatch(d, &schema.Calls, s.Source, func(b *schema.Batch) error {
		for row := range b.Rows() {
			stack, took := read.Ordinal(b, row, schema.CallsStack), read.Null(b, row, took)
			at.Seq, at.Row = int64(schema.CallsSeq.At(b, row)), schema.Of(int64(schema.CallsCall.At(b, row)))
			switch {
			case stack < 0 || int(stack) >= len(rows):
				return fmt.Errorf("call %d is of stack %d, which there is not", at.Row.V, stack)
			case took.V < 0:
				return fmt.Errorf("call %d took what no trace can have", at.Row.V)
			case took.OK && schema.CallEnd(schema.CallsEnd.At(b, row)) == schema.CallReturn:
				r.bounds[rows[stack]].Ranked.Add(durations.Lasted{Took: took.V, At: at})
			}
		}
		return nil
	})
}

// addTimes adds rows of `call_times`.
func (r *reader) addTimes(b *schema.Batch, t *Tree, unit durations.Unit) error {
	for row := range b.Rows() {
		n := stacks.Node{
			Function: read.Ordinal(b, row, schema.CallTimesFunction), Address: schema.CallTimesAddress.At(b, row),
		}
		c := durations.Class{
			AtLeast: int64(schema.CallTimesAtLeast.At(b, row)), AtMost: int64(schema.CallTimesAtMost.At(b, row)),
			N: int64(schema.CallTimesCalls.At(b, row)),
		}
		switch {
		case n.Function < -1 || int(n.Function) >= len(t.Functions):
			return fmt.Errorf("row %d is of function %d, which there is not", row, n.Function)
		case c.AtLeast < 0 || c.AtMost < c.AtLeast || c.N < 0 || c.N > read.MaxCount/4:
			return fmt.Errorf("row %d has counts that no trace can have", row)
		}
		i := r.row(key{t.nameOf(&n), unit})
		r.classes[i] = append(r.classes[i], c)
	}
	return nil
}

// conclude works out figures and puts the rows in order.
func (r *reader) conclude(m *report.Merged) *Table {
	t := &r.table
	for k, i := range r.index {
		t.Rows[i].Summary = durations.OfClasses(k.unit, r.bounds[i], r.classes[i])
	}
	t.Rows = slices.DeleteFunc(t.Rows, func(r Row) bool { return r.Calls == 0 || !m.Selects(r.Core, r.Address) })
	slices.SortFunc(t.Rows, func(x, y Row) int {
		byCycles := x.Unit == durations.InCycles // as y, where it counts
		return cmp.Or(cmp.Compare(x.Unit, y.Unit), cmp.Compare(y.All.In(byCycles), x.All.In(byCycles)),
			cmp.Compare(y.Sum, x.Sum), cmp.Compare(y.Calls, x.Calls), x.Compare(&y.Name))
	})
	return t
}
