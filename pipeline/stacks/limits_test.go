package stacks

import (
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/stitch/stitchtest"
	"github.com/tracelake/tracelake/schema"
)

// Whatever a long trace does, what is held of it stays within limits, and all instructions are in
// some stack.
func TestLimits(t *testing.T) {
	need.FullRun(t, "one goroutine folds 600,000 runs of each kind")
	n := need.Size(600_000, 10_000_000)
	two := Functions{{Address: 0x1000, Size: 0x100, Name: "f"}, {Address: 0x2000, Size: 0x100, Name: "g"}}
	small, few := usual, usual
	small.nodes = 1000
	few.held = 5000
	for _, tt := range []struct {
		name      string
		functions Functions
		limits    limits
		run       func(s *stream)
		// At most.
		frames, nodes, tasks int
		ended                int64 // rows of calls and exceptions
	}{
		{
			name: "a function calls itself and never returns", functions: two, limits: usual,
			run: func(s *stream) {
				s.repeat(n, s.block(0x1000, schema.KindCall))
			},
			frames: usual.depth, nodes: usual.depth, tasks: 1, ended: int64(n) - 1,
		},
		{
			name: "code without functions calls itself", limits: usual,
			run: func(s *stream) {
				s.repeat(n, s.block(0x1000, schema.KindCall), s.block(0x1080, schema.KindCall))
			},
			frames: usual.depth, nodes: 2 * usual.depth, tasks: 1, ended: int64(n) - 1,
		},
		{
			name: "returns without calls", functions: two, limits: usual,
			run: func(s *stream) {
				s.repeat(n, s.block(0x1000, schema.KindReturn), s.block(0x2000, schema.KindReturn))
			},
			frames: 1, nodes: 1 + reach + 1, tasks: 1,
		},
		{
			name: "returns to everywhere, without functions", limits: small,
			run: func(s *stream) {
				var all []uint32
				for i := range schema.Address(50_000) {
					all = append(all, s.block(0x1000+4*i, schema.KindReturn))
				}
				s.repeat(n, all...)
			},
			frames: 1, nodes: 1000 + 1, tasks: 1,
		},
		{
			name: "a call, and a return to where no call came from", functions: two, limits: usual,
			run: func(s *stream) {
				f, g := s.block(0x1000, schema.KindCall), s.block(0x2000, schema.KindReturn)
				s.repeat(n/3, f, g, s.block(0x1080, schema.KindCall), g)
			},
			frames: 2, nodes: 2 * usual.tasks, tasks: usual.tasks, ended: int64(n) / 6,
		},
		{
			name: "tasks that wait with deep stacks", functions: two, limits: few,
			run: func(s *stream) {
				f, g := s.block(0x1000, schema.KindCall), s.block(0x2000, schema.KindReturn)
				for range n / 2000 {
					s.repeat(1999, f)
					s.repeat(1, g)
				}
			},
			frames: 2000, nodes: 2000 * n / 2000, tasks: n / 2000, ended: int64(n) / 2000 * 1999,
		},
		{
			name: "exceptions without returns", functions: two, limits: usual,
			run: func(s *stream) {
				f := s.block(0x1000, schema.KindOther)
				for range n / 100 {
					s.enter(0x1000)
					s.repeat(1, f)
				}
			},
			frames: usual.depth, nodes: 2 * usual.depth, tasks: 1, ended: int64(n) / 100,
		},
		{
			name: "jumps in a deep stack, without functions", limits: usual,
			run: func(s *stream) {
				s.repeat(usual.depth-10, s.block(0x1000, schema.KindCall))
				s.repeat(n/10, s.block(0x1080, schema.KindIndirect))
			},
			frames: usual.depth, nodes: usual.depth, tasks: 1, ended: int64(usual.depth) - 10,
		},
		{
			name: "paths without end", functions: two, limits: small,
			run: func(s *stream) {
				f, g, r := s.block(0x1000, schema.KindCall), s.block(0x2000, schema.KindCall), s.block(0x2010, schema.KindCall)
				var all []uint32
				for i := range uint32(64) { // as the bits of a number
					all = append(all, []uint32{f, g, r}[0x9e3779b1>>(i%32)&1+i%2])
				}
				s.repeat(n, all...)
			},
			frames: usual.depth, nodes: 2 * 1000, tasks: 1, ended: int64(n) - 1,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStream(t, tt.functions, tt.limits)
			tt.run(s)
			frames, nodes := s.frames, s.nodes
			some, tasks, err := s.stacks.Finish()
			if err != nil {
				t.Fatal(err)
			}
			stacks := slices.Concat(slices.Collect(some)...)
			own := int64(0)
			for i := range stacks {
				own += stacks[i].Own.Instructions
			}
			if own != s.seq {
				t.Errorf("stacks have %d instructions of %d", own, s.seq)
			}
			if s.ended != tt.ended {
				t.Errorf("%d rows of calls and exceptions, want %d", s.ended, tt.ended)
			}
			if s.held > tt.limits.held {
				t.Errorf("tasks that wait have %d frames, want %d at most", s.held, tt.limits.held)
			}
			if frames > tt.frames || nodes > tt.nodes || len(tasks) > tt.tasks {
				t.Errorf("%d frames, %d nodes, %d tasks, want %d, %d, %d at most", frames, nodes, len(tasks), tt.frames, tt.nodes, tt.tasks)
			}
		})
	}
}

