package pipestat

import (
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/schema"
)

// A Core follows the steps of a core that an encoder traces, one step late: what
// the status of an instruction is depends on what comes next.
type Core struct {
	Encoder string         // for errors
	Vectors schema.Address // the address of the exception vectors

	begun bool
	next  step.Place             // where the last step left the core
	waits schema.Null[step.Step] // the last step
}

// Take takes a step, and returns the one before. It fails if s does not start where
// that left the core, or cannot be traced.
func (c *Core) Take(s *step.Step) (before schema.Null[step.Step], err error) {
	t := *s
	t.At.Security, t.Next.Security = schema.Secure, schema.Secure // these cores have no other state
	if err := c.traceable(&t); err != nil {
		return before, err
	}
	before = c.waits
	c.begun, c.next, c.waits = true, t.Next, schema.Of(t)
	return before, nil
}

// Step takes a step, and has the one before traced, which now follows. It fails as Take
// does, or with the first error of the samples.
func (c *Core) Step(s *step.Step, out *Samples, trace func(before, now *step.Step)) error {
	if err := out.Err(); err != nil {
		return err
	}
	before, err := c.Take(s)
	if err != nil {
		return err
	}
	if before.OK {
		trace(&before.V, &c.waits.V)
	}
	return out.Err()
}

// Last returns the last step, after which there are no more.
func (c *Core) Last() schema.Null[step.Step] { return c.waits }

// traceable returns the reason why a step cannot be traced.
func (c *Core) traceable(s *step.Step) error {
	for _, p := range []step.Place{s.At, s.Next} {
		if p.ISA > schema.T32 {
			return fmt.Errorf("encode/%s: at %s: only A32 and T32 are traced here", c.Encoder, p)
		}
	}
	_, vector := Vector(s.Next, c.Vectors)
	switch {
	case s.Entered && s.Exception != schema.ExcDebug && !vector:
		return fmt.Errorf("encode/%s: %s enters at %s, which is no vector", c.Encoder, s.Exception, s.Next)
	case !c.begun || s.At == c.next:
		return nil
	case !s.Entered:
		return fmt.Errorf("encode/%s: instruction at %s, but the core is at %s", c.Encoder, s.At, c.next)
	case s.Exception == schema.ExcReset || IsFaultOf(s, &c.waits.V):
		return nil
	}
	return fmt.Errorf("encode/%s: %s returns to %s, but the core is at %s", c.Encoder, s.Exception, s.At, c.next)
}

// IsFaultOf says whether the exception s is one that the instruction before made
// and that returns to it, as that of an undefined one.
func IsFaultOf(s, before *step.Step) bool {
	if !s.Entered || before.Entered || s.At != before.At {
		return false
	}
	switch s.Exception {
	case schema.ExcUndefined, schema.ExcPrefetchAbort, schema.ExcDataAbort:
		return true
	default:
		return false
	}
}

// IsPair says whether an instruction has two statuses: a Thumb BL or BLX (§6.2).
func IsPair(s *step.Step) bool { return s.At.ISA == schema.T32 && s.Instruction.Size == 4 }

// ReturnsToPair says whether an instruction returns to one of the pairs between whose
// halves exceptions came, of which next is: it may go on with the second half.
func ReturnsToPair(s, next *step.Step, pairs []step.Place) bool {
	return s.Instruction.Kind == schema.KindExceptionReturn && !next.Entered && next.Trace == step.Traced &&
		IsPair(next) && slices.Contains(pairs, next.At)
}

// mostStall is how many samples of a stall are traced.
const mostStall = 255

// Waits is how many cycles pass before the status of a step, as it costs.
func Waits(s *step.Step) int { return int(min(max(s.Cycles, 1)-1, mostStall)) }
