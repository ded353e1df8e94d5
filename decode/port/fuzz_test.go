package port

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/tracelake/tracelake/decode"
)

// FuzzLayout reads any bytes in any layout: all are accounted for, what is read can be
// written, and offsets rise.
func FuzzLayout(f *testing.F) {
	all := configs()
	for i := range all {
		c := &all[i]
		samples := []Sample{NewSample(4, c.Major() == 1, 0x8), StatusTD, NewSample(6, false, 4), 0, 0, StatusTD}
		b := write(f, File{Config: *c, ETMCR: etmcrOf(c.Width), Samples: uint32(len(samples))}, samples)
		f.Add(uint8(i), uint32(0), b)
		f.Add(uint8(i), uint32(c.grid().cell), append(b, 0xFF))
	}
	f.Fuzz(func(t *testing.T, which uint8, ring uint32, b []byte) {
		c := all[int(which)%len(all)]
		l, err := c.Layout(int64(len(b)))
		if err != nil {
			return
		}
		g := c.grid()
		if l.Overhead()+l.Units()/int64(g.slots)*int64(g.cell)+l.Rest() != int64(len(b)) {
			t.Fatalf("%d bytes: overhead %d, %d units, rest %d", len(b), l.Overhead(), l.Units(), l.Rest())
		}
		got, err := readAll(t, l, b, int64(ring))
		if err != nil {
			return
		}
		if int64(len(got.samples)) != l.Units() {
			t.Fatalf("%d samples of %d", len(got.samples), l.Units())
		}
		for _, s := range got.samples {
			if s&reservedBits(c.Major(), c.Width) != 0 {
				t.Fatalf("sample %#x", s)
			}
		}
		if ring == 0 {
			checkOffsets(t, &c, got.offsets, b)
			again := write(t, File{Config: c, Samples: uint32(len(got.samples))}, got.samples)
			checkPadded(t, &c, mustRead(t, &c, again).samples, got.samples)
		}
	})
}

// FuzzHeader reads the header of any file. What it says can be bound, and the stream of
// such a file begins.
func FuzzHeader(f *testing.F) {
	for _, file := range []string{twoETMS, twoDump, twoDumpOld} {
		f.Add(unhex(f, file))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for major := range uint8(3) {
			says, ok, err := ReadHeader(major)(b[:min(len(b), decode.HeaderBytes)], int64(len(b)), registers{})
			if !ok {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			r := registers{}
			for _, s := range says {
				r[s.Name] = s.Value
			}
			c, _, err := NewConfig(r, major)
			if err != nil {
				t.Fatalf("%v: %v", r, err)
			}
			l, err := c.Layout(int64(len(b)))
			if err != nil {
				t.Fatalf("%v: %v", r, err)
			}
			var spoiled *decode.SpoiledError
			_, err = l.Stream(bytes.NewReader(b), 0).Next(&decode.Piece{})
			if err != nil && !errors.Is(err, io.EOF) && !errors.As(err, &spoiled) && c.CaptureLayout != LayoutETMS {
				t.Fatalf("%v: %v", r, err)
			}
		}
	})
}

// FuzzNewConfig binds any registers.
func FuzzNewConfig(f *testing.F) {
	f.Add(uint8(1), uint64(0x10), uint64(0x12), uint64(8), uint64(1), uint64(3), uint64(1), uint8(0xFF))
	f.Fuzz(func(t *testing.T, major uint8, etmcr, version, size, layout, pointer, status uint64, given uint8) {
		r := registers{"HIVECS": uint64(given) >> 7, "ENDIAN": uint64(given) >> 6}
		for i, v := range []uint64{etmcr, version, size, layout, pointer, status} {
			if given>>i&1 == 1 {
				r[[]string{"ETMCR", "ETMVERSION", "PORTSIZE", "LAYOUT", "ETBRWP", "ETBSTS"}[i]] = v
			}
		}
		c, _, err := NewConfig(r, 1+major%2)
		if err != nil {
			return
		}
		if c.Major() != 1+major%2 || !isVersion(c.Number) || !isWidth(c.Width) || c.checkLayout() != nil {
			t.Fatalf("%+v of %v", c, r)
		}
		if l, err := c.Layout(1000); err == nil && l.Units() < 0 {
			t.Fatalf("%d units", l.Units())
		}
	})
}

// FuzzPins reads bytes of any samples: always in the same places, however the samples
// come in.
func FuzzPins(f *testing.F) {
	f.Add(uint8(0), uint8(1), parse(f, "IE:1 TD:9 WT:8 TR:0 WT:0"))
	f.Add(uint8(2), uint8(2), parse(f, "IE:0201 TD:0009 WT:0803"))
	f.Fuzz(func(t *testing.T, which, cut uint8, b []byte) {
		b = b[:len(b)&^(SampleBytes-1)]
		whole, parts := NewPins(widths[which%3], nil), NewPins(widths[which%3], nil)
		whole.Reset(b, Position{})
		n := min(int(cut), len(b)/SampleBytes)
		parts.Reset(b[:n*SampleBytes], Position{})
		for {
			want, ok := whole.Next()
			got, also := parts.Next()
			if !also {
				parts.Reset(b, parts.At())
				got, also = parts.Next()
			}
			if ok != also || got != want || whole.At() != parts.At() {
				t.Fatalf("%02x %v at %v, %02x %v at %v", want, ok, whole.At(), got, also, parts.At())
			}
			if !ok {
				return
			}
		}
	})
}
