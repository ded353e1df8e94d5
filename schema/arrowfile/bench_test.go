package arrowfile

import (
	"io"
	"testing"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/sample"
)

// Row groups of 1,048,576 instructions, encoded and written, on one core. Bytes
// allocated are those a row group holds until it is written.
func BenchmarkRowGroup(b *testing.B) {
	for codec := range Codec(len(CodecNames())) {
		b.Run(codec.String(), func(b *testing.B) {
			batches := sample.Walk(100, schema.RowGroupRows/schema.BatchRows, false)
			f, err := Create(io.Discard, &schema.Instructions, nil, codec)
			if err != nil {
				b.Fatal(err)
			}
			g := NewRowGroup(&schema.Instructions)
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
				if err := f.WriteRowGroup(chunks); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(schema.RowGroupRows*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}
