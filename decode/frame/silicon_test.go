package frame

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
)

// A framedCapture is a capture from silicon, with what an independent reader
// counted in its buffer.
type framedCapture struct {
	folder, file string
	configured   []uint8
	bytes        map[uint8]int64 // by source
	null         int64           // data of ID 0, frames of zeros at the end included
	unknown      int64           // before the first ID
}

var framedCaptures = []framedCapture{
	{
		"opencsd-TC2", "cstrace.bin",
		[]uint8{0x10, 0x11, 0x12, 0x13, 0x14},
		map[uint8]int64{0x10: 10873, 0x11: 10619, 0x12: 3153, 0x13: 4533},
		36, 22,
	},
	{
		"stm32f105-m3-etmv34-itm-swo", "tpiu.bin",
		[]uint8{0x01, 0x02},
		map[uint8]int64{0x01: 2619, 0x02: 760},
		3149, 0,
	},
	{
		"am243x-r5f-etmv3-freertos-002b37c", "tbr.bin",
		[]uint8{0x10},
		map[uint8]int64{0x10: 60672, 0x6f: 256},
		0, 0,
	},
	{
		"am243x-r5f-etmv3-zephyr-e9185a9", "tbr.bin",
		[]uint8{0x10},
		map[uint8]int64{0x10: 60462, 0x6f: 256},
		128, 80,
	},
	{
		"am243x-r5f-etmv3-threadx-ce42d22", "tbr.bin",
		[]uint8{0x10},
		map[uint8]int64{0x10: 60531, 0x6f: 256},
		29, 111,
	},
	{
		"am243x-r5f-etmv3-threadx-002b37c", "tbr.bin",
		[]uint8{0x10},
		map[uint8]int64{0x10: 60531, 0x6f: 256},
		29, 111,
	},
}

// buffer reads the trace buffer of c.
func (c *framedCapture) buffer(t testing.TB) []byte {
	t.Helper()
	return shared.Read(t, filepath.Join(shared.File(t, "captures"), c.folder, c.file))
}

// options are those for Detect.
func (c *framedCapture) options() DetectOptions {
	return DetectOptions{Configured: c.configured, Score: asyncs}
}

// eachCapture runs test for every framed capture.
func eachCapture(t *testing.T, test func(t *testing.T, c *framedCapture, b []byte)) {
	shared.File(t, "captures")
	for i := range framedCaptures {
		c := &framedCaptures[i]
		t.Run(c.folder, func(t *testing.T) {
			t.Parallel()
			test(t, c, c.buffer(t))
		})
	}
}

func TestSiliconCensus(t *testing.T) {
	eachCapture(t, func(t *testing.T, c *framedCapture, b []byte) {
		layout := detect(t, b, c.options())
		if layout.Sync || layout.Offset != 0 {
			t.Errorf("layout with sync %v, offset %d", layout.Sync, layout.Offset)
		}
		got := census(t, b, layout)
		var streams [128]int64
		for id, n := range c.bytes {
			streams[id] = n
		}
		if got.Streams != streams {
			t.Errorf("streams %v, want %v", got.Streams, c.bytes)
		}
		var triggers int64
		if c.file == "tpiu.bin" {
			triggers = 8
		}
		frames := int64(len(b) / frameSize)
		data := triggers + c.null + c.unknown
		for _, n := range c.bytes {
			data += n
		}
		want := Overhead{
			ID: frames*frameData - data, Aux: frames,
			Padding: c.null, Trigger: triggers, Unknown: c.unknown,
		}
		if got.Overhead != want {
			t.Errorf("overhead\n got %+v\nwant %+v", got.Overhead, want)
		}
		if got.Breaks.N != 0 || got.Realigned.N != 0 {
			t.Errorf("breaks %v, realigned %v", got.Breaks, got.Realigned)
		}
	})
}

// TestSiliconStreams compares every stream with the reference's.
func TestSiliconStreams(t *testing.T) {
	eachCapture(t, func(t *testing.T, c *framedCapture, b []byte) {
		layout := detect(t, b, c.options())
		compared := 0
		for id := uint8(1); id < lostByte>>1; id++ {
			name := filepath.Join(shared.File(t, "captures"), c.folder, "expected", fmt.Sprintf("%02x.bin.gz", id))
			got := readAll(t, b, layout, id, chunkBytes)
			if found, err := filepath.Glob(name); err != nil || len(found) == 0 {
				if len(got.data) > 0 {
					t.Errorf("ID %#02x: %d bytes, none expected", id, len(got.data))
				}
				continue
			}
			if want := shared.Read(t, name); !bytes.Equal(got.data, want) {
				t.Errorf("ID %#02x: %d bytes differ from the reference's %d", id, len(got.data), len(want))
			}
			compared++
			for _, chunk := range []int{1, 100, 4096} {
				other := readAll(t, b, layout, id, chunk)
				if !bytes.Equal(got.data, other.data) || !slices.Equal(got.offsets, other.offsets) {
					t.Errorf("ID %#02x: chunks of %d bytes give another stream", id, chunk)
				}
			}
		}
		if compared < 2 {
			t.Errorf("%d streams compared", compared)
		}
	})
}

