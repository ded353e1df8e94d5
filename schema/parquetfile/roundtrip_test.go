package parquetfile

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/sample"
)

var seedFlag = flag.Uint64("seed", 0, "run the round trip with this seed only")

// textOf returns what parquet-go read in words, as sample.Text has them.
func textOf(v parquet.Value) string {
	if v.IsNull() {
		return "NULL"
	}
	switch v.Kind() {
	case parquet.Boolean:
		return strconv.FormatBool(v.Boolean())
	case parquet.Int32:
		return strconv.FormatInt(int64(v.Int32()), 10)
	case parquet.Int64:
		return strconv.FormatInt(v.Int64(), 10)
	case parquet.Double:
		return strconv.FormatFloat(v.Double(), 'g', -1, 64)
	}
	return string(v.ByteArray())
}

func TestRoundTrip(t *testing.T) {
	seeds := []uint64{1, 2, 3, 4, 5, 6, 7, 8}
	if *seedFlag != 0 {
		seeds = []uint64{*seedFlag}
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 0))
			table := sample.EveryType()
			codec := Codec(r.IntN(len(CodecNames())))
			var groups [][]*schema.Batch
			for range 1 + r.IntN(3) {
				var g []*schema.Batch
				for range r.IntN(4) {
					b := schema.NewBatch(table)
					sample.Fill(b, r, 1+r.IntN([]int{1, 20, 1000, 10000}[r.IntN(4)]))
					g = append(g, b)
				}
				groups = append(groups, g)
			}
			compare(t, table, write(t, table, codec, groups), groups)
			if t.Failed() {
				t.Logf("again: go test ./schema/parquetfile -run 'TestRoundTrip' -seed %d", seed)
			}
		})
	}
}

// write returns the file that groups make.
func write(t testing.TB, table *schema.Table, codec Codec, groups [][]*schema.Batch) []byte {
	t.Helper()
	var out bytes.Buffer
	f, err := Create(&out, table, []schema.Meta{{Key: "tracelake.test", Value: "yes"}})
	if err != nil {
		t.Fatal(err)
	}
	rg := NewRowGroup(table, codec)
	for _, g := range groups {
		sample.WriteGroup(t, f, rg, g)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// compare reads data with parquet-go and demands the rows of groups.
func compare(t *testing.T, table *schema.Table, data []byte, groups [][]*schema.Batch) {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var rows int64
	at := 0
	for _, g := range groups {
		if len(g) == 0 {
			continue
		}
		rg := f.RowGroups()[at]
		at++
		for i := range table.Columns {
			got := readColumn(t, rg.ColumnChunks()[i])
			var want []string
			for _, b := range g {
				for row := range b.Rows() {
					want = append(want, sample.Text(&b.Columns[i], row))
				}
			}
			if len(got) != len(want) {
				t.Fatalf("%s: %d values, want %d", table.Columns[i].Name, len(got), len(want))
			}
			for row := range want {
				if got[row] != want[row] {
					t.Fatalf("%s, row %d: %s, want %s", table.Columns[i].Name, row, got[row], want[row])
				}
			}
			if i == 0 {
				rows += int64(len(want))
			}
		}
	}
	if f.NumRows() != rows || len(f.RowGroups()) != at {
		t.Fatalf("%d rows in %d row groups, want %d in %d", f.NumRows(), len(f.RowGroups()), rows, at)
	}
}

// readColumn returns the values of a chunk in words.
func readColumn(t *testing.T, c parquet.ColumnChunk) []string {
	t.Helper()
	var out []string
	pages := c.Pages()
	defer pages.Close()
	for {
		p, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		values := make([]parquet.Value, p.NumValues())
		n, err := p.Values().ReadValues(values)
		if int64(n) != p.NumValues() || err != nil && !errors.Is(err, io.EOF) {
			t.Fatalf("page of %d values gave %d: %v", p.NumValues(), n, err)
		}
		for _, v := range values {
			out = append(out, textOf(v))
		}
	}
}
