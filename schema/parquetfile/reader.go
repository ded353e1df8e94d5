package parquetfile

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
)

// A Reader reads the rows of a file that this package wrote, be it an earlier or a later one,
// some rows of a page of every column at a time. Columns that it does not know are not read;
// those that the file lacks, as its schema version did not have them, are NULL.
type Reader struct {
	check  checker
	table  *schema.Table
	footer *format.FileMetaData // of the columns that were located, and no others
	where  *location
	file   *parquet.File
	group  int             // row groups that were begun
	pages  []parquet.Pages // of the row group at hand; nil: none is
	rows   int64           // left in it, after the pages at hand
	open   []openPage      // the page at hand of each column that the file has
	left   int             // rows that are left in each of them
	cells  []cells         // by column
	batch  *schema.Batch
	values []parquet.Value // scratch
}

var _ schema.Reader = (*Reader)(nil)

// Open begins to read a file of t. A file that is damaged, or of other columns,
// is an error here or in [Reader.Next].
func Open(r io.ReaderAt, size int64, t *schema.Table) (f *Reader, err error) {
	defer damaged(&err)
	f = &Reader{
		check: checker{file: r, size: size}, table: t, batch: schema.NewBatch(t),
		values: make([]parquet.Value, valuesAtOnce),
	}
	if f.footer, f.where, err = f.check.footer(t); err != nil {
		return nil, err
	}
	if f.file, err = parquet.OpenFile(f.check.file, f.check.size, parquet.SkipPageIndex(true),
		parquet.SkipBloomFilters(true)); err != nil {
		return nil, err
	}
	for i := range t.Columns {
		f.cells = append(f.cells, newCells(&t.Columns[i]))
	}
	return f, nil
}

// valuesAtOnce is how many values are taken from a page at a time.
const valuesAtOnce = 1024

// damaged makes an error of a panic: parquet-go may panic on damaged files.
func damaged(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("damaged file: %v", p)
	}
}

// An openPage is a page that is being read.
type openPage struct {
	parquet.Page
	values parquet.ValueReader
}

// Next returns the next rows of the pages at hand, at most [schema.BatchRows].
func (f *Reader) Next() (b *schema.Batch, err error) {
	defer damaged(&err)
	if f.left == 0 {
		if err := f.nextPages(); err != nil {
			return nil, err
		}
	}
	f.batch.Reset()
	rows := min(f.left, schema.BatchRows)
	for n, page := range f.open {
		i := f.where.has[n]
		if err := f.readPage(page.values, rows, &f.batch.Columns[i], f.cells[i]); err != nil {
			return nil, f.inColumn(n, err)
		}
		if rows == f.left {
			parquet.Release(page.Page)
		}
	}
	for _, i := range f.where.lacks {
		f.batch.Columns[i].AppendZeros(rows)
	}
	f.left -= rows
	return f.batch, nil
}

// nextPages opens the next page of every column.
func (f *Reader) nextPages() error {
	for f.rows == 0 {
		if err := f.nextGroup(); err != nil {
			return err
		}
	}
	f.open = f.open[:0]
	rows := -1
	for n, pages := range f.pages {
		page, err := pages.ReadPage()
		if err != nil {
			return f.inColumn(n, noEOF(err))
		}
		if rows < 0 {
			rows = int(page.NumValues())
		}
		if page.NumValues() != int64(rows) || int64(rows) > f.rows {
			return f.inColumn(n, fmt.Errorf("a page of %d rows, where there are %d", page.NumValues(), min(int64(rows), f.rows)))
		}
		f.open = append(f.open, openPage{page, page.Values()})
	}
	f.rows -= int64(rows)
	f.left = rows
	return nil
}

// inColumn says where an error is: in which column that the file has.
func (f *Reader) inColumn(n int, err error) error {
	return fmt.Errorf("row group %d, column %s: %w", f.group-1, f.column(n).Name, err)
}

// column returns one of those that the file has.
func (f *Reader) column(n int) *schema.Column { return &f.table.Columns[f.where.has[n]] }

// nextGroup begins the next row group, or returns io.EOF.
func (f *Reader) nextGroup() error {
	for _, p := range f.pages {
		p.Close()
	}
	f.pages = f.pages[:0]
	if f.group == len(f.footer.RowGroups) {
		return io.EOF
	}
	g := &f.footer.RowGroups[f.group]
	for n := range g.Columns {
		c := f.column(n)
		if err := f.check.chunk(c, &g.Columns[n].MetaData, g.NumRows); err != nil {
			return fmt.Errorf("row group %d, column %s: %w", f.group, c.Name, err)
		}
	}
	for _, c := range f.file.RowGroups()[f.group].ColumnChunks() {
		f.pages = append(f.pages, c.Pages())
	}
	f.group++
	f.rows = g.NumRows
	return nil
}

// readPage appends the next values of a page to v, as many as are left.
func (f *Reader) readPage(values parquet.ValueReader, left int, v *schema.Vector, c cells) error {
	for left > 0 {
		n, err := values.ReadValues(f.values[:min(left, valuesAtOnce)])
		for i := range f.values[:n] {
			if err := c.append(v, &f.values[i]); err != nil {
				return err
			}
		}
		left -= n
		if left > 0 && (err != nil || n == 0) {
			return fmt.Errorf("%d values are missing in a page: %w", left, noEOF(err))
		}
	}
	return nil
}

// noEOF returns err, where an end of the file is none of the rows.
func noEOF(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// cells turns values of one column into cells.
type cells struct {
	codes map[string]uint8 // of an enum
	wide  bool             // numbers have 64 bits
}

func newCells(c *schema.Column) cells {
	if c.Type != schema.Enum {
		bits, _ := c.Bits()
		return cells{wide: bits == 64}
	}
	codes := make(map[string]uint8, len(c.Names))
	for i, name := range c.Names {
		codes[name] = uint8(i)
	}
	return cells{codes: codes}
}

// append appends x to v. It copies what it keeps.
func (c cells) append(v *schema.Vector, x *parquet.Value) error {
	null := x.IsNull()
	if v.Column.Nullable {
		valid := uint8(1)
		if null {
			valid = 0
		}
		v.Valid = append(v.Valid, valid)
	} else if null {
		return errors.New("NULL in a column that has none")
	}
	switch v.Column.Type {
	case schema.Uint8, schema.Uint16, schema.Uint32, schema.Uint63, schema.Uint64, schema.Int32, schema.Int64:
		return v.AppendInteger(c.number(x))
	case schema.Bool:
		bit := uint8(0)
		if !null && x.Boolean() {
			bit = 1
		}
		v.U8 = append(v.U8, bit)
	case schema.Enum:
		code, ok := uint8(0), null
		if !null {
			code, ok = c.codes[string(x.ByteArray())]
		}
		if !ok {
			return fmt.Errorf("%.40q is no value of it", x.ByteArray())
		}
		v.U8 = append(v.U8, code)
	case schema.String, schema.JSON:
		v.Str = append(v.Str, string(x.ByteArray()))
	case schema.Float64:
		bits := uint64(0)
		if !null {
			bits = math.Float64bits(x.Double())
		}
		v.U64 = append(v.U64, bits)
	case schema.Bytes:
		v.Bin = append(v.Bin, append([]byte{}, x.ByteArray()...))
	default:
		panic(fmt.Sprintf("parquetfile: no type %d", v.Column.Type))
	}
	return nil
}

// number returns a number as the file has it, 0 for NULL.
func (c cells) number(x *parquet.Value) int64 {
	switch {
	case x.IsNull():
		return 0
	case c.wide:
		return x.Int64()
	}
	return int64(x.Int32())
}
