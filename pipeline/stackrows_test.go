package pipeline

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/decode/program"
	"github.com/tracelake/tracelake/pipeline/code"
	"github.com/tracelake/tracelake/pipeline/stacks"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// Stacks are the same where runs are counted while decoding, as at level none, and where all are
// rows, of generated traces of any macrocell, whole and damaged.
func TestStacksOfGenerated(t *testing.T) {
	need.FullRun(t, oneGoroutine)
	eachMacrocell(t, func(t *testing.T, m macrocell) {
		for seed := range need.Size[uint64](8, 400) {
			r := rand.New(rand.NewPCG(seed, 7))
			run := generatedRun{id: 0x10, seed: seed, bytes: need.Size(3, 12) << 10, sync: 512, eventful: []float64{0, 1, 20}[seed%3]}
			g, functions := m.generate(t, run), randomFunctions(r)
			g.checkStacks(t, functions, fmt.Sprintf("seed %d", seed))
			d := randomDamage(r, len(g.data))
			g.with(d.apply(g.data)).checkStacks(t, functions, fmt.Sprintf("seed %d, damage %+v", seed, d))
			if t.Failed() {
				return
			}
		}
	})
}

// Whatever damage does to the sample, its stacks add up.
func TestDamagedStacks(t *testing.T) {
	need.FullRun(t, oneGoroutine)
	tr, functions := sampleTrace(t), sampleFunctions(t)
	for _, seed := range damageSeeds(need.Size(60, 5000)) {
		d := randomDamage(rand.New(rand.NewPCG(seed, 8)), len(tr.data))
		tr.with(d.apply(tr.data)).checkStacks(t, functions, fmt.Sprintf("-damage-seed %d", seed))
	}
}

// sampleFunctions returns the functions of the sample.
func sampleFunctions(t *testing.T) stacks.Functions {
	t.Helper()
	f, err := os.Open(filepath.Join(sampleSnapshot(t), sample.ELF))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	p, err := program.Read(image.File{Name: sample.ELF, Data: f, Size: info.Size()}, nil, isa.PFT)
	if err != nil {
		t.Fatal(err)
	}
	return code.Functions([]code.Program{{Program: p}}, "")
}

// randomFunctions divides the program of a generated trace, with holes, some in the midst of its
// code blocks.
func randomFunctions(r *rand.Rand) (all stacks.Functions) {
	size := uint32(16) << r.IntN(8)
	for at := schema.Address(generatedBase); at < generatedBase+64<<10; {
		n := 2 + 2*r.Uint32N(size)
		if r.IntN(8) > 0 {
			all = append(all, stacks.Function{Address: at, Size: n, Name: fmt.Sprintf("f%d", len(all))})
		}
		at += schema.Address(n)
	}
	return all
}

// stackRows are the rows of the tables of stacks.
type stackRows struct {
	Stacks  []stacks.Stack
	Tasks   []stacks.Task
	Calls   []stacks.Call
	Spans   []stacks.Span
	Entries int // exceptions
	Alone   int // of those: debug entries, and those that nothing executed before or after, without cycles
}

// checkStacks decodes a trace at two levels, whose stacks must be the same and add up.
func (tr *trace) checkStacks(t *testing.T, functions stacks.Functions, what string) {
	t.Helper()
	counted, instructions := tr.stacks(t, functions, nil)
	plain, _ := tr.stacks(t, functions, func(stitch.Runs) error { return nil })
	if !reflect.DeepEqual(plain, counted) {
		t.Errorf("%s: with runs (-) and where they are counted (+):\n%s", what, cmp.Diff(plain, counted, cmpopts.IgnoreUnexported(stacks.Call{})))
	}
	counted.check(t, what, instructions)
	counted.Calls = nil
	if without, _ := tr.stacksOf(t, functions, nil, nil); !reflect.DeepEqual(without, counted) {
		t.Errorf("%s: with rows of calls (-) and without (+):\n%s", what, cmp.Diff(counted, without))
	}
}

// stacks decodes a trace, with runs for a sink that may be nil, and rebuilds its stacks.
func (tr *trace) stacks(t *testing.T, functions stacks.Functions, runs stitch.RunSink) (rows *stackRows, instructions int64) {
	t.Helper()
	var calls kept[stacks.Call]
	rows, instructions = tr.stacksOf(t, functions, runs, calls.Add)
	rows.Calls = calls.rows
	return rows, instructions
}

