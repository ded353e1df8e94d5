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

// sameWorkers is why a short run exports a few captures only.
const sameWorkers = "workers are the same for each capture"

// oneByOne is why a short run, which is for races, leaves out a replay.
const oneByOne = "instructions are replayed one by one, in one goroutine"

// The sample runs five tasks, whose numbers are Context IDs in its trace. Without those the stacks
// find the same tasks. What is of another one is boot, which returns from an exception to the first task, as a handler
// does of which the entry was not seen, and what the kernel executes from the write of CONTEXTIDR to the return from
// the exception.
func TestTasksWithoutContexts(t *testing.T) {
	need.FullRun(t, oneByOne)
	r := replayed(t, exportSample(t, schema.LevelInstructions), false)
	if got, want := r.words(), "7 tasks: 1 start, 2 exception, 4 new; 52 switches, 0 ambiguous, 0 drift"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	type count struct{ right, boot, handlers, late int }
	var got count
	names := []string{"", "checksum_task", "sort_task", "matrix_task", "script_task", "fault_task"}
	for _, x := range r.rows {
		switch task := &r.tasks[x.task]; {
		case task.Name == names[x.context.V]:
			got.right++
		case task.Name == "[entry not seen]" && x.context.V == 0:
			got.boot++
		case task.Origin == schema.TaskException:
			got.handlers++
		default:
			got.late++
			if name := r.name(x.stack); !slices.Contains([]string{"next", "irq_entry", "svc_entry", "resume"}, name) {
				t.Fatalf("seq %d: %q of context %d is in task %s", x.seq, name, x.context.V, task.Name)
			}
		}
	}
	if want := (count{207_364, 6_220, 4_597, 168}); got != want {
		t.Errorf("instructions: %+v, want %+v", got, want)
	}
}

// With Context IDs a task only gets its turn when its own one is set: where it runs, but for 598 instructions of the
// kernel between the write of CONTEXTIDR and the return from the exception, that is the Context ID.
func TestSwitchesKeepToContexts(t *testing.T) {
	need.FullRun(t, oneByOne)
	r := replayed(t, exportSample(t, schema.LevelInstructions), true)
	if got, want := r.words(), "7 tasks: 1 exception, 1 start, 5 new; 53 switches, 0 ambiguous, 0 drift"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	handlers, other := 0, 0
	for _, x := range r.rows {
		switch task := &r.tasks[x.task]; {
		case task.Origin == schema.TaskException:
			handlers++
		case task.ContextID != x.context:
			other++
		}
	}
	if handlers != 4585 || other > 598 {
		t.Errorf("%d instructions in handlers, want 4585; %d in another Context ID, want 598 at most", handlers, other)
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
		got = append(got, fmt.Sprint("call ", x.Call, x.Seq, x.EndSeq(), x.Stack, x.Entry, x.All().Instructions, x.Own().Instructions, x.End))
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
		want = append(want, fmt.Sprint("call ", schema.CallsCall.At(b, i), schema.CallsSeq.At(b, i), end, schema.CallsStack.At(b, i), schema.StackEntry(schema.CallsEntry.At(b, i)),
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
