package stacks_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	godiff "github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/bench/generate"
	"github.com/tracelake/tracelake/bench/recording/calls"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Calls, jumps out of them, tasks that switch stacks, handlers of signals and C++ exceptions: how often
// each path of functions was entered, and in which order functions were called, as the stack
// pointer of the recorded program says.
func TestRecordedCalls(t *testing.T) {
	recipes := []generate.Recipe{
		{Protocol: "pft", Minor: 1, ReturnStack: true},
		{Protocol: "pft", Minor: 1, CycleAccurate: true},
		{Protocol: "etmv3", Minor: 5},
	}
	if testing.Short() {
		recipes = recipes[:1] // goroutines are the same for each
	}
	for _, name := range calls.Names {
		p, err := calls.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		want := truthOf(p.Entries)
		for i, r := range recipes {
			t.Run(fmt.Sprintf("%s/%d", name, i), func(t *testing.T) {
				for _, level := range []schema.Level{schema.LevelBlocks, schema.LevelNone} {
					if diff := godiff.Diff(want, entriesOf(t, exportRecorded(t, p, p.Steps(), r, level))); diff != "" {
						t.Errorf("level %s: want (-), got (+):\n%s", level, diff)
					}
				}
			})
		}
	}
}

// Where the kernel is not traced, each system call drops the stack: what is left of it is the top.
func TestRecordedCallsWithoutKernel(t *testing.T) {
	for _, name := range []string{"jump", "signal", "throw"} {
		t.Run(name, func(t *testing.T) {
			p, err := calls.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			want := truthOf(p.Entries).Order
			d := exportRecorded(t, p, withoutKernel(p.Steps()), generate.Recipe{Protocol: "pft", Minor: 1}, schema.LevelNone)
			got := entriesOf(t, d).Order
			if len(got) != len(want) {
				t.Fatalf("%d calls, want %d", len(got), len(want))
			}
			for i := range got {
				if !strings.HasSuffix(" "+want[i], " "+got[i]) {
					t.Fatalf("call %d: %s, want the end of %s", i, got[i], want[i])
				}
			}
			if n := int(d.Rows(&schema.Tasks)); n > 4 { // 31 system calls of signal, 13 of throw
				t.Errorf("%d tasks: a gap begins none", n)
			}
		})
	}
}

// withoutKernel are steps of which those of the kernel are not traced.
func withoutKernel(steps step.Steps) step.Steps {
	return func(yield func(step.Step, error) bool) {
		for s, err := range steps {
			if !s.Entered && s.At.Address >= calls.Kernel {
				s.Trace = step.TraceOff
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// exportRecorded traces steps of a recorded program, and exports that.
func exportRecorded(t *testing.T, p *calls.Program, steps step.Steps, r generate.Recipe, level schema.Level) *dataset.Dataset {
	t.Helper()
	c, err := r.Capture(&generate.Workload{Memory: p.Memory, HighVectors: true, Recorded: steps})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := c.Write(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	input := filepath.Join(dir, c.Folder())
	if err := os.WriteFile(filepath.Join(input, "program.elf"), p.ELF, 0o644); err != nil {
		t.Fatal(err)
	}
	return exportDir(t, input, "program.elf", level)
}

// entered is what a test knows of entries of functions.
type entered struct {
	Paths map[string]int64 // how often each path was entered; tasks are not told apart
	Order []string         // paths of calls
}

// handlers are functions that the kernel enters and does not call: to the stacks they begin a task, and what they
// return to called them.
var handlers = []string{"first", "second"}

// truthOf is what stack pointers say.
func truthOf(entries []calls.Entry) entered {
	x := entered{Paths: map[string]int64{}}
	stacks := map[int][]string{}
	var roots []int // depths of handlers
	for _, e := range entries {
		path := stacks[e.Stack][: e.Depth-1 : e.Depth-1]
		function := e.Function
		if !e.Called && e.Depth <= len(stacks[e.Stack]) { // below the function that was called
			if called, _, _ := strings.Cut(stacks[e.Stack][e.Depth-1], "|"); called != function && function != "signal_return" {
				function = called + "|" + function
			}
		}
		if slices.Contains(handlers, function) {
			function = "signal_return " + function
		}
		path = append(path, function)
		stacks[e.Stack] = path
		for len(roots) > 0 && e.Depth < roots[len(roots)-1] {
			roots = roots[:len(roots)-1]
		}
		if slices.Contains(handlers, e.Function) {
			roots = append(roots, e.Depth)
		}
		if len(roots) > 0 {
			path = path[roots[len(roots)-1]-1:]
		}
		x.add(strings.ReplaceAll(strings.Join(path, " "), "|", " "), 1, e.Called)
	}
	return x
}

// unnamed is code without a symbol: the kernel, and stubs of the linker, which no stack pointer shows.
const unnamed = "?"

// stubbed is a function that such stubs alone jump to.
const stubbed = "__memcpy_neon"

// add adds n entries of a path, by a call or not, unless it has code without a name, or ends the
// program: trace stops somewhere there.
func (x *entered) add(path string, n int64, called bool) {
	if strings.Contains(path, unnamed) || strings.Contains(path, " exit") || strings.HasSuffix(path, " "+stubbed) {
		return
	}
	if x.Paths[path] += n; called {
		x.Order = append(x.Order, path)
	}
}

// entriesOf is what tables of stacks say.
func entriesOf(t *testing.T, d *dataset.Dataset) entered {
	t.Helper()
	x := entered{Paths: map[string]int64{}}
	var functions, paths []string
	each(t, d, &schema.Functions, func(b *schema.Batch, i int) {
		name := b.Columns[schema.FunctionsLinkageName].Str[i]
		if name == "" {
			name = b.Columns[schema.FunctionsName].Str[i]
		}
		functions = append(functions, name)
	})
	each(t, d, &schema.Stacks, func(b *schema.Batch, i int) {
		path := unnamed
		if f := nullU32(b, schema.StacksFunction, i); f.OK {
			path = functions[f.V]
		}
		if p := nullU32(b, schema.StacksParent, i); p.OK {
			path = paths[p.V] + " " + path
		}
		paths = append(paths, path)
		x.add(path, int64(schema.StacksCalls.At(b, i)), false)
	})
	type call struct {
		seq   uint64
		stack uint32
	}
	var all []call
	each(t, d, &schema.Calls, func(b *schema.Batch, i int) {
		if schema.StackEntry(schema.CallsEntry.At(b, i)) == schema.StackTail {
			return
		}
		all = append(all, call{schema.CallsSeq.At(b, i), schema.CallsStack.At(b, i)})
	})
	slices.SortStableFunc(all, func(x, y call) int { return cmp.Compare(x.seq, y.seq) })
	for _, c := range all {
		x.add(paths[c.stack], 0, true)
	}
	return x
}
