package frame

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
)

// unhex reads bytes in hex; blanks are ignored.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A read is the whole stream of a source.
type read struct {
	data    []byte
	offsets []int64
	breaks  []int // before these bytes of data
}

// readAll reads a source with a walker window of chunk bytes.
func readAll(t testing.TB, b []byte, layout Layout, id uint8, chunk int) read {
	t.Helper()
	r := NewReader(bytes.NewReader(b), int64(len(b)), layout, id)
	r.walk.in.chunk = chunk
	var out read
	for {
		var p decode.Piece
		before, err := r.Next(&p)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Data) == 0 || len(p.Data) > pieceBytes || p.Offsets.Len() != len(p.Data) {
			t.Fatalf("piece of %d bytes with %d offsets", len(p.Data), p.Offsets.Len())
		}
		if before != decode.NoBreak {
			out.breaks = append(out.breaks, len(out.data))
		}
		for i, v := range p.Data {
			out.data = append(out.data, v)
			out.offsets = append(out.offsets, int64(p.Offsets.At(i)))
		}
	}
}

// census scans b and checks that every byte is accounted for.
func census(t testing.TB, b []byte, layout Layout) *Census {
	t.Helper()
	c, err := Scan(bytes.NewReader(b), int64(len(b)), layout)
	if err != nil {
		t.Fatal(err)
	}
	sum := c.Overhead.Bytes()
	for id, n := range c.Streams {
		if n != 0 && !IsSource(uint8(id)) {
			t.Errorf("%d bytes in the stream of %#02x", n, id)
		}
		sum += n
	}
	if sum != int64(len(b)) {
		t.Errorf("%d bytes accounted for out of %d: %+v", sum, len(b), c)
	}
	return c
}

// detect detects frames with the options of a capture.
func detect(t testing.TB, b []byte, opt DetectOptions) Layout {
	t.Helper()
	found, err := Detect(bytes.NewReader(b), int64(len(b)), opt)
	if err != nil {
		t.Fatal(err)
	}
	return found.Layout
}

// asyncs rates a stream by its A-syncs (five zeros or more, then 80): a stand-in
// for what a protocol does.
func asyncs(_ uint8, stream []byte) (n int) {
	zeros := 0
	for _, b := range stream {
		switch {
		case b == 0:
			zeros++
			continue
		case b == 0x80 && zeros >= 5:
			n++
		}
		zeros = 0
	}
	return n
}

func offsets(at ...decode.CaptureOffset) []decode.CaptureOffset { return at }
