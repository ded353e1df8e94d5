package parquetfile

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
)

// A RowGroup encodes one row group after another, each from the batches
// appended to it.
type RowGroup struct {
	table   *schema.Table
	press   compressor
	columns []column
	rows    int64
	body    []byte     // of the page at hand
	code    codeWriter // of the table of instructions
}

var _ schema.Encoder = (*RowGroup)(nil)

// NewRowGroup returns an encoder for row groups of t.
func NewRowGroup(t *schema.Table, c Codec) *RowGroup {
	g := &RowGroup{table: t, press: newCompressor(c), columns: make([]column, len(t.Columns))}
	for i := range g.columns {
		g.columns[i] = column{Column: &t.Columns[i], values: newValues(&t.Columns[i])}
	}
	g.code.bind(g.columns)
	return g
}

// countBatchRows is how many rows a page of `cycle_counts` has: a tenth of a megabyte in
// each column, and a few where rows have NULL.
const countBatchRows = 4 * schema.BatchRows

// BatchRows implements [schema.Encoder]: a long page compresses better.
func (g *RowGroup) BatchRows() int {
	switch {
	case g.table.Level != schema.AnyLevel && g.table.HasKeys():
		return schema.MaxBatchRows
	case g.table == &schema.CycleCounts:
		return countBatchRows
	}
	return schema.BatchRows
}

// Append adds the rows of b, as one page of every column. It keeps nothing of
// b. It fails if a page is larger than the format allows.
func (g *RowGroup) Append(b *schema.Batch) error {
	if b.Table != g.table {
		panic(fmt.Sprintf("parquetfile: batch of %s for a row group of %s", b.Table.Name, g.table.Name))
	}
	rows := b.Rows()
	if rows == 0 {
		return nil
	}
	g.rows += int64(rows)
	g.code.begin(b)
	for i := range g.columns {
		c := &g.columns[i]
		p := page{typ: format.DataPage, values: rows, nulls: nulls(&b.Columns[i])}
		if err := g.appendPage(c, p, &b.Columns[i]); err != nil {
			return fmt.Errorf("encode %s.%s: %w", g.table.Name, c.Name, err)
		}
	}
	return nil
}

// appendPage adds a page of a column.
func (g *RowGroup) appendPage(c *column, p page, v *schema.Vector) error {
	if o, ok := c.values.(*opcodes); ok && !o.full {
		p.encoding = format.RLEDictionary
		c.count(p)
		c.pages.repeat(&g.code.column.pages)
		return nil
	}
	if v.Encoding == schema.OfCode {
		g.body, p.encoding = g.code.appendPage(g.body[:0], c, v)
	} else {
		g.body, p.encoding = c.appendBody(g.body[:0], v, p)
	}
	c.count(p)
	return c.pages.append(p, g.body, &g.press)
}

// Finish returns the row group and readies g for the next.
func (g *RowGroup) Finish() (schema.Chunks, error) {
	defer g.Reset()
	size := 0
	for i := range g.columns {
		c := &g.columns[i]
		var p page
		if g.body, p.values = c.values.appendDictionary(g.body[:0]); p.values > 0 {
			p.typ, p.encoding = format.DictionaryPage, format.Plain
			if err := c.front.append(p, g.body, &g.press); err != nil {
				return nil, fmt.Errorf("encode %s.%s: %w", g.table.Name, c.Name, err)
			}
		}
		size += c.front.bytes.Len() + c.pages.bytes.Len()
	}
	out := &Chunks{table: g.table, rows: g.rows, data: make([]byte, 0, size)}
	for i := range g.columns {
		c := &g.columns[i]
		out.columns = append(out.columns, c.chunk(int64(len(out.data)), g.rows, g.press.codec))
		out.data = append(out.data, c.front.bytes.Bytes()...)
		out.data = append(out.data, c.pages.bytes.Bytes()...)
	}
	return out, nil
}

// Reset drops what was appended. It keeps memory for the next row group.
func (g *RowGroup) Reset() {
	g.rows = 0
	g.code.forget()
	for i := range g.columns {
		g.columns[i].reset()
	}
}

// Chunks is an encoded row group. It may be handed to another goroutine.
type Chunks struct {
	table   *schema.Table
	rows    int64
	data    []byte               // the chunks of all columns, one after another
	columns []format.ColumnChunk // their offsets count from the start of data
}

