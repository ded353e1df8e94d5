package decodetest

import (
	"fmt"
	"maps"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// A Sums is what ran in a part: how often, from when on, and where control went, without
// regard to what came between two instructions. Ordinals are of the part.
type Sums struct {
	Executed map[Execution]int64
	First    map[uint32]int64 // by address
	Ways     map[Way]int64
}

// An Execution is an instruction and what became of it.
type Execution struct {
	Address uint32
	Outcome schema.Outcome // Untold inside a run that does not have it
}

// A Way is from an instruction to the next one.
type Way struct {
	From Execution
	To   uint32
}

// PartSums returns what ran in each part of r.
func PartSums(r *decode.Result) []Sums {
	var from decode.Ends
	all := make([]Sums, len(r.Segments))
	for i := range r.Segments {
		all[i] = partSums(r, &from, &r.Segments[i].Ends)
		from = r.Segments[i].Ends
	}
	return all
}

func partSums(r *decode.Result, from, to *decode.Ends) Sums {
	s := Sums{map[Execution]int64{}, map[uint32]int64{}, map[Way]int64{}}
	var last Way // to nowhere yet
	any, seq := false, int64(0)
	stretches := r.Stretches[from[decode.Stretches]:to[decode.Stretches]]
	for i := from[decode.Runs]; i < to[decode.Runs]; i++ {
		run := &r.Runs[i]
		block := r.Blocks[run.Block]
		counted := len(stretches) > 0 && stretches[0].Run == i
		if counted {
			if last.To = r.Blocks[stretches[0].Block].Address[0]; any {
				s.Ways[last]++
			}
			seq += stretches[0].Instructions
			stretches = stretches[1:]
		} else if last.To = block.Address[run.First]; any {
			s.Ways[last]++
		}
		last.From = s.add(block, int(run.First), int(run.Count), run, seq, 1)
		seq += int64(run.Count)
		any = true
	}
	if len(stretches) > 0 {
		panic(fmt.Sprintf("decodetest: no run after stretches %+v", stretches))
	}
	for _, t := range r.Turns[from[decode.Turns]:to[decode.Turns]] {
		block := r.Blocks[t.Block]
		run := schema.Run{Outcome: t.Outcome}
		if t.Told {
			run.Flags = schema.RunHasFailed
		}
		x := s.add(block, 0, len(block.Address), &run, t.First, t.N)
		s.Ways[Way{x, t.To}] += t.N
	}
	for _, f := range r.Failures[from[decode.Failures]:to[decode.Failures]] {
		s.fail(r.Blocks[f.Block].Address[f.Position:], f.N)
	}
	return s
}

// fail makes n executions of an instruction failures, of those that passed. Its address
// and that of the next one are given.
func (s *Sums) fail(address []uint32, n int64) {
	passed, failed := Execution{address[0], schema.Passed}, Execution{address[0], schema.NotTaken}
	s.Executed[passed] -= n
	s.Executed[failed] += n
	s.Ways[Way{passed, address[1]}] -= n
	s.Ways[Way{failed, address[1]}] += n
	maps.DeleteFunc(s.Executed, func(_ Execution, n int64) bool { return n == 0 })
	maps.DeleteFunc(s.Ways, func(_ Way, n int64) bool { return n == 0 })
}

// add adds what became of the instructions of a run that came n times, at an ordinal first.
// It returns the last one.
func (s *Sums) add(block *schema.Block, first, count int, run *schema.Run, seq, n int64) (last Execution) {
	for i := range count {
		last = Execution{Address: block.Address[first+i], Outcome: schema.Untold}
		switch {
		case i == count-1:
			last.Outcome = run.Outcome
		case run.Flags&schema.RunHasFailed != 0 && run.Failed>>i&1 != 0:
			last.Outcome = schema.NotTaken
		case run.Flags&schema.RunHasFailed != 0:
			last.Outcome = schema.Passed
		}
		s.Executed[last] += n
		if i < count-1 {
			s.Ways[Way{last, block.Address[first+i+1]}] += n
		}
		if at, ok := s.First[last.Address]; !ok || seq+int64(i) < at {
			s.First[last.Address] = seq + int64(i)
		}
	}
	return last
}

// SumsDifference says how two results differ, of which one may have stretches in place of
// runs; "" if they do not.
func SumsDifference(a, b *decode.Result) string {
	x, y := PartSums(a), PartSums(b)
	for i := range min(len(x), len(y)) {
		for _, d := range []string{
			mapDifference("executed", x[i].Executed, y[i].Executed), mapDifference("first", x[i].First, y[i].First), mapDifference("ways", x[i].Ways, y[i].Ways),
		} {
			if d != "" {
				return fmt.Sprintf("part %d: %s", i, d)
			}
		}
	}
	p, q := withoutRuns(a), withoutRuns(b)
	return Difference(p, q)
}

func mapDifference[K comparable](what string, a, b map[K]int64) string {
	if maps.Equal(a, b) {
		return ""
	}
	for key, n := range a {
		if b[key] != n {
			return fmt.Sprintf("%s %+v: %d and %d", what, key, n, b[key])
		}
	}
	for key, n := range b {
		if _, ok := a[key]; !ok {
			return fmt.Sprintf("%s %+v: none and %d", what, key, n)
		}
	}
	return ""
}

// withoutRuns returns r without its runs. Spans name ordinals of the part in place of runs.
func withoutRuns(r *decode.Result) *decode.Result {
	c := &decode.Result{
		Blocks: r.Blocks, Exceptions: r.Exceptions, Counts: r.Counts, Timestamps: r.Timestamps, Contexts: r.Contexts,
		Data: r.Data, Events: r.Events, Losses: r.Losses, Packets: r.Packets,
	}
	var from decode.Ends
	for _, s := range r.Segments {
		for _, span := range r.Spans[from[decode.Spans]:s.Ends[decode.Spans]] {
			span.Run = before(r, &from, span.Run)
			c.Spans = append(c.Spans, span)
		}
		from = s.Ends
		for _, kind := range []decode.RowKind{decode.Runs, decode.Stretches, decode.Turns, decode.Failures, decode.Offsets, decode.Costs} {
			s.Ends[kind] = 0
		}
		c.Segments = append(c.Segments, s)
	}
	return c
}

// before returns how many instructions of a part, which begins at from, are before a run
// and the stretch before that.
func before(r *decode.Result, from *decode.Ends, run int) int {
	n := int64(0)
	for i := from[decode.Runs]; i < run; i++ {
		n += int64(r.Runs[i].Count)
	}
	for _, s := range r.Stretches[from[decode.Stretches]:] {
		if s.Run < run {
			n += s.Instructions
		}
	}
	return int(n)
}
