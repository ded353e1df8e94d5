package etmv1

import (
	"math/rand/v2"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/port"
)

// instructionTrace is a stream of instructions alone: a loop of four, whose return has
// an address of one byte, and a full one every thousand samples.
func instructionTrace(samples int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	add := func(b []byte, status uint8, sync bool, packet uint16) []byte {
		return port.Append(b, port.NewSample(status, sync, packet))
	}
	var b []byte
	for len(b) < samples*port.SampleBytes {
		b = add(add(add(add(add(b, statusBE, true, 0x80), statusIE, false, 0x80), statusIE, false, 0x82), statusWT, false,
			0x80), statusWT, false, 0x10)
		for range 60 {
			for range 3 + 2*random.IntN(3) {
				b = add(add(b, statusIE, false, 0), statusIE, false, 0)
			}
			b = add(add(add(b, statusIN, false, 0), statusIE, false, 0), statusIE, false, 0)
			b = add(add(add(b, statusBE, true, 0), statusIE, false, 0), statusIE, false, 0)
		}
	}
	return b
}

// The first pass: cuts, pairing, addresses. The bytes a second count samples times 4.
func BenchmarkFirstPass(b *testing.B) {
	stream := instructionTrace(1 << 20)
	c := config(8)
	b.SetBytes(int64(len(stream)))
	for b.Loop() {
		if cuts := c.NewCutter().Find(stream, true); len(cuts.At) == 0 {
			b.Fatal("no cuts")
		}
	}
	b.ReportMetric(float64(b.N)*float64(len(stream)/port.SampleBytes)/1e6/b.Elapsed().Seconds(), "Msamples/s")
}

func BenchmarkDecode(b *testing.B) {
	stream := instructionTrace(1 << 20)
	c := config(8)
	all := parts(c, stream, 1<<20)
	d := c.NewDecoder(program(), decode.Wanted{})
	b.SetBytes(int64(len(stream)))
	instructions := int64(0)
	for b.Loop() {
		r := &decode.Result{}
		instructions = 0
		for _, p := range all {
			d.Decode(r, p)
			instructions += r.Segments[len(r.Segments)-1].Row.Instructions
		}
	}
	b.ReportMetric(float64(b.N)*float64(instructions)/1e6/b.Elapsed().Seconds(), "Minstructions/s")
}
