package parquetfile

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
)

const (
	magic = "PAR1"
	// formatVersion is that of the footer; 2 allows all encodings used here.
	formatVersion = 2
)

// createdBy has no program version: files depend only on the capture and the
// schema.
var createdBy = fmt.Sprintf("tracelake version %d", schema.Version)

// A File is a Parquet file that is being written.
type File struct {
	w      io.Writer
	table  *schema.Table
	offset int64
	footer format.FileMetaData
}

var _ schema.File = (*File)(nil)

// Create begins a file of t. Its metadata is that of every file of the table
// ([schema.Table.Meta]), then meta.
func Create(w io.Writer, t *schema.Table, meta []schema.Meta) (*File, error) {
	f := &File{w: w, table: t, footer: format.FileMetaData{
		Version:   formatVersion,
		Schema:    elements(t),
		RowGroups: []format.RowGroup{}, // required, if empty
		CreatedBy: createdBy,
	}}
	for range t.Columns {
		f.footer.ColumnOrders = append(f.footer.ColumnOrders, format.ColumnOrder{Value: new(format.TypeDefinedOrder)})
	}
	for _, m := range append(t.Meta(), meta...) {
		f.footer.KeyValueMetadata = append(f.footer.KeyValueMetadata, format.KeyValue{Key: m.Key, Value: m.Value})
	}
	return f, f.write([]byte(magic))
}

// WriteRowGroup adds a row group, made by a [RowGroup] of the same table.
func (f *File) WriteRowGroup(c schema.Chunks) error {
	chunks := c.(*Chunks)
	if chunks.table != f.table {
		panic(fmt.Sprintf("parquetfile: row group of %s for a file of %s", chunks.table.Name, f.table.Name))
	}
	if chunks.rows == 0 {
		return nil
	}
	rg := format.RowGroup{
		NumRows:             chunks.rows,
		FileOffset:          f.offset,
		TotalCompressedSize: int64(len(chunks.data)),
		Ordinal:             int16(len(f.footer.RowGroups)),
	}
	for _, cc := range chunks.columns {
		cc.MetaData.DataPageOffset += f.offset
		if hasDictionary(&cc.MetaData) {
			cc.MetaData.DictionaryPageOffset += f.offset
		}
		rg.TotalByteSize += cc.MetaData.TotalUncompressedSize
		rg.Columns = append(rg.Columns, cc)
	}
	f.footer.RowGroups = append(f.footer.RowGroups, rg)
	f.footer.NumRows += chunks.rows
	return f.write(chunks.data)
}

func hasDictionary(m *format.ColumnMetaData) bool {
	return len(m.EncodingStats) > 0 && m.EncodingStats[0].PageType == format.DictionaryPage
}

// Close writes the footer. It does not close the underlying writer.
func (f *File) Close() error {
	b, err := thrift.Marshal(new(thrift.CompactProtocol), &f.footer)
	if err != nil {
		return fmt.Errorf("encode the footer: %w", err)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(b)))
	return f.write(append(b, magic...))
}

func (f *File) write(b []byte) error {
	n, err := f.w.Write(b)
	f.offset += int64(n)
	return err
}

// elements returns the schema of t: a root and its leaves.
func elements(t *schema.Table) []format.SchemaElement {
	list := []format.SchemaElement{{Name: t.Name, NumChildren: thrift.New(int32(len(t.Columns)))}}
	for i := range t.Columns {
		list = append(list, element(&t.Columns[i]))
	}
	return list
}

func element(c *schema.Column) format.SchemaElement {
	e := format.SchemaElement{
		Name: c.Name, Type: thrift.New(physical(c)),
		RepetitionType: thrift.New(format.Required),
	}
	if c.Nullable {
		e.RepetitionType = thrift.New(format.Optional)
	}
	switch c.Type {
	case schema.Enum, schema.String, schema.JSON:
		e.LogicalType.Value = new(format.StringType)
		e.ConvertedType = thrift.New(deprecated.UTF8)
	default: // numbers need no name: signed, all bits of the physical type
	}
	return e
}

// physical returns the type that values of c are stored as.
func physical(c *schema.Column) format.Type {
	bits, ok := c.Bits()
	switch {
	case ok && bits == 64:
		return format.Int64
	case ok:
		return format.Int32
	case c.Type == schema.Bool:
		return format.Boolean
	case c.Type == schema.Float64:
		return format.Double
	}
	return format.ByteArray
}
