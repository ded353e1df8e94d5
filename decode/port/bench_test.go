package port

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/tracelake/tracelake/decode"
)

// BenchmarkStream reads captures of a million samples. MB/s are of records: 4 bytes a
// sample.
func BenchmarkStream(b *testing.B) {
	for _, c := range configs() {
		if c.Major() == 2 && c.CaptureLayout != LayoutETBv2Flat {
			continue
		}
		b.Run(c.testName(), func(b *testing.B) {
			samples := randomSamples(rand.New(rand.NewPCG(1, 1)), &c, 1<<20)
			file := write(b, File{Config: c, ETMCR: etmcrOf(c.Width), Samples: uint32(len(samples))}, samples)
			l, err := c.Layout(int64(len(file)))
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(samples)) * SampleBytes)
			var p decode.Piece
			for b.Loop() {
				s := l.Stream(bytes.NewReader(file), 0)
				for {
					p.Clear()
					if _, err := s.Next(&p); errors.Is(err, io.EOF) {
						break
					} else if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
