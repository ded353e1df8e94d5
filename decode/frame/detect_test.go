package frame

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/schema"
)

// TestDetectHead puts 1 to 40 bytes of garbage before each buffer.
func TestDetectHead(t *testing.T) {
	eachCapture(t, func(t *testing.T, c *framedCapture, b []byte) {
		random := rand.New(rand.NewPCG(1, 0))
		for head := range 40 {
			garbage := make([]byte, head)
			for i := range garbage {
				garbage[i] = byte(random.Uint32())
			}
			framed := slices.Concat(garbage, b)
			layout := detect(t, framed, c.options())
			if layout.Sync || layout.Offset != int64(head%frameSize) {
				t.Errorf("%d bytes of garbage: sync %v, offset %d", head, layout.Sync, layout.Offset)
			}
			census(t, framed, layout)
		}
	})
}

// TestDetectPastHead puts more garbage before the frames than Detect scores.
func TestDetectPastHead(t *testing.T) {
	eachCapture(t, func(t *testing.T, c *framedCapture, b []byte) {
		raw := shared.Read(t, filepath.Join(shared.File(t, "captures"), "opencsd-tc2-ptm-rstk-t32", "PTM_0_2.bin"))
		framed := slices.Concat(raw[:27000], raw[:27000], raw[:27000], b, make([]byte, 64), b)
		layout := detect(t, framed, c.options())
		if layout.Offset%frameSize != 81000%frameSize || layout.Offset > 81000 {
			t.Errorf("offset %d", layout.Offset)
		}
		got := census(t, framed, layout)
		for id, n := range c.bytes {
			if got.Streams[id] < 2*n {
				t.Errorf("ID %#02x: %d bytes, want %d at least", id, got.Streams[id], 2*n)
			}
		}
	})
}

// TestDetectWithoutScore finds the parity alone.
func TestDetectWithoutScore(t *testing.T) {
	eachCapture(t, func(t *testing.T, c *framedCapture, b []byte) {
		for head := range 4 {
			framed := slices.Concat(make([]byte, head), b)
			layout := detect(t, framed, DetectOptions{Configured: c.configured})
			if layout.Offset != int64(head%2) {
				t.Errorf("%d bytes of garbage: offset %d", head, layout.Offset)
			}
		}
	})
}

