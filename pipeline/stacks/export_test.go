package stacks

import "github.com/tracelake/tracelake/schema"

// Stepwise returns stacks that apply each instruction that they are given at once, or of runs
// of several all of them.
func Stepwise(functions Functions, rows Sinks) *Stacks {
	l := usual
	l.job = 1 << 30 // Apply ends it
	return limited(functions, nil, rows, l)
}

// Apply applies what comes before the instruction with an ordinal. It returns the task that
// runs, and the row of `stacks` of the function on top.
func (s *Stacks) Apply(seq int64) (task, stack int32, err error) {
	if err := s.submit(seq); err != nil {
		return 0, 0, err
	}
	return s.tasks.now, s.tasks.top().node, nil
}

// At is at.
func (fs Functions) At(address schema.Address) int32 { return fs.at(address) }
