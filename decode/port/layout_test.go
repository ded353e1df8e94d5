package port

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode"
)

// configs returns every configuration that the layouts distinguish.
func configs() []Config {
	var all []Config
	for _, number := range []uint8{0x12, 0x20} {
		for _, l := range Layouts(number >> 4) {
			for _, w := range widths {
				if l != LayoutBytes || w == 4 {
					all = append(all, Config{Number: number, Width: w, CaptureLayout: l})
				}
			}
		}
	}
	return all
}

func (c *Config) testName() string {
	return fmt.Sprintf("v%s/%s/%d", c.Version(), c.CaptureLayout, c.Width)
}

// randomSamples returns samples that c can have.
func randomSamples(random *rand.Rand, c *Config, n int) []Sample {
	samples := make([]Sample, n)
	for i := range samples {
		if c.Major() == 1 {
			samples[i] = NewSample(uint8(random.Uint32()&7), random.IntN(3) == 0, uint16(random.Uint32())&c.Width.mask())
		} else {
			samples[i] = NewSample(uint8(random.Uint32()&15), false, uint16(random.Uint32())&c.Width.mask())
		}
	}
	return samples
}

// TestRoundTrips writes random samples in every layout and reads them: they are the
// same, at offsets that rise, never fall inside a word, and are those of the writer.
func TestRoundTrips(t *testing.T) {
	for _, c := range configs() {
		t.Run(c.testName(), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(1, 2))
			for range need.Size(20, 400) {
				want := randomSamples(random, &c, 1+random.IntN(100))
				b := write(t, File{Config: c, ETMCR: etmcrOf(c.Width), Samples: uint32(len(want))}, want)
				got := mustRead(t, &c, b)
				checkPadded(t, &c, got.samples, want)
				checkOffsets(t, &c, got.offsets, b)
			}
		})
	}
}

func etmcrOf(w Width) uint32 { return uint32(slices.Index(widths, w)) << etmcrPortSizeShift }

// checkPadded checks that got is want, and then droppable samples to the end of the
// record.
func checkPadded(t testing.TB, c *Config, got, want []Sample) {
	t.Helper()
	if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		t.Fatalf("%d samples %v, want %d %v", len(got), got, len(want), want)
	}
	if _, most := c.RecordBytes(); len(got)-len(want) >= most {
		t.Errorf("%d samples of padding, but a record has %d", len(got)-len(want), most)
	}
	for _, s := range got[len(want):] {
		if !s.Droppable() {
			t.Errorf("padded with %#x", s)
		}
	}
}

func checkOffsets(t testing.TB, c *Config, offsets []int64, b []byte) {
	t.Helper()
	g := c.grid()
	for i, at := range offsets {
		inWord := (at - g.head) % int64(g.cell)
		switch {
		case i > 0 && at <= offsets[i-1]:
			t.Fatalf("sample %d: offset %d after %d", i, at, offsets[i-1])
		case at != c.Offset(int64(i)):
			t.Fatalf("sample %d: offset %d, but %d by the writer", i, at, c.Offset(int64(i)))
		case at < g.head || at >= int64(len(b)):
			t.Fatalf("sample %d: offset %d of %d bytes", i, at, len(b))
		case inWord != int64(i%g.slots*g.bits/8):
			t.Fatalf("sample %d: offset %d, byte %d of a word", i, at, inWord)
		}
	}
}

// TestPieces reads a capture of several pieces.
func TestPieces(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, layout := range []Layout{LayoutETMS, LayoutETB, LayoutETB24, LayoutDemux} {
		c := Config{Number: 0x20, Width: 8, CaptureLayout: layout}
		want := randomSamples(random, &c, 2*pieceSamples+7)
		b := write(t, File{Config: c}, want)
		got := mustRead(t, &c, b)
		checkPadded(t, &c, got.samples, want)
		checkOffsets(t, &c, got.offsets, b)
	}
}

