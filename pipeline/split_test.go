package pipeline

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/pft"
)

// units describes what a stream is split into, a line for each thing.
func units(t testing.TB, stream decode.Stream, protocol decode.Protocol, g engine.Grain) []string {
	t.Helper()
	var lines []string
	for u, err := range engine.SplitBy(stream, protocol, g, engine.NoLead) {
		if err != nil {
			t.Fatal(err)
		}
		u.CutUp()
		for _, e := range u.Events {
			lines = append(lines, fmt.Sprintf("%s at %d", e.Event, e.Offset))
		}
		for _, l := range u.Losses {
			lines = append(lines, fmt.Sprintf("%s %d at %d", l.Reason, l.Bytes, l.Offset))
		}
		size := 0
		for _, p := range u.Parts {
			var line strings.Builder
			fmt.Fprintf(&line, "part %d at %d", len(p.Data), p.Offsets.At(0))
			for _, flag := range []struct {
				set  bool
				name string
			}{{p.Continued, "continued"}, {p.Break != decode.NoBreak, "break"}, {p.Open, "open"}, {p.End, "end"}} {
				if flag.set {
					line.WriteString(" " + flag.name)
				}
			}
			if len(p.Bounds) > 0 {
				fmt.Fprint(&line, " a-syncs ", p.Bounds)
			}
			if len(p.Data) != p.Offsets.Len()*protocol.UnitBytes() {
				t.Fatalf("%s has %d offsets", line.String(), p.Offsets.Len())
			}
			size += len(p.Data)
			lines = append(lines, line.String())
		}
		if u.Bytes != size {
			t.Errorf("a unit of %d bytes says %d", size, u.Bytes)
		}
		lines = append(lines, "unit")
	}
	return lines
}

// The packets that streams are written in: an A-sync, an I-sync, an atom, a
// reserved header.
var splitWords = strings.NewReplacer("A", "000000000080", "I", "080080000021", "e", "84", "x", "02")

