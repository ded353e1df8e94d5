package arrowfile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/sample"
)

func write(t testing.TB, table *schema.Table, codec Codec, groups [][]*schema.Batch) []byte {
	t.Helper()
	var out bytes.Buffer
	f, err := Create(&out, table, []schema.Meta{{Key: "tracelake.test", Value: "yes"}}, codec)
	if err != nil {
		t.Fatal(err)
	}
	for _, batches := range groups {
		g := NewRowGroup(table) // a dictionary of its own: must be taken as the same
		sample.WriteGroup(t, f, g, batches)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestRoundTrip(t *testing.T) {
	for codec := range Codec(len(CodecNames())) {
		for seed := range uint64(4) {
			t.Run(fmt.Sprintf("%s/seed=%d", codec, seed), func(t *testing.T) {
				table := sample.EveryType()
				r := rand.New(rand.NewPCG(seed, 0))
				groups := sample.Groups(table, r, [][]int{{900, 900, 1}, {}, {64, 900}})
				compare(t, write(t, table, codec, groups), slices.Concat(groups...))
			})
		}
	}
}

// compare demands that each record batch of a file is one of batches.
func compare(t *testing.T, data []byte, batches []*schema.Batch) {
	t.Helper()
	f, err := ipc.NewFileReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.NumRecords() != len(batches) {
		t.Fatalf("%d record batches, want %d", f.NumRecords(), len(batches))
	}
	for n, b := range batches {
		record, err := f.RecordAt(n)
		if err != nil {
			t.Fatal(err)
		}
		if record.NumRows() != int64(b.Rows()) {
			t.Fatalf("batch %d: %d rows, want %d", n, record.NumRows(), b.Rows())
		}
		for i := range b.Columns {
			a := record.Column(i)
			for row := range b.Rows() {
				if got, want := word(a, row), sample.Text(&b.Columns[i], row); got != want {
					t.Fatalf("batch %d, %s, row %d: %s, want %s", n, record.ColumnName(i), row, got, want)
				}
			}
		}
	}
}

func word(a arrow.Array, row int) string {
	if a.IsNull(row) {
		return sample.Null
	}
	if b, ok := a.(*array.Binary); ok { // others print base64
		return string(b.Value(row))
	}
	return a.ValueStr(row)
}

// Columns that do not change from batch to batch are held once.
func TestBatchesShareWhatIsEqual(t *testing.T) {
	table := &schema.Table{Name: "two", Columns: []schema.Column{
		{Name: "constant", Type: schema.Uint32, Nullable: true},
		{Name: "rising", Type: schema.Int64, Rising: true},
	}}
	g := NewRowGroup(table)
	b := schema.NewBatch(table)
	for n := range 2 {
		b.Reset()
		for i := range 100 {
			sample.Append(b, fmt.Sprintf("- %d", 100*n+i))
		}
		if err := g.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	buffer := func(n, column int) *byte { return &g.records[n].Column(column).Data().Buffers()[1].Bytes()[0] }
	if buffer(0, 0) != buffer(1, 0) {
		t.Error("equal columns do not share their buffer")
	}
	if buffer(0, 1) == buffer(1, 1) {
		t.Error("different columns share a buffer")
	}
}

func TestParseCodec(t *testing.T) {
	for i, name := range CodecNames() {
		c, err := ParseCodec(name)
		if err != nil || c != Codec(i) || c.String() != name {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
	if _, err := ParseCodec("snappy"); err == nil || err.Error() != `unknown codec "snappy" for arrow: use one of none, lz4, zstd` {
		t.Errorf("snappy: %v", err)
	}
}
