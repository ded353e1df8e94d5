package etmv1

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

// seeds are the streams of the golden vectors.
func seeds(t testing.TB) [][]byte {
	t.Helper()
	text, err := os.ReadFile("../port/testdata/etmv2-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Streams []struct{ Protocol, Samples string }
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	var all [][]byte
	for _, s := range vectors.Streams {
		if s.Protocol == "etmv1" {
			all = append(all, records(t, s.Samples))
		}
	}
	return all
}

// anyConfig returns one of the configurations.
func anyConfig(kind byte) *Config {
	c := config([]port.Width{4, 8, 16, 8}[kind&3])
	c.ContextIDBytes = []int{0, 1, 2, 4}[kind>>2&3]
	c.DataAddress, c.DataValue = kind&16 != 0, kind&32 != 0
	c.CycleAccurate, c.MonitorCPRT = kind&64 != 0, kind&128 != 0
	return c
}

// samplesOf returns the records in b, as a stream of ETMv1 has them.
func samplesOf(b []byte) []byte {
	b = slices.Clone(b[:len(b)/port.SampleBytes*port.SampleBytes])
	for i := 0; i < len(b); i += port.SampleBytes {
		b[i], b[i+1] = b[i]&0x17, 0
	}
	return b
}

// The first pass finds the same however a stream is divided.
func FuzzFrame(f *testing.F) {
	for _, b := range seeds(f) {
		f.Add(b, byte(1))
	}
	f.Fuzz(func(t *testing.T, b []byte, kind byte) {
		c, b := anyConfig(kind), samplesOf(b)
		want := branches(c, b, 1)
		for _, piece := range []int64{5, 4096} {
			if got := branches(c, b, piece); !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		}
		whole, single := cutsOf(c, b, len(b)), cutsOf(c, b, port.SampleBytes)
		if !slices.Equal(whole, single) {
			t.Errorf("cuts %v, one sample at a time %v", whole, single)
		}
		for i := 1; i < len(whole); i++ {
			if whole[i].At <= whole[i-1].At {
				t.Errorf("cuts %v do not rise", whole)
			}
		}
	})
}

// cutsOf returns the cuts of a stream that is read in pieces.
func cutsOf(c *Config, b []byte, piece int) []decode.Cut {
	k := c.NewCutter()
	var all []decode.Cut
	for from, to := 0, 0; ; {
		to = min(len(b), max(to, from)+max(piece, port.SampleBytes))
		cuts := k.Find(b[from:to], to == len(b))
		for _, x := range cuts.At {
			x.At += from
			all = append(all, x)
		}
		if to == len(b) {
			return all
		}
		from += cuts.Settled
	}
}

// program is the code of the vectors, from 0x8000 on and at the vectors.
func program() *image.Memory {
	code := []byte("\x01\x00\xa0\xe3\x01\x00\x50\xe2\xfd\xff\xff\x1a\x1e\xff\x2f\xe1\x00\x20\x91\xe5\x10\x80\xbd\xe8\x00\x00\x00\xef\xfe\xff\xff\xea" +
		"\x10\x0f\x01\xee\x02\x01\x91\xed\x91\x00\x02\xe1\xd0\x20\xc1\xe1\x00\x20\xd1\xe5\xb0\x20\xd1\xe1\x11\xff\x2f\xe1\x21\xff\x2f\xe1" +
		"\x01\x20\x70\x47\x00\xdf\x10\xbd\x00\xf0\x06\xf8\x06\xf8\x00\x20\x00\xf0\x00\xe8")
	return image.New(image.Order([]image.Region{
		{Address: 0x8000, Bytes: code}, {Address: 0, Bytes: slices.Repeat([]byte("\x00\x00\xa0\xe1"), 8)},
	})...)
}

// parts returns the parts of a stream, each of at most so many samples.
func parts(c *Config, b []byte, samples int) []decode.Part {
	offsets := decode.OffsetsFrom(0, len(b)/port.SampleBytes, decode.Form{})
	var all []decode.Part
	cuts := cutsOf(c, b, len(b))
	for i, cut := range cuts {
		end := len(b)
		if i+1 < len(cuts) {
			end = cuts[i+1].At
		}
		for at := cut.At; at < end; {
			to := min(end, at+samples*port.SampleBytes)
			ahead := min(len(b), to+c.AheadBytes())
			p := decode.Part{
				Data: b[at:to:to], Offsets: offsets.Slice(at/port.SampleBytes, to/port.SampleBytes), Ahead: b[to:ahead:ahead],
				Continued: at > cut.At, Open: to < end, End: to == len(b),
			}
			if !p.Continued {
				p.Before = b[at-cut.Before : at]
			}
			all = append(all, p)
			at = to
		}
	}
	return all
}

// decoded is what a stream becomes.
type decoded struct {
	instructions []string // address and sample
	samples      int64    // decoded and lost
	result       *decode.Result
}

func decodeParts(t testing.TB, c *Config, memory *image.Memory, b []byte, samples int, packets bool) decoded {
	t.Helper()
	d := c.NewDecoder(memory, decode.Wanted{Packets: packets})
	out := decoded{result: &decode.Result{}}
	for _, p := range parts(c, b, samples) {
		d.Decode(out.result, p)
	}
	for i := range out.result.Segments {
		row := &out.result.Segments[i].Row
		out.samples += row.BytesDecoded + row.BytesLost
	}
	k := 0
	for i := range out.result.Runs {
		run := &out.result.Runs[i]
		code := out.result.Blocks[run.Block]
		for n := range run.Count {
			at := run.Offset + int64(out.result.Offsets[k])
			k++
			out.instructions = append(out.instructions, text(code.Address[run.First+n], run.Failed>>n&1 == 0, at))
		}
	}
	return out
}

// text names an instruction: its address, whether it was executed, its sample.
func text(address schema.Address, executed bool, at int64) string {
	return fmt.Sprintf("%08x %v %d", address, executed, at)
}

// A decoder of any samples does not panic, counts each once, and finds the same rows in
// parts of any size.
func FuzzDecode(f *testing.F) {
	for i, b := range seeds(f) {
		f.Add(b, byte(1|i%4<<4), uint8(3))
	}
	memory := program()
	f.Fuzz(func(t *testing.T, b []byte, kind byte, samples uint8) {
		c, b := anyConfig(kind), samplesOf(b)
		whole := decodeParts(t, c, memory, b, len(b)+1, false)
		cut := len(b)
		if cuts := cutsOf(c, b, len(b)); len(cuts) > 0 {
			cut = cuts[0].At
		}
		if want := int64(len(b)-cut) / port.SampleBytes; whole.samples != want {
			t.Errorf("%d samples are decoded or lost, want %d", whole.samples, want)
		}
		small := decodeParts(t, c, memory, b, int(samples)+1, true)
		if !slices.Equal(small.instructions, whole.instructions) || small.samples != whole.samples {
			t.Errorf("in parts of %d samples: %d samples, %v\nwant %d, %v", int(samples)+1, small.samples, small.instructions, whole.samples, whole.instructions)
		}
		if g, w := len(small.result.Events), len(whole.result.Events); g != w {
			t.Errorf("in parts of %d samples: %d events, want %d", int(samples)+1, g, w)
		}
		if g, w := len(small.result.Data), len(whole.result.Data); g != w {
			t.Errorf("in parts of %d samples: %d data elements, want %d", int(samples)+1, g, w)
		}
	})
}

// However many branches and addresses a part has, few wait to be walked.
func TestHostileParts(t *testing.T) {
	c := config(8)
	for _, samples := range []string{"BE:41* ", "IE:41* ", "WT:ff* ", "BE:00* IE:00 IE:00 "} {
		b := records(t, start+strings.Repeat(samples, 40000))
		d := newDecoder(c, program(), false)
		d.Decode(&decode.Result{}, parts(c, b, len(b))[0])
		if waiting := cap(d.branches.items) + cap(d.frames.came.items); waiting > 20000 {
			t.Errorf("%q: memory for %d branches and addresses", samples, waiting)
		}
	}
}
