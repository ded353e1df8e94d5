package stacks

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/pipeline/stitch/stitchtest"
)

// What a job folds, however long it is and whoever does it, is what comes of applying step
// by step: of jobs of one run each. It is the same if rows of calls are not wanted, or some.
func TestFolding(t *testing.T) {
	seeds := need.Size[uint64](200, 20000)
	if testing.Short() {
		seeds = 40 // workers are the same for each
	}
	for seed := range seeds {
		random := rand.New(rand.NewPCG(seed, 0))
		program, trace := randomTrace(random)
		functions := strings.Join(randomFunctions[:random.IntN(len(randomFunctions)+1)], "\n")
		l := usual
		l.short = 2
		l.tasks, l.waiting, l.held = 1+random.IntN(100), 1+random.IntN(6), 1+random.IntN(50)
		l.job = 1
		want := play(t, functions, stitchtest.Script{Program: program, Trace: trace, Split: true}, nil, l)
		for _, job := range []int{2, 1 + random.IntN(100), usual.job} {
			l.job = job
			w := &workers{}
			if got := play(t, functions, stitchtest.Script{Program: program, Trace: trace, Split: random.IntN(2) == 0}, w, l); got != want {
				t.Fatalf("seed %d: jobs of %d:\n%+v\njobs of one run:\n%+v\nof %s\n%s", seed, job, got, want, functions, trace)
			}
			most := 1 + random.IntN(30)
			some := Sinks{Calls: new(kept[Call]).Add, MostCalls: most}
			if got, want := playTo(t, functions, stitchtest.Script{Program: program, Trace: trace}, w, l, some), want.longest(most, l.short); got != want {
				t.Fatalf("seed %d: jobs of %d, %d calls at most:\n%+v\nwant\n%+v\nof %s\n%s", seed, job, most, got, want, functions, trace)
			}
			want := want
			want.calls = ""
			if got := playTo(t, functions, stitchtest.Script{Program: program, Trace: trace}, w, l, Sinks{}); got != want {
				t.Fatalf("seed %d: jobs of %d, no calls wanted:\n%+v\nwant\n%+v\nof %s\n%s", seed, job, got, want, functions, trace)
			}
		}
	}
}

// workers work at once, all of them.
type workers struct{ sync.WaitGroup }

// Go implements [tally.Workers].
func (w *workers) Go(work func()) error {
	w.WaitGroup.Go(work)
	return nil
}

// Wait implements [tally.Workers].
func (w *workers) Wait() error {
	w.WaitGroup.Wait()
	return nil
}

var randomFunctions = []string{"f0 1000 40", "f1 1040 20", "f2 2000 100", "irq 18 10", "f4 3000 8", "f5 3008 30"}

// randomTrace returns a program and a trace that mostly returns to where it came from.
func randomTrace(random *rand.Rand) (program, trace string) {
	kinds := []string{"call", "return", "branch", "indirect", "exception_return", "other", "indirect_call"}
	// After most blocks there is another one, for calls to return to.
	starts := []int{0x18, 0x1000, 0x100c, 0x1018, 0x1020, 0x1038, 0x1040, 0x104c, 0x2000, 0x200c, 0x2040, 0x3000, 0x3008, 0x3014}
	var blocks []string
	var text []string
	for i, at := range starts {
		for j, kind := range kinds {
			name := fmt.Sprintf("b%d%c", i, 'k'+j)
			blocks = append(blocks, name)
			text = append(text, fmt.Sprintf("%s %x other other %s", name, at, kind))
		}
	}
	at := func(address int) (name string) { // a block there
		for i, start := range starts {
			if start == address {
				return blocks[i*len(kinds)+random.IntN(len(kinds))]
			}
		}
		return blocks[random.IntN(len(blocks))]
	}
	var lines []string
	if random.IntN(2) == 0 {
		lines = append(lines, "epoch 0")
	}
	var stack []int
	next := starts[random.IntN(len(starts))]
	for range 20 + random.IntN(300) {
		name := at(next)
		var block int
		var kind byte
		fmt.Sscanf(name, "b%d%c", &block, &kind)
		lines = append(lines, fmt.Sprintf("%s %s cycles=%d", name, []string{"taken", "taken", "taken", "not_taken", "unknown"}[random.IntN(5)], random.IntN(4)))
		next = starts[random.IntN(len(starts))]
		switch kinds[kind-'k'] {
		case "call", "indirect_call":
			stack = append(stack, starts[block]+12)
		case "return", "exception_return", "indirect":
			if n := len(stack); n > 0 && random.IntN(8) > 0 {
				next, stack = stack[n-1], stack[:n-1]
			}
		}
		if random.IntN(10) == 0 {
			line := []string{
				fmt.Sprintf("exception %x irq %d", next, random.IntN(3)), fmt.Sprintf("exception %x debug\ndebug_exit", next), "exception ?", "return", "loss",
				"trace_on", fmt.Sprintf("context %d", random.IntN(3)), "inconsistent", "part", fmt.Sprintf("exception %x svc\nexception 18 irq", next),
			}[random.IntN(10)]
			lines = append(lines, line)
			if strings.HasPrefix(line, "exception") && random.IntN(3) > 0 {
				stack, next = append(stack, next), 0x18
			}
		}
	}
	return strings.Join(text, "\n"), strings.Join(lines, "\n")
}
