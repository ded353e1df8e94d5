package parquetfile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/sample"
)

// A column with more values than a dictionary holds continues in plain pages, and
// starts the next row group with a dictionary again.
func TestDictionaryOverflows(t *testing.T) {
	need.FullRun(t, oneGoroutine)
	table := &schema.Table{Name: "many", Columns: []schema.Column{
		{Name: "number", Type: schema.Uint32},
		{Name: "signed", Type: schema.Int64, Nullable: true},
		{Name: "word", Type: schema.String},
	}}
	batch := func(from, to int) *schema.Batch {
		b := schema.NewBatch(table)
		for i := from; i < to; i++ {
			signed := fmt.Sprint(-i)
			if i%10 == 0 {
				signed = "-"
			}
			sample.Append(b, fmt.Sprintf("%d %s %d", uint32(i)*0x9e3779b1, signed, i))
		}
		return b
	}
	groups := [][]*schema.Batch{
		{batch(0, 40000), batch(40000, 80000), batch(0, 10)},
		{batch(0, 1<<16)}, // just fits
		{batch(0, 1<<16+1)},
	}
	data := write(t, table, ZSTD1, groups)
	compare(t, table, data, groups)

	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"dictionary 1, plain 2", "dictionary 1", "plain 1"} {
		m := f.Metadata().RowGroups[i].Columns[0].MetaData
		if got := pagesOf(m); got != want {
			t.Errorf("row group %d: data pages %s, want %s", i, got, want)
		}
	}
	// Bounds are those of all pages: -79999 is in a plain one, -1 in the dictionary.
	s := f.Metadata().RowGroups[0].Columns[1].MetaData.Statistics
	if got := fmt.Sprintf("%x %x %d", s.MinValue, s.MaxValue, s.NullCount); got != "81c7feffffffffff ffffffffffffffff 8001" {
		t.Errorf("bounds and NULLs %s", got)
	}
}

func pagesOf(m format.ColumnMetaData) string {
	var out []string
	for _, s := range m.EncodingStats {
		if s.PageType == format.DataPage {
			name := map[format.Encoding]string{format.RLEDictionary: "dictionary", format.Plain: "plain", format.DeltaBinaryPacked: "delta"}[s.Encoding]
			out = append(out, fmt.Sprintf("%s %d", name, s.Count))
		}
	}
	return strings.Join(out, ", ")
}

// An encoder that was used before, or reset halfway, or runs in parallel with
// others, makes the same bytes as a new one.
func TestBytesDoNotDependOnTheEncoder(t *testing.T) {
	table := sample.EveryType()
	r := rand.New(rand.NewPCG(3, 0))
	var batches []*schema.Batch
	for range 3 {
		b := schema.NewBatch(table)
		sample.Fill(b, r, 3000)
		batches = append(batches, b)
	}
	encode := func(g *RowGroup, batches ...*schema.Batch) []byte {
		for _, b := range batches {
			if err := g.Append(b); err != nil {
				t.Error(err)
			}
		}
		c, err := g.Finish()
		if err != nil {
			t.Error(err)
		}
		return c.(*Chunks).data
	}
	want := encode(NewRowGroup(table, ZSTD1), batches...)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			g := NewRowGroup(table, ZSTD1)
			encode(g, batches[i%3])
			if err := g.Append(batches[(i+1)%3]); err != nil {
				t.Error(err)
			}
			g.Reset()
			if !bytes.Equal(encode(g, batches...), want) {
				t.Errorf("encoder %d made other bytes", i)
			}
		})
	}
	wg.Wait()
}

// Files of one table differ in nothing but their rows.
func TestFileIsTheSameEachTime(t *testing.T) {
	a := write(t, &schema.Sources, ZSTD1, nil)
	if b := write(t, &schema.Sources, ZSTD1, nil); !bytes.Equal(a, b) || len(a) == 0 {
		t.Error("two files of no rows differ")
	}
	f, err := parquet.OpenFile(bytes.NewReader(a), int64(len(a)))
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Metadata().CreatedBy; got != "tracelake version 4" {
		t.Errorf("created by %q", got)
	}
}

// The appended batch may be filled anew at once.
func TestAppendKeepsNothing(t *testing.T) {
	table := sample.EveryType()
	r := rand.New(rand.NewPCG(4, 0))
	first := schema.NewBatch(table)
	sample.Fill(first, r, 500)
	second := schema.NewBatch(table)
	sample.Fill(second, r, 500)

	reused := schema.NewBatch(table)
	g := NewRowGroup(table, None)
	for _, b := range []*schema.Batch{first, second} {
		reused.Reset()
		for i := range b.Columns {
			v, from := &reused.Columns[i], &b.Columns[i]
			v.U8, v.U16, v.U32, v.U64 = append(v.U8, from.U8...), append(v.U16, from.U16...), append(v.U32, from.U32...), append(v.U64, from.U64...)
			v.Str, v.Valid = append(v.Str, from.Str...), append(v.Valid, from.Valid...)
			for _, p := range from.Bin {
				v.Bin = append(v.Bin, bytes.Clone(p))
			}
		}
		if err := g.Append(reused); err != nil {
			t.Fatal(err)
		}
		for i := range reused.Columns { // what is kept would change
			v := &reused.Columns[i]
			clear(v.U8)
			clear(v.U16)
			clear(v.U32)
			clear(v.U64)
			for _, p := range v.Bin {
				clear(p)
			}
		}
	}
	c, err := g.Finish()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	f, err := Create(&out, table, nil)
	if err == nil {
		err = f.WriteRowGroup(c)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	compare(t, table, out.Bytes(), [][]*schema.Batch{{first, second}})
}

func TestParseCodec(t *testing.T) {
	for i, name := range CodecNames() {
		c, err := ParseCodec(name)
		if err != nil || c != Codec(i) || c.String() != name {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
	if _, err := ParseCodec("lz4"); err == nil || err.Error() != `unknown codec "lz4" for parquet: use one of zstd1, zstd3, zstd7, zstd11, snappy, none` {
		t.Errorf("lz4: %v", err)
	}
}

// FuzzRoundTrip draws tables' rows from a seed, and where they are cut.
func FuzzRoundTrip(f *testing.F) {
	f.Add(uint64(1), uint16(1000), uint16(3), uint8(0))
	f.Add(uint64(2), uint16(1), uint16(1), uint8(5))
	f.Fuzz(func(t *testing.T, seed uint64, a, b uint16, codec uint8) {
		table := sample.EveryType()
		r := rand.New(rand.NewPCG(seed, 0))
		var groups [][]*schema.Batch
		for _, n := range []uint16{a, b} {
			batch := schema.NewBatch(table)
			sample.Fill(batch, r, 1+int(n)%5000)
			groups = append(groups, []*schema.Batch{batch})
		}
		compare(t, table, write(t, table, Codec(codec)%Codec(len(CodecNames())), groups), groups)
	})
}
