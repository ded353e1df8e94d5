package diff

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A cursor is a position before a row of a reader.
type cursor struct {
	reader schema.Reader
	view   *dataset.Expansion // reader, if it is one
	fold   runFold
	batch  *schema.Batch // nil: nothing was read yet, or all
	row    int
	end    bool

	functions functions
	skip      func(b *schema.Batch, row int) bool // rows that are not compared; nil: none
	read      func(rows int64)                    // called with what is read; nil: nobody is interested
}

// open begins to read the rows of a table, expanded from blocks if d does not
// have it. What it returns has to be closed.
func (c *cursor) open(d *dataset.Dataset, t *schema.Table, source uint8) (io.Closer, error) {
	if t == &schema.Instructions && !d.Has(t) {
		view, err := d.Expand(source)
		if err != nil {
			return nil, err
		}
		c.reader, c.view = view, view
		return view, nil
	}
	rows := d.Open(t, source)
	c.reader = rows
	return rows, nil
}

// lastOfRun says whether the row is the last of a run. Where there are no runs,
// each row is one.
func (c *cursor) lastOfRun() bool { return c.view == nil || c.view.LastOfRun(c.row) }

// more says whether there is a row to compare.
func (c *cursor) more(ctx context.Context) (bool, error) {
	for {
		ok, err := c.any(ctx)
		if !ok || err != nil || c.skip == nil || !c.skip(c.batch, c.row) {
			return ok, err
		}
		c.row++
	}
}

// any says whether there is a row.
func (c *cursor) any(ctx context.Context) (bool, error) {
	for !c.end && (c.batch == nil || c.row == c.batch.Columns[0].Len()) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		b, err := c.reader.Next()
		if c.end = errors.Is(err, io.EOF); !c.end && err != nil {
			return false, err
		}
		c.batch, c.row = b, 0
		if c.end {
			continue
		}
		c.functions.resolve(b)
		if c.read != nil {
			c.read(int64(b.Rows()))
		}
	}
	return !c.end, nil
}

// A comparison compares the rows of one table and source.
type comparison struct {
	table          *schema.Table
	columns        []int // that are compared
	place          int   // column that says where rows belong; -1: the key does, or their order alone
	key            []int // columns of the key
	truth, dataset cursor
	result         *Table
	first          []Difference // at most MaxDifferences
}

func newComparison(t *schema.Table, leftOut *omission, result *Table) *comparison {
	c := &comparison{table: t, columns: leftOut.compared(t), result: result, place: -1, key: t.KeyColumns()}
	switch {
	case t.HasKeys() && !slices.Contains(c.columns, int(schema.KeyByteOffset)):
		c.place = int(schema.KeySeq)
	case t.HasKeys():
		c.place = int(schema.KeyByteOffset)
	case t == &schema.Sources:
		c.place = int(schema.SourcesSource)
	case t == &schema.Images:
		c.place = int(schema.ImagesAddress)
	case t == &schema.CodeBlocks:
		c.place = int(schema.CodeBlocksCodeBlock)
	}
	return c
}

// run compares all rows, in order. Rows that belong to different places are not
// the same row: one of them is missing, or the other one is extra.
func (c *comparison) run(ctx context.Context) error {
	for {
		t, err := c.truth.more(ctx)
		if err != nil {
			return err
		}
		d, err := c.dataset.more(ctx)
		if err != nil {
			return err
		}
		order := 0
		switch {
		case !t && !d:
			return nil
		case !d:
			order = -1
		case !t:
			order = 1
		default:
			order = c.order()
		}
		switch {
		case order < 0:
			c.result.Missing++
			c.add(RowMissing, &c.truth, func(x *Difference) { x.Truth = c.rowText(&c.truth) })
			c.truth.row++
		case order > 0:
			c.result.Extra++
			c.add(RowExtra, &c.dataset, func(x *Difference) { x.Dataset = c.rowText(&c.dataset) })
			c.dataset.row++
		default:
			c.compareRow()
			c.truth.row++
			c.dataset.row++
		}
	}
}

// order says which of the rows at hand comes first, the truth's (negative) or
// the dataset's, or whether they are the same one: of one key, of one place, or
// alike in all else.
func (c *comparison) order() int {
	for _, i := range c.key {
		if n := c.truth.batch.Columns[i].Compare(c.truth.row, &c.dataset.batch.Columns[i], c.dataset.row); n != 0 {
			return n
		}
	}
	if c.place < 0 {
		return 0
	}
	order := c.truth.batch.Columns[c.place].Compare(c.truth.row, &c.dataset.batch.Columns[c.place], c.dataset.row)
	if order == 0 {
		return 0
	}
	for _, i := range c.columns {
		if c.result.AsView && (i == int(schema.InstructionsCycles) || i == int(schema.InstructionsCycle)) {
			continue // of the run, which is not known to be the same yet
		}
		if i != c.place && !c.same(i) {
			return order
		}
	}
	return 0
}

