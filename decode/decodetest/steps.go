package decodetest

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// A leave is where control left a function, or may have: see [decode.Step].
type leave struct {
	part     int   // index of the segment
	at       int64 // instructions of the part before the next one
	from     schema.Address
	kind     schema.Kind // other: the instruction did not leave
	outcome  schema.Outcome
	to       schema.Address
	function int32
	cycle    int64 // of a step, or of a run that has cycles
}

// leaves collects those of a result.
type leaves struct {
	result     *decode.Result
	functionOf func(address schema.Address) int32
	all        []leave
	part       int
	seq        int64   // in it
	cycles     []int64 // of its steps, if they have cycles
}

// StepsDifference says where control leaves functions in one of two results only, of which one
// has steps of stretches; "" if nowhere.
func StepsDifference(counted, plain *decode.Result, functionOf func(address schema.Address) int32) string {
	a, b := leavesOf(counted, functionOf), leavesOf(plain, functionOf)
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return fmt.Sprintf("step %d: none and %+v", i, b[i])
		case i >= len(b):
			return fmt.Sprintf("step %d: %+v and none", i, a[i])
		case a[i] != b[i]:
			return fmt.Sprintf("step %d: %+v and %+v", i, a[i], b[i])
		}
	}
	return ""
}

// NotedDifference says how a result differs whose runs have steps from one without: in rows, or in
// where control leaves functions; "" if it does not.
func NotedDifference(noted, plain *decode.Result, functionOf func(address schema.Address) int32) string {
	if d := Difference(noted, plain); d != "" {
		return d
	}
	return StepsDifference(noted, plain, functionOf)
}

// leavesOf returns where control leaves functions in a result, in order.
func leavesOf(r *decode.Result, functionOf func(address schema.Address) int32) []leave {
	l := leaves{result: r, functionOf: functionOf}
	var from decode.Ends
	for i := range r.Segments {
		l.part, l.seq = i, 0
		l.runs(&from, &r.Segments[i].Ends)
		from = r.Segments[i].Ends
	}
	return l.all
}

// runs adds those of the runs of a part, and the steps of its stretches.
func (l *leaves) runs(from, to *decode.Ends) {
	r := l.result
	stretches := r.Stretches[from[decode.Stretches]:to[decode.Stretches]]
	steps := r.Steps[from[decode.Steps]:to[decode.Steps]]
	l.cycles = r.StepCycles[from[decode.StepCycles]:to[decode.StepCycles]]
	var last *schema.Run // its way to the next instruction is not known yet
	for i := from[decode.Runs]; i < to[decode.Runs]; i++ {
		if len(stretches) > 0 && stretches[0].Run-stretches[0].Runs == i {
			s := &stretches[0]
			l.way(last, r.Blocks[s.Block].Address[s.First(r)])
			steps = l.stretch(s, steps)
			if n := instructionsOf(r.Runs[i:s.Run]); s.Runs > 0 && n != s.Instructions {
				panic(fmt.Sprintf("decodetest: stretch %+v of %d instructions", *s, n))
			}
			i, stretches, last = s.Run, stretches[1:], nil
		}
		run := &r.Runs[i]
		address := r.Blocks[run.Block].Address[run.First:][:run.Count]
		l.way(last, address[0])
		for k := range address[1:] {
			l.seq++
			l.add(address[k], schema.KindOther, schema.Unknown, address[k+1], 0)
		}
		l.seq++
		last = run
	}
	if len(steps) > 0 {
		panic(fmt.Sprintf("decodetest: no stretch has steps %+v", steps))
	}
}

// instructionsOf returns how many runs have.
func instructionsOf(runs []schema.Run) (n int64) {
	for i := range runs {
		n += int64(runs[i].Count)
	}
	return n
}

// stretch adds the steps of a stretch, and returns those after it.
func (l *leaves) stretch(s *decode.Stretch, steps []decode.Step) []decode.Step {
	l.seq += s.Instructions
	for range s.Steps {
		x, cycle := &l.result.Exits[steps[0].Exit()], int64(0)
		if len(l.cycles) > 0 {
			cycle, l.cycles = l.cycles[0], l.cycles[1:]
		}
		address := l.result.Blocks[x.Block].Address
		l.all = append(l.all, leave{l.part, steps[0].At(), address[len(address)-1], x.Kind, x.Outcome, x.To, x.Function, cycle})
		steps = steps[1:]
	}
	return steps
}

// way adds that control went from the end of a run, unless that is nil, to an address.
func (l *leaves) way(run *schema.Run, to schema.Address) {
	if run == nil {
		return
	}
	b, i := l.result.Blocks[run.Block], run.First+run.Count-1
	cycle := int64(0)
	if run.Flags&(schema.RunHasCycles|schema.RunHasCosts) != 0 {
		cycle = run.Cycle
	}
	l.add(b.Address[i], schema.Kind(b.Kind[i]), run.Outcome, to, cycle)
}

// add adds the way from an instruction to the next one, if it may leave a function.
func (l *leaves) add(from schema.Address, kind schema.Kind, outcome schema.Outcome, to schema.Address, cycle int64) {
	function := l.functionOf(to)
	if outcome == schema.NotTaken {
		kind = schema.KindOther
	}
	if function != l.functionOf(from) || leaving[kind] {
		l.all = append(l.all, leave{l.part, l.seq, from, kind, outcome, to, function, cycle})
	}
}

// leaving has the kinds that call or return, or may.
var leaving = map[schema.Kind]bool{
	schema.KindCall: true, schema.KindIndirectCall: true, schema.KindIndirect: true, schema.KindReturn: true, schema.KindExceptionReturn: true,
}

// MadeUpFunctions returns functions of a program that is made up, some of a few instructions, with
// holes between: see [decode.Wanted].
func MadeUpFunctions(seed uint8) func(address schema.Address) int32 {
	shift := 3 + seed%4
	return func(address schema.Address) int32 {
		f := address >> shift
		if f*(2*schema.Address(seed)+1)%7 == 0 {
			return -1
		}
		return int32(f)
	}
}
