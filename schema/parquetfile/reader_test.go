package parquetfile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/sample"
)

// open opens a file in memory.
func open(data []byte, t *schema.Table) (*Reader, error) {
	return Open(bytes.NewReader(data), int64(len(data)), t)
}

// Every type comes back as it was written, NULL or not, batch by batch.
func TestReaderRoundTrip(t *testing.T) {
	seeds := uint64(4)
	if testing.Short() {
		seeds = 1 // the codecs race with one another
	}
	for codec := range Codec(len(CodecNames())) {
		for seed := range seeds {
			t.Run(fmt.Sprintf("%s/seed=%d", codec, seed), func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(seed, 1))
				table := sample.EveryType()
				groups := sample.Groups(table, r, [][]int{{900, 1100, 1}, {}, {3000}, {64, 900}})
				f, err := open(write(t, table, codec, groups), table)
				if err != nil {
					t.Fatal(err)
				}
				sample.CompareFile(t, f, groups)
			})
		}
	}
}

// A file has values that no dictionary holds, and one without rows is read.
func TestReaderLargeAndEmpty(t *testing.T) {
	table := &schema.Table{Name: "full", Columns: []schema.Column{{Name: "random", Type: schema.Uint32}, {Name: "word", Type: schema.String, Nullable: true}}}
	r := rand.New(rand.NewPCG(1, 0))
	var batches []*schema.Batch
	for range 2 {
		b := schema.NewBatch(table)
		for range schema.BatchRows {
			word := []string{"-", fmt.Sprint(r.Uint32())}[r.IntN(2)]
			sample.Append(b, fmt.Sprintf("%d %s", r.Uint32(), word))
		}
		batches = append(batches, b)
	}
	for _, groups := range [][][]*schema.Batch{{batches}, {}} {
		f, err := open(write(t, table, ZSTD1, groups), table)
		if err != nil {
			t.Fatal(err)
		}
		sample.CompareFile(t, f, groups)
	}
}

