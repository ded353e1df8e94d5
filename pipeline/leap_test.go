package pipeline

import (
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
)

// A plainProtocol hides that cuts can be looked for anywhere, so the splitter finds all
// of them itself.
type plainProtocol struct{ decode.Protocol }

func (p plainProtocol) NewCutter() decode.Cutter {
	return struct{ decode.Cutter }{p.Protocol.NewCutter()}
}

// A splitter that leaps over bytes finds the same segments and parts as one that looks
// at each: wherever it leaps to, and whether or not there is a cut after it.
func TestLeaps(t *testing.T) {
	parts := func(lines []string) []string {
		return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return line == "unit" })
	}
	leapt := 0
	for _, tr := range moreTraces(t) {
		for _, g := range []grain{{unitBytes, partBytes, chunkBytes}, {3000, 1001, chunkBytes}, {700, 5000, 100}, {100, 300, 1000}} {
			for _, breaks := range [][]int{nil, {len(tr.data) / 3, len(tr.data) / 2}} {
				got := units(t, tr.stream(1000, breaks...), tr.protocol, g)
				want := units(t, tr.stream(1000, breaks...), plainProtocol{tr.protocol}, g)
				if !slices.Equal(parts(got), parts(want)) {
					t.Errorf("%s, %+v, breaks at %d: other parts\n got %s\nwant %s", tr.name, g, breaks, strings.Join(got, "; "), strings.Join(want, "; "))
				}
				leapt += len(got)
			}
		}
	}
	if leapt == 0 {
		t.Error("no unit")
	}
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
	tr := longest(moreTraces(t))
	data := slices.Repeat(tr.data, (4<<20)/len(tr.data))
	long, bytes := tr.with(data), 0
	stream, chunks := long.stream(64<<10), map[*chunk]bool{}
	for u, err := range split(stream, looking{tr.protocol, &bytes}) {
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

// longest returns the trace with the most bytes.
func longest(traces []*trace) *trace {
	return slices.MaxFunc(traces, func(a, b *trace) int { return len(a.data) - len(b.data) })
}
