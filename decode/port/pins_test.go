package port

import (
	"encoding/hex"
	"fmt"
	"slices"
	"testing"
)

// parse reads samples in the statuses of ETMv1, which tell carrying samples from others
// just as those of ETMv2 do.
func parse(t testing.TB, text string) []byte {
	t.Helper()
	samples, err := ParseSamples(text, namesV1)
	if err != nil {
		t.Fatal(err)
	}
	return Records(samples)
}

// TestPins reads bytes from samples (docs/etmv2.md §4.2, §5.6).
func TestPins(t *testing.T) {
	for _, test := range []struct {
		name    string
		width   Width
		samples string
		from    []int  // the read pointer rule before each byte; -1: none
		want    string // bytes
		starts  []int
	}{
		{"8 pins", 8, "IE:12 WT:34 IE:56", []int{0, -1, -1}, "123456", []int{0, 1, 2}},
		{"8 pins, TR and TD carry none", 8, "IE:12 TR:03 TD:00 TD:01 WT:34", []int{0, -1}, "1234", []int{0, 4}},
		{"8 pins, a status of its own", 8, "IE:12 WT:34 IE:56", []int{1}, "34", []int{1}},
		{"8 pins, a status whose sample is passed", 8, "IE:12 WT:34 IE:56", []int{0, 0, 1}, "123456", []int{0, 1, 2}},
		{"4 pins, the low nibble first", 4, "IE:2 WT:1 IE:4 IE:3", []int{0, -1}, "1234", []int{0, 2}},
		{"4 pins, between the nibbles", 4, "IE:2 TR:0 TD:0 WT:1 TD:0 IE:4 IE:3", []int{0, -1}, "1234", []int{0, 5}},
		{"16 pins, both halves", 16, "IE:3412 IE:7856", []int{0, -1, -1, -1}, "12345678", []int{0, 0, 1, 1}},
		{"16 pins, an upper half left undefined", 16, "IE:ff12 IE:ff34 IE:ee56", []int{0, 1, 2}, "123456", []int{0, 1, 2}},
		{"16 pins, an upper half for a status at the sample", 16, "IE:3412 IE:ff56", []int{0, 0, -1}, "123456", []int{0, 0, 1}},
		{"16 pins, TR and TD", 16, "TD:ffff IE:3412 TR:ffff IE:ff56", []int{0, -1, -1}, "123456", []int{1, 1, 3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			want, err := hex.DecodeString(test.want)
			if err != nil {
				t.Fatal(err)
			}
			p := NewPins(test.width, nil)
			p.Reset(parse(t, test.samples), Position{})
			for i, from := range test.from {
				if from >= 0 {
					p.From(from)
				}
				b, ok := p.Next()
				if !ok || b != want[i] || p.Start() != test.starts[i] {
					t.Fatalf("byte %d: %02x at sample %d, %v; want %02x at %d", i, b, p.Start(), ok, want[i], test.starts[i])
				}
			}
		})
	}
}

// TestPinsEnd reads bytes that the samples do not have, then the same with more
// samples.
func TestPinsEnd(t *testing.T) {
	for _, test := range []struct {
		width       Width
		samples     string
		have, whole int // bytes
	}{
		{8, "IE:81 IE:82 IE:03", 2, 3},
		{4, "IE:1 IE:8 IE:2 IE:8 IE:3 TD:0 IE:0", 2, 3},
		{16, "IE:8281 TR:00 WT:8483 IE:0005", 2, 5},
	} {
		records := parse(t, test.samples)
		p := NewPins(test.width, nil)
		p.Reset(records[:len(records)-SampleBytes], Position{})
		if b, ok := readBytes(&p, test.have); !ok {
			t.Errorf("%d pins: %d bytes, want %d", test.width, len(b), test.have)
		}
		before := p.At()
		for _, ok := p.Next(); ok; _, ok = p.Next() {
			before = p.At()
		}
		if p.At() != before {
			t.Errorf("%d pins: at %v with too few samples, want %v", test.width, p.At(), before)
		}
		p.Reset(records, Position{})
		if b, ok := readBytes(&p, test.whole); !ok || len(b) != test.whole {
			t.Errorf("%d pins: %d bytes of whole samples, want %d", test.width, len(b), test.whole)
		}
	}
}

// readBytes reads n bytes.
func readBytes(p *Pins, n int) (b []byte, ok bool) {
	for ok = true; ok && len(b) < n; {
		var x byte
		if x, ok = p.Next(); ok {
			b = append(b, x)
		}
	}
	return b, ok
}

// TestPinsSkipping has the protocol leave out samples after those of TD: here the two
// after each, or the second of them between nibbles (docs/etmv2.md §5.2, 4 pins).
func TestPinsSkipping(t *testing.T) {
	p := NewPins(4, func(i int, midByte bool) int {
		if midByte {
			return i + 2
		}
		return i + 3
	})
	p.Reset(parse(t, "IE:1 TD:9 IE:0 IE:2 IE:3 IE:4 TD:9 IE:0 IE:f IE:5 IE:6"), Position{})
	if b, ok := readBytes(&p, 3); !ok || !slices.Equal(b, []byte{0x21, 0x43, 0x65}) {
		t.Errorf("%x %v", b, ok)
	}
	p.Reset(parse(t, "TD:9"), Position{})
	if _, ok := p.Next(); ok {
		t.Error("a byte after the end")
	}
	back := NewPins(8, func(int, bool) int { return -1 }) // no endless loop
	back.Reset(parse(t, "TD:01 TD:01 IE:22"), Position{})
	if b, ok := back.Next(); !ok || b != 0x22 {
		t.Errorf("%x %v", b, ok)
	}
}

func BenchmarkPins(b *testing.B) {
	for _, w := range widths {
		records := parse(b, "IE:81 WT:82 TD:00 IE:03")
		for len(records) < 1<<20 {
			records = append(records, records...)
		}
		b.Run(fmt.Sprintf("pins=%d", w), func(b *testing.B) {
			b.SetBytes(int64(len(records)))
			p := NewPins(w, nil)
			for b.Loop() {
				p.Reset(records, Position{})
				for {
					if _, ok := p.Next(); !ok {
						break
					}
				}
			}
		})
	}
}