func splitBytes(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(splitWords.Replace(strings.ReplaceAll(text, " ", "")))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Expected values are worked out by hand: units are whole segments, cut at the
// first I-sync after an A-sync (docs/data-flow.md).
func TestSplit(t *testing.T) {
	ordinary := usualGrain
	for _, tt := range []struct {
		name   string
		stream string
		breaks []int
		cfg    pft.Config
		grain  engine.Grain
		want   string
	}{
		{"nothing", "", nil, pft.Config{}, ordinary, ""},
		{"never synchronised", "e e I e 00 00", nil, pft.Config{}, ordinary, "unsynced 11 at 0; unit"},
		{"one segment", "A I e e", nil, pft.Config{}, ordinary, "unsynced 6 at 0; part 8 at 6 end; unit"},
		{"garbage in front", "e 00 00 A e I e", nil, pft.Config{}, ordinary, "unsynced 10 at 0; part 7 at 10 end; unit"},
		{
			"bytes between A-sync and I-sync belong to the segment before", "A I e A e I e", nil,
			pft.Config{},
			ordinary,
			"unsynced 6 at 0; part 14 at 6 a-syncs [13]; part 7 at 20 end; unit",
		},
		{"an I-sync without A-sync is no cut", "A I e I e", nil, pft.Config{}, ordinary, "unsynced 6 at 0; part 14 at 6 end; unit"},
		{"nor is the second one after an A-sync", "A I I", nil, pft.Config{}, ordinary, "unsynced 6 at 0; part 12 at 6 end; unit"},
		{
			"a bad packet before the I-sync", "A I e A x I e A I", nil,
			pft.Config{},
			ordinary,
			"unsynced 6 at 0; part 27 at 6 a-syncs [13 27]; part 6 at 33 end; unit",
		},
		{"an A-sync before the I-sync", "A e A I", nil, pft.Config{}, ordinary, "unsynced 13 at 0; part 6 at 13 end; unit"},
		{"an A-sync at the end", "A I A", nil, pft.Config{}, ordinary, "unsynced 6 at 0; part 12 at 6 end a-syncs [12]; unit"},
		{
			"I-sync cut off by the end", "A I e A 08 00 80 00 00", nil,
			pft.Config{},
			ordinary,
			"unsynced 6 at 0; part 18 at 6 end a-syncs [13]; unit",
		},
		{
			"I-sync that ends with the stream", "A I A I", nil,
			pft.Config{},
			ordinary,
			"unsynced 6 at 0; part 12 at 6 a-syncs [12]; part 6 at 18 end; unit",
		},
		{
			"an A-sync longer than it need be", "A I 00 00 A I", nil,
			pft.Config{},
			ordinary,
			"unsynced 6 at 0; part 14 at 6 a-syncs [14]; part 6 at 20 end; unit",
		},
		// 08 begins an I-sync of ten bytes, but an A-sync ends with its seventh.
		{
			"an I-sync that reaches past an A-sync", "A I 00000000 A 08 A I 00000000", nil,
			pft.Config{ContextIDBytes: 4},
			ordinary,
			"unsynced 6 at 0; part 23 at 6 a-syncs [16 23]; part 10 at 29 end; unit",
		},
		// It ends where the A-sync inside it does.
		{
			"an I-sync that ends with an A-sync", "A 08 00 80 00 00 01 00 00 00 80 e", nil,
			pft.Config{ContextIDBytes: 4},
			ordinary,
			"unsynced 6 at 0; part 11 at 6 end; unit",
		},
		{
			"an I-sync whose end is an A-sync", "A 08 00 80 00 00 00 00 00 00 80 e", nil,
			pft.Config{ContextIDBytes: 4},
			ordinary,
			"unsynced 6 at 0; part 11 at 6 end a-syncs [10]; unit",
		},

		{
			"units end at the cut after so many bytes", "A I A I e A I A I", nil,
			pft.Config{},
			grainOf(20, engine.PartBytes, engine.ChunkBytes),
			"unsynced 6 at 0; part 12 at 6 a-syncs [12]; part 13 at 18 a-syncs [13]; unit; part 12 at 31 a-syncs [12]; part 6 at 43 end; unit",
		},
		{
			"a long segment", "A I eeee eeee eeee e", nil,
			pft.Config{},
			grainOf(5, 8, engine.ChunkBytes),
			"unsynced 6 at 0; part 8 at 6 open; unit; part 8 at 14 continued open; unit; part 3 at 22 continued end; unit",
		},
		{
			"as long as a part", "A I ee A I", nil,
			pft.Config{},
			grainOf(5, 14, engine.ChunkBytes),
			"unsynced 6 at 0; part 14 at 6 a-syncs [14]; unit; part 6 at 20 end; unit",
		},
		{
			"longer by one", "A I ee A e I", nil,
			pft.Config{},
			grainOf(5, 14, engine.ChunkBytes),
			"unsynced 6 at 0; part 14 at 6 open a-syncs [14]; unit; part 1 at 20 continued; part 6 at 21 end; unit",
		},
		{
			"an A-sync across the border of parts", "A I e A e I", nil,
			pft.Config{},
			grainOf(100, 10, engine.ChunkBytes),
			"unsynced 6 at 0; part 10 at 6 open; part 4 at 16 continued a-syncs [3]; part 6 at 20 end; unit",
		},

		{
			"a break before the first cut", "e e 00 A I e",
			[]int{2},
			pft.Config{},
			ordinary,
			"discontinuity at 2; unsynced 2 at 0; discontinuity 7 at 2; part 7 at 9 end; unit",
		},
		{
			"a break in an A-sync", "A I e",
			[]int{3},
			pft.Config{},
			ordinary,
			"discontinuity at 3; unsynced 3 at 0; discontinuity 10 at 3; unit",
		},
		{
			"a break right after an A-sync", "A I e",
			[]int{6},
			pft.Config{},
			ordinary,
			"discontinuity at 6; unsynced 6 at 0; discontinuity 7 at 6; unit",
		},
		{
			"a break in a segment", "A I e e e A e I e",
			[]int{14},
			pft.Config{},
			ordinary,
			"unsynced 6 at 0; part 8 at 6 open end; part 8 at 14 continued break a-syncs [7]; part 7 at 22 end; unit",
		},
		{
			"a break in an A-sync of a segment", "A I e A I e A I",
			[]int{16},
			pft.Config{},
			ordinary,
			"unsynced 6 at 0; part 10 at 6 open end; part 16 at 16 continued break a-syncs [16]; part 6 at 32 end; unit",
		},
		{
			"a break between A-sync and I-sync", "A I e A e I e",
			[]int{20},
			pft.Config{},
			ordinary,
			"unsynced 6 at 0; part 14 at 6 open end a-syncs [13]; part 7 at 20 continued break end; unit",
		},
		{
			"two breaks", "A I e e e",
			[]int{13, 14},
			pft.Config{},
			ordinary,
			"unsynced 6 at 0; part 7 at 6 open end; part 1 at 13 continued break open end; part 1 at 14 continued break end; unit",
		},
		{
			"a break at the border of parts", "A I ee ee A I",
			[]int{14},
			pft.Config{},
			grainOf(100, 8, engine.ChunkBytes),
			"unsynced 6 at 0; part 8 at 6 open end; part 8 at 14 continued break a-syncs [8]; part 6 at 22 end; unit",
		},
		{
			"a break before the first byte", "A I",
			[]int{0},
			pft.Config{},
			ordinary,
			"discontinuity at 0; discontinuity 6 at 0; part 6 at 6 end; unit",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var want []string
			if tt.want != "" {
				want = strings.Split(tt.want, "; ")
			}
			tr := (&trace{protocol: &tt.cfg}).with(splitBytes(t, tt.stream))
			for _, size := range []int{wholePieces, 1, 2, 3, 5} {
				for _, chunk := range []int{tt.grain.Chunk, 1, 6, 11} {
					g := tt.grain
					g.Chunk = chunk
					if got := units(t, tr.stream(size, tt.breaks...), &tt.cfg, g); !slices.Equal(got, want) {
						t.Fatalf("pieces of %d, memory of %d:\n got %s\nwant %s", size, chunk, strings.Join(got, "; "), tt.want)
					}
				}
			}
		})
	}
}

