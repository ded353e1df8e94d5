package etmv4_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/pipeline/engine"
)

// A speculator traces a path as a trace unit with speculation does: it traces atoms that will not be, and takes
// them back.
type speculator struct {
	random *rand.Rand
	cfg    *etmv4.Config
	b      []byte
	open   int // P0 elements
	depth  int // of open ones, at most
}

func (s *speculator) add(p etmv4.Packet) { s.b = s.cfg.Append(s.b, p) }

// atom traces one.
func (s *speculator) atom(executed bool) {
	p := etmv4.Packet{Kind: etmv4.Atoms, AtomCount: 1}
	if executed {
		p.Atoms = 1
	}
	s.add(p)
	s.open++
}

// count is a packet that resolves n elements.
func (s *speculator) count(kind etmv4.Kind, n int, mispredict bool) {
	p := etmv4.Packet{Kind: kind, Count: etmv4.Field{Value: uint32(n)}, Mispredict: mispredict}
	if kind == etmv4.Cancel {
		p.Format = 1
	}
	s.add(p)
	s.open -= n
}

// room is how many elements more may be open.
func (s *speculator) room() int { return s.depth - s.open }

// next traces the next atom of the path, some way or other.
func (s *speculator) next(executed bool) {
	if s.room() == 0 {
		s.count(etmv4.Commit, 1+s.random.IntN(s.open), false)
	}
	switch way := s.random.IntN(4); {
	case way == 0: // others first
		wrong := 1 + s.random.IntN(s.room())
		for range wrong {
			s.atom(s.random.IntN(2) == 0)
			if s.random.IntN(8) == 0 {
				s.b = append(s.b, 0x9a, 0, byte(s.random.Uint32()), 0, 0) // goes with them
			}
		}
		s.count(etmv4.Cancel, wrong, false)
		s.atom(executed)
	case way == 1 && s.room() > 1: // the other one, and one after it
		s.atom(!executed)
		s.atom(true)
		s.count(etmv4.Cancel, 1, true)
	case way == 2:
		s.atom(!executed)
		s.add(etmv4.Packet{Kind: etmv4.Mispredict, Mispredict: true})
	default:
		s.atom(executed)
	}
	if s.random.IntN(3) == 0 {
		s.count(etmv4.Commit, s.random.IntN(s.open+1), false)
	}
}

// Whatever is traced and taken back, what is left is the path: at depths up to 255.
func TestSpeculatedPaths(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const instructions = 1 << 12
	code := make([]uint32, instructions)
	for i := range code {
		code[i] = 0xb4000000 | uint32(-i)&0x7ffff<<5 // cbz x0, 1000
	}
	mem := image.New(words(0x1000, code...))
	for _, depth := range []int{1, 2, 3, 4, 7, 16, 63, 64, 120, 254, 255} {
		for _, configr := range []uint32{1, 1 | 1<<4} {
			name := fmt.Sprintf("%d elements, TRCCONFIGR %#x", depth, configr)
			head := (&scenario{packets: "A 01 01 01 04 82 00 08 00 00 31"}).stream()
			s := &speculator{random: random, cfg: configOf(registersOf(true, configr, uint32(depth))), b: slices.Clone(head), depth: depth}
			plain := &speculator{cfg: configOf(registersOf(true, configr, 0)), b: slices.Clone(head)}
			for range 1000 {
				executed := random.IntN(2) == 0
				s.next(executed)
				plain.atom(executed)
			}
			s.count(etmv4.Commit, s.open, false)
			got := path(t, s.b, s.cfg, mem)
			if want := path(t, plain.b, plain.cfg, mem); !slices.Equal(got, want) || len(want) < 1000 {
				diff(t, name, got, want)
			}
			checkSplits(t, s.b, s.cfg, mem)
		}
	}
}

// path returns the instructions of a stream, by address with their outcome.
func path(t *testing.T, b []byte, cfg *etmv4.Config, mem *image.Memory) (path []string) {
	t.Helper()
	r := follow(t, b, cfg, mem, engine.Usual(cfg))
	for _, run := range r.Runs {
		for k := range run.Count {
			path = append(path, fmt.Sprint(r.Blocks[run.Block].Address[run.First+k].Hex(), " ", run.Outcome))
		}
	}
	for _, e := range r.Events {
		if e.Event.String() != "cancelled" && e.Event.String() != "inconsistent" {
			t.Errorf("event %s %s", e.Event, e.Detail)
		}
	}
	return path
}
