package pipeline

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// DifferencesShown is how many differences a verification tells in full.
const DifferencesShown = 10

// A Verification is what the comparison of a dataset with the truth came to.
type Verification struct {
	// Tables are those of the truth, in the order of the schema.
	Tables []TableVerification
	// Differences are the first ones of each table and source, at most
	// DifferencesShown, in the order of Tables. Where there are more, no table
	// hides another.
	Differences []Difference
}

// A TableVerification is what the comparison of one table came to.
type TableVerification struct {
	Table     string
	TruthRows int64
	// Lacking says that the dataset does not have the table, and the truth has
	// rows of it. Nothing was compared then.
	Lacking bool
	// AsView says that the rows of the dataset are those that its view makes of
	// blocks.
	AsView bool

	Compared  int64            // rows that both have
	Differing int64            // of those
	Missing   int64            // rows that the truth alone has
	Extra     int64            // rows that the dataset alone has
	Columns   map[string]int64 // in how many rows a column differs
}

// Differences counts the rows in which a table differs; a table that is lacking
// is one difference.
func (t *TableVerification) Differences() int64 {
	if t.Lacking {
		return 1
	}
	return t.Differing + t.Missing + t.Extra
}

// Equal says whether there is no difference.
func (v *Verification) Equal() bool {
	return !slices.ContainsFunc(v.Tables, func(t TableVerification) bool { return t.Differences() > 0 })
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
	Row        string             // of CellDiffers: the row of the truth
}

// leftOut are the columns that are not compared: names that the capture gives to
// things, and hashes of files. See docs/decisions.md.
func leftOut(t *schema.Table) []string {
	switch t.Name {
	case schema.Sources.Name:
		return []string{"name", "core", "buffer"}
	case schema.Images.Name:
		return []string{"file", "sha256", "build_id", "core"}
	}
	return nil
}

// Verify compares every table of the dataset in truth with that in dir, all
// columns but names of the capture and hashes. Where the truth has
// `instructions` and the dataset has blocks, the rows that its view makes of
// them are compared. It fails with a [*capture.InputError] if one of them is no
// dataset, or cannot be read.
func Verify(ctx context.Context, dir, truth string) (*Verification, error) {
	d, err := OpenDataset(dir)
	if err != nil {
		return nil, err
	}
	t, err := OpenDataset(truth)
	if err != nil {
		return nil, err
	}
	v := &verifier{dataset: d, truth: t}
	for _, table := range schema.Tables() {
		if !t.Has(table) {
			continue
		}
		if err := v.table(ctx, table); err != nil {
			return nil, fmt.Errorf("%s: %w", table.Name, err)
		}
	}
	return &Verification{v.tables, pick(v.series)}, nil
}

// A verifier compares two datasets, table by table.
type verifier struct {
	dataset, truth *Dataset
	tables         []TableVerification
	series         [][]Difference // the first of each table and source
}

// table compares a table that the truth has.
func (v *verifier) table(ctx context.Context, t *schema.Table) error {
	result := TableVerification{Table: t.Name, TruthRows: v.truth.Rows(t), Columns: map[string]int64{}}
	var sources map[uint8]bool
	switch blocks := v.dataset.Has(&schema.Blocks) && v.dataset.Has(&schema.CodeBlocks); {
	case v.dataset.Has(t):
		sources = union(v.truth.Sources(t), v.dataset.Sources(t))
	case t == &schema.Instructions && blocks:
		result.AsView = true
		sources = union(v.truth.Sources(t), v.dataset.Sources(&schema.Blocks))
	case result.TruthRows > 0:
		result.Lacking = true
		v.series = append(v.series, []Difference{{Kind: TableLacking, Table: t.Name, Truth: fmt.Sprint(result.TruthRows)}})
	}
	for _, source := range slices.Sorted(maps.Keys(sources)) {
		if err := v.compare(ctx, t, source, &result); err != nil {
			return err
		}
	}
	v.tables = append(v.tables, result)
	return nil
}

func union(lists ...[]uint8) map[uint8]bool {
	all := map[uint8]bool{}
	for _, list := range lists {
		for _, id := range list {
			all[id] = true
		}
	}
	return all
}

// compare compares the rows of one source.
func (v *verifier) compare(ctx context.Context, t *schema.Table, source uint8, result *TableVerification) error {
	truth := v.truth.Open(t, source)
	defer truth.Close()
	c := newComparison(t, result)
	c.truth.reader = truth
	if result.AsView {
		x, err := v.dataset.expand(source)
		if err != nil {
			return err
		}
		defer x.Close()
		c.dataset.reader, c.view = x, x
	} else {
		rows := v.dataset.Open(t, source)
		defer rows.Close()
		c.dataset.reader = rows
	}
	err := c.run(ctx)
	if len(c.first) > 0 {
		v.series = append(v.series, c.first)
	}
	return err
}

// pick returns the first differences of all lists, at most DifferencesShown: the
// first of each list before the second of any.
func pick(lists [][]Difference) []Difference {
	taken := make([]int, len(lists))
	for n, rank := 0, 0; n < DifferencesShown && rank < DifferencesShown; rank++ {
		for i, list := range lists {
			if rank < len(list) && n < DifferencesShown {
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