// A file of other columns is refused, and so is what is no file.
func TestReaderRefuses(t *testing.T) {
	losses := write(t, &schema.Losses, ZSTD1, nil)
	other := schema.Losses
	other.Columns = append([]schema.Column{}, other.Columns...)
	other.Columns[4].Type = schema.Int32
	for _, tt := range []struct {
		name  string
		data  []byte
		table *schema.Table
		want  string
	}{
		{"other table", losses, &schema.Events, "is a table of 7 columns, not events of schema version 4"},
		{"other type", losses, &other, `its column "bytes" is not bytes of losses`},
		{"empty", nil, &schema.Losses, "no parquet file"},
		{"cut off", losses[:len(losses)-1], &schema.Losses, "no parquet file"},
		{"long footer", append([]byte("PAR1\xff\xff\xff\x7f"), "PAR1"...), &schema.Losses, "a footer of 2147483647 bytes"},
		// a list of 2³¹-1 columns: field 2, a list of structures
		{"long list", []byte("PAR1\x15\x04\x19\xfc\xff\xff\xff\xff\x07\x00\x0a\x00\x00\x00PAR1"), &schema.Losses, "has a list of 2147483647"},
	} {
		_, err := open(tt.data, tt.table)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
}

// Values that a column of the schema cannot have are refused, though the file
// could hold them.
func TestCellsRefuse(t *testing.T) {
	for _, tt := range []struct {
		column schema.Column
		value  parquet.Value
		want   string // its text, or the error
	}{
		{schema.Column{Type: schema.Uint8}, parquet.ValueOf(int32(255)), "255"},
		{schema.Column{Type: schema.Uint8}, parquet.ValueOf(int32(256)), "256 is out of its range"},
		{schema.Column{Type: schema.Uint8}, parquet.ValueOf(int32(-1)), "-1 is out of its range"},
		{schema.Column{Type: schema.Uint16}, parquet.ValueOf(int32(65535)), "65535"},
		{schema.Column{Type: schema.Uint16}, parquet.ValueOf(int32(65536)), "65536 is out of its range"},
		{schema.Column{Type: schema.Uint32}, parquet.ValueOf(int64(1<<32 - 1)), "4294967295"},
		{schema.Column{Type: schema.Uint32}, parquet.ValueOf(int64(1 << 32)), "4294967296 is out of its range"},
		{schema.Column{Type: schema.Uint32}, parquet.ValueOf(int64(-1)), "-1 is out of its range"},
		{schema.Column{Type: schema.Uint63}, parquet.ValueOf(int64(1<<63 - 1)), "9223372036854775807"},
		{schema.Column{Type: schema.Uint63}, parquet.ValueOf(int64(-1)), "-1 is out of its range"},
		{schema.Column{Type: schema.Uint64}, parquet.ValueOf(int64(-1)), "-1"},
		{schema.Column{Type: schema.Int32}, parquet.ValueOf(int32(-1 << 31)), "-2147483648"},
		{schema.Column{Type: schema.Int64}, parquet.ValueOf(int64(-1 << 63)), "-9223372036854775808"},
		{schema.Column{Type: schema.Enum, Names: schema.ISANames}, parquet.ValueOf("jazelle"), "jazelle"},
		{schema.Column{Type: schema.Enum, Names: schema.ISANames}, parquet.ValueOf("a48"), `"a48" is no value of it`},
		{schema.Column{Type: schema.Uint8}, parquet.Value{}, "NULL in a column that has none"},
		{schema.Column{Type: schema.Uint8, Nullable: true}, parquet.Value{}, "NULL"},
	} {
		v := &schema.Vector{Column: &tt.column}
		got := ""
		if err := newCells(&tt.column).append(v, &tt.value); err != nil {
			got = err.Error()
		} else if got = v.Text(0); v.Len() != 1 {
			t.Errorf("%v: %d values", tt.value, v.Len())
		}
		if got != tt.want {
			t.Errorf("%v in a column of type %d: %s, want %s", tt.value, tt.column.Type, got, tt.want)
		}
	}
}

// Counts beyond a page's are refused before memory is taken for them: 2³⁰
// values of a run, and as many groups of no width.
func TestCheckHybrid(t *testing.T) {
	for _, tt := range []struct {
		name  string
		b     []byte
		width int
		want  string // "" is no error
	}{
		{"run", []byte{20, 1}, 1, ""},
		{"groups, filled up", []byte{5, 0xff, 0x03}, 1, ""},
		{"runs", []byte{8, 1, 12, 0}, 1, ""},
		{"long run", []byte{0x80, 0x80, 0x80, 0x80, 0x08, 1}, 1, "of 1073741824 values where 10"},
		{"long groups", []byte{0x81, 0x80, 0x80, 0x80, 0x08}, 0, "of 1073741824 groups where 10"},
		{"one too many", []byte{22, 1}, 1, "of 11 values where 10"},
		{"no value", []byte{20}, 8, "of 10 values where 10"},
		{"groups without bytes", []byte{5, 0xff}, 1, "groups where 10|of 10 values"},
		{"no length", []byte{0x80}, 1, "cut off"},
	} {
		err := checkHybrid(tt.b, tt.width, 10)
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		found := false
		for want := range strings.SplitSeq(tt.want, "|") {
			found = found || err != nil && strings.Contains(err.Error(), want)
		}
		if !found {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
}

// Pages that lie about their size, or are of more values than a batch has, are
// refused before they are handed on.
func TestCheckPage(t *testing.T) {
	col := &schema.Column{Type: schema.Uint8}
	data := func(values, size int32) *format.PageHeader {
		return &format.PageHeader{
			Type: format.DataPage, UncompressedPageSize: size,
			DataPageHeader: thrift.New(format.DataPageHeader{NumValues: values, Encoding: format.RLEDictionary, DefinitionLevelEncoding: format.RLE}),
		}
	}
	run := []byte{8, 20, 1} // width 8, ten times 1
	// A frame that says it is of 2³⁶ bytes (RFC 8878 §3.1.1): magic, eight bytes
	// of content size in a single segment, an empty last block.
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0x10, 0, 0, 0, 1, 0, 0}
	for _, tt := range []struct {
		name  string
		h     *format.PageHeader
		body  []byte
		codec format.CompressionCodec
		want  string // "" is no error
	}{
		{"as it should be", data(10, 3), run, format.Uncompressed, ""},
		{"size", data(10, 4), run, format.Uncompressed, "3 bytes uncompressed, its header says 4"},
		{"values", data(schema.MaxBatchRows+1, 3), run, format.Uncompressed, "524289 values"},
		{"no values", data(0, 3), run, format.Uncompressed, "0 values"},
		{"body", data(9, 3), run, format.Uncompressed, "a run of 10 values where 9 are left"},
		{"zstd", data(10, 3), frame, format.Zstd, zstd.ErrDecoderSizeExceeded.Error()},
		{"snappy", data(10, 3), []byte{0x80, 0x80, 0x80, 0x80, 0x04, 0}, format.Snappy, "1073741824 bytes uncompressed"},
		{"codec", data(10, 3), run, format.Gzip, "compressed by GZIP"},
		{"type", &format.PageHeader{Type: format.DataPageV2, UncompressedPageSize: 3}, run, format.Uncompressed, "is of type DATA_PAGE_V2"},
		{"dictionary", &format.PageHeader{
			Type: format.DictionaryPage, UncompressedPageSize: 3,
			DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: 1<<16 + 1}),
		}, run, format.Uncompressed, "a dictionary of 65537"},
	} {
		tt.h.CompressedPageSize = int32(len(tt.body))
		c := checker{file: bytes.NewReader(tt.body), size: int64(len(tt.body))}
		n, err := c.checkPage(tt.h, 0, col, tt.codec)
		if tt.want == "" && (err != nil || n != 10) || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %d, %v, want %q", tt.name, n, err, tt.want)
		}
	}
	for _, h := range []format.PageHeader{{UncompressedPageSize: 1<<28 + 1}, {CompressedPageSize: 1000}, {CompressedPageSize: -1}, {UncompressedPageSize: -1}} {
		b, err := thrift.Marshal(new(thrift.CompactProtocol), &h)
		if err != nil {
			t.Fatal(err)
		}
		c := checker{file: bytes.NewReader(b), size: int64(len(b))}
		if _, _, err := c.header(0, c.size); err == nil || !strings.Contains(err.Error(), "bytes, ") {
			t.Errorf("%d bytes, %d uncompressed: %v", h.CompressedPageSize, h.UncompressedPageSize, err)
		}
	}
}

// FuzzReader reads damaged files: rows or an error, no panic.
func FuzzReader(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	table, later := sample.Versions(r)
	for _, written := range []*schema.Table{table, later} {
		b := schema.NewBatch(written)
		sample.Fill(b, r, 40)
		for _, codec := range []Codec{ZSTD1, Snappy, None} {
			f.Add(write(f, written, codec, [][]*schema.Batch{{b, b}, {b}}))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := open(data, table); err == nil {
			sample.ReadDamaged(t, r)
		}
	})
}
