package etmv2

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

// fuzzConfig is a configuration by the bits of a number.
func fuzzConfig(n uint16) *Config {
	return &Config{
		Config: port.Config{
			Number: 0x20, Width: []port.Width{8, 4, 16, 8}[n&3], DataAddress: n>>2&1 != 0, DataValue: n>>3&1 != 0,
			ContextIDBytes: []int{0, 1, 2, 4}[n>>4&3], CycleAccurate: n>>6&1 != 0, BranchOutput: n>>7&1 != 0,
			HighVectors: n>>8&1 != 0, BigEndian: n>>9&1 != 0, MonitorCPRT: n>>10&1 != 0,
		},
		TFO: TFOCode(n >> 11 & 1), First: First(n >> 12 & 1), Gap: Gap(n >> 13 & 1), TFOLow: uint8(n >> 14 & 1),
	}
}

// documented reports whether an error is one that the codec documents.
func documented(err error) bool {
	syntax := (*decode.SyntaxError)(nil)
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &syntax)
}

// FuzzPacket checks any bytes under any configuration: what can be read is written
// again as it was, in a group and as a TFO packet.
func FuzzPacket(f *testing.F) {
	for _, s := range []string{
		"03", "8180818008", "8d80808048", "c180828010", "2a908080800434 12", "7490", "2cefbeadde", "6a", "6e3412", "12", "8180818007",
		"2000800000", "a0148000000d", "38", "8000000000",
	} {
		for _, n := range []uint16{0, 3 << 2, 3<<2 | 2<<4 | 1<<9, 1<<11 | 1<<14} {
			f.Add(unhex(f, s), n)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, n uint16) {
		c := fuzzConfig(n)
		p := sentinel
		if err := c.Parse(&p, b); err != nil {
			if !documented(err) || p != sentinel {
				t.Fatalf("Parse: %v, %+v", err, p)
			}
		} else if got := c.Append(nil, p); !bytes.Equal(got, b[:p.Len]) {
			t.Fatalf("% x became % x: %+v", b[:p.Len], got, p)
		}
		var x TFO
		if err := c.ParseTFO(&x, b); err != nil {
			if !documented(err) || x != (TFO{}) {
				t.Fatalf("ParseTFO: %v, %+v", err, x)
			}
		} else if got := c.AppendTFO(nil, x); !bytes.Equal(got, b[:x.Len]) {
			t.Fatalf("% x became % x: %+v", b[:x.Len], got, x)
		}
	})
}

// fuzzSeeds are streams as [port.ParseSamples] reads them.
var fuzzSeeds = []string{
	"TD:09 IE:20 IE:00 IN:80 DE:00 IE:00 IE:c1 WT:80 WT:82 DW:80 IE:10 WT:8d WT:80 WT:80 WT:80 WT:48 TD:00",
	"TD:9 IE:0 WT:0 WT:0 TD:9 IN:4 WT:2 WT:0 WT:0 WT:0 WT:8 WT:0 WT:0 WT:0 WT:0 WT:0 WT:0 WT:4 WT:0 WT:0 WT:8 WT:0 WT:0 WT:0 WT:0 TD:0",
	"TD:0009 DE:1020 WT:0080 WT:2200 WT:8090 WT:8080 WT:ff04 DE:1422 TD:0000",
	"TD:09 IE:20 TR:07 IN:49 WT:00 WT:80 WT:00 WT:00 WT:00 WT:04 WT:80 WT:00 WT:00",
	"TD:09 IE:a0 DW:14 WT:80 WT:00 WT:00 WT:0d WT:22 WT:84 WT:82 WT:80 WT:80 WT:04 TD:00",
	"TD:09 IE:20 TD:29 IE:00 WT:80 WT:00 WT:00 WT:80 WT:00 WT:00 TD:00",
	"TD:09 IE:38 WT:00 TR:06 TD:09 PT_DE:40 WT:00 WT:80 WT:00 WT:00 WT:12 TD:07 TD:03",
}

func addSeeds(f *testing.F) {
	for i, s := range fuzzSeeds {
		samples, err := port.ParseSamples(s, StatusNames)
		if err != nil {
			f.Fatal(err)
		}
		for _, n := range []uint16{uint16(i) % 3, uint16(i)%3 | 3<<2, 1<<6 | uint16(i)%3 | 7<<11} {
			f.Add(port.Records(samples), n, uint16(5))
		}
	}
}

// fuzzRecords makes records of samples from any bytes, as every layout does.
func fuzzRecords(c *Config, b []byte) []byte {
	var records []byte
	for ; len(b) >= port.SampleBytes; b = b[port.SampleBytes:] {
		s := port.At(b)
		records = port.Append(records, port.NewSample(s.Status(), false, s.Packet()&(1<<c.Width-1)))
	}
	return records
}