// same says whether the rows at hand have one value in a column.
func (c *comparison) same(column int) bool {
	return c.truth.batch.Columns[column].Equal(c.truth.row, &c.dataset.batch.Columns[column], c.dataset.row)
}

// compareRow compares the rows at hand, cell by cell.
func (c *comparison) compareRow() {
	if c.result.AsView { // where a run ends on both sides, both know the cycles up to there
		last := c.truth.lastOfRun() && c.dataset.lastOfRun()
		c.truth.fold.row(c.truth.batch, c.truth.row, last)
		c.dataset.fold.row(c.dataset.batch, c.dataset.row, last)
	}
	c.result.Compared++
	differs := false
	for _, i := range c.columns {
		if c.same(i) {
			continue
		}
		differs = true
		c.result.Columns[c.table.Columns[i].Name]++
		c.add(CellDiffers, &c.truth, func(x *Difference) {
			x.Column = c.table.Columns[i].Name
			x.Truth = c.truth.words(i)
			x.Dataset = c.dataset.words(i)
			x.Row = c.rowText(&c.truth)
		})
	}
	if differs {
		c.result.Differing++
	}
}

// add adds a difference in the row at a cursor, if it is among the first.
func (c *comparison) add(kind DifferenceKind, at *cursor, fill func(*Difference)) {
	if len(c.first) == MaxDifferences {
		return
	}
	d := Difference{Kind: kind, Table: c.table.Name}
	v := at.batch.Columns
	if hasSource(c.table) {
		d.Source = schema.Of(schema.KeySource.At(at.batch, at.row))
	}
	if c.table.HasKeys() {
		d.Seq = schema.Null[int64]{V: int64(schema.KeySeq.At(at.batch, at.row)), OK: !v[schema.KeySeq].Null(at.row)}
		d.ByteOffset = schema.Of(int64(schema.KeyByteOffset.At(at.batch, at.row)))
	}
	for _, i := range c.key {
		d.Key += " " + v[i].Column.Name + "=" + at.words(i)
	}
	d.Key = strings.TrimPrefix(d.Key, " ")
	fill(&d)
	c.first = append(c.first, d)
}

// hasSource says whether the first column of a table is the source.
func hasSource(t *schema.Table) bool { return t.PerSource || t == &schema.Sources }

// rowText is a row for people to read, without the columns of its place, which is
// reported anyway.
func (c *comparison) rowText(at *cursor) string {
	var words []string
	for _, i := range c.columns {
		if slices.Contains(c.key, i) || hasSource(c.table) && i == int(schema.KeySource) ||
			c.table.HasKeys() && (i == int(schema.KeySeq) || i == int(schema.KeyByteOffset)) {
			continue
		}
		words = append(words, c.table.Columns[i].Name+"="+at.words(i))
	}
	return strings.Join(words, " ")
}

// words is a cell of the row at hand for people to read: addresses and opcodes in hex.
func (c *cursor) words(column int) string {
	v := &c.batch.Columns[column]
	switch {
	case v.Null(c.row):
	case v.Column.Type == schema.Uint64:
		return schema.Address(v.U64[c.row]).Hex()
	case v.Column.Hex:
		return schema.Address(v.U32[c.row]).Hex()
	case refersToFunction(v.Column) && c.functions.entries != nil:
		return c.functions.words(v.U32[c.row])
	}
	return v.Text(c.row)
}

// A runFold makes of the cycles of single instructions, or of shorter runs, those
// that a run has: the last instruction has the sum, the others NULL.
type runFold struct {
	sum  uint32
	some bool
}

// row changes row i of a batch of instructions.
func (f *runFold) row(b *schema.Batch, i int, last bool) {
	cycles, cycle := &b.Columns[schema.InstructionsCycles], &b.Columns[schema.InstructionsCycle]
	if !cycles.Null(i) {
		f.sum, f.some = f.sum+cycles.U32[i], true
	}
	if last {
		if f.some {
			cycles.U32[i], cycles.Valid[i] = f.sum, 1
		}
		*f = runFold{}
		return
	}
	cycles.U32[i], cycles.Valid[i] = 0, 0
	cycle.U64[i], cycle.Valid[i] = 0, 0
}
