package etmv4_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/schema"
)

// A stream is bytes without frames.
type stream struct {
	left []byte
	read int
}

// Next implements [decode.Stream].
func (s *stream) Next(p *decode.Piece) (decode.Break, error) {
	n := min(1000, len(s.left), cap(p.Data)-len(p.Data))
	if n == 0 {
		return decode.NoBreak, io.EOF
	}
	p.Data = append(p.Data, s.left[:n]...)
	p.Offsets.Append(decode.CaptureOffset(s.read), n)
	s.left, s.read = s.left[n:], s.read+n
	return decode.NoBreak, nil
}

// serial is a protocol whose streams are cut from the start only.
type serial struct{ decode.Protocol }

func (p serial) NewCutter() decode.Cutter { return struct{ decode.Cutter }{p.Protocol.NewCutter()} }

// parts are the parts that a stream is split into, and the loss before them.
func parts(t testing.TB, b []byte, p decode.Protocol, g engine.Grain) (all []decode.Part, unsynced int64) {
	t.Helper()
	for u, err := range engine.SplitBy(&stream{left: b}, p, g, engine.NoLead) {
		if err != nil {
			t.Fatal(err)
		}
		u.CutUp()
		for i := range u.Parts {
			part := u.Parts[i] // whose memory is used again
			part.Data, part.Ahead = bytes.Clone(part.Data), bytes.Clone(part.Ahead)
			part.Before, part.Bounds = bytes.Clone(part.Before), slices.Clone(part.Bounds)
			all = append(all, part)
		}
		for _, l := range u.Losses {
			unsynced += l.Bytes
		}
	}
	return all, unsynced
}

// decoded is what a decoder makes of a stream.
type decoded struct {
	packets  []schema.Packet
	losses   []schema.Loss
	segments []schema.Segment
	good     int64 // bytes
	lost     int64
}

func decodeAll(t testing.TB, b []byte, p decode.Protocol, g engine.Grain) (d decoded) {
	t.Helper()
	all, unsynced := parts(t, b, p, g)
	decoder := p.NewDecoder(image.New(), decode.Wanted{Packets: true})
	r := &decode.Result{}
	for i := range all {
		decoder.Decode(r, all[i])
	}
	for i := range r.Segments {
		row := &r.Segments[i].Row
		d.segments = append(d.segments, *row)
		d.good, d.lost = d.good+row.BytesDecoded, d.lost+row.BytesLost
	}
	d.packets, d.losses, d.lost = r.Packets, r.Losses, d.lost+unsynced
	if d.good+d.lost != int64(len(b)) {
		t.Errorf("%d bytes decoded, %d lost, of %d", d.good, d.lost, len(b))
	}
	for _, l := range d.losses {
		unsynced += l.Bytes
	}
	if unsynced != d.lost {
		t.Errorf("losses of %d bytes, %d lost", unsynced, d.lost)
	}
	return d
}

// config returns the configuration of a Juno's Cortex-A53, or of a model of an ETE.
func config(t testing.TB, ete bool, configr, idr8 uint32) *etmv4.Config {
	t.Helper()
	r := etmv4.Registers{CONFIGR: configr, IDR0: 0x28000ea1, IDR1: 0x4100f403, IDR2: 0x488, IDR8: idr8, Profile: "A"}
	if ete {
		r.ETE, r.IDR0, r.IDR2, r.DEVARCH = true, 0x2881cea1, 0xd0001088, 0x47715a13
	}
	c, _, err := etmv4.NewConfig(r)
	if err != nil {
		t.Fatal(err)
	}
	return &c
}

// The real streams decode to the packets of the reference listing behind the first cut, however
// they are split; all bytes are decoded there, and the rest is one loss.
func TestDecodeCaptures(t *testing.T) {
	dir := shared.File(t, "captures")
	for _, tt := range []struct {
		capture, source, stream string
		cfg                     *etmv4.Config
	}{
		{"etm4-juno_r1_1", "10", "expected/10.bin.gz", config(t, false, 0xc1, 0)},
		{"etm4-juno-uname-002", "16", "expected/16.bin.gz", config(t, false, 0, 0)},
		{"ete-ete_spec_1", "01", "session1.bin", config(t, true, 0, 0xff)},
		{"ete-src_addr", "02", "session1.bin", config(t, true, 0x11, 0)},
		{"ete-trace_file_cid_vmid", "02", "session1.bin", config(t, true, 0xc1, 0)},
		{"ete-ts_marker", "01", "session1.bin", config(t, true, 0x8801, 0)},
	} {
		t.Run(tt.capture, func(t *testing.T) {
			folder := filepath.Join(dir, tt.capture)
			b := shared.Read(t, filepath.Join(folder, tt.stream))
			whole := decodeAll(t, b, serial{tt.cfg}, engine.Usual(tt.cfg))
			if len(whole.losses) > 0 {
				t.Errorf("losses %+v", whole.losses)
			}
			checkListing(t, filepath.Join(folder, "expected", tt.source+".packets.tsv.gz"), whole.packets)
			for _, g := range []engine.Grain{{Unit: 1 << 10, Part: 1 << 10, Chunk: 4 << 10}, {Unit: 5000, Part: 64, Chunk: 1 << 20}} {
				got := decodeAll(t, b, tt.cfg, g)
				if got.good != whole.good || got.lost != whole.lost || !reflect.DeepEqual(got.packets, whole.packets) {
					t.Errorf("%+v: %d bytes decoded, %d lost, %d packets, want %d, %d, %d", g, got.good, got.lost, len(got.packets),
						whole.good, whole.lost, len(whole.packets))
				}
			}
		})
	}
}

