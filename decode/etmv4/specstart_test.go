package etmv4_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/pipeline/engine"
)

// A syncer traces a path through code of "cbz x0, 1000" alone, on wrong paths and before mispredicts, too,
// with sync points anywhere.
type syncer struct {
	speculator
	at    []uint64 // where the flow is before the oldest open P0 element, and after each
	syncs []int    // where A-syncs begin
}

func (s *syncer) atom(executed bool) {
	s.speculator.atom(executed)
	to := s.at[len(s.at)-1] + 4
	if executed {
		to = 0x1000
	}
	s.at = append(s.at, to)
	if s.random.IntN(6) == 0 {
		s.sync()
	}
}

// sync traces a sync point.
func (s *syncer) sync() {
	s.syncs = append(s.syncs, len(s.b))
	info := etmv4.TraceInfoSections{Has: etmv4.HasInfo | etmv4.HasSpec, Spec: etmv4.Field{Value: uint32(s.open)}}
	s.add(etmv4.Packet{Kind: etmv4.ASync})
	s.add(etmv4.Packet{Kind: etmv4.TraceInfo, Info: info})
	a := s.at[len(s.at)-1]
	s.b = append(s.b, 0x82, byte(a>>2&0x7f), byte(a>>9&0x7f), byte(a>>16), byte(a>>24), 0x31)
}

func (s *syncer) commit(n int) {
	s.count(etmv4.Commit, n, false)
	s.at = s.at[n:]
}

func (s *syncer) cancel(n int) {
	s.count(etmv4.Cancel, n, false)
	s.at = s.at[:len(s.at)-n]
}

// mispredict turns the newest atom.
func (s *syncer) mispredict() {
	s.add(etmv4.Packet{Kind: etmv4.Mispredict, Mispredict: true})
	n := len(s.at) - 1
	if s.at[n] == 0x1000 {
		s.at[n] = s.at[n-1] + 4
	} else {
		s.at[n] = 0x1000
	}
}

// next traces the next atom of the path.
func (s *syncer) next(executed bool) {
	if s.room() == 0 {
		s.commit(1 + s.random.IntN(s.open))
	}
	switch s.random.IntN(3) {
	case 0:
		wrong := 1 + s.random.IntN(s.room())
		for range wrong {
			s.atom(s.random.IntN(2) == 0)
		}
		s.cancel(wrong)
		s.atom(executed)
	case 1:
		s.atom(!executed)
		s.mispredict()
	default:
		s.atom(executed)
	}
	if s.random.IntN(4) == 0 {
		s.commit(s.random.IntN(s.open + 1))
	}
}

// A stream that begins at a sync point, or whose packet sync is lost before it, has no row there that the whole
// does not have, whatever is open there and becomes of it; and it comes to the same end.
func TestSpeculatedStarts(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	code := make([]uint32, 1<<12)
	for i := range code {
		code[i] = 0xb4000000 | uint32(-i)&0x7ffff<<5
	}
	mem := image.New(words(0x1000, code...))
	for _, depth := range []int{1, 2, 7, 64, 255} {
		cfg := configOf(registersOf(true, 1, uint32(depth)))
		s := &syncer{speculator: speculator{random: random, cfg: cfg, depth: depth}, at: []uint64{0x1000}}
		s.sync()
		path := 0
		for ; path < need.Size(200, 1000); path++ {
			s.next(random.IntN(2) == 0)
		}
		s.commit(s.open)
		whole := instructionsOf(t, s.b, cfg, mem, 0)
		if len(whole) != path {
			t.Fatalf("%d elements: %d instructions, want %d", depth, len(whole), path)
		}
		for i := 0; i < len(s.syncs); i += need.Size(20, 1) {
			sync := s.syncs[i]
			lost := slices.Concat(s.b[:sync], []byte{0x08}, s.b[sync:])
			for skipped, b := range map[int][]byte{sync: s.b[sync:], -1: lost} {
				got := instructionsOf(t, b, cfg, mem, skipped)
				from := slices.IndexFunc(got, func(x instructionAt) bool { return x.offset >= sync })
				if from < 0 {
					continue
				}
				checkWithin(t, fmt.Sprintf("%d elements, from %d", depth, sync), got[from:], whole)
			}
		}
	}
}

// An instructionAt is one that a packet at an offset tells.
type instructionAt struct {
	offset int
	what   string
}

// instructionsOf returns the instructions of a stream that lacks so many bytes at its start.
func instructionsOf(t *testing.T, b []byte, cfg *etmv4.Config, mem *image.Memory, skipped int) (all []instructionAt) {
	t.Helper()
	r := follow(t, b, cfg, mem, engine.Usual(cfg))
	for _, run := range r.Runs {
		for k := range run.Count {
			what := fmt.Sprint(r.Blocks[run.Block].Address[run.First+k].Hex(), " ", run.Outcome)
			all = append(all, instructionAt{int(run.Offset) + skipped, what})
		}
	}
	return all
}

// checkWithin checks that instructions are some of others, in their order, up to the last.
func checkWithin(t *testing.T, name string, some, all []instructionAt) {
	t.Helper()
	last := all[len(all)-1]
	for _, x := range some {
		i := slices.Index(all, x)
		if i < 0 {
			t.Fatalf("%s: %+v is false", name, x)
		}
		all = all[i+1:]
	}
	if some[len(some)-1] != last {
		t.Errorf("%s: the last is %+v, want %+v", name, some[len(some)-1], last)
	}
}
