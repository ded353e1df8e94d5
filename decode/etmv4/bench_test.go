package etmv4

import (
	"path/filepath"
	"testing"

	"github.com/tracelake/tracelake/decode/decodetest/shared"
)

// What reading packets and finding cuts takes, of a Cortex-A53's trace.
func BenchmarkParse(b *testing.B) {
	stream, c := benchStream(b)
	b.SetBytes(int64(len(stream)))
	for b.Loop() {
		var p Packet
		for i := 0; i < len(stream); i += p.Len {
			if err := c.Parse(&p, stream[i:]); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkCutter(b *testing.B) {
	stream, c := benchStream(b)
	b.SetBytes(int64(len(stream)))
	for b.Loop() {
		c.NewCutter().Find(stream, true)
	}
}

// benchStream returns whole packets from an A-sync on.
func benchStream(b *testing.B) ([]byte, *Config) {
	stream := shared.Read(b, filepath.Join(shared.File(b, "captures"), "etm4-juno-uname-002", "expected", "16.bin.gz"))
	c, _, err := NewConfig(juno.with(0, 0))
	if err != nil {
		b.Fatal(err)
	}
	return stream, &c
}