// Rows returns the number of rows in c.
func (c *Chunks) Rows() int64 { return c.rows }

// A column collects the pages of one column of a row group.
type column struct {
	*schema.Column
	values                values
	front                 pages // the dictionary page
	pages                 pages
	nulls                 int64
	plain, indexed, delta int32 // pages by encoding
}

func (c *column) reset() {
	c.values.reset()
	c.front.reset()
	c.pages.reset()
	c.nulls, c.plain, c.indexed, c.delta = 0, 0, 0, 0
}

func (c *column) count(p page) {
	c.nulls += int64(p.nulls)
	switch p.encoding {
	case format.Plain:
		c.plain++
	case format.RLEDictionary:
		c.indexed++
	default:
		c.delta++
	}
}

// chunk returns the metadata of c as a column chunk that begins at offset.
func (c *column) chunk(offset, rows int64, codec Codec) format.ColumnChunk {
	m := format.ColumnMetaData{
		Type:                  physical(c.Column),
		Encoding:              []format.Encoding{format.RLE}, // of the levels
		PathInSchema:          []string{c.Name},
		Codec:                 codec.format(),
		NumValues:             rows,
		TotalUncompressedSize: c.front.uncompressed + c.pages.uncompressed,
		TotalCompressedSize:   int64(c.front.bytes.Len() + c.pages.bytes.Len()),
		DataPageOffset:        offset + int64(c.front.bytes.Len()),
		Statistics:            format.Statistics{NullCount: c.nulls},
	}
	m.Statistics.MinValue, m.Statistics.MaxValue = c.values.bounds()
	used := func(t format.PageType, e format.Encoding, n int32) {
		if n > 0 {
			if !slices.Contains(m.Encoding, e) {
				m.Encoding = append(m.Encoding, e)
			}
			m.EncodingStats = append(m.EncodingStats, format.PageEncodingStats{PageType: t, Encoding: e, Count: n})
		}
	}
	if c.front.bytes.Len() > 0 {
		m.DictionaryPageOffset = offset
		used(format.DictionaryPage, format.Plain, 1)
	}
	used(format.DataPage, format.RLEDictionary, c.indexed)
	used(format.DataPage, format.DeltaBinaryPacked, c.delta)
	used(format.DataPage, format.Plain, c.plain)
	return format.ColumnChunk{MetaData: m}
}

// A page says what its header says.
type page struct {
	typ      format.PageType
	encoding format.Encoding
	values   int // NULLs included
	nulls    int
}

// pages are pages as they are in the file.
type pages struct {
	bytes        bytes.Buffer
	uncompressed int64                          // as the footer counts it: with headers
	last         struct{ at, uncompressed int } // the last page
}

func (ps *pages) reset() {
	ps.bytes.Reset()
	ps.uncompressed = 0
}

func (ps *pages) append(p page, body []byte, press *compressor) error {
	if len(body) > math.MaxInt32/2 {
		return fmt.Errorf("a page of %d bytes is too large for parquet", len(body))
	}
	packed := press.compress(body)
	h := format.PageHeader{
		Type:                 p.typ,
		UncompressedPageSize: int32(len(body)),
		CompressedPageSize:   int32(len(packed)),
	}
	switch p.typ {
	case format.DictionaryPage:
		h.DictionaryPageHeader = thrift.New(format.DictionaryPageHeader{NumValues: int32(p.values), Encoding: p.encoding})
	default:
		h.DataPageHeader = thrift.New(format.DataPageHeader{
			NumValues:               int32(p.values),
			Encoding:                p.encoding,
			DefinitionLevelEncoding: format.RLE,
			RepetitionLevelEncoding: format.RLE,
			Statistics:              format.Statistics{NullCount: int64(p.nulls)},
		})
	}
	before := ps.bytes.Len()
	ps.last.at = before
	if err := thrift.NewEncoder(new(thrift.CompactProtocol).NewWriter(&ps.bytes)).Encode(&h); err != nil {
		return err
	}
	ps.last.uncompressed = ps.bytes.Len() - before + len(body)
	ps.uncompressed += int64(ps.last.uncompressed)
	ps.bytes.Write(packed)
	return nil
}

// repeat appends the last page of other pages.
func (ps *pages) repeat(of *pages) {
	ps.uncompressed += int64(of.last.uncompressed)
	ps.bytes.Write(of.bytes.Bytes()[of.last.at:])
}