// checkListing compares packets with the last ones of a reference listing.
func checkListing(t *testing.T, name string, packets []schema.Packet) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(string(shared.Read(t, name))), "\n")
	if len(packets) == 0 || len(packets) > len(lines) {
		t.Fatalf("%d packets, the listing has %d", len(packets), len(lines))
	}
	for i, line := range lines[len(lines)-len(packets):] {
		if want := strings.Split(line, "\t")[1]; hex.EncodeToString(packets[i].Bytes) != want {
			t.Fatalf("packet %d at %d: %x, want %s", i, packets[i].Offset, packets[i].Bytes, want)
		}
	}
}

// A stream that is looked at from anywhere has the parts that it has if it is cut from the
// start, with the bytes before and after them.
func TestSplitAnywhere(t *testing.T) {
	var b []byte
	for i := range 300 { // A-sync, Trace Info, an old atom, Address with Context, atoms
		b = append(b, must(hex.DecodeString("000000000000000000000080"+"010100"+"f7"+"820008000031"))...)
		b = append(b, bytes.Repeat([]byte{0xdb}, 7*i%500)...)
	}
	cfg := config(t, false, 0, 0)
	for _, g := range []engine.Grain{
		{Unit: 100, Part: 300, Chunk: 500},
		{Unit: 600, Part: 50, Chunk: 2000},
		{Unit: 3000, Part: 1 << 20, Chunk: 4000},
		engine.Usual(cfg),
	} {
		got, _ := parts(t, b, cfg, g)
		want, _ := parts(t, b, serial{cfg}, g)
		if len(got) != len(want) || len(got) < 300 {
			t.Fatalf("%+v: %d parts, want %d", g, len(got), len(want))
		}
		for i := range got {
			if got, want := describe(&got[i]), describe(&want[i]); got != want {
				t.Errorf("%+v: part %d: %s\nwant %s", g, i, got, want)
			}
		}
	}
}

func describe(p *decode.Part) string {
	return fmt.Sprintf("%d bytes at %d, before %x, ahead %x, bounds %d, %v %v %v", len(p.Data), p.Offsets.At(0), p.Before, p.Ahead,
		p.Bounds, p.Continued, p.Open, p.End)
}

// Every byte is decoded or lost, and losses say why.
func TestLosses(t *testing.T) {
	const (
		sync = "000000000000000000000080"
		at   = "820008000031"
		head = sync + "010100" + "04" + at // the cut is at 16
	)
	for _, tt := range []struct {
		name, stream string
		losses       string // offset, bytes, reason, detail
		good         int64
	}{
		{"none", head + "f7", ``, 7},
		{"unsynced", "f7" + head, ``, 6},
		{"reserved", head + "08f7", `22 2 reserved_header header 0x08: no version has a packet of that header`, 6},
		{"by the registers", head + "40", `22 1 reserved_header header 0x40: a packet of conditional tracing, which TRCCONFIGR[10:8] and TRCIDR0[6] do not say`, 6},
		{"bad", head + "2dffffffffff", `22 6 bad_packet header 0x2d: a field that does not end in its last byte`, 6},
		{"up to the next cut", head + "08f7" + head, `22 18 reserved_header header 0x08: no version has a packet of that header`, 12},
		{"cut off", head + "9a0010", `22 3 truncated packet 0x9a cut off after 3 bytes`, 6},
		{"after an Overflow", head + "0005f7", `24 1 bad_packet header 0xf7: after a Discard or Overflow only an A-sync can follow`, 8},
		{"after a Discard, up to the next cut", head + "000370" + head, `24 17 bad_packet header 0x70: after a Discard or Overflow only an A-sync can follow`, 14},
		{"an Overflow and an A-sync", head + "0005" + head, ``, 30},
		{"a Discard at the end", head + "0003", ``, 8},
	} {
		d := decodeAll(t, must(hex.DecodeString(tt.stream)), config(t, true, 0, 0), engine.ReadBy(1<<10))
		var losses []string
		for _, l := range d.losses {
			losses = append(losses, fmt.Sprintf("%d %d %s %s", l.Offset, l.Bytes, l.Reason, l.Detail))
		}
		if got := strings.Join(losses, "; "); got != tt.losses || d.good != tt.good {
			t.Errorf("%s: %d bytes decoded, losses %s\nwant %d, %s", tt.name, d.good, got, tt.good, tt.losses)
		}
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
