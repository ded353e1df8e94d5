package etmv4

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
)

// fuzzConfig is a configuration of any registers.
func fuzzConfig(registers uint16) *Config {
	bit := func(n int) bool { return registers>>n&1 != 0 }
	c := &Config{
		ETE: bit(0), CommOpt: bit(1), CycleBits: 12 + uint8(registers>>2&1)*8, Profile: "A",
		ContextIDBytes: []int{0, 4}[registers>>3&1], VMIDBytes: []int{0, 1, 2, 4}[registers>>4&3],
		QSupp: uint8(registers >> 6 & 1), Cond: uint8(registers >> 7 & 1), DataValue: bit(8), ReturnStack: bit(9), Minor: 2,
		MaxSpec: []uint32{0, 0, 3, 0x78}[registers>>11&3],
	}
	if bit(10) {
		c.Profile = profileM
	}
	if bit(13) {
		c.Minor = minorNewest
		if c.ETE {
			c.Minor = eteMinorNewest
		}
	}
	return c
}

// FuzzPacket checks any bytes under any configuration: Parse returns a documented error and
// leaves the packet unchanged, or it returns a packet that no fewer bytes give, and that
// Append and Parse give again, in as many bytes.
func FuzzPacket(f *testing.F) {
	for i := range vectors {
		for _, registers := range []uint16{0x0000, 0x2ff3, 0xfff2, 0x3fff, 0x0ffa} {
			f.Add(unhex(f, vectors[i].bytes), registers)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, registers uint16) {
		c, p := fuzzConfig(registers), sentinel
		if err := c.Parse(&p, b); err != nil {
			if _, ok := errors.AsType[*decode.SyntaxError](err); !ok && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("Parse: error of an undocumented type %T: %v", err, err)
			}
			if p != sentinel {
				t.Fatalf("Parse failed and left %+v", p)
			}
			return
		}
		if p.Len < 1 || p.Len > len(b) {
			t.Fatalf("packet of %d bytes out of %d", p.Len, len(b))
		}
		if p.Len < 100 { // a long A-sync would take long
			checkPrefixes(t, c, b[:p.Len])
		}
		got, again := c.Append(nil, p), Packet{}
		if len(got) != p.Len || got[0] != b[0] && p.Kind != CycleCount { // ignored bits of its header
			t.Fatalf("Append(%+v) = % x, parsed from % x", p, got, b[:p.Len])
		}
		if err := c.Parse(&again, got); err != nil || again != p {
			t.Fatalf("Parse(Append(p)) = %+v, %v\nwant %+v", again, err, p)
		}
		if text, err := c.ParsePacket(b); err != nil || text.Len != p.Len || text.Type == "" || text.JSON() == "" {
			t.Errorf("Parse succeeds, ParsePacket says %+v, %v", text, err)
		}
		var s State
		s.Apply(c, &p)
		var open Open
		if open.Apply(c, &p); open > Open(c.MaxSpec) {
			t.Errorf("%d P0 elements are open, %d may be", open, c.MaxSpec)
		}
	})
}

// FuzzCutter checks for any bytes that how they are divided into calls does not change what
// is found, that a cut asks for an A-sync and whole packets, and that a cutter that begins
// anywhere finds the same cuts.
func FuzzCutter(f *testing.F) {
	for i, tt := range cutTests {
		b, _ := cutStream(&testing.T{}, tt.stream)
		f.Add(b, uint16(i*37), 1+i%7)
	}
	f.Fuzz(func(t *testing.T, b []byte, registers uint16, step int) {
		if step < 1 || len(b) > 4096 {
			return
		}
		c := fuzzConfig(registers)
		all := findIn(t, c, b, 0, len(b)+1)
		if got := findIn(t, c, b, 0, step); !got.equal(&all) {
			t.Fatalf("in steps of %d: %+v, want %+v", step, got, all)
		}
		if !slices.IsSorted(all.positions()) || !slices.IsSorted(all.bounds) {
			t.Errorf("cuts %d, bounds %d", all.positions(), all.bounds)
		}
		for i := range all.cuts {
			checkBefore(t, c, b, &all.cuts[i])
		}
		if len(b) < 300 {
			checkAnywhere(t, c, b, &all)
		}
	})
}

