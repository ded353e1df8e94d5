package frame

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode"
)

var seed = flag.Uint64("seed", 0, "run the round trip with this seed only")

func TestGoldenFrames(t *testing.T) {
	// write gives the writer a stream in hex.
	write := func(w *Writer, id uint8, data string) {
		if err := w.Write(id, unhex(t, data)); err != nil {
			t.Error(err)
		}
	}
	do := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	tests := []struct {
		name  string
		every int
		write func(w *Writer)
		want  string
	}{
		{"nothing", 0, func(w *Writer) { do(w.Flush()) }, ""},
		{"A", 0, func(w *Writer) {
			write(w, 0x10, streamA)
			do(w.Flush())
			do(w.Flush())
		}, frameA},
		{"A byte by byte", 0, func(w *Writer) {
			for _, b := range unhex(t, streamA) {
				do(w.Write(0x10, []byte{b}))
				do(w.Write(0x10, nil))
			}
			do(w.Flush())
		}, frameA},
		{"B", 0, func(w *Writer) {
			write(w, 0x10, "a1 a2 a3 a4")
			write(w, 0x11, streamB11)
			write(w, 0x10, "a5 a6")
		}, frameB},
		{"C", 0, func(w *Writer) {
			write(w, 0x10, streamC10)
			write(w, 0x11, streamC11)
		}, frameC},
		{"T", 1, func(w *Writer) {
			write(w, 0x10, streamA[:3*5])
			do(w.HalfSync())
			write(w, 0x10, streamA[3*5:])
			do(w.Flush())
			write(w, 0x10, "a1 a2 a3 a4")
			write(w, 0x11, streamB11)
			write(w, 0x10, "a5 a6")
		}, streamT},
		{"R", 0, func(w *Writer) {
			write(w, 0x10, streamA)
			do(w.SyncFrame())
			write(w, 0x10, streamA)
			do(w.Flush())
		}, frameA + reset + frameA},
		{"end with one byte left of a source: ID 0 is delayed", 0, func(w *Writer) {
			write(w, 0x10, "a1 a2 a3 a5")
			do(w.Flush())
		}, "21 a1 a2 a3 01 a5 00 00 00 00 00 00 00 00 00 04"},
		{"end after an ID at byte 14", 0, func(w *Writer) {
			write(w, 0x10, streamC10)
			write(w, 0x11, "a1")
			do(w.Flush())
		}, frameC1 + "01 a1 00 00 00 00 00 00 00 00 00 00 00 00 00 01"},
		{"an FSYNC every second frame", 2, func(w *Writer) {
			write(w, 0x10, streamC10)
			write(w, 0x11, streamC11+streamC11+"a1")
			do(w.Flush())
		}, full + frameC1 + frameC2 + full + frameC2 + "01 a1 00 00 00 00 00 00 00 00 00 00 00 00 00 01"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got bytes.Buffer
			w := NewWriter(&got)
			if test.every > 0 {
				w = NewPortWriter(&got, test.every)
			}
			test.write(w)
			if want := unhex(t, test.want); !bytes.Equal(got.Bytes(), want) {
				t.Errorf("\n got % x\nwant % x", got.Bytes(), want)
			}
		})
	}
}

// TestRepeatedID: after eight frames without an ID byte the source is named
// again. (Silicon lets seven pass: TestSiliconRepeats.)
func TestRepeatedID(t *testing.T) {
	var got bytes.Buffer
	w := NewWriter(&got)
	if err := w.Write(0x10, make([]byte, 20*frameSize)); err != nil {
		t.Fatal(err)
	}
	var named []int
	for i := 0; i+frameSize <= got.Len(); i += frameSize {
		if got.Bytes()[i] == 0x10<<1|1 {
			named = append(named, i/frameSize)
		}
	}
	if want := []int{0, 9, 18}; !slices.Equal(named, want) {
		t.Errorf("frames %v name the source, want %v", named, want)
	}
}

func TestWriterRefuses(t *testing.T) {
	memory, port := NewWriter(&bytes.Buffer{}), NewPortWriter(&bytes.Buffer{}, 4)
	for _, id := range []uint8{0x00, 0x70, 0x7b, 0x7d, 0x7f, 0x80, 0xff} {
		if memory.Write(id, []byte{1}) == nil {
			t.Errorf("ID %#02x is taken", id)
		}
	}
	if memory.HalfSync() == nil {
		t.Error("an HSYNC in memory is taken")
	}
	if port.SyncFrame() == nil {
		t.Error("a sync frame in a port is taken")
	}
}

// A fullDisk fails.
type fullDisk struct{ err error }

func (d fullDisk) Write([]byte) (int, error) { return 0, d.err }

