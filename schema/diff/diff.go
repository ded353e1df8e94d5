// Package diff compares two datasets, cell by cell.
//
// Its API is not stable (docs/guide/library.md).
package diff

import (
	"context"
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// MaxDifferences is how many differences are kept; all are counted.
const MaxDifferences = 10

// A Result is what the comparison of a dataset with the truth came to.
type Result struct {
	// Tables are those of the truth, in the order of the schema. `blocks` of
	// another schema version are compared as `instructions`.
	Tables []Table
	// Differences are the first ones of each table and source, at most
	// MaxDifferences, in the order of Tables. Where there are more, no table
	// hides another.
	Differences []Difference
	LeftOut     LeftOut
}

// A Table is what the comparison of one table came to.
type Table struct {
	Table     string
	TruthRows int64
	// Lacking says that the dataset does not have the table, and the truth has
	// rows of it. Nothing was compared then.
	Lacking bool
	// AsView says that the rows of the dataset are those that its view makes of
	// blocks; and so are those of the truth, if it has blocks, too.
	AsView bool

	Compared  int64            // rows that both have
	Differing int64            // of those
	Missing   int64            // rows that the truth alone has
	Extra     int64            // rows that the dataset alone has
	Columns   map[string]int64 // in how many rows a column differs
}

// Differences counts the rows in which a table differs; a table that is lacking
// is one difference.
func (t *Table) Differences() int64 {
	if t.Lacking {
		return 1
	}
	return t.Differing + t.Missing + t.Extra
}

// Equal says whether there is no difference.
func (v *Result) Equal() bool {
	return !slices.ContainsFunc(v.Tables, func(t Table) bool { return t.Differences() > 0 })
}

// A DifferenceKind is how a dataset differs from the truth.
type DifferenceKind uint8

// The kinds of a difference.
const (
	CellDiffers  DifferenceKind = iota // both have the row, and it differs in a column
	RowMissing                         // the truth alone has the row
	RowExtra                           // the dataset alone has it
	TableLacking                       // the dataset does not have the table
)

// A Difference is one difference of a dataset from the truth.
type Difference struct {
	Kind       DifferenceKind
	Table      string
	Source     schema.Null[uint8] // NULL: the table has none
	Seq        schema.Null[int64] // likewise
	ByteOffset schema.Null[int64] // likewise
	Column     string             // of CellDiffers
	Truth      string             // value of the cell, or row; of TableLacking: how many rows
	Dataset    string             // value of the cell, or row
	// columns that tell the rows of a table without seq apart ([schema.Table]), "" if it has seq
	Key string
	Row string // of CellDiffers: the row of the truth
}

// Compare compares every table of the dataset that is the truth with that of d,
// all columns but names of the capture and hashes, and what the result says is left
// out. Stacks and tasks of a truth that was made are compared by path. Where the truth has `instructions` and d has blocks, the rows that its view
// makes of them are compared. It fails with a [*dataset.Error] if one of them cannot
// be read. Progress, if not nil, is called now and then with the rows of the truth
// that are compared.
func Compare(ctx context.Context, d, truth *dataset.Dataset, progress func(done, total int64)) (*Result, error) {
	c := &comparer{dataset: d, truth: truth, progress: progress}
	if err := c.prepare(); err != nil {
		return nil, err
	}
	for _, table := range schema.Tables() {
		c.total += truth.Rows(table)
	}
	for _, table := range schema.Tables() {
		if !truth.Has(table) {
			continue
		}
		if err := c.table(ctx, table); err != nil {
			return nil, fmt.Errorf("%s: %w", table.Name, err)
		}
	}
	return &Result{c.tables, pick(c.series), c.leftOut.summary()}, nil
}

// A comparer compares two datasets, table by table.
type comparer struct {
	dataset, truth *dataset.Dataset
	leftOut        *omission
	functions      [2]functions // of the truth, and of the dataset
	tables         []Table
	series         [][]Difference // the first of each table and source

	progress    func(done, total int64)
	done, total int64 // rows of the truth
}

// advance reports that n more rows of the truth are compared.
func (c *comparer) advance(n int64) {
	c.done += n
	if c.progress != nil {
		c.progress(c.done, c.total)
	}
}

// prepare finds out what cannot be compared, and reads what rows refer to.
func (c *comparer) prepare() (err error) {
	if c.leftOut, err = newOmission(c.dataset, c.truth); err != nil {
		return err
	}
	if !c.truth.Has(&schema.Functions) || !c.dataset.Has(&schema.Functions) {
		return nil
	}
	e := newEntries()
	for i, d := range []*dataset.Dataset{c.truth, c.dataset} {
		if c.functions[i], err = readFunctions(d, e); err != nil {
			return err
		}
	}
	return nil
}

// table compares a table that the truth has.
func (c *comparer) table(ctx context.Context, t *schema.Table) error {
	result := Table{Table: t.Name, TruthRows: c.truth.Rows(t), Columns: map[string]int64{}}
	var sources []uint8
	switch blocks := hasBlocks(c.dataset); {
	case c.dataset.Has(t):
		sources = union(c.truth.Sources(t), c.dataset.Sources(t))
	case t == &schema.Instructions && blocks:
		result.AsView = true
		sources = union(c.truth.Sources(t), c.dataset.Sources(&schema.Blocks))
	case result.TruthRows > 0:
		result.Lacking = true
		c.series = append(c.series, []Difference{{Kind: TableLacking, Table: t.Name, Truth: fmt.Sprint(result.TruthRows)}})
	}
	for _, source := range sources {
		compare := c.compare
		if c.byPath(t) {
			compare = c.comparePaths
		}
		if err := compare(ctx, t, source, &result); err != nil {
			return err
		}
	}
	c.tables = append(c.tables, result)
	return nil
}

// hasBlocks says whether a dataset has what its view of instructions is made of.
func hasBlocks(d *dataset.Dataset) bool { return d.Has(&schema.Blocks) && d.Has(&schema.CodeBlocks) }

// compare compares the rows of one source.
func (c *comparer) compare(ctx context.Context, t *schema.Table, source uint8, result *Table) error {
	x := newComparison(t, c.leftOut, result)
	x.truth.functions, x.dataset.functions = c.functions[0], c.functions[1]
	if t == &schema.Images && c.leftOut.symbols {
		x.dataset.skip = isOfProgram
	}
	x.truth.read = c.advance
	truth, err := x.truth.open(c.truth, t, source)
	if err != nil {
		return err
	}
	defer truth.Close()
	rows, err := x.dataset.open(c.dataset, t, source)
	if err != nil {
		return err
	}
	defer rows.Close()
	err = x.run(ctx)
	if len(x.first) > 0 {
		c.series = append(c.series, x.first)
	}
	return err
}

// pick returns the first differences of all lists, at most MaxDifferences: the
// first of each list before the second of any.
func pick(lists [][]Difference) []Difference {
	taken := make([]int, len(lists))
	for n, rank := 0, 0; n < MaxDifferences && rank < MaxDifferences; rank++ {
		for i, list := range lists {
			if rank < len(list) && n < MaxDifferences {
				taken[i]++
				n++
			}
		}
	}
	var picked []Difference
	for i, list := range lists {
		picked = append(picked, list[:taken[i]]...)
	}
	return picked
}
