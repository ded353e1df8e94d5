package port

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
)

var (
	namesV1 = []string{"IE", "ID", "IN", "WT", "BE", "BD", "TR", "TD"}
	namesV2 = []string{
		"IE", "DE", "IN", "DN", "WT", "DW", "TR", "TD",
		"PT_IE", "PT_DE", "PT_IN", "PT_DN", "PN_IE", "PN_DE", "PN_IN", "PN_DN",
	}
)

// vectors is the file of golden vectors.
type vectors struct {
	Layouts map[string]struct {
		Port    Width
		Bytes   string
		Offsets []int64
	}
	Streams []struct {
		Name, Protocol, Samples, ETB string
		Port                         Width
		Registers                    map[string]string
	}
}

func readVectors(t testing.TB) vectors {
	t.Helper()
	b, err := os.ReadFile("testdata/etmv2-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func (v *vectors) samples(t testing.TB, name string) []Sample {
	t.Helper()
	for _, s := range v.Streams {
		if s.Name == name {
			names := namesV1
			if s.Protocol == "etmv2" {
				names = namesV2
			}
			samples, err := ParseSamples(s.Samples, names)
			if err != nil {
				t.Fatal(err)
			}
			return samples
		}
	}
	t.Fatalf("no stream %q", name)
	return nil
}

// read is what a stream gave.
type read struct {
	samples []Sample
	offsets []int64
	notes   []string
}

func readAll(t testing.TB, l decode.Layout, b []byte, ringStart int64) (read, error) {
	t.Helper()
	var r read
	s := l.Stream(bytes.NewReader(b), ringStart)
	for {
		var p decode.Piece
		_, err := s.Next(&p)
		if err != nil {
			r.notes = s.(decode.Noter).Notes()
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return r, err
		}
		if len(p.Data) == 0 || len(p.Data)%SampleBytes != 0 {
			t.Fatalf("a piece of %d bytes", len(p.Data))
		}
		n := len(p.Data) / SampleBytes
		if p.Offsets.Len() != n {
			t.Fatalf("%d offsets for %d samples", p.Offsets.Len(), n)
		}
		r.samples = append(r.samples, Samples(p.Data)...)
		for i := range n {
			r.offsets = append(r.offsets, int64(p.Offsets.At(i)))
		}
	}
}

// layoutOf returns the layout of a vector, and the stream that it holds.
func layoutOf(t testing.TB, vector string) (l Layout, major uint8, stream string) {
	t.Helper()
	name, stream, _ := strings.Cut(vector, ", ")
	l = Layout(slices.Index(layoutNames[:], name))
	if l >= layouts {
		t.Fatalf("no layout %q", name)
	}
	major = 1
	switch {
	case strings.HasPrefix(stream, "A-"):
		major = 2
	case l == LayoutBytes:
		stream = "K-4"
	case stream == "":
		stream = "K-8"
	}
	return l, major, stream
}

func TestVectorLayouts(t *testing.T) {
	v := readVectors(t)
	for name, want := range v.Layouts {
		t.Run(name, func(t *testing.T) {
			layout, major, stream := layoutOf(t, name)
			samples := v.samples(t, stream)
			b, err := hex.DecodeString(want.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			c := Config{Number: major<<4 | 2 - (major-1)*2, Width: want.Port, CaptureLayout: layout}
			got := mustRead(t, &c, b)
			padded := slices.Clone(samples)
			for len(padded) < len(want.Offsets) {
				padded = append(padded, StatusTD)
			}
			if !slices.Equal(got.samples, padded) {
				t.Errorf("samples\n%v\nwant\n%v", got.samples, padded)
			}
			if !slices.Equal(got.offsets, want.Offsets) {
				t.Errorf("offsets %v, want %v", got.offsets, want.Offsets)
			}
			if len(got.notes) > 0 {
				t.Error(got.notes)
			}
			etmcr := map[Width]uint32{4: 0, 8: 0x10, 16: 0x20}[want.Port]
			if layout == LayoutDemux { // the writer fills the last pair
				b = append(b, 7, 0)
			}
			if w := write(t, File{Config: c, ETMCR: etmcr, Samples: uint32(len(samples))}, samples); !bytes.Equal(w, b) {
				t.Errorf("written\n%x\nwant\n%x", w, b)
			}
		})
	}
}

// TestVectorETB writes the streams whose words the vectors have.
func TestVectorETB(t *testing.T) {
	v := readVectors(t)
	n := 0
	for _, s := range v.Streams {
		if s.ETB == "" {
			continue
		}
		n++
		number := uint8(0x12)
		if s.Protocol == "etmv2" {
			number = 0x20
		}
		c := Config{Number: number, Width: s.Port, CaptureLayout: LayoutETB}
		var want []byte
		for word := range strings.FieldsSeq(s.ETB) {
			x, err := strconv.ParseUint(word, 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			want = binary.LittleEndian.AppendUint32(want, uint32(x))
		}
		if got := write(t, File{Config: c}, v.samples(t, s.Name)); !bytes.Equal(got, want) {
			t.Errorf("%s: %x, want %x", s.Name, got, want)
		}
	}
	if n < 3 {
		t.Errorf("only %d streams have words of an ETB", n)
	}
}

func mustRead(t testing.TB, c *Config, b []byte) read {
	t.Helper()
	l, err := c.Layout(int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := readAll(t, l, b, 0)
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(r.samples)) != l.Units() {
		t.Fatalf("%d samples, but %d units", len(r.samples), l.Units())
	}
	return r
}

func write(t testing.TB, f File, samples []Sample) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, f)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(Records(samples)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
