package pipeline

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/pipeline/plan"
)

// listed is a stream of these pieces.
type listed []decode.Piece

func (l *listed) Next(p *decode.Piece) (decode.Break, error) {
	if len(*l) == 0 {
		return decode.NoBreak, io.EOF
	}
	first := (*l)[0]
	*l = (*l)[1:]
	p.Data = append(p.Data, first.Data...)
	p.Offsets.AppendAll(first.Offsets)
	return decode.NoBreak, nil
}

// A stream that begins late has the offsets of the bytes that are left, whether they
// are adjacent in the capture or not.
func TestSkippedStream(t *testing.T) {
	for skip := range int64(9) {
		s := plan.After(&listed{
			{Data: []byte{0, 1, 2}, Offsets: decode.OffsetsFrom(10, 3, decode.Form{})},
			{Data: []byte{3, 4, 5, 6}, Offsets: apart(20, 22, 23, 29)},
			{Data: []byte{7}, Offsets: decode.OffsetsFrom(40, 1, decode.Form{})},
		}, 1, skip)
		offsets := []decode.CaptureOffset{10, 11, 12, 20, 22, 23, 29, 40}
		var got []byte
		for {
			var p decode.Piece
			_, err := s.Next(&p)
			if errors.Is(err, io.EOF) {
				break
			}
			for i, b := range p.Data {
				if p.Offsets.At(i) != offsets[b] {
					t.Errorf("without %d: byte %d is at %d, want %d", skip, b, p.Offsets.At(i), offsets[b])
				}
			}
			got = append(got, p.Data...)
		}
		if want := []byte{0, 1, 2, 3, 4, 5, 6, 7}[skip:]; !slices.Equal(got, want) {
			t.Errorf("without %d: %v, want %v", skip, got, want)
		}
	}
}

// apart returns the offsets of units that are anywhere.
func apart(at ...decode.CaptureOffset) (o decode.CaptureOffsets) {
	for _, at := range at {
		o.Append(at, 1)
	}
	return o
}

// Trace that begins late in a file is found, and inspected from there.
func TestGuessLate(t *testing.T) {
	need.FullRun(t, everyWay)
	trace, err := os.ReadFile(filepath.Join(sampleSnapshot(t), "trace.bin"))
	if err != nil {
		t.Fatal(err)
	}
	stream := deformatted(t, trace)
	for _, before := range []int{100_000, 3 << 20} {
		file := filepath.Join(t.TempDir(), "late.bin")
		if err := os.WriteFile(file, append(slices.Repeat([]byte{0xff}, before), stream...), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := Inspect(t.Context(), file, capture.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(in.Sources) != 1 || in.Guess.Framed || in.Sources[0].Protocol != "pft" {
			t.Fatalf("%d bytes before: %+v", before, in.Guess)
		}
		s := in.Sources[0].Sample
		if *s.FirstCut < int64(before) || s.Segments != 57 || before > 1<<20 && !s.Reading.Fine() {
			t.Errorf("%d bytes before: the first I-sync is at %d, %d segments, %s", before, *s.FirstCut, s.Segments, s.Reading)
		}
	}
}

// deformatted returns the stream of source 0x10 of a buffer in frames.
func deformatted(t *testing.T, buffer []byte) (stream []byte) {
	t.Helper()
	r := frame.NewReader(bytes.NewReader(buffer), int64(len(buffer)), frame.Layout{}, 0x10)
	for {
		var p decode.Piece
		_, err := r.Next(&p)
		if errors.Is(err, io.EOF) {
			return stream
		}
		if err != nil {
			t.Fatal(err)
		}
		stream = append(stream, p.Data...)
	}
}
