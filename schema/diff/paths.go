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
	truth, err := figuresOf(ctx, c.truth, t, source, c.advance)
	if err != nil {
		return err
	}
	got, err := figuresOf(ctx, c.dataset, t, source, func(int64) {})
	if err != nil {
		return err
	}
	keys := maps.Clone(truth)
	maps.Copy(keys, got)
	var first []Difference
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		all := pathDifferences(truth[key], got[key], result)
		for i := range all {
			all[i].Table, all[i].Source, all[i].Key = t.Name, schema.Of(source), key
		}
		first = append(first, all[:min(len(all), MaxDifferences-len(first))]...)
	}
	if len(first) > 0 {
		c.series = append(c.series, first)
	}
	return nil
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
func figuresOf(ctx context.Context, d *dataset.Dataset, t *schema.Table, source uint8, read func(int64)) (map[string]figures, error) {
	all := map[string]figures{}
	add := func(key string, b *schema.Batch, row int, columns ...int) {
		if all[key] == nil {
			all[key] = figures{}
		}
		for _, i := range columns {
			if v := &b.Columns[i]; !v.Null(row) {
				all[key][v.Column.Name] += int64(v.U64[row])
			}
		}
	}
	var tasks []string // by number
	err := eachOf(ctx, d, &schema.Tasks, source, func(b *schema.Batch, row int) {
		name := b.Columns[schema.TasksName].Str[row]
		key := "task=" + name
		if id := &b.Columns[schema.TasksContextID]; !id.Null(row) {
			key = fmt.Sprintf("task=context %d", id.U32[row])
		}
		tasks = append(tasks, key)
		if t == &schema.Tasks {
			add(key, b, row, int(schema.TasksSwitches), int(schema.TasksInstructions), int(schema.TasksCycles))
		}
	})
	if err != nil || t == &schema.Tasks {
		read(int64(len(tasks)))
		return all, err
	}
	var paths []string // by number
	err = eachOf(ctx, d, t, source, func(b *schema.Batch, row int) {
		paths = append(paths, pathOf(b, row, tasks, paths))
		add(paths[len(paths)-1], b, row, int(schema.StacksCalls), int(schema.StacksInstructions), int(schema.StacksCycles))
	})
	read(int64(len(paths)))
	return all, err
}

// pathOf returns the path of a row of stacks, by the names of tasks and the paths before it.
func pathOf(b *schema.Batch, row int, tasks, paths []string) string {
	at := schema.StackEntryNames[min(int(b.Columns[schema.StacksEntry].U8[row]), len(schema.StackEntryNames)-1)]
	if kind := &b.Columns[schema.StacksException]; !kind.Null(row) {
		at = kind.Text(row) + " " + b.Columns[schema.StacksNumber].Text(row)
	} else {
		at += fmt.Sprintf(" 0x%08x", b.Columns[schema.StacksAddress].U32[row])
	}
	if p := &b.Columns[schema.StacksParent]; !p.Null(row) {
		if int64(p.U32[row]) < int64(len(paths)) {
			return paths[p.U32[row]] + ", " + at
		}
		return "path=unknown, " + at
	}
	task := "task=unknown"
	if n := b.Columns[schema.StacksTask].U32[row]; int64(n) < int64(len(tasks)) {
		task = tasks[n]
	}
	return task + " path=" + at
}

// eachOf calls f with each row of a source.
func eachOf(ctx context.Context, d *dataset.Dataset, t *schema.Table, source uint8, f func(b *schema.Batch, row int)) error {
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