// TestRings turns captures, and reads them from the oldest sample on.
func TestRings(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, c := range configs() {
		g := c.grid()
		_, perRecord := c.RecordBytes()
		want := randomSamples(random, &c, 12*perRecord)
		b := write(t, File{Config: c, ETMCR: etmcrOf(c.Width), Samples: uint32(len(want))}, want)
		turned := slices.Clone(b)
		at := 5 * g.cell * g.turn
		copy(turned[g.head:], b[len(b)-at:])
		copy(turned[int(g.head)+at:], b[g.head:len(b)-at])

		l, err := c.Layout(int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := readAll(t, l, turned, g.head+int64(at))
		if err != nil || !slices.Equal(got.samples, want) {
			t.Errorf("%s: %v, %v; want %v", c.testName(), got.samples, err, want)
		}
		for _, wrong := range []int64{-1, 1, g.head + 1, g.head - 1, int64(len(b)), int64(len(b)) + 64} {
			if wrong == 0 || g.cell*g.turn == 1 && wrong == 1 {
				continue
			}
			if r, err := readAll(t, l, b, wrong); !errors.Is(err, decode.ErrRing) {
				t.Errorf("%s: a ring from %d on has %d samples, %v", c.testName(), wrong, len(r.samples), err)
			}
		}
	}
}

// TestETBRegisters reads words as ETBRWP and ETBSTS say (docs/etmv2.md §3.2).
func TestETBRegisters(t *testing.T) {
	words := []byte{1 << 3, 0, 0, 0, 2 << 3, 0, 0, 0, 3 << 3, 0, 0, 0, 4 << 3, 0, 0, 0, 0xFF} // 16 pins
	for _, test := range []struct {
		name           string
		ring           etb
		want           []uint16
		overhead, rest int64
	}{
		{"not given", etb{}, []uint16{1, 2, 3, 4}, 0, 1},
		{"full", etb{given: true, pointer: 1, full: true}, []uint16{2, 3, 4, 1}, 0, 1},
		{"full, from the first on", etb{given: true, full: true}, []uint16{1, 2, 3, 4}, 0, 1},
		{"not full", etb{given: true, pointer: 3}, []uint16{1, 2, 3}, 5, 0},
		{"not full, all valid", etb{given: true, pointer: 4}, []uint16{1, 2, 3, 4}, 0, 1},
		{"nothing valid", etb{given: true}, nil, 17, 0},
	} {
		c := Config{Number: 0x12, Width: 16, CaptureLayout: LayoutETB, ring: test.ring}
		l, err := c.Layout(int64(len(words)))
		if err != nil {
			t.Fatal(err)
		}
		r, err := readAll(t, l, words, 0)
		if err != nil {
			t.Fatal(err)
		}
		var got []uint16
		for _, s := range r.samples {
			got = append(got, s.Packet())
		}
		if !slices.Equal(got, test.want) || l.Overhead() != test.overhead || l.Rest() != test.rest ||
			l.Units() != int64(len(got)) {
			t.Errorf("%s: %v, overhead %d, rest %d; want %v, %d, %d", test.name, got, l.Overhead(), l.Rest(), test.want,
				test.overhead, test.rest)
		}
		if test.ring.given {
			if _, err := readAll(t, l, words, 4); !errors.Is(err, decode.ErrRing) || !strings.Contains(err.Error(), "ETBRWP") {
				t.Errorf("%s, and a ring start: %v", test.name, err)
			}
		}
	}
	for _, ring := range []etb{{given: true, pointer: 5}, {given: true, pointer: 4, full: true},
		{given: true, pointer: 1 << 63}} {
		c := Config{Number: 0x12, Width: 16, CaptureLayout: LayoutETB, ring: ring}
		if _, err := c.Layout(int64(len(words))); !errors.Is(err, decode.ErrRing) {
			t.Errorf("%+v: %v", ring, err)
		}
	}
}

// TestRest cuts captures off within a record.
func TestRest(t *testing.T) {
	for _, c := range configs() {
		g := c.grid()
		for rest := range int64(g.cell) {
			size := g.head + 5*int64(g.cell) + rest
			l, err := c.Layout(size)
			if g.cell == dumpRecordBytes && rest > 0 {
				if err == nil {
					t.Errorf("%s of %d bytes is a dump", c.testName(), size)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if l.Units() != 5*int64(g.slots) || l.Rest() != rest || l.Overhead() != g.head ||
				l.Name() != c.CaptureLayout.String() {
				t.Errorf("%s of %d bytes: %d units, rest %d, overhead %d", c.testName(), size, l.Units(), l.Rest(), l.Overhead())
			}
		}
		for size := range g.head {
			if _, err := c.Layout(size); err == nil {
				t.Errorf("%s of %d bytes", c.testName(), size)
			}
		}
	}
}

// TestBitsAbove counts words with bits above their last sample.
func TestBitsAbove(t *testing.T) {
	for _, test := range []struct {
		layout Layout
		width  Width
		bytes  []byte
		want   string
	}{
		{LayoutETB, 8, []byte{0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0}, ""},
		{LayoutETB, 8, []byte{0, 0, 0, 1, 0, 0, 0, 0x80}, "2 words have bits set above their last sample"},
		{LayoutETB, 16, []byte{0xFF, 0xFF, 0x0F, 0, 0, 0, 0x10, 0}, "1 words"},
		{LayoutETBBE, 8, []byte{1, 0, 0, 0, 0, 0, 0, 0xFF}, "1 words"},
		{LayoutETB24, 16, []byte{0, 0, 0x10, 0, 0, 0x0F}, "1 words"},
		{LayoutETB24, 8, []byte{0xFF, 0xFF, 0xFF}, ""},
		{LayoutDemux, 8, []byte{0, 0x10, 0, 0x0F}, "1 words"},
		{LayoutMux, 4, []byte{0x1F, 0x0F, 0x0F, 0x1F, 0x0F, 0x0F}, "2 words"},
		{LayoutMux, 16, []byte{0xFF, 3, 0xFF, 3, 0, 4, 0, 0}, "1 words"},
		{LayoutBytes, 4, []byte{0xFF}, ""},
	} {
		c := Config{Number: 0x12, Width: test.width, CaptureLayout: test.layout}
		notes := strings.Join(mustRead(t, &c, test.bytes).notes, "")
		if test.want == "" && notes != "" || !strings.Contains(notes, test.want) {
			t.Errorf("%s, %x: %q, want %q", c.testName(), test.bytes, notes, test.want)
		}
	}
	// The stray bits of one half are no bits of the sample.
	c := Config{Number: 0x12, Width: 4, CaptureLayout: LayoutMux}
	if got := mustRead(t, &c, []byte{0xF2, 0xF0}).samples[0]; got != NewSample(2, false, 0) {
		t.Errorf("%#x", got)
	}
}

func TestReadFails(t *testing.T) {
	c := Config{Number: 0x12, Width: 8, CaptureLayout: LayoutETB}
	l, err := c.Layout(400)
	if err != nil {
		t.Fatal(err)
	}
	s := l.Stream(bytes.NewReader(make([]byte, 100)), 0)
	for range 2 {
		if _, err := s.Next(&decode.Piece{Data: make([]byte, 0, 4096)}); !errors.Is(err, io.ErrUnexpectedEOF) ||
			!strings.Contains(err.Error(), "offset 0x") {
			t.Errorf("%v", err)
		}
	}
}

func TestWriterErrors(t *testing.T) {
	for _, c := range []Config{
		{Number: 0x20, Width: 8, CaptureLayout: LayoutDump},
		{Number: 0x12, Width: 8, CaptureLayout: LayoutETBv2Flat},
		{Number: 0x12, Width: 8, CaptureLayout: LayoutBytes},
		{Number: 0x12, Width: 8, CaptureLayout: layouts},
	} {
		if _, err := NewWriter(io.Discard, File{Config: c}); err == nil {
			t.Errorf("%s is written", c.testName())
		}
	}
	w, err := NewWriter(io.Discard, File{Config: Config{Number: 0x12, Width: 8}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(make([]byte, 5)); err == nil {
		t.Error("five bytes are no record")
	}
}

// TestDropDisabled removes what docs/etmv2.md §3.1 says can be missing.
func TestDropDisabled(t *testing.T) {
	samples, err := ParseSamples("TD:00 IE:00 TD:09 TD:08 TR:00 TD:fe WT:00 TD:00*", namesV1)
	if err != nil {
		t.Fatal(err)
	}
	got := FormatSamples(Samples(DropDisabled(Records(samples))), namesV1, 8)
	if want := "IE:00 TD:09 TR:00 WT:00"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestNotation(t *testing.T) {
	for _, test := range []struct {
		text  string
		names []string
		w     Width
	}{
		{"BE:8080* IE:8082 TD:0009", namesV1, 16},
		{"TD:09 PN_DE:00 DW:80", namesV2, 8},
		{"TD:9 WT:c", namesV2, 4},
		{"", namesV1, 8},
	} {
		samples, err := ParseSamples(test.text, test.names)
		if err != nil {
			t.Fatal(err)
		}
		if got := FormatSamples(samples, test.names, test.w); got != test.text {
			t.Errorf("%q, want %q", got, test.text)
		}
	}
	for _, wrong := range []string{"IE", "IE:", "IE:xx", "IE:12345", "DW:00", ":00", "IE:00**"} {
		if s, err := ParseSamples(wrong, namesV1); err == nil {
			t.Errorf("%q is %v", wrong, s)
		}
	}
	if got := FormatSamples([]Sample{NewSample(9, false, 3)}, namesV1, 8); got != "9:03" {
		t.Errorf("%s: a status without a name has its number", got)
	}
}
