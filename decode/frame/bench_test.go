package frame

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/tracelake/tracelake/decode"
)

// benchBuffer is a capture, over and over.
func benchBuffer(b *testing.B, c *framedCapture) []byte {
	one := c.buffer(b)
	return bytes.Repeat(one, (16<<20)/len(one))
}

func benchLayout(b *testing.B, c *framedCapture, buf []byte) Layout {
	b.Helper()
	layout := detect(b, buf, c.options())
	if layout.IDs.Empty() {
		b.Fatal("the frames would not be watched")
	}
	return layout
}

func BenchmarkReader(b *testing.B) {
	for _, i := range []int{0, 2} {
		c := &framedCaptures[i]
		for _, id := range []uint8{0x10, 0x6F, 0x13} {
			if c.bytes[id] == 0 {
				continue
			}
			b.Run(fmt.Sprintf("%s/%02x", c.folder, id), func(b *testing.B) {
				buf := benchBuffer(b, c)
				layout := benchLayout(b, c, buf)
				b.SetBytes(int64(len(buf)))
				b.ReportAllocs()
				var p decode.Piece
				for b.Loop() {
					r := NewReader(bytes.NewReader(buf), int64(len(buf)), layout, id)
					for {
						p.Clear()
						_, err := r.Next(&p)
						if errors.Is(err, io.EOF) {
							break
						}
						if err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		}
	}
}

// BenchmarkReaderMixed reads one of four sources that take turns at random. A
// capture that is repeated, as above, is learned by the branch predictor, and
// flatters frames with ID bytes.
func BenchmarkReaderMixed(b *testing.B) {
	for _, longest := range []int{8, 40, 400} {
		b.Run(fmt.Sprintf("runs to %d", longest), func(b *testing.B) {
			random := rand.New(rand.NewPCG(9, 9))
			var buf bytes.Buffer
			w := NewWriter(&buf)
			for buf.Len() < 16<<20 {
				if err := w.Write(0x10+uint8(random.IntN(4)), noise(random, 1+random.IntN(longest))); err != nil {
					b.Fatal(err)
				}
			}
			var layout Layout
			for _, id := range []uint8{NullID, 0x10, 0x11, 0x12, 0x13} {
				layout.IDs.Add(id)
			}
			b.SetBytes(int64(buf.Len()))
			var p decode.Piece
			for b.Loop() {
				r := NewReader(bytes.NewReader(buf.Bytes()), int64(buf.Len()), layout, 0x10)
				for {
					p.Clear()
					_, err := r.Next(&p)
					if errors.Is(err, io.EOF) {
						break
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

func BenchmarkScan(b *testing.B) {
	for _, i := range []int{0, 2} {
		c := &framedCaptures[i]
		b.Run(c.folder, func(b *testing.B) {
			buf := benchBuffer(b, c)
			layout := benchLayout(b, c, buf)
			b.SetBytes(int64(len(buf)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Scan(bytes.NewReader(buf), int64(len(buf)), layout); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkWriter(b *testing.B) {
	data := make([]byte, 1000)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	w := NewWriter(io.Discard)
	for i := uint8(0); b.Loop(); i++ {
		if err := w.Write(0x10+i&1, data); err != nil {
			b.Fatal(err)
		}
	}
}
