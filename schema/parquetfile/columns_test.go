package parquetfile

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/sample"
)

// A file of a later program has other columns, in another order: those of the table are read.
func TestReaderOtherColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	now, later := sample.Versions(r)
	groups := sample.Groups(later, r, [][]int{{900, 1}, {64}})
	f, err := open(write(t, later, ZSTD1, groups), now)
	if err != nil {
		t.Fatal(err)
	}
	sample.CompareFile(t, f, sample.As(now, groups))
}

// A footer that differs from the schema in any one thing is refused; that has more
// columns, is not.
func TestLocate(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*format.FileMetaData)
		want   string // "" is no error
	}{
		{"nothing", func(*format.FileMetaData) {}, ""},
		{"no columns", func(m *format.FileMetaData) { m.Schema = nil }, "is a table of -1 columns"},
		{"table", func(m *format.FileMetaData) { m.Schema[0].Name = "events" }, "is a table of 7 columns, not losses of schema version 4"},
		{"a column less", func(m *format.FileMetaData) { drop(m, 6) }, `has no column "reason", which losses of schema version 4 has`},
		{"two of a name", func(m *format.FileMetaData) { m.Schema[7].Name = "bytes" }, `has two columns "bytes"`},
		{"name", func(m *format.FileMetaData) { m.Schema[5].Name = "byte" }, `has no column "bytes"`},
		{"type", func(m *format.FileMetaData) { m.Schema[5].Type = thrift.New(format.Int32) }, `its column "bytes" is not bytes of losses in schema version 4`},
		{"NULL", func(m *format.FileMetaData) { m.Schema[5].RepetitionType = thrift.New(format.Optional) }, `its column "bytes" is not bytes`},
		{"list", func(m *format.FileMetaData) { m.Schema[6].NumChildren, m.RowGroups = thrift.New(int32(1)), nil }, `its column "reason" is not reason`},
		{"endless list", func(m *format.FileMetaData) { m.Schema[5].NumChildren = thrift.New(int32(1<<31 - 1)) }, "row group 0 has 7 columns"},
		{"unsigned", func(m *format.FileMetaData) { m.Schema[5].ConvertedType = thrift.New(deprecated.Uint64) }, `its column "bytes" is not bytes`},
		{"columns of a row group", func(m *format.FileMetaData) { m.RowGroups[1].Columns = m.RowGroups[1].Columns[:6] }, "row group 1 has 6 columns"},
		{"rows of a row group", func(m *format.FileMetaData) { m.RowGroups[1].NumRows = -1 }, "7 columns and -1 rows"},
	} {
		m := &format.FileMetaData{Schema: elements(&schema.Losses)}
		for range 2 {
			m.RowGroups = append(m.RowGroups, format.RowGroup{Columns: make([]format.ColumnChunk, 7)})
		}
		tt.change(m)
		_, err := locate(m, &schema.Losses, schema.Version)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// drop leaves out a column, the n-th from 1.
func drop(m *format.FileMetaData, n int) {
	m.Schema = slices.Delete(slices.Clone(m.Schema), n, n+1)
	for i := range m.RowGroups {
		m.RowGroups[i].Columns = slices.Delete(m.RowGroups[i].Columns, n-1, n)
	}
}

// What is said of a column that is not read may be anything: nested, of no known
// type, with values outside the file.
func TestReaderHostileColumns(t *testing.T) {
	rows := [][]*schema.Batch{{sample.Rows(&schema.Losses, "1 2 3 4 5 unsynced -\n1 3 3 9 1 bad_packet x")}}
	m, end := footerOf(t, write(t, &schema.Losses, ZSTD1, rows))
	wrong := format.ColumnChunk{MetaData: format.ColumnMetaData{
		Type: 99, NumValues: 1 << 62, DataPageOffset: -1, TotalCompressedSize: 1 << 62, Codec: 77, PathInSchema: []string{"x"},
	}}
	nested := []format.SchemaElement{
		{Name: "of_structures", RepetitionType: thrift.New(format.Repeated), NumChildren: thrift.New(int32(2))},
		{Name: "bytes", Type: thrift.New(format.Type(55)), RepetitionType: thrift.New(format.FieldRepetitionType(9))},
		{Name: "list", NumChildren: thrift.New(int32(1)), RepetitionType: thrift.New(format.Optional)},
		{Name: "element", Type: thrift.New(format.FixedLenByteArray), TypeLength: thrift.New(int32(-5))},
	}
	m.Schema = slices.Insert(m.Schema, 4, nested...)
	m.Schema = append(m.Schema, format.SchemaElement{Name: "last", Type: thrift.New(format.Int96)})
	g := &m.RowGroups[0]
	g.SortingColumns = []format.SortingColumn{{ColumnIdx: 99}}
	g.Columns = append(slices.Insert(g.Columns, 3, wrong, wrong), wrong)
	f, err := open(withFooter(t, end, m), &schema.Losses)
	if err != nil {
		t.Fatal(err)
	}
	sample.CompareFile(t, f, rows)
	g.Columns[0] = wrong // a column that is read
	f, err = open(withFooter(t, end, m), &schema.Losses)
	if err == nil {
		_, err = f.Next()
	}
	if err == nil {
		t.Error("read")
	}
}

// footerOf returns the footer of a file, and what is before it.
func footerOf(t *testing.T, data []byte) (*format.FileMetaData, []byte) {
	t.Helper()
	c := checker{file: bytes.NewReader(data), size: int64(len(data))}
	m, at, err := c.readFooter()
	if err != nil {
		t.Fatal(err)
	}
	return m, data[:at]
}

// withFooter returns a file.
func withFooter(t *testing.T, begin []byte, m *format.FileMetaData) []byte {
	t.Helper()
	b, err := thrift.Marshal(new(thrift.CompactProtocol), m)
	if err != nil {
		t.Fatal(err)
	}
	data := append(bytes.Clone(begin), b...)
	return append(binary.LittleEndian.AppendUint32(data, uint32(len(b))), magic...)
}
