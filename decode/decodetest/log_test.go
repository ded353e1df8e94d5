package decodetest

import (
	"math/rand/v2"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// randomLog returns a part of runs of its own and of paths, and how many instructions it has.
func randomLog(r *rand.Rand) (*decode.Result, int) {
	code := &schema.Block{Address: make([]uint32, 60)}
	for i := range code.Address {
		code.Address[i] = uint32(i) * 4
	}
	x := &decode.Result{Blocks: []*schema.Block{code}, Spans: []schema.Span{{}}}
	run := func() schema.Run {
		s := schema.Run{First: uint16(r.IntN(50)), Count: 1 + uint16(r.IntN(9)), Outcome: schema.Passed, Flags: schema.RunHasFailed}
		if s.Failed = r.Uint64() & r.Uint64() & (1<<s.Count - 1); s.Failed>>(s.Count-1) == 1 {
			s.Outcome = schema.NotTaken
		}
		return s
	}
	for range 1 + r.IntN(5) {
		p := decode.Path{First: uint32(len(x.PathShapes)), Count: 1 + uint32(r.IntN(4))}
		for range p.Count {
			s := run()
			p.Instructions += uint32(s.Count)
			x.PathShapes = append(x.PathShapes, uint32(len(x.Shapes)))
			x.Shapes = append(x.Shapes, s)
		}
		x.Paths = append(x.Paths, p)
	}
	instructions := 0
	for range r.IntN(40) {
		if r.IntN(3) > 0 {
			x.NameRuns()
			path := uint32(r.IntN(len(x.Paths)))
			x.Entries = append(x.Entries, decode.Entry{Path: path, Offset: r.Uint32N(99)})
			instructions += int(x.Paths[path].Instructions)
			continue
		}
		s := run()
		s.Offset = r.Int64N(99)
		x.Runs = append(x.Runs, s)
		instructions += int(s.Count)
	}
	x.Named = -1
	x.Segments = []decode.Segment{{Ends: x.Ends()}}
	return x, instructions
}

// Cancels of any depth take back of a log what they take back of the runs that it is.
func TestTakeBackOfLog(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		log, instructions := randomLog(r)
		runs := Expanded(log)
		depth := min(255, r.IntN(instructions+2))
		for range depth {
			a, _, ok := log.TakeBack(decode.Ends{}, &log.Segments[0].Ends)
			b, _, want := runs.TakeBack(decode.Ends{}, &runs.Segments[0].Ends)
			if a != b || ok != want {
				t.Fatalf("took back %#x, %v; want %#x, %v", a, ok, b, want)
			}
		}
		if d := Difference(Expanded(log), Expanded(runs)); d != "" {
			t.Fatalf("after a cancel of depth %d: %s", depth, d)
		}
	}
}
