package parquetfile

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/sample"
)

// metadata returns the footer of a file.
func metadata(t *testing.T, data []byte) *format.FileMetaData {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return f.Metadata()
}

// Columns have the physical type alone: no logical type makes them unsigned or
// narrow, and no field ID ties them to one table's history.
func TestElements(t *testing.T) {
	const text = "BYTE_ARRAY STRING 0" // ConvertedType UTF8
	want := map[schema.Type]string{
		schema.Uint8: "INT32", schema.Uint16: "INT32", schema.Int32: "INT32",
		schema.Uint32: "INT64", schema.Uint63: "INT64", schema.Uint64: "INT64", schema.Int64: "INT64",
		schema.Bool: "BOOLEAN", schema.Enum: text, schema.String: text, schema.JSON: text,
		schema.Bytes: "BYTE_ARRAY", schema.Float64: "DOUBLE",
	}
	table := sample.EveryType()
	list := metadata(t, write(t, table, None, nil)).Schema
	for i, c := range table.Columns {
		e := list[i+1]
		got := e.Type.V.String()
		if e.LogicalType.Value != nil {
			got += " " + fmt.Sprint(e.LogicalType.Value)
		}
		if e.ConvertedType.Valid {
			got += fmt.Sprintf(" %d", e.ConvertedType.V)
		}
		if got != want[c.Type] || e.FieldID != 0 {
			t.Errorf("%s is %s (field ID %v), want %s", c.Name, got, e.FieldID, want[c.Type])
		}
	}
}

// The physical type is in the metadata of each chunk, too.
func TestCheckChunkType(t *testing.T) {
	data := write(t, &schema.Losses, None, [][]*schema.Batch{{sample.Rows(&schema.Losses, "1 2 3 4 5 unsynced -")}})
	m := &metadata(t, data).RowGroups[0].Columns[4].MetaData
	c := checker{file: bytes.NewReader(data), size: int64(len(data))}
	if err := c.chunk(&schema.Losses.Columns[4], m, 1); err != nil {
		t.Error(err)
	}
	m.Type = format.Int32
	if err := c.chunk(&schema.Losses.Columns[4], m, 1); err == nil || err.Error() != "values of type INT32" {
		t.Errorf("%v", err)
	}
}

// A chunk has as many values as its row group has rows, by its metadata and by its pages.
func TestCheckChunkValues(t *testing.T) {
	data := write(t, &schema.Losses, None, [][]*schema.Batch{{sample.Rows(&schema.Losses, "1 2 3 4 5 unsynced -")}})
	c := checker{file: bytes.NewReader(data), size: int64(len(data))}
	for _, tt := range []struct {
		values, rows int64
		ok           bool
	}{{1, 1, true}, {2, 1, false}, {2, 2, false}, {1, 2, false}} {
		m := metadata(t, data).RowGroups[0].Columns[4].MetaData
		m.NumValues = tt.values
		if err := c.chunk(&schema.Losses.Columns[4], &m, tt.rows); (err == nil) != tt.ok {
			t.Errorf("1 value, of %d, for %d rows: %v", tt.values, tt.rows, err)
		}
	}
}

// Readers plan by the encodings of a chunk: each that occurs, once, and how many
// pages have it.
func TestEncodings(t *testing.T) {
	table := &schema.Table{Name: "four", Columns: []schema.Column{
		{Name: "number", Type: schema.Uint32},
		{Name: "rising", Type: schema.Int64, Rising: true},
		{Name: "flag", Type: schema.Bool},
		{Name: "nothing", Type: schema.Uint8, Nullable: true},
	}}
	batch := func(rows int) *schema.Batch {
		b := schema.NewBatch(table)
		for i := range rows {
			v := b.Columns
			v[0].U32, v[1].U64, v[2].U8 = append(v[0].U32, uint32(i)*0x9e3779b1), append(v[1].U64, uint64(i)), append(v[2].U8, 0)
			v[3].U8, v[3].Valid = append(v[3].U8, 0), append(v[3].Valid, 0)
		}
		return b
	}
	full := batch(schema.BatchRows)
	more := batch(10)
	more.Columns[0].U32[9] = 5 // the dictionary has no room for it
	m := metadata(t, write(t, table, None, [][]*schema.Batch{{full, full, more}}))
	for i, want := range []string{
		"[RLE PLAIN RLE_DICTIONARY] [{DICTIONARY_PAGE PLAIN 1} {DATA_PAGE RLE_DICTIONARY 2} {DATA_PAGE PLAIN 1}]",
		"[RLE DELTA_BINARY_PACKED] [{DATA_PAGE DELTA_BINARY_PACKED 3}]",
		"[RLE PLAIN] [{DATA_PAGE PLAIN 3}]",
		"[RLE PLAIN] [{DATA_PAGE PLAIN 3}]",
	} {
		c := m.RowGroups[0].Columns[i].MetaData
		if got := fmt.Sprint(c.Encoding, " ", c.EncodingStats); got != want {
			t.Errorf("%s: %s, want %s", table.Columns[i].Name, got, want)
		}
	}
}