// TestDetectRaw refuses raw PTM, also where it holds an FSYNC by chance, and
// where the user gave an offset.
func TestDetectRaw(t *testing.T) {
	raw := shared.Read(t, filepath.Join(shared.File(t, "captures"), "opencsd-tc2-ptm-rstk-t32", "PTM_0_2.bin"))
	opt := DetectOptions{Configured: []uint8{2}, Score: asyncs}
	given := opt
	given.Offset = schema.Of(int64(3))
	tests := []struct {
		name string
		b    []byte
		opt  DetectOptions
	}{
		{"as it is", raw, opt},
		{"offset given", raw, given},
		{"ten of it", bytes.Repeat(raw, 10), opt},
		{"with an FSYNC", slices.Concat(raw[:5000], []byte(fsync), raw[5000:]), opt},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Detect(bytes.NewReader(test.b), int64(len(test.b)), test.opt)
			var not *NotFramesError
			if !errors.As(err, &not) || not.Share < 0.4 || not.Share >= minShare ||
				!strings.Contains(err.Error(), "not CoreSight frames") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// testFrames are n frames of sources 0x10 and 0x11.
func testFrames(n int) []byte {
	var buf bytes.Buffer
	w := NewWriter(&buf)
	random := rand.New(rand.NewPCG(7, 7))
	for i := 0; buf.Len() < n*frameSize; i++ {
		data := make([]byte, 30)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		_ = w.Write(0x10+uint8(i&1), data)
	}
	return buf.Bytes()[:n*frameSize]
}

func TestDetect(t *testing.T) {
	frames := testFrames(500)
	cut := 100 * frameSize
	grouped := slices.Concat(frames[:cut], []byte(syncFrame), frames[cut:])
	tests := []struct {
		name string
		b    []byte
		opt  DetectOptions
		want Layout
	}{
		{"empty", nil, DetectOptions{}, Layout{}},
		{"frames", frames, DetectOptions{}, Layout{}},
		{"a few of them", frames[:48], DetectOptions{}, Layout{}},
		{"the user knows better", frames, DetectOptions{Offset: schema.Of(int64(2))}, Layout{Offset: 2}},
		{"zeros", make([]byte, 4096), DetectOptions{}, Layout{}},
		{"FF", bytes.Repeat([]byte{0xFF}, 4096), DetectOptions{}, Layout{}},
		{"a sync frame", grouped, DetectOptions{}, Layout{}},
		{"a sync frame tells the offset", slices.Concat(make([]byte, 6), grouped), DetectOptions{}, Layout{Offset: 6}},
		{
			"sync frames that disagree do not tell it", slices.Concat(frames[:cut], []byte(syncFrame), frames[cut:2*cut],
				make([]byte, 6), []byte(syncFrame), frames[2*cut:3*cut], []byte(syncFrame), frames[3*cut:]),
			DetectOptions{},
			Layout{},
		},
		{
			"nor one where no frame can be", slices.Concat(frames[:cut], make([]byte, 3), []byte(syncFrame), make([]byte, 13),
				frames[cut:]),
			DetectOptions{},
			Layout{},
		},
		{"an FSYNC", slices.Concat(frames[:cut], []byte(fsync), frames[cut:]), DetectOptions{}, Layout{Sync: true}},
		{"an FSYNC, but the user knows better", slices.Concat(frames[:cut], []byte(fsync), frames[cut:]),
			DetectOptions{Offset: schema.Of(int64(0))}, Layout{}},
		{"four FSYNCs where the format has them", grouped, DetectOptions{Sync: true}, Layout{Sync: true}},
		{"no FSYNC where the format has them", frames, DetectOptions{Sync: true}, Layout{}},
		{"one more than four", slices.Concat(frames[:cut], []byte(syncFrame+fsync), frames[cut:]), DetectOptions{},
			Layout{Sync: true}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := detect(t, test.b, test.opt)
			if got.Sync != test.want.Sync || got.Offset != test.want.Offset {
				t.Errorf("sync %v, offset %d; want %v, %d", got.Sync, got.Offset, test.want.Sync, test.want.Offset)
			}
			if named := test.name != "empty" && test.name != "zeros" && test.name != "FF"; named && !got.Sync &&
				(!got.IDs.Has(0x10) || !got.IDs.Has(0x11) || !got.IDs.Has(NullID) || got.IDs.Has(0x12)) {
				t.Errorf("IDs %x", got.IDs)
			}
		})
	}
}

func TestDetectRefusesOptions(t *testing.T) {
	b := testFrames(10)
	for _, opt := range []DetectOptions{
		{RingStart: -1},
		{RingStart: 160},
		{Offset: schema.Of(int64(-1))},
		{Offset: schema.Of(int64(161))},
	} {
		_, err := Detect(bytes.NewReader(b), int64(len(b)), opt)
		if err == nil || !strings.Contains(err.Error(), "160 bytes; give") {
			t.Errorf("%+v: error %v", opt, err)
		}
	}
}

// TestReadErrors: a buffer that is shorter than it should be is an error that has
// the offset where the buffer ends.
func TestReadErrors(t *testing.T) {
	b := testFrames(100)
	r := bytes.NewReader(b)
	_, errDetect := Detect(r, 2000, DetectOptions{})
	_, errScan := Scan(r, 2000, Layout{})
	_, errNext := NewReader(r, 2000, Layout{}, 0x10).Next(&decode.Piece{})
	for _, err := range []error{errDetect, errScan, errNext} {
		if err == nil || !strings.Contains(err.Error(), "at offset 0x640") {
			t.Errorf("error %v", err)
		}
	}
}
