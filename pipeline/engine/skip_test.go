package engine

import (
	"io"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/pft"
)

// A stream is bytes without frames.
type stream struct {
	left []byte
	read int
}

// Next implements [decode.Stream].
func (s *stream) Next(p *decode.Piece) (decode.Break, error) {
	n := min(64<<10, len(s.left), cap(p.Data)-len(p.Data))
	if n == 0 {
		return decode.NoBreak, io.EOF
	}
	p.Data = append(p.Data, s.left[:n]...)
	p.Offsets.Append(decode.CaptureOffset(s.read), n)
	s.left, s.read = s.left[n:], s.read+n
	return decode.NoBreak, nil
}

// looking is a protocol that counts the bytes that its cutters look at.
type looking struct {
	decode.Protocol
	bytes *int
}

func (p looking) NewCutter() decode.Cutter { return &lookingCutter{p.Protocol.NewCutter(), p.bytes} }

type lookingCutter struct {
	decode.Cutter
	bytes *int
}

func (*lookingCutter) BeginsAnywhere() {}

func (c *lookingCutter) Find(b []byte, last bool) decode.Cuts {
	*c.bytes += len(b)
	return c.Cutter.Find(b, last)
}

// A splitter looks at a fraction of the bytes, and the memory of the stream is used
// again once its units are decoded.
func TestSplitWork(t *testing.T) {
	segment := slices.Concat([]byte{0, 0, 0, 0, 0, 0x80, 8, 0, 0x80, 0, 0, 0}, slices.Repeat([]byte{0x84}, 1000)) // A-sync, I-sync, atoms
	data := slices.Repeat(segment, (4<<20)/len(segment))
	bytes, chunks := 0, map[*chunk]bool{}
	for u, err := range Split(&stream{left: data}, looking{&pft.Config{}, &bytes}, NoLead) {
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range u.chunks {
			chunks[c] = true
		}
		u.done()
	}
	if most := len(data) / 3; bytes > most || bytes == 0 {
		t.Errorf("looked at %d bytes of %d, want at most %d", bytes, len(data), most)
	}
	if len(chunks) > 2 {
		t.Errorf("%d chunks for one unit at a time, want 2", len(chunks))
	}
}