// stacksOf is stacks with rows of calls for a sink that may be nil.
func (tr *trace) stacksOf(t *testing.T, functions stacks.Functions, runs stitch.RunSink, calls stitch.Sink[stacks.Call]) (*stackRows, int64) {
	t.Helper()
	var spans kept[stacks.Span]
	s := stacks.New(functions, nil, stacks.Sinks{Calls: calls, Spans: spans.Add})
	type entry struct {
		seq     int64 // of the instruction after it; of a debug entry 0
		counted bool
	}
	var entries []entry
	to := s.Sinks(stitch.Sinks{Runs: runs, Exceptions: stitch.Tee(nil, func(b *stitch.Base, x *stitch.Exception) {
		switch {
		case x.Row.Event != schema.ExceptionEntry:
		case x.Row.Type == schema.Of(schema.ExcDebug):
			entries = append(entries, entry{0, x.Row.Cycles.V > 0})
		default:
			entries = append(entries, entry{b.Keys(x.Row.Key).Seq, x.Row.Cycles.V > 0})
		}
	})})
	st := stitch.New(tr.id, tr.protocol.TimestampCode(), to)
	tr.stitchTo(t, st, to.Wanted())
	if err := st.Finish(); err != nil {
		t.Fatal(err)
	}
	nodes, tasks, err := s.Finish()
	if err != nil {
		t.Fatal(err)
	}
	instructions := st.Outcome.Totals.Instructions
	n := len(entries)
	// those whose entry took cycles have a node, for that
	entries = slices.DeleteFunc(entries, func(x entry) bool { return (x.seq == 0 || x.seq == instructions) && !x.counted })
	if instructions == 0 {
		n, entries = 0, nil // without tasks there are no rows
	}
	return &stackRows{slices.Concat(slices.Collect(nodes)...), tasks, nil, spans.rows, n, n - len(entries)}, instructions
}

// kept is a sink that keeps rows.
type kept[T any] struct{ rows []T }

// Add implements [stitch.Sink].
func (k *kept[T]) Add(_ stitch.Base, rows []T) error {
	k.rows = append(k.rows, rows...)
	return nil
}

// check checks that the rows belong together: all instructions are in the stack of some task, each
// row of calls and of exceptions is one entry of a row of `stacks`, and begins before it ends.
func (s *stackRows) check(t *testing.T, what string, instructions int64) {
	t.Helper()
	bad := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s: %s", what, fmt.Sprintf(format, args...))
	}
	var own, executed, entered int64
	below := make([]int64, len(s.Stacks)) // instructions of the callees
	for i, x := range s.Stacks {
		own += x.Own.Instructions
		switch p := x.Parent; {
		case int(x.Stack) != i, int(x.Task) >= len(s.Tasks), p.OK && int(p.V) >= i, p.OK == (x.Depth == 1):
			bad("stack %d: %+v", i, x)
		case p.OK && (s.Stacks[p.V].Depth != x.Depth-1 || s.Stacks[p.V].Task != x.Task):
			bad("stack %d: %+v, its parent is %+v", i, x, s.Stacks[p.V])
		case p.OK:
			below[p.V] += x.Total.Instructions
		}
		if notSeen := !x.Parent.OK && !x.Exception.OK && !x.Number.OK; x.Entry == schema.StackException && !notSeen {
			entered += x.Calls
		}
	}
	for i, x := range s.Stacks {
		if x.Total.Instructions != x.Own.Instructions+below[i] {
			bad("stack %d: %+v, its callees have %d", i, x, below[i])
		}
	}
	for _, x := range s.Tasks {
		executed += x.Executed.Instructions
	}
	if own != instructions || executed != instructions {
		bad("%d instructions in stacks, %d in tasks, of %d", own, executed, instructions)
	}
	if n := len(s.Spans); n != s.Entries || int64(n-s.Alone) != entered {
		bad("%d spans, %d entries of stacks, of %d exceptions, %d alone", n, entered, s.Entries, s.Alone)
	}
	s.checkCalls(bad, instructions)
}

func (s *stackRows) checkCalls(bad func(format string, args ...any), instructions int64) {
	entered := make([]int64, len(s.Stacks))
	for i, x := range s.Calls {
		if int(x.Stack) >= len(s.Stacks) {
			bad("call %d of stack %d", i, x.Stack)
			return
		}
		entered[x.Stack]++
		end := instructions
		if seq := x.EndSeq(); seq.OK {
			end = seq.V
		}
		if all, own := x.All().Instructions, x.Own().Instructions; int(x.Call) != i ||
			x.Seq < 0 || end < x.Seq || end > instructions || own < 0 || own > all || all > end-x.Seq ||
			x.Entry != s.Stacks[x.Stack].Entry && s.Stacks[x.Stack].Entry != schema.StackOther {
			bad("call %d: %+v, of stack %+v", i, x, s.Stacks[x.Stack])
		}
	}
	for i, x := range s.Stacks {
		isCall := x.Entry == schema.StackCall || x.Entry == schema.StackTail || x.Entry == schema.StackOther
		if isCall && entered[i] > x.Calls || !isCall && entered[i] > 0 {
			bad("stack %d: %+v, entered by %d calls", i, x, entered[i])
		}
	}
	for i, x := range s.Spans {
		if int(x.Span) != i || x.Stack.OK && int(x.Stack.V) >= len(s.Stacks) || x.EndSeq.OK && (x.EndSeq.V < x.Seq || x.Instructions.V != x.EndSeq.V-x.Seq) {
			bad("span %d: %+v", i, x)
		}
	}
}