// Beyond the limit of paths, what is called lies in (other), below its deepest known caller: what that comes to with all
// that it called stays right, and so does the sum.
func TestOther(t *testing.T) {
	l := usual
	l.nodes = 2
	functions := "main 1000 10\nf 2000 10\ng 3000 10\nh 4000 10"
	program := "m 1000 call\nn 1004 call\no 1008 other\nf 2000 call\nr 2004 return\ng 3000 call\ns 3004 return\nh 4000 return"
	got := play(t, functions, stitchtest.Script{Program: program, Trace: "m taken\nf taken\ng taken\nh taken\ns taken\nr taken\no unknown"}, nil, l)
	if want := "main 1 2/7\n.f 1 2/5\n..(other) 2 3/3"; got.nodes != want {
		t.Errorf("stacks are\n%s\nwant\n%s", got.nodes, want)
	}
}

// A stream is a long trace, of runs of one instruction.
type stream struct {
	testing.TB
	stacks *Stacks
	sinks  stitch.Sinks
	blocks []*schema.Block
	number []uint32
	known  int // of the blocks, to the stacks
	seq    int64
	ended  int64 // rows
	// The most after a part: frames of the task at hand, nodes of all, frames of those that wait.
	frames, nodes, held int
}

func newStream(t testing.TB, functions Functions, l limits) *stream {
	s := &stream{TB: t}
	s.stacks = limited(functions, nil, Sinks{Calls: counted[Call]{&s.ended}.Add, Spans: counted[Span]{&s.ended}.Add}, l)
	s.sinks = s.stacks.Sinks(stitch.Sinks{})
	return s
}

// block adds an instruction of a kind, and returns its number.
func (s *stream) block(address schema.Address, kind schema.Kind) uint32 {
	n := uint32(len(s.blocks))
	s.blocks = append(s.blocks, &schema.Block{
		Key: schema.BlockKey{Address: address}, Address: []schema.Address{address}, Opcode: []uint32{0}, Size: []uint8{4}, Kind: []uint8{uint8(kind)},
	})
	s.number = append(s.number, n)
	return n
}

// repeat executes n instructions: those of blocks, again and again.
func (s *stream) repeat(n int, blocks ...uint32) {
	s.Helper()
	const part = 1 << 14 // runs
	for from := 0; from < n; from += part {
		unit := &decode.Result{Blocks: s.blocks}
		for i := from; i < min(n, from+part); i++ {
			unit.Runs = append(unit.Runs, schema.Run{Block: blocks[i%len(blocks)], Count: 1, Outcome: schema.Taken})
		}
		r := stitch.Runs{
			Unit: unit, Numbers: s.number, Block: s.known, Blocks: len(s.blocks), Spans: []schema.Span{{Timestamp: schema.TimestampCarried}},
			To: len(unit.Runs), Seq: s.seq, Instructions: int64(len(unit.Runs)),
		}
		if err := s.sinks.Runs.Add(r); err != nil {
			s.Fatal(err)
		}
		s.known = len(s.blocks)
		s.seq += r.Instructions
		tasks := s.stacks.tasks
		s.frames, s.nodes = max(s.frames, len(tasks.frames)), max(s.nodes, len(tasks.tree.nodes))
		held := 0
		for _, w := range tasks.waiting {
			held += len(w.frames)
		}
		s.held = max(s.held, held)
	}
}

// enter enters an exception, with a return address.
func (s *stream) enter(back schema.Address) {
	s.Helper()
	x := stitch.Exception{Row: schema.Exception{Key: schema.Key{Seq: s.seq}, ReturnAddress: schema.Of(back)}}
	if err := s.sinks.Exceptions.Add(stitch.Base{}, []stitch.Exception{x}); err != nil {
		s.Fatal(err)
	}
}

// counted is a sink that counts its rows.
type counted[T any] struct{ n *int64 }

// Add implements [stitch.Sink].
func (c counted[T]) Add(_ stitch.Base, rows []T) error {
	*c.n += int64(len(rows))
	return nil
}

// However many exceptions come one after another, without an instruction, few are held.
func TestManyMarks(t *testing.T) {
	l := usual
	l.marks = 100
	s := newStream(t, Functions{{Address: 0x1000, Size: 0x100, Name: "f"}}, l)
	f := s.block(0x1000, schema.KindOther)
	s.repeat(1, f)
	for range 1000 {
		s.enter(0x1000)
	}
	if n := len(s.stacks.job.marks); n != l.marks {
		t.Errorf("%d marks are held, want %d", n, l.marks)
	}
	s.repeat(1, f)
	if _, tasks, err := s.stacks.Finish(); err != nil || len(tasks) != 2 || tasks[1].Origin != schema.TaskGap {
		t.Errorf("tasks %+v, %v, want a gap between two", tasks, err)
	}
	if s.ended != int64(l.marks)-1 {
		t.Errorf("%d exceptions ended, want %d", s.ended, l.marks-1)
	}
}
