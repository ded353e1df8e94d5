package execute

import (
	"math/bits"
	"math/rand/v2"

	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// A flow is the state with which a thread or handler continues.
type flow struct {
	calls callStack
	it    itBlock
}

// flow is that of the task, or of the innermost handler.
func (e *executor) flow() *flow {
	if n := len(e.levels); n > 0 {
		return &e.levels[n-1].flow
	}
	return &e.tasks[e.current].flow
}

// A callStack has the places that functions return to. When it is full the
// oldest goes.
type callStack struct {
	places [128]step.Place
	top, n uint8
}

func (s *callStack) push(p step.Place) {
	s.top = (s.top + 1) % uint8(len(s.places))
	s.places[s.top] = p
	s.n = min(s.n+1, uint8(len(s.places)))
}

func (s *callStack) pop() (step.Place, bool) {
	if s.n == 0 {
		return step.Place{}, false
	}
	p := s.places[s.top]
	s.top = (s.top - 1) % uint8(len(s.places))
	s.n--
	return p, true
}

// An itBlock is the rest of an IT block.
type itBlock struct {
	left  uint8 // instructions
	fails uint8 // bit i: the one i on fails
}

// start starts the block of the IT instruction, whose condition holds or not
// (DDI 0406C, A8.8.54): each instruction after the first has a bit of the mask, the
// lowest bit of its condition; the lowest 1 ends the mask.
func (b *itBlock) start(opcode uint32, holds bool) {
	b.left = uint8(4 - bits.TrailingZeros32(opcode&15))
	b.fails = 0
	if !holds {
		b.fails = 1
	}
	for i := range b.left - 1 {
		then := opcode>>(3-i)&1 == opcode>>4&1
		if then != holds {
			b.fails |= 2 << i
		}
	}
}

// next takes the next instruction out of the block and says whether it fails.
func (b *itBlock) next() bool {
	failed := b.fails&1 == 1
	b.fails >>= 1
	b.left--
	return failed
}

// What steps do to calls, beside variables that are named as the package of steps.
const (
	calls   = step.Calls
	returns = step.Returns
	leaves  = step.Leaves
)

// unwind ends the function at hand, and the IT block it may be in, and says where
// its caller continues; at if nobody called it.
func (f *flow) unwind(at step.Place) step.Place {
	if caller, ok := f.calls.pop(); ok {
		f.it = itBlock{}
		return caller
	}
	return at
}

// fails decides whether the instruction at hand fails.
func (e *executor) fails(s *site) bool {
	if fails, is := e.afterTSTART(s); is {
		return fails
	}
	switch it := &e.flow().it; {
	case it.left > 0 && !s.it: // an IT in a block is UNPREDICTABLE, and begins another
		return it.next()
	case s.loops:
		return !s.again(e.random)
	}
	return s.conditional && !e.holds(s)
}

// holds decides whether the condition of s holds, which it has or gives an IT
// block.
func (e *executor) holds(s *site) bool { return uint16(e.random.Uint32()) < s.holds }

// again decides whether a loop goes round once more.
func (s *site) again(random *rand.Rand) bool {
	if s.left == 0 {
		s.left = length(random, float64(s.trips), maxTrips)
	}
	s.left--
	return s.left > 0
}

const (
	maxTrips  = 1024 // of a loop that a condition ends
	maxRounds = 256  // of one that may have no end, without call, return or exception
)

// length draws a number from 1 to limit with about that mean.
func length(random *rand.Rand, mean float64, limit int) int {
	return 1 + min(int(random.ExpFloat64()*(mean-0.5)), limit-1)
}

// branch goes where the executed instruction of step leads.
func (e *executor) branch(s *site, step *step.Step) {
	following := step.Next
	switch s.in.Flow {
	case isa.Direct:
		step.Next.Address, step.Next.ISA = s.in.Target, s.in.TargetISA
		if s.in.Target <= step.At.Address && !s.loops {
			e.moved -= stuckLimit / maxRounds
		}
	case isa.Indirect:
		step.Next = e.destination(s, step)
		e.moved = e.executed
		e.loadedPC(s, step)
	}
	if s.in.Link() {
		e.flow().calls.push(following)
		step.Moves = calls
		e.moved = e.executed
	}
}

// destination is where an indirect branch goes. A function that nobody called
// goes to a target, or if it is a handler back to where that was entered: in
// v7-M that is a return from the exception.
func (e *executor) destination(s *site, step *step.Step) step.Place {
	inHandler := len(e.levels) > 0
	switch s.in.Kind {
	case schema.KindExceptionReturn:
		step.Returns = true
		switch {
		case inHandler:
			return e.leave(step)
		case e.o.v8A(): // out of reset
			e.lost = true
			return e.task().Entry
		}
	case schema.KindReturn:
		if p, ok := e.flow().calls.pop(); ok {
			step.Moves = returns
			return p
		}
		if inHandler && !e.o.v8A() && (e.o.profileM() || e.level().returnTo.Security == e.at.Security && e.level().task == sameTask) {
			step.Returns = e.o.profileM()
			return e.leave(step)
		}
	default:
		return e.choose(s)
	}
	e.lost = true // nothing was called
	return e.choose(s)
}

// choose picks one of the few targets that an indirect branch has.
func (e *executor) choose(s *site) step.Place {
	if e.toVector && (!s.stays || s.at.ISA == schema.A32) {
		if p, ok := e.anyHandler(); ok {
			e.toVector = false
			return p
		}
	}
	if n := len(s.table); n > 0 {
		return s.table[e.random.IntN(n)]
	}
	if len(e.targetsOf(s.at.ISA)) == 0 {
		to := s.at
		to.Address = to.ISA.Wrap(to.Address + schema.Address(s.in.Size))
		return to
	}
	first := s.first + uint64(e.random.UintN(s.spread))
	for i := range uint64(8) {
		p := e.target(first + i)
		if !s.stays || (p.ISA == schema.A32) == (s.at.ISA == schema.A32) {
			return p
		}
	}
	return e.target(first)
}

// anyHandler is a handler, of any exception that can be entered.
func (e *executor) anyHandler() (step.Place, bool) {
	start := e.random.IntN(typesBeforeV8A)
	for i := range typesBeforeV8A {
		if p, ok := e.handler(schema.ExceptionType((start + i) % typesBeforeV8A)); ok {
			p.Security = e.at.Security
			return p, e.mapped(p)
		}
	}
	return step.Place{}, false
}

// sortTargets sorts the targets by the state they are in, the entries of the tasks if there
// are none: no branch goes from AArch32 to AArch64, or back.
func (e *executor) sortTargets() {
	targets := e.o.Targets
	if len(targets) == 0 {
		for i := range e.tasks {
			targets = append(targets, e.tasks[i].Entry)
		}
	}
	for _, p := range targets {
		state := &e.targets[0]
		if p.ISA == schema.A64 {
			state = &e.targets[1]
		}
		*state = append(*state, p)
	}
}

// targetsOf are the targets in the state of an instruction set.
func (e *executor) targetsOf(set schema.ISA) []step.Place {
	if set == schema.A64 {
		return e.targets[1]
	}
	return e.targets[0]
}

// target is a target by any number, in the state the core is in, which has some.
func (e *executor) target(n uint64) step.Place {
	targets := e.targetsOf(e.at.ISA)
	p := targets[n%uint64(len(targets))]
	p.Security, p.Level = e.at.Security, e.at.Level
	return p
}
