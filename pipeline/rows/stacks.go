package rows

import (
	"errors"

	"github.com/tracelake/tracelake/pipeline/stacks"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// addStacks adds the tables of call stacks that are wanted.
func (t *Tables) addStacks() {
	s := &t.stacks
	s.nodes, s.tasks = sink(t, &schema.Stacks, fillStack), sink(t, &schema.Tasks, fillTask)
	s.times = sink(t, &schema.CallTimes, fillTimes)
	ended := stacks.Sinks{
		Calls: sink(t, &schema.Calls, fillCall), Spans: sink(t, &schema.ExceptionSpans, fillSpan), MostCalls: t.out.MostCalls,
		Opening: t.out.Opening, Places: t.out.Places,
	}
	if s.nodes != nil && t.Sinks.Segments != nil {
		s.segments = &segmentTable{to: t.Sinks.Segments}
		t.Sinks.Segments, ended.Heads = s.segments.Add, s.segments.addHeads
	}
	if s.nodes != nil || s.tasks != nil || s.times != nil || ended.Calls != nil || ended.Spans != nil {
		s.of = stacks.New(t.out.Functions, t.out.Workers, ended)
		t.Sinks = s.of.Sinks(t.Sinks)
	}
}

// CallsAtLeast is how many instructions a call has that is a row of `calls`, after Flush; 0: all are.
func (t *Tables) CallsAtLeast() int64 {
	if t.stacks.of == nil {
		return 0
	}
	return t.stacks.of.CallsAtLeast()
}

// InOther returns how many instructions are in call paths that were not told apart, and how many paths were, after Flush.
func (t *Tables) InOther() (instructions int64, paths int) {
	if t.stacks.of == nil {
		return 0, 0
	}
	return t.stacks.of.InOther()
}

// finishStacks adds the rows of what is known only at the end.
func (t *Tables) finishStacks() error {
	s := &t.stacks
	if s.of == nil {
		return nil
	}
	nodes, tasks, err := s.of.Finish()
	if err != nil {
		return err
	}
	if s.segments != nil {
		if err := s.segments.pass(true); err != nil {
			return err
		}
	}
	for i := range tasks {
		t.name(&tasks[i])
	}
	b := s.of.Base()
	for some := range nodes {
		if err := s.nodes.Add(b, some); err != nil {
			return err
		}
	}
	return errors.Join(s.tasks.Add(b, tasks), s.times.Add(b, s.of.Times()))
}

// name names a task as it is to be named.
func (t *Tables) name(x *stacks.Task) {
	if !x.ContextID.OK {
		return
	}
	t.ContextIDs = append(t.ContextIDs, x.ContextID.V)
	if name, ok := t.out.TaskNames[x.ContextID.V]; ok {
		x.Name = name
	}
}

func fillStack(batch *schema.Batch, b *stitch.Base, x *stacks.Stack) {
	schema.AppendStacks(batch, b.Source, x.Stack, x.Parent, x.Task, x.Depth, x.Function, x.Address, x.Entry, x.Exception,
		x.Number, x.Calls, x.Own.Instructions, x.Own.Cycles, x.Total.Instructions, x.Total.Cycles, x.Shortest, x.Longest,
		x.LongestSeq, x.NotEnded)
}

func fillTask(batch *schema.Batch, b *stitch.Base, x *stacks.Task) {
	schema.AppendTasks(batch, b.Source, x.Task, x.Name, x.Root, x.ContextID, x.FirstSeq, x.Switches, x.Ambiguous, x.Joined,
		x.Executed.Instructions, x.Executed.Cycles, x.Origin, x.Drift)
}

func fillTimes(batch *schema.Batch, b *stitch.Base, x *stacks.Times) {
	schema.AppendCallTimes(batch, b.Source, x.Function, x.Address, x.Least, x.Most, x.Calls)
}

func fillCall(batch *schema.Batch, b *stitch.Base, x *stacks.Call) {
	all, own := x.All(), x.Own()
	schema.AppendCalls(batch, b.Source, x.Call, x.Seq, x.EndSeq(), x.Stack, x.Entry, x.Epoch, x.Cycle(), x.EndCycle(),
		all.Instructions, own.Instructions, all.Cycles, own.Cycles, x.End)
}

func fillSpan(batch *schema.Batch, b *stitch.Base, x *stacks.Span) {
	schema.AppendExceptionSpans(batch, b.Source, x.Span, x.Seq, x.Segment, x.ByteOffset, x.Ordinal, x.Stack, x.EndSeq,
		x.End, x.Instructions, x.Cycles, x.Ticks)
}