// FuzzDecode checks for any bytes behind a cut that all of them are decoded or lost, and that
// parts of a segment give the same rows as the whole.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{0xf7, 0x06, 0x05, 0x95, 0x04}, uint16(0), 2)
	f.Add([]byte{0x00, 0x05, 0x04}, uint16(1), 1)
	f.Add([]byte{0x9a, 0x00}, uint16(1), 1)
	f.Fuzz(func(t *testing.T, b []byte, registers uint16, at int) {
		c := fuzzConfig(registers)
		before := append(c.Append(nil, Packet{Kind: ASync}), 0x01, 0x00)
		data := slices.Concat([]byte{0x82, 0, 0, 0, 0, 0}, b)
		if at < 1 || at >= len(data) || len(data) > 4096 { // no part is empty
			return
		}
		whole := decodeParts(c, before, data)
		parts := decodeParts(c, before, data[:at], data[at:])
		if len(whole.Packets) != len(parts.Packets) || len(whole.Losses) != len(parts.Losses) {
			t.Errorf("%d packets, %d losses, in parts %d, %d", len(whole.Packets), len(whole.Losses), len(parts.Packets), len(parts.Losses))
		}
		if got, want := rowCounts(parts), rowCounts(whole); got != want {
			t.Errorf("in parts %s, want %s", got, want)
		}
		for _, r := range []*decode.Result{whole, parts} {
			var n, lost int64
			for i := range r.Segments {
				n += r.Segments[i].Row.BytesDecoded + r.Segments[i].Row.BytesLost
				lost += r.Segments[i].Row.BytesLost
			}
			for i := range r.Losses {
				lost -= r.Losses[i].Bytes
			}
			if n != int64(len(data)) || lost != 0 {
				t.Errorf("%d bytes accounted for of %d; %d lost without a loss", n, len(data), lost)
			}
		}
	})
}

// rowCounts counts the rows of a result.
func rowCounts(r *decode.Result) string {
	n := 0
	for i := range r.Runs {
		n += int(r.Runs[i].Count)
	}
	return fmt.Sprintf("%d instructions, %d exceptions, %d counts, %d timestamps, %d events", n, len(r.Exceptions),
		r.Ends()[decode.Counts], len(r.Timestamps), len(r.Events))
}

// fuzzCode is memory of branches, calls, returns and others, in A64, A32 and T32 alike.
var fuzzCode = image.New(image.Region{Bytes: bytes.Repeat([]byte{
	0x1f, 0x20, 0x03, 0xd5, 0x60, 0x00, 0x00, 0xb4, 0x06, 0x00, 0x00, 0x94, 0xc0, 0x03, 0x5f, 0xd6,
	0x01, 0x00, 0x00, 0xd4, 0xfb, 0xff, 0xff, 0x17, 0xe0, 0x03, 0x9f, 0xd6, 0x00, 0x00, 0x3f, 0xd6,
	0xff, 0xff, 0xff, 0x0a, 0x1e, 0xff, 0x2f, 0xe1, 0x70, 0x47, 0xfe, 0xd0, 0xdf, 0x3f, 0x03, 0xd5,
}, 100)})

// decodeParts decodes a segment in parts, the first of which begins at a cut.
func decodeParts(c *Config, before []byte, data ...[]byte) *decode.Result {
	r, d, at := &decode.Result{}, c.NewDecoder(fuzzCode, decode.Wanted{Packets: true}), 0
	for i, b := range data {
		p := decode.Part{Data: b, Continued: i > 0, Open: i < len(data)-1, End: i == len(data)-1}
		if i == 0 {
			p.Before = before
		}
		if p.Open {
			p.Ahead = data[i+1][:min(len(data[i+1]), c.AheadBytes())]
		}
		p.Offsets.Append(decode.CaptureOffset(at), len(b))
		at += len(b)
		d.Decode(r, p)
	}
	return r
}