func TestWriterKeepsError(t *testing.T) {
	disk := fullDisk{errors.New("disk is full")}
	w := NewWriter(disk)
	for range 2 {
		if err := w.Write(0x10, make([]byte, 40)); !errors.Is(err, disk.err) {
			t.Errorf("error %v", err)
		}
	}
	if err := w.Flush(); !errors.Is(err, disk.err) {
		t.Errorf("error %v", err)
	}
}

// written is what was put into frames: the streams, where their bytes went, and
// where they break.
type written struct {
	frames []byte
	layout Layout
	reads  map[uint8]*read
}

// writeRandom writes up to n runs of up to five sources into memory frames or
// those of a port, with sync packets wherever they may be.
func writeRandom(t testing.TB, random *rand.Rand, n int) written {
	t.Helper()
	out := written{reads: map[uint8]*read{}}
	var buf bytes.Buffer
	w := NewWriter(&buf)
	if out.layout.Sync = random.IntN(2) == 1; out.layout.Sync {
		w = NewPortWriter(&buf, 1+random.IntN(9))
	}
	stream := func(id uint8) *read {
		if out.reads[id] == nil {
			out.reads[id] = &read{}
		}
		return out.reads[id]
	}
	w.Placed = func(id uint8, offset decode.CaptureOffset) {
		stream(id).offsets = append(stream(id).offsets, int64(offset))
	}
	ids := []uint8{1, 0x10, 0x11, 0x2A, 0x6F}[:1+random.IntN(5)]
	long := 1 + random.IntN(60)
	var broken []uint8 // sources whose next byte comes after a break
	for range n {
		var err error
		switch k := random.IntN(100); {
		case k < 85:
			id, data := ids[random.IntN(len(ids))], noise(random, random.IntN(long))
			s := stream(id)
			if i := slices.Index(broken, id); i >= 0 && len(data) > 0 {
				broken = slices.Delete(broken, i, i+1)
				if len(s.data) > 0 {
					s.breaks = append(s.breaks, len(s.data))
				}
			}
			s.data = append(s.data, data...)
			err = w.Write(id, data)
		case k < 90:
			err = w.Flush()
		case out.layout.Sync:
			err = w.HalfSync()
		case k < 93:
			err = w.SyncFrame()
			broken = slices.Clone(ids)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	// The last frame must not look like padding: an ID without data ends it.
	if err := errors.Join(w.Write(1, []byte{1}), w.Flush()); err != nil {
		t.Fatal(err)
	}
	s := stream(1)
	if slices.Contains(broken, 1) && len(s.data) > 0 {
		s.breaks = append(s.breaks, len(s.data))
	}
	s.data = append(s.data, 1)
	out.frames = buf.Bytes()
	return out
}

// check reads what was written and compares.
func (w *written) check(t testing.TB, chunk int) {
	t.Helper()
	c := census(t, w.frames, w.layout)
	for id := uint8(1); id < firstReservedID; id++ {
		want := &read{}
		if w.reads[id] != nil {
			want = w.reads[id]
		}
		if c.Streams[id] != int64(len(want.data)) {
			t.Errorf("ID %#02x: %d bytes counted, %d written", id, c.Streams[id], len(want.data))
		}
		if len(want.data) == 0 {
			continue
		}
		got := readAll(t, w.frames, w.layout, id, chunk)
		if !bytes.Equal(got.data, want.data) {
			t.Errorf("ID %#02x: stream of %d bytes differs from the %d written", id, len(got.data), len(want.data))
		}
		if !slices.Equal(got.offsets, want.offsets) {
			t.Errorf("ID %#02x: bytes are not where they were written", id)
		}
		if !slices.Equal(got.breaks, want.breaks) {
			t.Errorf("ID %#02x: breaks before %v, want %v", id, got.breaks, want.breaks)
		}
	}
	o := &c.Overhead
	if o.Unknown != 0 || o.Unaligned != 0 || o.Incomplete != 0 || o.Reserved != 0 || o.Trigger != 0 || o.Flush != 0 {
		t.Errorf("overhead %+v", *o)
	}
}

func TestRoundTrip(t *testing.T) {
	for s := uint64(1); s <= 300; s++ {
		if *seed != 0 && s != *seed {
			continue
		}
		t.Run(fmt.Sprintf("seed=%d", s), func(t *testing.T) {
			random := rand.New(rand.NewPCG(s, 0))
			w := writeRandom(t, random, 1+random.IntN(400))
			w.check(t, 1+random.IntN(3000))
			if t.Failed() {
				t.Logf("again: go test ./decode/frame -run 'TestRoundTrip$' -seed %d", s)
			}
		})
	}
}
