package tally

import (
	"math/bits"

	"github.com/tracelake/tracelake/schema"
)

// A shape is a run that may come again: the same instructions with the same outcomes.
// What came is counted on the way from one shape to the next; what that is of
// positions and of edges is worked out when the counter settles.
type shape struct {
	form
	turns  [outcomes]turn // to the shape that came after it last, by the outcome of that
	others []turn         // to those that did before

	code   *schema.Block
	seq    int64   // ordinal of its first instruction, the first time it came
	n      int64   // how often it came, as far as no turn counts it
	cycles int64   // own, of all its instructions
	costs  []int64 // own cycles by instruction, with RunHasCosts
}

// A form is what makes two runs one shape.
type form struct {
	failed  uint64 // 0 without RunHasFailed
	block   uint32 // number in the source
	first   uint16 // position in the block
	count   uint16 // instructions; 0: it is no run
	outcome schema.Outcome
	flags   schema.RunFlags // of formFlags
}

const (
	outcomes  = 4
	formFlags = schema.RunHasFailed | schema.RunHasCycles | schema.RunHasCosts
	timed     = schema.RunHasCycles | schema.RunHasCosts
)

// A turn counts how often one shape came right after another.
type turn struct {
	to     *shape
	n      int64
	cycles int64 // own, of the last instruction before it
}

// maxOthers is how many turns a shape has, beside the last of each outcome.
const maxOthers = 7

// noShape is where turns go that were never taken. No run is of its form, so nothing
// is counted in it.
var noShape = newNoShape()

// counted is the shape of a stretch: the way from there is counted.
var counted = newNoShape()

func newNoShape() *shape {
	s := &shape{form: form{flags: ^formFlags}}
	for i := range s.turns {
		s.turns[i].to = s
	}
	return s
}

// formOf returns the form of a run of a block of that number.
func formOf(run *schema.Run, number uint32) form {
	f := form{block: number, first: run.First, count: run.Count, outcome: run.Outcome, flags: run.Flags & formFlags}
	if f.flags&schema.RunHasFailed != 0 {
		f.failed = run.Failed
	}
	return f
}

// is says whether a run is of the form, given that its outcome is. It may say no
// where Failed has no meaning.
func (f *form) is(run *schema.Run, number uint32) bool {
	return f.failed^run.Failed|uint64(f.block^number)|uint64(f.first^run.First)|uint64(f.count^run.Count)|uint64(f.flags^run.Flags&formFlags) == 0
}

func (f *form) end() int { return int(f.first) + int(f.count) }

// last returns the position of the last instruction in the block.
func (f *form) last() int { return f.end() - 1 }

// newShape returns a shape that came first at an ordinal, and never so far.
func (c *counter) newShape(f form, code *schema.Block, seq int64) *shape {
	if len(c.shapes) == cap(c.shapes) { // those there are stay where they are
		c.shapes = make([]shape, 0, shapesAtOnce)
	}
	c.shapes = append(c.shapes, shape{form: f, code: code, seq: seq})
	s := &c.shapes[len(c.shapes)-1]
	for i := range s.turns {
		s.turns[i].to = noShape
	}
	if f.flags&schema.RunHasCosts != 0 {
		s.costs = make([]int64, f.count)
	}
	c.index[f] = s
	return s
}

// shapesAtOnce is how many shapes are allocated at once.
const shapesAtOnce = 64

// cost adds what a run cost, and returns that of its last instruction. costs are
// those of the instructions of runs from this one on; it returns those after it.
func (s *shape) cost(run *schema.Run, costs []uint32) (last int64, after []uint32) {
	s.cycles += int64(run.Cycles)
	if s.flags&schema.RunHasCosts == 0 {
		return int64(run.Cycles), costs
	}
	of, after := costs[:s.count], costs[s.count:]
	own := s.costs[:len(of)]
	for i, cost := range of {
		own[i] += int64(cost)
	}
	return int64(of[len(of)-1]), after
}

// settle moves what the shape counted to its block, which has the number of it. The
// turns to it are settled.
func (s *shape) settle(b *block) {
	b.see(s)
	b.visit(s)
	if s.flags&timed != 0 {
		b.cost(s)
	}
}

// cost adds what the shape cost, which is timed.
func (b *block) cost(s *shape) {
	own := b.costs.to(s.end())
	if s.costs == nil {
		own[s.last()] = own[s.last()].plus(edge{cycles: s.cycles, costs: s.n})
	}
	for i, cycles := range s.costs {
		p := int(s.first) + i
		own[p] = own[p].plus(edge{cycles: cycles, costs: s.n})
	}
}

// failures calls a function with the position of each instruction that failed its
// condition.
func (s *shape) failures(do func(position int)) {
	for f := s.failed; f != 0; f &= f - 1 {
		do(int(s.first) + bits.TrailingZeros64(f))
	}
	if s.count > schema.MaxBlockRow && s.outcome == schema.NotTaken {
		do(s.last())
	}
}
