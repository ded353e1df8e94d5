package stacks_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/schema"
)

// oneByOne is why a short run, which is for races, leaves out a replay.
const oneByOne = "instructions are replayed one by one, in one goroutine"

// The sample runs five tasks, whose numbers are Context IDs in its trace. Without those the stacks
// find the same tasks: what is of another one is boot, whose Context ID is 0, and what the kernel
// executes from the write of CONTEXTIDR to the return from the exception.
func TestTasksWithoutContexts(t *testing.T) {
	need.FullRun(t, oneByOne)
	r := replayed(t, exportSample(t, schema.LevelInstructions), false)
	if got, want := r.words(), "5 tasks: 1 start, 4 new; 52 switches, 0 ambiguous, 0 drift"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	type count struct{ right, boot, late int }
	var got count
	for _, x := range r.rows {
		switch {
		case x.context.V == uint32(x.task)+1: // each task calls its first function in order of its number
			got.right++
		case x.context.V == 0 && x.task == 0:
			got.boot++
		default:
			got.late++
			if name := r.name(x.stack); !slices.Contains([]string{"next", "irq_entry", "svc_entry", "resume"}, name) {
				t.Fatalf("seq %d: %q of context %d is in task %d", x.seq, name, x.context.V, x.task)
			}
		}
	}
	if want := (count{211_543, 6_220, 586}); got != want {
		t.Errorf("instructions: %+v, want %+v", got, want)
	}
}

// With Context IDs a task only gets its turn when its own one is set.
func TestSwitchesKeepToContexts(t *testing.T) {
	need.FullRun(t, oneByOne)
	r := replayed(t, exportSample(t, schema.LevelInstructions), true)
	if got, want := r.words(), "6 tasks: 1 start, 5 new; 53 switches, 0 ambiguous, 0 drift"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	switches := 0
	for i, x := range r.rows[1:] {
		if x.task == r.rows[i].task {
			continue
		}
		switches++
		if id := r.tasks[x.task].ContextID; id != x.context {
			t.Errorf("seq %d: task %d of context %v runs in context %v", x.seq, x.task, id, x.context)
		}
	}
	if switches != 53 {
		t.Errorf("%d switches", switches)
	}
}

// Instruction after instruction, as rows have them, comes to the same tables as an export, whose
// workers fold what blocks execute.
func TestReplayAsExported(t *testing.T) {
	need.FullRun(t, oneByOne)
	d := exportSample(t, schema.LevelInstructions)
	r := replayed(t, d, true)
	var got, want []string
	for _, x := range r.stacks {
		got = append(got, fmt.Sprint("stack ", x.Stack, x.Parent, x.Task, x.Depth, x.Function, x.Address, x.Entry, x.Calls, x.Own.Instructions, x.Total.Instructions))
	}
	for _, x := range r.tasks {
		got = append(got, fmt.Sprint("task ", x.Task, " ", x.Name, x.FirstSeq, x.Switches, x.Ambiguous, x.Executed.Instructions, x.Drift))
	}
	for _, x := range r.calls {
		got = append(got, fmt.Sprint("call ", x.Call, x.Seq, x.EndSeq(), x.Stack, x.Task, x.All().Instructions, x.Own().Instructions, x.End))
	}
	each(t, d, &schema.Stacks, func(b *schema.Batch, i int) {
		want = append(want, fmt.Sprint("stack ", schema.StacksStack.At(b, i), nullU32(b, schema.StacksParent, i), schema.StacksTask.At(b, i),
			schema.StacksDepth.At(b, i), nullU32(b, schema.StacksFunction, i), schema.StacksAddress.At(b, i), schema.StackEntry(schema.StacksEntry.At(b, i)),
			schema.StacksCalls.At(b, i), schema.StacksInstructions.At(b, i), schema.StacksTotalInstructions.At(b, i)))
	})
	each(t, d, &schema.Tasks, func(b *schema.Batch, i int) {
		want = append(want, fmt.Sprint("task ", schema.TasksTask.At(b, i), " ", b.Columns[schema.TasksName].Str[i], schema.TasksFirstSeq.At(b, i),
			schema.TasksSwitches.At(b, i), schema.TasksAmbiguous.At(b, i), schema.TasksInstructions.At(b, i), schema.TasksStackDrift.At(b, i)))
	})
	each(t, d, &schema.Calls, func(b *schema.Batch, i int) {
		end := nullOf(b, int(schema.CallsEndSeq), i, schema.CallsEndSeq.At(b, i))
		want = append(want, fmt.Sprint("call ", schema.CallsCall.At(b, i), schema.CallsSeq.At(b, i), end, schema.CallsStack.At(b, i), schema.CallsTask.At(b, i),
			schema.CallsInstructions.At(b, i), schema.CallsOwnInstructions.At(b, i), schema.CallEnd(schema.CallsEnd.At(b, i))))
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// words sums up the tasks.
func (r *replay) words() string {
	var switches, ambiguous, drift int64
	origins := map[schema.TaskOrigin]int{}
	for _, x := range r.tasks {
		switches, ambiguous, drift = switches+x.Switches, ambiguous+x.Ambiguous, drift+x.Drift
		origins[x.Origin]++
	}
	var words []string
	for o, n := range origins {
		words = append(words, fmt.Sprintf("%d %s", n, o))
	}
	slices.Sort(words)
	return fmt.Sprintf("%d tasks: %s; %d switches, %d ambiguous, %d drift", len(r.tasks), strings.Join(words, ", "), switches, ambiguous, drift)
}

// name returns that of the function of a row of `stacks`.
func (r *replay) name(stack int32) string {
	if f := r.stacks[stack].Function; f.OK {
		return r.functions[f.V].Name
	}
	return ""
}