// A code without a name would make a file that no reader opens, also in a page of
// one value.
func TestEnumsHaveNames(t *testing.T) {
	table := &schema.Table{Name: "one", Columns: []schema.Column{{Name: "isa", Type: schema.Enum, Names: schema.ISANames}}}
	for _, codes := range [][]uint8{{4, 4}, {0, 4}, {5, 5}, {0, 5}, {255}} {
		b := schema.NewBatch(table)
		b.Columns[0].U8 = codes
		panics := func() (p any) {
			defer func() { p = recover() }()
			if err := NewRowGroup(table, None).Append(b); err != nil {
				t.Error(err)
			}
			return nil
		}()
		last := codes[len(codes)-1]
		if want := fmt.Sprintf("parquetfile: code %d in isa, which has 5 names", last); last < 5 && panics != nil || last >= 5 && panics != want {
			t.Errorf("%d: %v", codes, panics)
		}
	}
}

// A row group without rows is not written: some engines refuse it, others count
// it.
func TestNoRows(t *testing.T) {
	table := sample.EveryType()
	empty, full := schema.NewBatch(table), schema.NewBatch(table)
	sample.Fill(full, rand.New(rand.NewPCG(1, 0)), 5)
	groups := [][]*schema.Batch{{}, {empty}, {empty, full, empty}, {}}
	data := write(t, table, None, groups)
	m := metadata(t, data)
	if len(m.RowGroups) != 1 || m.RowGroups[0].NumRows != 5 || m.RowGroups[0].Ordinal != 0 || m.NumRows != 5 {
		t.Errorf("%d row groups, %d rows", len(m.RowGroups), m.NumRows)
	}
	if stats := m.RowGroups[0].Columns[0].MetaData.EncodingStats; len(stats) != 2 || stats[1].Count != 1 {
		t.Errorf("pages %v", stats)
	}
	f, err := open(data, table)
	if err != nil {
		t.Fatal(err)
	}
	sample.CompareFile(t, f, [][]*schema.Batch{{full}})

	// If another writer wrote empty row groups, the reader finds the rows after them.
	f, err = open(data, table)
	if err != nil {
		t.Fatal(err)
	}
	f.footer.RowGroups[0].NumRows = 0
	for i := range f.footer.RowGroups[0].Columns {
		f.footer.RowGroups[0].Columns[i].MetaData.NumValues = 0
		f.footer.RowGroups[0].Columns[i].MetaData.TotalCompressedSize = 0
	}
	if b, err := f.Next(); b != nil || err != io.EOF { //nolint:errorlint // Next returns io.EOF itself
		t.Errorf("%v, %v", b, err)
	}
}

