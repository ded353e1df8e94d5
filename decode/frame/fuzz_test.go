package frame

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// FuzzScan reads any bytes in any layout: they are accounted for exactly,
// readers see what the census saw, and the fast paths agree with the plain one.
func FuzzScan(f *testing.F) {
	for _, s := range []string{frameA, frameB, frameC, "123456" + streamT, frameA + reset + frameA, frameB + full + frameB} {
		b := unhex(f, s)
		f.Add(b, true, uint16(3), uint16(0), uint8(0x10))
		f.Add(b, false, uint16(0), uint16(5), uint8(0x11))
	}
	f.Add(bytes.Repeat([]byte{0xFF}, 40), true, uint16(0), uint16(0), uint8(0))
	f.Add(testFrames(200)[:3000], false, uint16(1), uint16(7), uint8(0x10))
	f.Fuzz(func(t *testing.T, b []byte, sync bool, offset, ring uint16, id uint8) {
		layout := Layout{Sync: sync, Offset: int64(offset), RingStart: int64(ring)}
		if id != 0 {
			layout.IDs.Add(id)
			layout.IDs.Add(id + 1)
		}
		size := int64(len(b))
		if layout.check(size) != nil {
			if _, err := Scan(bytes.NewReader(b), size, layout); err == nil || !strings.Contains(err.Error(), "outside the buffer") {
				t.Errorf("%+v: error %v", layout, err)
			}
			return
		}
		checkStreams(t, b, layout)
		checkExtents(t, b, layout)
	})
}

// checkExtents compares census and readers with what unpack finds in every frame
// of the walker.
func checkExtents(t *testing.T, b []byte, layout Layout) {
	t.Helper()
	w := newWalker(bytes.NewReader(b), int64(len(b)), layout)
	w.in.chunk = 1
	cur := uint8(unknownID)
	var want [128]read
	for {
		s, err := w.next()
		if err != nil {
			break
		}
		if s.n <= 0 || s.kind == frames && s.n != int64(len(s.data)) {
			t.Fatalf("extent %+v", s)
		}
		if s.reset != decode.NoBreak {
			cur = unknownID
		}
		for len(s.data) > 0 {
			var d [frameData]dataByte
			var n int
			n, cur = unpack(s.data, cur, &d)
			for _, d := range d[:n] {
				if d.id != unknownID {
					want[d.id].data = append(want[d.id].data, d.b)
					want[d.id].offsets = append(want[d.id].offsets, s.offsetOf(int(d.pos)))
				}
			}
			s.advance(frameSize)
		}
	}
	for id := range want {
		if len(want[id].data) == 0 {
			continue
		}
		sameRead(t, uint8(id), want[id], readAll(t, b, layout, uint8(id), chunkBytes))
	}
}

// FuzzRoundTrip writes random streams and reads them back.
func FuzzRoundTrip(f *testing.F) {
	f.Add(uint64(1), uint64(2), uint16(50), uint16(1000))
	f.Fuzz(func(t *testing.T, a, b uint64, runs, chunk uint16) {
		w := writeRandom(t, rand.New(rand.NewPCG(a, b)), int(runs%500))
		w.check(t, 1+int(chunk))
	})
}

// FuzzDetect finds a layout for any bytes, or reports that they are no frames. The
// layout accounts for every byte.
func FuzzDetect(f *testing.F) {
	f.Add(testFrames(100), false, int16(-1), uint16(0), uint8(0x10))
	f.Add(testFrames(100)[5:], true, int16(4), uint16(77), uint8(0x10))
	f.Add(unhex(f, "123456"+streamT), true, int16(-1), uint16(0), uint8(0))
	f.Fuzz(func(t *testing.T, b []byte, sync bool, offset int16, ring uint16, id uint8) {
		opt := DetectOptions{Configured: []uint8{id}, Sync: sync, RingStart: int64(ring), Score: asyncs}
		if offset >= 0 {
			opt.Offset = schema.Of(int64(offset))
		}
		found, err := Detect(bytes.NewReader(b), int64(len(b)), opt)
		if not, ok := errors.AsType[*NotFramesError](err); ok {
			if not.Share < 0 || not.Share >= minShare {
				t.Errorf("share %v", not.Share)
			}
			return
		}
		if err != nil {
			if !strings.Contains(err.Error(), "outside the buffer") {
				t.Errorf("error %v", err)
			}
			return
		}
		checkStreams(t, b, found.Layout)
	})
}