// TestSiliconOffsets compares the offset of the first byte of every packet
// with the reference's. Its bytes follow one another in the stream.
func TestSiliconOffsets(t *testing.T) {
	eachCapture(t, func(t *testing.T, c *framedCapture, b []byte) {
		layout := detect(t, b, c.options())
		names, err := filepath.Glob(filepath.Join(shared.File(t, "captures"), c.folder, "expected", "*.packets.tsv.gz"))
		if err != nil || len(names) == 0 {
			t.Fatalf("no lists of packets: %v", err)
		}
		for _, name := range names {
			id, err := strconv.ParseUint(filepath.Base(name)[:2], 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			got := readAll(t, b, layout, uint8(id), chunkBytes)
			pos, packets := 0, 0
			lines := bufio.NewScanner(bytes.NewReader(shared.Read(t, name)))
			lines.Buffer(nil, 1<<20)
			for lines.Scan() {
				f := strings.Split(lines.Text(), "\t")
				if strings.HasPrefix(lines.Text(), "#") || len(f) < 2 {
					continue
				}
				offset, err1 := strconv.ParseInt(f[0], 10, 64)
				packet, err2 := hex.DecodeString(f[1])
				if err := errors.Join(err1, err2); err != nil {
					t.Fatal(err)
				}
				if !bytes.HasPrefix(got.data[pos:], packet) || got.offsets[pos] != offset {
					t.Fatalf("ID %#02x: packet %d is at %d, want % x at %d", id, packets, got.offsets[pos], packet, offset)
				}
				pos += len(packet)
				packets++
			}
			if pos != len(got.data) || packets == 0 {
				t.Errorf("ID %#02x: %d packets have %d bytes of %d", id, packets, pos, len(got.data))
			}
			t.Logf("ID %#02x: %d packets", id, packets)
		}
	})
}

func TestSiliconTriggers(t *testing.T) {
	b := framedCaptures[1].buffer(t)
	got := readAll(t, b, Layout{}, TriggerID, chunkBytes)
	if want := []int64{679, 1671, 2631, 3607, 4599, 5559, 6535, 7495}; !slices.Equal(got.offsets, want) {
		t.Errorf("triggers at %v, want %v", got.offsets, want)
	}
	if !bytes.Equal(got.data, make([]byte, 8)) {
		t.Errorf("triggers % x", got.data)
	}
}

// TestSiliconRing turns each buffer round; what is read must be the same.
func TestSiliconRing(t *testing.T) {
	eachCapture(t, func(t *testing.T, c *framedCapture, b []byte) {
		layout := detect(t, b, c.options())
		for _, start := range []int{16, 1000, 4099, len(b) - 1} {
			ring := slices.Concat(b[len(b)-start:], b[:len(b)-start])
			opt := c.options()
			opt.RingStart = int64(start)
			turned := detect(t, ring, opt)
			if turned.Offset != 0 || turned.IDs != layout.IDs {
				t.Fatalf("start %d: offset %d", start, turned.Offset)
			}
			census(t, ring, turned)
			for id := range c.bytes {
				want := readAll(t, b, layout, id, chunkBytes)
				got := readAll(t, ring, turned, id, 1000)
				for i := range got.offsets {
					got.offsets[i] = (got.offsets[i] - int64(start) + int64(len(b))) % int64(len(b))
				}
				if !bytes.Equal(got.data, want.data) || !slices.Equal(got.offsets, want.offsets) {
					t.Fatalf("start %d: ID %#02x differs", start, id)
				}
			}
		}
	})
}

// TestSiliconPort reads the same frames as the stream of a trace port: sync
// packets are put between them, and an HSYNC into every third frame.
func TestSiliconPort(t *testing.T) {
	eachCapture(t, func(t *testing.T, c *framedCapture, b []byte) {
		var port []byte
		var moved []int64 // where each byte of b has gone
		put := func(p []byte) {
			for _, v := range p {
				moved = append(moved, int64(len(port)))
				port = append(port, v)
			}
		}
		port = append(port, 0x55, 0xFF, 0xFF)
		for i := 0; i < len(b); i += frameSize {
			if i/frameSize%60 == 0 {
				port = append(port, fsync...)
			}
			at := 2 * (i / frameSize % 8)
			put(b[i : i+at])
			if i/frameSize%3 == 0 {
				port = append(port, hsync...)
			}
			put(b[i+at : i+frameSize])
		}
		layout := detect(t, port, c.options())
		if !layout.Sync {
			t.Fatal("not seen as the stream of a port")
		}
		if got := census(t, port, layout); got.Overhead.Unaligned != 3 || got.Breaks.N != 0 {
			t.Errorf("%+v", got)
		}
		for id := range c.bytes {
			want := readAll(t, b, Layout{}, id, chunkBytes)
			for i, o := range want.offsets {
				want.offsets[i] = moved[o]
			}
			for _, chunk := range []int{5, chunkBytes} {
				got := readAll(t, port, layout, id, chunk)
				if !bytes.Equal(got.data, want.data) || !slices.Equal(got.offsets, want.offsets) {
					t.Errorf("ID %#02x differs", id)
				}
			}
		}
	})
}

// TestSiliconRepeats: the hardware of TC2 named a source that did not change
// eight frames after the last ID byte, every time. Writer does one later.
func TestSiliconRepeats(t *testing.T) {
	b := framedCaptures[0].buffer(t)
	cur, last, repeats := -1, 0, 0
	for i := 0; i < len(b); i += 2 {
		if i%frameSize > lastMixed || b[i]&1 == 0 {
			continue
		}
		if int(b[i]>>1) == cur {
			repeats++
			if d := i/frameSize - last; d != 8 {
				t.Errorf("offset %d: ID repeated after %d frames", i, d)
			}
		}
		cur, last = int(b[i]>>1), i/frameSize
	}
	if repeats != 122 {
		t.Errorf("%d repeated IDs, want 122", repeats)
	}
}

var _ decode.Stream = (*Reader)(nil)
