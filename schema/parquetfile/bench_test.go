package parquetfile

import (
	"testing"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/sample"
)

// A row group of 1,048,576 instructions with all columns, on one core.
func BenchmarkRowGroup(b *testing.B) {
	for _, c := range []struct {
		name   string
		blocks int // of the program: its size decides on those of dictionaries
		timed  bool
		codec  Codec
	}{
		{"small", 100, false, ZSTD1},
		{"small/none", 100, false, None},
		{"small/timed", 100, true, ZSTD1},
		{"large", 20000, false, ZSTD1},
		{"large/timed", 20000, true, ZSTD1},
	} {
		b.Run(c.name, func(b *testing.B) {
			batches := sample.Walk(c.blocks, schema.RowGroupRows/schema.BatchRows, c.timed)
			g := NewRowGroup(&schema.Instructions, c.codec)
			size := 0
			b.ReportAllocs()
			for b.Loop() {
				for _, batch := range batches {
					if err := g.Append(batch); err != nil {
						b.Fatal(err)
					}
				}
				chunks, err := g.Finish()
				if err != nil {
					b.Fatal(err)
				}
				size = len(chunks.(*Chunks).data)
			}
			b.ReportMetric(schema.RowGroupRows*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
			b.ReportMetric(float64(size)/schema.RowGroupRows, "B/row")
		})
	}
}
