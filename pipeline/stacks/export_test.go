package stacks

import "github.com/tracelake/tracelake/schema"

// Stepwise returns stacks that apply each instruction that they are given at once, or of runs
// of several all of them.
func Stepwise(functions Functions, rows Sinks) *Stacks {
	l := usual
	l.job = 1 << 30 // Apply ends it
	return limited(functions, nil, rows, l)
}

// Apply applies what comes before the instruction with an ordinal. The function on top then comes to the sink of spans,
// as the stack of a row with the ordinal Applied, in the order of the instructions.
func (s *Stacks) Apply(seq int64) error {
	if err := s.submit(seq); err != nil {
		return err
	}
	t := s.tasks
	t.ended.spans = append(t.ended.spans, Span{Ordinal: Applied, Stack: schema.Of(t.top().node)})
	return s.drain()
}

// Applied is the ordinal of rows that [Stacks.Apply] makes.
const Applied = -1

// At is at.
func (fs Functions) At(address schema.Address) int32 { return fs.at(address) }