// FuzzFrame checks that the cuts and the frames of any samples do not depend on how
// the stream is divided.
func FuzzFrame(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, b []byte, n, size uint16) {
		c := fuzzConfig(n)
		records := fuzzRecords(c, b)
		whole := c.NewCutter().Find(records, true)
		var at []decode.Cut
		cuts, from := c.NewCutter(), 0
		step := (int(size)%7 + 1) * port.SampleBytes
		for to := 0; to < len(records); {
			to = min(len(records), to+step)
			found := cuts.Find(records[from:to], to == len(records))
			for _, cut := range found.At {
				cut.At += from
				at = append(at, cut)
			}
			from += found.Settled
		}
		if len(at) != len(whole.At) {
			t.Fatalf("%d cuts, want %d", len(at), len(whole.At))
		}
		for i, cut := range whole.At {
			if at[i] != cut {
				t.Fatalf("cut %d is %+v, want %+v", i, at[i], cut)
			}
		}
		c.score(records)
	})
}

// FuzzDecode checks that any samples are decoded or lost, each once, that nothing
// panics, and that parts of any size have the same rows.
func FuzzDecode(f *testing.F) {
	addSeeds(f)
	mem := testMemory()
	f.Fuzz(func(t *testing.T, b []byte, n, size uint16) {
		c := fuzzConfig(n)
		records := fuzzRecords(c, b)
		whole := decodeParts(c, mem, records, len(records)+1, true)
		parts := decodeParts(c, mem, records, (int(size)%9+1)*port.SampleBytes, size&16 != 0)
		var total, counted int64
		for _, s := range whole.Segments {
			total += s.Row.Bytes
			counted += s.Row.BytesDecoded + s.Row.BytesLost
		}
		if cuts := c.NewCutter().Find(records, true).At; len(cuts) > 0 {
			if want := int64(len(records)-cuts[0].At) / port.SampleBytes; total != want || counted != want {
				t.Fatalf("%d samples, %d counted, want %d", total, counted, want)
			}
		}
		if got, want := rows(parts), rows(whole); got != want {
			t.Fatalf("in parts\n%s\nwant\n%s", got, want)
		}
	})
}

// testMemory has the program of docs/etmv2.md §8.
func testMemory() *image.Memory {
	var regions []image.Region
	for at, words := range map[schema.Address][]uint32{
		0x0: {0xea000004, 0xe1a00000, 0xe1a00000, 0xe1a00000, 0xe1a00000, 0, 0xe1a00000},
		0x8000: {
			0xe3a00001, 0xe2500001, 0x1afffffd, 0xe12fff1e, 0xe5912000, 0xe8bd8010, 0xef000000, 0xeafffffe,
			0xfa000006, 0xe1a00000, 0xe1a00000, 0xe1a00000, 0xe1a00000, 0xe1a00000, 0xe1a00000, 0xe1a00000,
			0x47702001, 0xe7fe4770, 0x46c046c0, 0x46c046c0, 0xf806f000, 0x46c046c0, 0x46c046c0, 0x46c046c0,
			0xf8004770, 0x46c046c0,
		},
	} {
		var code []byte
		for _, w := range words {
			code = decode.AppendLittleEndian(code, w, 4)
		}
		regions = append(regions, image.Region{Address: at, Bytes: code})
	}
	return image.New(image.Order(regions)...)
}

// decodeParts decodes the segments of a stream in parts of so many bytes, with rows of
// `packets` or without.
func decodeParts(c *Config, mem *image.Memory, records []byte, size int, packets bool) *decode.Result {
	return decodeBy(c.NewDecoder(mem, decode.Wanted{Packets: packets}), c, records, size)
}

// decodeBy decodes the segments of a stream in parts of so many bytes.
func decodeBy(d decode.Decoder, c *Config, records []byte, size int) *decode.Result {
	result := &decode.Result{}
	at := c.NewCutter().Find(records, true).At
	offsets := decode.OffsetsFrom(0, len(records)/port.SampleBytes, decode.Form{})
	for i, cut := range at {
		end := len(records)
		if i+1 < len(at) {
			end = at[i+1].At
		}
		before := records[cut.At-cut.Before : cut.At]
		for from := cut.At; from < end; from += size {
			to := min(end, from+size)
			d.Decode(result, decode.Part{
				Data: records[from:to], Offsets: offsets.Slice(from/port.SampleBytes, to/port.SampleBytes),
				Ahead:     records[to:min(len(records), to+c.AheadBytes())],
				Continued: from > cut.At, Open: to < end, End: to == len(records), Before: before,
			})
			before = nil
		}
	}
	return result
}
