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
	from     uint32
	kind     schema.Kind // other: the instruction did not leave
	outcome  schema.Outcome
	to       uint32
	function int32
	cycle    int64 // of a step, or of a run that has cycles
}

// leaves collects those of a result.
type leaves struct {
	result     *decode.Result
	functionOf func(address uint32) int32
	all        []leave
	part       int
	seq        int64   // in it
	cycles     []int64 // of its steps, if they have cycles
}

// StepsDifference says where control leaves functions in one of two results only, of which one
// has steps for what it counted; "" if nowhere.
func StepsDifference(counted, plain *decode.Result, functionOf func(address uint32) int32) string {
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

// leavesOf returns where control leaves functions in a result, in order.
func leavesOf(r *decode.Result, functionOf func(address uint32) int32) []leave {
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
		run := &r.Runs[i]
		if len(stretches) > 0 && stretches[0].Run == i {
			l.way(last, r.Blocks[stretches[0].Block].Address[0])
			steps = l.stretch(&stretches[0], steps)
			stretches, last = stretches[1:], nil
		}
		address := r.Blocks[run.Block].Address[run.First:][:run.Count]
		l.way(last, address[0])
		for k := range address[1:] {
			l.seq++
			l.add(address[k], schema.KindOther, schema.Untold, address[k+1], 0)
		}
		l.seq++
		last = run
	}
	if len(steps) > 0 {
		panic(fmt.Sprintf("decodetest: no stretch has steps %+v", steps))
	}
}

// stretch adds the steps of a stretch, and returns those after it.
func (l *leaves) stretch(s *decode.Stretch, steps []decode.Step) []decode.Step {
	l.seq += s.Instructions
	for len(steps) > 0 && steps[0].At() <= l.seq {
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
func (l *leaves) way(run *schema.Run, to uint32) {
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
func (l *leaves) add(from uint32, kind schema.Kind, outcome schema.Outcome, to uint32, cycle int64) {
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
func MadeUpFunctions(seed uint8) func(address uint32) int32 {
	shift := 3 + seed%4
	return func(address uint32) int32 {
		f := address >> shift
		if f*(2*uint32(seed)+1)%7 == 0 {
			return -1
		}
		return int32(f)
	}
}
