package diff

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// The truth of a capture that was made has stacks and tasks, but not the tables they belong to. Its nodes and
// tasks have numbers of their own, so they are compared by what they are: a task by its Context ID, without one by its
// root, and handlers by their exception; a node by its task, and the path of entries and addresses down to it. Columns
// that are compared are `calls`, `instructions` and `cycles` of stacks, `switches`, `instructions` and `cycles` of
// tasks; the rest follows from those, or is a word of the decoder for what it inferred.

// byPath says whether a table is compared so.
func (c *comparer) byPath(t *schema.Table) bool {
	return (t == &schema.Stacks || t == &schema.Tasks) && c.dataset.Has(t) && !c.truth.Has(&schema.Counts)
}

// A figures is what rows of one task or path come to, by column.
type figures map[string]int64

// comparePaths compares the stacks or the tasks of a source.
func (c *comparer) comparePaths(ctx context.Context, t *schema.Table, source uint8, result *Table) error {
	known := &paths{ids: map[pathStep]int{}}
	truth, err := known.figuresOf(ctx, c.truth, t, source)
	if err != nil {
		return err
	}
	c.advance(int64(len(truth)))
	got, err := known.figuresOf(ctx, c.dataset, t, source)
	if err != nil {
		return err
	}
	var first []Difference
	for id := range known.steps {
		if truth[id] == nil && got[id] == nil { // it is a task, in whose paths rows are
			continue
		}
		all := pathDifferences(truth[id], got[id], result)
		all = all[:min(len(all), MaxDifferences-len(first))]
		for i := range all {
			all[i].Table, all[i].Source, all[i].Key = t.Name, schema.Of(source), known.text(id)
		}
		first = append(first, all...)
	}
	if len(first) > 0 {
		c.series = append(c.series, first)
	}
	return nil
}

// paths are tasks and paths by number, in order of first use. Memory is a step for each, however deep they are.
type paths struct {
	ids   map[pathStep]int
	steps []pathStep
}

// A pathStep is a task, or what a path has beside the one before it.
type pathStep struct {
	before int // a path, or the task of a root; -1: of a task
	at     string
}

// id returns the number of a step.
func (p *paths) id(before int, at string) int {
	step := pathStep{before, at}
	n, ok := p.ids[step]
	if !ok {
		n = len(p.steps)
		p.ids[step] = n
		p.steps = append(p.steps, step)
	}
	return n
}

// text is a task or a path for people to read.
func (p *paths) text(id int) string {
	var words []string
	for ; p.steps[id].before >= 0; id = p.steps[id].before {
		words = append(words, p.steps[id].at)
	}
	if slices.Reverse(words); len(words) == 0 {
		return p.steps[id].at
	}
	return p.steps[id].at + " path=" + strings.Join(words, ", ")
}

// pathDifferences returns the differences of one path, of which nil has no rows.
func pathDifferences(truth, got figures, result *Table) (all []Difference) {
	switch {
	case got == nil:
		result.Missing++
		return []Difference{{Kind: RowMissing, Truth: truth.text()}}
	case truth == nil:
		result.Extra++
		return []Difference{{Kind: RowExtra, Dataset: got.text()}}
	}
	result.Compared++
	columns := maps.Clone(truth)
	maps.Copy(columns, got)
	for _, column := range slices.Sorted(maps.Keys(columns)) {
		if x, y := truth.cell(column), got.cell(column); x != y {
			result.Columns[column]++
			all = append(all, Difference{Kind: CellDiffers, Column: column, Truth: x, Dataset: y, Row: truth.text()})
		}
	}
	if len(all) > 0 {
		result.Differing++
	}
	return all
}

// cell is a figure for people to read.
func (f figures) cell(column string) string {
	if n, ok := f[column]; ok {
		return fmt.Sprint(n)
	}
	return "NULL"
}

// text is a row for people to read.
func (f figures) text() string {
	var words []string
	for _, column := range slices.Sorted(maps.Keys(f)) {
		words = append(words, column+"="+f.cell(column))
	}
	return strings.Join(words, " ")
}

// figuresOf reads the figures of a table, by task or path.
func (p *paths) figuresOf(ctx context.Context, d *dataset.Dataset, t *schema.Table, source uint8,
) (map[int]figures, error) {
	all := map[int]figures{}
	add := func(id int, b *schema.Batch, row int, columns ...schema.IndexU64) {
		if all[id] == nil {
			all[id] = figures{}
		}
		for _, i := range columns {
			if v := &b.Columns[i]; !v.Null(row) {
				all[id][v.Column.Name] += int64(v.U64[row])
			}
		}
	}
	var tasks []int // by number
	err := eachOf(ctx, d, &schema.Tasks, source, func(b *schema.Batch, row int) {
		at := "task=" + b.Columns[schema.TasksName].Str[row]
		if id := &b.Columns[schema.TasksContextID]; !id.Null(row) {
			at = fmt.Sprintf("task=context %d", id.U32[row])
		}
		tasks = append(tasks, p.id(-1, at))
		if t == &schema.Tasks {
			add(tasks[len(tasks)-1], b, row, schema.TasksSwitches, schema.TasksInstructions, schema.TasksCycles)
		}
	})
	if err != nil || t == &schema.Tasks {
		return all, err
	}
	var nodes []int // by number
	err = eachOf(ctx, d, t, source, func(b *schema.Batch, row int) {
		nodes = append(nodes, p.id(p.before(b, row, tasks, nodes), stepOf(b, row)))
		add(nodes[len(nodes)-1], b, row, schema.StacksCalls, schema.StacksInstructions, schema.StacksCycles)
	})
	return all, err
}

// before returns what a row of stacks goes on from: its parent, or the task of a root.
func (p *paths) before(b *schema.Batch, row int, tasks, nodes []int) int {
	from, n := tasks, b.Columns[schema.StacksTask].U32[row]
	if parent := &b.Columns[schema.StacksParent]; !parent.Null(row) {
		from, n = nodes, parent.U32[row]
	}
	if int64(n) < int64(len(from)) {
		return from[n]
	}
	return p.id(-1, "task=unknown")
}

// stepOf is what a row of stacks has beside its parent.
func stepOf(b *schema.Batch, row int) string {
	if kind := &b.Columns[schema.StacksException]; !kind.Null(row) {
		return kind.Text(row) + " " + b.Columns[schema.StacksNumber].Text(row)
	}
	return b.Columns[schema.StacksEntry].Text(row) + " " + schema.StacksAddress.At(b, row).Hex()
}

// eachOf calls f with each row of a source.
func eachOf(ctx context.Context, d *dataset.Dataset, t *schema.Table, source uint8, f func(b *schema.Batch, row int),
) error {
	if !d.Has(t) {
		return nil
	}
	for b, err := range d.Batches(t) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		for row := range b.Rows() {
			if schema.KeySource.At(b, row) == source {
				f(b, row)
			}
		}
	}
	return nil
}
