package probe

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"testing"

	extracted "github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/plan"

	"github.com/tracelake/tracelake/bench/repeat"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/etmv3"
	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/decode/pft"
)

// A trial ends early only if its rate is lower at the end of the sample too.
func TestTrialEndsEarly(t *testing.T) {
	short, long := t.TempDir(), filepath.Join(t.TempDir(), "long")
	if err := extracted.Extract(short); err != nil {
		t.Fatal(err)
	}
	if err := repeat.Snapshot(short, long, trialBytes); err != nil {
		t.Fatal(err)
	}
	families := []decode.Family{pft.Family(), etmv3.Family()}
	c, err := capture.Open(long, families, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	made, err := plan.New(t.Context(), c, plan.Options{Families: families, Index: engine.NewWorkers(1).Index})
	if err != nil {
		t.Fatal(err)
	}
	p, e := New(made, false), NewEvidence(made.Sources[0])
	now, err := p.tryAsRead(t.Context(), e)
	if err != nil || now.rate() < goodRate {
		t.Fatal(now.rate(), err)
	}
	ended := 0
	for i := range now.family.Settings {
		setting := &now.family.Settings[i]
		for _, value := range setting.Values {
			r := now.with(setting, value)
			if r == nil {
				continue
			}
			whole, err := p.run(t.Context(), e, r, 0)
			if err != nil {
				t.Fatal(err)
			}
			short, err := p.run(t.Context(), e, r, now.rate())
			switch {
			case err != nil:
				t.Fatal(err)
			case short.failed && !whole.failed:
				ended++
				if whole.rate() >= now.rate() {
					t.Errorf("%v: a trial that would come to %f ended, with a least rate of %f", r.words(), whole.rate(), now.rate())
				}
			case short.rate() != whole.rate():
				t.Errorf("%v: the rate is %f, with a least rate %f", r.words(), whole.rate(), short.rate())
			}
		}
	}
	if ended == 0 {
		t.Error("no trial ended early")
	}
}

// What is kept of a stream reads as the stream does, whatever room there is, with its
// breaks.
func TestKeptSample(t *testing.T) {
	var framed []byte
	for i := range 3 << 10 {
		f := make([]byte, 16)
		f[0], f[1], f[8] = 0x10<<1|1, byte(i), byte(i)&^1
		framed = append(framed, f...)
	}
	fsync := []byte{0xff, 0xff, 0xff, 0x7f}
	framed = slices.Concat(framed, slices.Repeat(fsync, 4), framed)
	stream := func() decode.Stream {
		return frame.NewReader(bytes.NewReader(framed), int64(len(framed)), frame.Layout{}, 0x10)
	}
	kept, err := keep(stream())
	if err != nil {
		t.Fatal(err)
	}
	want := readWhole(t, stream(), 1<<20)
	if kept.bytes != int64(len(want.Data)) || len(want.breaks) != 1 {
		t.Fatalf("%d bytes are kept of %d, with breaks at %v", kept.bytes, len(want.Data), want.breaks)
	}
	for _, room := range []int{100, 4 << 10, 1 << 20} {
		got := readWhole(t, (&keptStream{left: kept.pieces}), room)
		if !slices.Equal(got.Data, want.Data) || !slices.Equal(got.breaks, want.breaks) {
			t.Fatalf("with room for %d: %d bytes with breaks at %v, want %d, %v", room, len(got.Data), got.breaks, len(want.Data), want.breaks)
		}
		for i := range got.Data {
			if got.Offsets.At(i) != want.Offsets.At(i) {
				t.Fatalf("with room for %d: byte %d is at %d, want %d", room, i, got.Offsets.At(i), want.Offsets.At(i))
			}
		}
	}
}

// A wholeStream is all of a stream, and where it was broken.
type wholeStream struct {
	decode.Piece
	breaks []int
}

// readWhole reads a stream, with so much room at a time.
func readWhole(t *testing.T, stream decode.Stream, room int) (all wholeStream) {
	t.Helper()
	for {
		p := decode.Piece{Data: make([]byte, 0, room)}
		before, err := stream.Next(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if before != decode.NoBreak {
			all.breaks = append(all.breaks, len(all.Data))
		}
		all.Data = append(all.Data, p.Data...)
		all.Offsets.AppendAll(p.Offsets)
	}
}