// Text has bounds as numbers have, in the order of its bytes; where all rows are
// equal, too. A text of more than 64 bytes is no bound.
func TestTextBounds(t *testing.T) {
	table := &schema.Table{Name: "two", Columns: []schema.Column{
		{Name: "word", Type: schema.String, Nullable: true},
		{Name: "json", Type: schema.JSON, Nullable: true},
		{Name: "kind", Type: schema.Enum, Names: schema.KindNames, Nullable: true},
	}}
	long := strings.Repeat("x", 64)
	for _, tt := range []struct {
		name        string
		words       []string // "-" is NULL
		least, most string
	}{
		{"several", []string{"b", "-", "a", "é", "zz"}, "a", "é"}, // é is c3 a9
		{"equal", []string{"a", "a"}, "a", "a"},
		{"NULL", []string{"-", "-"}, "", ""},
		{"64 bytes", []string{"a", long}, "a", long},
		{"65 bytes", []string{"a", long + "x"}, "", ""},
		{"65 bytes in the middle", []string{"a", long + "x", "z"}, "a", "z"},
		{"empty", []string{"", "a"}, "", ""},
	} {
		b := schema.NewBatch(table)
		for _, w := range tt.words {
			valid := uint8(1)
			if w == "-" {
				w, valid = "", 0
			}
			for i := range 2 {
				b.Columns[i].Str, b.Columns[i].Valid = append(b.Columns[i].Str, w), append(b.Columns[i].Valid, valid)
			}
			b.Columns[2].U8, b.Columns[2].Valid = append(b.Columns[2].U8, 0), append(b.Columns[2].Valid, 0)
		}
		chunks := metadata(t, write(t, table, None, [][]*schema.Batch{{b}})).RowGroups[0].Columns
		nulls := int64(strings.Count(strings.Join(tt.words, " "), "-"))
		for i := range 2 {
			s := chunks[i].MetaData.Statistics
			if string(s.MinValue) != tt.least || string(s.MaxValue) != tt.most || s.NullCount != nulls {
				t.Errorf("%s, %s: %q to %q, %d NULLs", tt.name, table.Columns[i].Name, s.MinValue, s.MaxValue, s.NullCount)
			}
		}
	}
	for _, tt := range []struct {
		codes, valid []uint8
		least, most  string
	}{
		// by name, not by code: barrier is code 7
		{[]uint8{0, 7, 5, 0}, []uint8{1, 1, 1, 0}, "barrier", "return"},
		{[]uint8{5, 5}, []uint8{1, 1}, "return", "return"},
		{[]uint8{0, 5}, []uint8{0, 1}, "return", "return"},
		{[]uint8{0, 0}, []uint8{0, 0}, "", ""},
	} {
		table := &schema.Table{Name: "one", Columns: table.Columns[2:]}
		b := schema.NewBatch(table)
		b.Columns[0].U8, b.Columns[0].Valid = tt.codes, tt.valid
		s := metadata(t, write(t, table, None, [][]*schema.Batch{{b}})).RowGroups[0].Columns[0].MetaData.Statistics
		if string(s.MinValue) != tt.least || string(s.MaxValue) != tt.most || s.NullCount != int64(bytes.Count(tt.valid, []byte{0})) {
			t.Errorf("%d: %q to %q, %d NULLs", tt.codes, s.MinValue, s.MaxValue, s.NullCount)
		}
	}
}

// Bounds are those of all pages of a row group, and of no other.
func TestTextBoundsOfPages(t *testing.T) {
	table := &schema.Table{Name: "two", Columns: []schema.Column{
		{Name: "word", Type: schema.String},
		{Name: "kind", Type: schema.Enum, Names: schema.KindNames},
	}}
	batch := func(kind schema.Kind, words ...string) *schema.Batch {
		b := schema.NewBatch(table)
		b.Columns[0].Str, b.Columns[1].U8 = words, bytes.Repeat([]byte{uint8(kind)}, len(words))
		return b
	}
	many := make([]string, 1<<16)
	for i := range many {
		many[i] = fmt.Sprintf("m%05d", i)
	}
	m := metadata(t, write(t, table, None, [][]*schema.Batch{
		{batch(schema.KindSVC, "p", "q"), batch(schema.KindCall, many...), batch(schema.KindHVC, "a", "z")}, // of words, the second and third are plain
		{batch(schema.KindReturn, "r")},
	}))
	for i, want := range []string{"a z, call svc", "r r, return return"} {
		w, k := m.RowGroups[i].Columns[0].MetaData.Statistics, m.RowGroups[i].Columns[1].MetaData.Statistics
		if got := fmt.Sprintf("%s %s, %s %s", w.MinValue, w.MaxValue, k.MinValue, k.MaxValue); got != want {
			t.Errorf("row group %d: %s, want %s", i, got, want)
		}
	}
}
