package parquetfile

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/sample"
)

// oneGoroutine is why a short run, which is for races, leaves a test out.
const oneGoroutine = "rows are encoded in one goroutine"

// Encodings make the same file as plain values do, byte for byte, and that has the rows.
func TestEncoded(t *testing.T) {
	need.FullRun(t, oneGoroutine)
	for _, c := range []struct {
		name              string
		blocks, most      int
		rows, variety, on int
	}{
		{"one row", 3, 4, 1, 1, 1},
		{"few blocks", 20, 8, 6000, 2, 3},
		{"constant", 1, 40, 5000, 0, 1},
		{"long blocks", 4, 3000, 20000, 5, 2},
		{"everything changes", 2000, 12, 15000, 12, 3},
		{"dictionaries full", 16000, 16, 60000, 9, 3},
	} {
		t.Run(c.name, func(t *testing.T) { holdEncoded(t, 1, c.blocks, c.most, c.rows, c.variety, c.on) })
	}
}

func FuzzEncoded(f *testing.F) {
	f.Add(uint64(1), uint16(10), uint8(6), uint16(700), uint8(3))
	f.Add(uint64(2), uint16(1), uint8(200), uint16(5000), uint8(13))
	f.Fuzz(func(t *testing.T, seed uint64, blocks uint16, most uint8, rows uint16, variety uint8) {
		holdEncoded(t, seed, 1+int(blocks)%500, 1+int(most), 1+int(rows)%9000, int(variety)%14, 2)
	})
}

// holdEncoded holds files of some batches, encoded and plain, against each other. Few
// rows come in several row groups.
func holdEncoded(t *testing.T, seed uint64, blocks, most, rows, variety, batches int) {
	r := rand.New(rand.NewPCG(seed, 0))
	program := sample.Blocks(r, blocks, most)
	var encoded, plain [][]*schema.Batch
	for range 1 + min(10_000/rows, 1) {
		var fs, ps []*schema.Batch
		for range batches {
			f, p := sample.Encoded(r, program, rows, variety)
			fs, ps = append(fs, f), append(ps, p)
		}
		encoded, plain = append(encoded, fs), append(plain, ps)
	}
	want := write(t, &schema.Instructions, None, plain)
	if got := write(t, &schema.Instructions, None, encoded); !bytes.Equal(got, want) {
		t.Errorf("%d bytes from encodings are not the %d from plain values", len(got), len(want))
	}
	compare(t, &schema.Instructions, want, plain)
}

// An encoder that has encoded a row group allocates for the next what it hands over,
// and headers of pages: as much however many rows a page has.
func TestEncodedAllocate(t *testing.T) {
	g := NewRowGroup(&schema.Instructions, ZSTD1)
	allocations := func(rows int) float64 {
		r := rand.New(rand.NewPCG(1, 0))
		b, _ := sample.Encoded(r, sample.Blocks(r, 100, 9), rows, 2)
		return testing.AllocsPerRun(5, func() {
			if err := g.Append(b); err != nil {
				t.Fatal(err)
			}
			if _, err := g.Finish(); err != nil {
				t.Fatal(err)
			}
		})
	}
	few, many := allocations(1000), allocations(100_000)
	if many > few+20 || many > 400 {
		t.Errorf("%.0f allocations with 100,000 rows, %.0f with 1,000", many, few)
	}
}