// usualGrain is how streams of bytes are cut up.
var usualGrain = engine.ReadBy(engine.ChunkBytes)

func grainOf(unit, part, chunk int) engine.Grain {
	return engine.Grain{Unit: unit, Part: part, Chunk: chunk}
}

// A run of zeros longer than an A-sync may be is no packet, but its end is the
// end of an A-sync all the same.
func TestSplitLongZeros(t *testing.T) {
	const zeros = 70_000
	stream := slices.Concat(splitBytes(t, "A I e"), make([]byte, zeros), splitBytes(t, "80 I e"))
	tr := (&trace{protocol: &pft.Config{}, memory: image.New()}).with(stream)
	whole := grainOf(128<<10, 128<<10, engine.ChunkBytes) // no segment here is longer than a part
	want := []string{"unsynced 6 at 0", "part 70008 at 6 a-syncs [70008]", "part 7 at 70014 end", "unit"}
	for _, size := range []int{wholePieces, 1000, 4096} {
		if got := units(t, tr.stream(size), tr.protocol, whole); !slices.Equal(got, want) {
			t.Errorf("pieces of %d: %q\nwant %q", size, got, want)
		}
	}
	d := tr.decode(t)
	d.checkAccounts(t, len(stream))
	d.wantLoss(t, 1, 13, zeros+1, "bad_packet")
	if d.totals.Segments != 2 {
		t.Errorf("%d segments, want 2", d.totals.Segments)
	}
}

// A capture that never ends its zeros needs no memory for them, and no time
// beyond what reading takes.
func TestSplitOnlyZeros(t *testing.T) {
	tr := (&trace{protocol: &pft.Config{}, memory: image.New()}).with(bytes.Repeat([]byte{0}, 3<<20))
	d := tr.decode(t)
	d.checkAccounts(t, len(tr.data))
	d.wantLoss(t, 0, 0, len(tr.data), "unsynced")
	d = tr.with(slices.Concat(splitBytes(t, "A I"), tr.data)).decode(t)
	d.checkAccounts(t, len(tr.data)+12)
	d.wantLoss(t, 1, 12, len(tr.data), "bad_packet")
}

// How a stream falls into units depends on its bytes alone.
func TestSplitIsTheSameForAnyPieces(t *testing.T) {
	for _, tr := range moreTraces(t) {
		for _, g := range []engine.Grain{usualGrain, grainOf(3000, 1001, engine.ChunkBytes), grainOf(1, 100, 10)} {
			want := units(t, tr.stream(wholePieces), tr.protocol, g)
			for _, size := range []int{1, 7, 1000} {
				if got := units(t, tr.stream(size), tr.protocol, g); !slices.Equal(got, want) {
					i := 0
					for i < min(len(got), len(want)) && got[i] == want[i] {
						i++
					}
					t.Errorf("%s in pieces of %d, %+v: other units: %q, want %q", tr.name, size, g, got[i:min(len(got), i+4)], want[i:min(len(want), i+4)])
				}
			}
		}
	}
}

// An error in reading is handed on; a consumer that has enough ends the split.
func TestSplitEnds(t *testing.T) {
	errRead := errors.New("read")
	n := 0
	for _, err := range engine.Split(failingStream{errRead}, &pft.Config{}, engine.NoLead) {
		n++
		if !errors.Is(err, errRead) {
			t.Errorf("error %v, want %v", err, errRead)
		}
	}
	if n != 1 {
		t.Errorf("%d units, want the error alone", n)
	}
	n = 0
	tr := (&trace{protocol: &pft.Config{}}).with(bytes.Repeat(splitBytes(t, "A I e"), 100))
	for range engine.SplitBy(tr.stream(50), &pft.Config{}, grainOf(1, engine.PartBytes, engine.ChunkBytes), engine.NoLead) {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("%d units, want 3", n)
	}
}

type failingStream struct{ err error }

func (s failingStream) Next(*decode.Piece) (decode.Break, error) {
	return decode.NoBreak, s.err
}
