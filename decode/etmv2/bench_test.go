package etmv2

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

const (
	benchBase  = 0x8000
	benchWords = 100_000 // 400 KB
)

// benchProgram is straight A32 code in which every eighth instruction returns.
func benchProgram() *image.Memory {
	var code []byte
	for i := range benchWords {
		opcode := uint32(0xe1a00000) // nop
		if i%8 == 7 {
			opcode = 0xe12fff1e // bx lr
		}
		code = binary.LittleEndian.AppendUint32(code, opcode)
	}
	return image.New(image.Order([]image.Region{{Address: benchBase, Bytes: code}})...)
}

// benchSamples is instruction trace of 8 pins: eight instructions and a branch address
// of three bytes at a time, and a periodic TFO every thousand samples.
func benchSamples(c *Config, n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var records, fifo []byte
	put := func(status uint8) {
		x := uint16(0)
		if len(fifo) > 0 {
			x, fifo = uint16(fifo[0]), fifo[1:]
		}
		records = port.Append(records, port.NewSample(status, false, x))
	}
	base, synced := decode.PC{Address: benchBase}, -1000
	records = port.Append(records, port.NewSample(StatusTD, false, uint16(c.TFOByte(0))))
	fifo = c.AppendTFO(fifo, TFO{Reason: 1, At: base})
	for at := 0; len(records) < n*port.SampleBytes; at = r.IntN(benchWords/8) * 8 {
		to := decode.PC{Address: benchBase + schema.Address(at)*4}
		if at > 0 {
			fifo = c.Append(fifo, Packet{Kind: BranchAddress, Branch: NewBranch(to, false, 3)})
			put(StatusDE)
		}
		for i := range 7 {
			if len(records)/port.SampleBytes-synced > 1000 && i == 3 && at > 0 {
				records = port.Append(records, port.NewSample(StatusTD, false, uint16(c.TFOByte(len(fifo)))))
				fifo = c.AppendTFO(fifo, TFO{At: decode.PC{Address: to.Address + 12}})
				synced = len(records) / port.SampleBytes
				continue
			}
			put(StatusIE)
		}
		for range r.IntN(3) {
			if len(fifo) > 0 {
				put(StatusWT)
			}
		}
	}
	return records
}

// BenchmarkFrame is the first pass alone: cuts, statuses, groups.
func BenchmarkFrame(b *testing.B) {
	c := benchConfig()
	records := benchSamples(c, 1<<20)
	frames := newFramer(c)
	b.SetBytes(int64(len(records)))
	for b.Loop() {
		cuts := cutter{cfg: c}
		at := cuts.Find(records, true).At
		for i, cut := range at {
			end := len(records)
			if i+1 < len(at) {
				end = at[i+1].At
			}
			frames.begin(&decode.Part{Data: records[cut.At:end], Ahead: records[end:min(len(records), end+reach*port.SampleBytes)]}, false)
			var p TFO
			if err := frames.tfo(&p); err != nil {
				b.Fatal(err)
			}
			var x frame
			for !x.last {
				if err := frames.frame(&x); err != nil && !errors.Is(err, errTruncated) {
					b.Fatal(err)
				}
			}
		}
	}
	report(b, len(records))
}

// BenchmarkDecode is both passes.
func BenchmarkDecode(b *testing.B) {
	c := benchConfig()
	records := benchSamples(c, 1<<20)
	offsets := decode.OffsetsFrom(16, len(records)/port.SampleBytes, decode.Form{Step: port.SampleBytes})
	cuts := cutter{cfg: c}
	at := append([]decode.Cut(nil), cuts.Find(records, true).At...)
	d := newDecoder(c, benchProgram(), false)
	b.SetBytes(int64(len(records)))
	instructions := int64(0)
	for b.Loop() {
		instructions = 0
		result := &decode.Result{}
		for i, cut := range at {
			end := len(records)
			if i+1 < len(at) {
				end = at[i+1].At
			}
			d.Decode(result, decode.Part{
				Data: records[cut.At:end], Offsets: offsets.Slice(cut.At/port.SampleBytes, end/port.SampleBytes),
				Ahead: records[end:min(len(records), end+reach*port.SampleBytes)], End: end == len(records),
			})
			instructions += result.Segments[len(result.Segments)-1].Row.Instructions
			if lost := result.Segments[len(result.Segments)-1].Row.BytesLost; lost > 0 && end < len(records) {
				b.Fatalf("%d samples lost", lost)
			}
			if len(result.Segments) == 8 { // as a unit of 32 KB
				result = &decode.Result{}
			}
		}
	}
	report(b, len(records))
	b.ReportMetric(float64(instructions)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Minstr/s")
}

func benchConfig() *Config {
	return &Config{Config: port.Config{Number: 0x20, Width: 8}}
}

func report(b *testing.B, bytes int) {
	b.ReportMetric(float64(bytes/port.SampleBytes)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Msamples/s")
}
