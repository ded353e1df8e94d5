package tally

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tracelake/tracelake/pipeline/stitch/stitchtest"
)

// Each rule of counts and edges by an example. The rows wanted are worked out by
// hand.
var examples = []struct {
	name, program, trace string
	counts, edges        string // "" is not looked at; "none" is none
}{
	{
		name:    "a branch taken and not taken",
		program: "a 1000 other branch\nb 1008 other branch\nc 2000 other branch",
		trace:   "a NE taken\nc EE taken\na EN not_taken\nb EE taken\na EE taken\nc EN not_taken",
		counts: `1000 a32 executed=2 failed=1 unknown=0 first=0
			1004 a32 executed=2 failed=1 unknown=0 first=1
			1008 a32 executed=1 failed=0 unknown=0 first=6
			100c a32 executed=1 failed=0 unknown=0 first=7
			2000 a32 executed=2 failed=0 unknown=0 first=2
			2004 a32 executed=1 failed=1 unknown=0 first=3`,
		edges: `1004→1008 branch not_taken n=1
			1004→2000 branch taken n=2
			100c→1000 branch taken n=1
			2004→1000 branch taken n=1`,
	},
	{
		name:    "of a run without outcomes only the last may have one",
		program: "a 1000 other svc branch",
		trace:   "a taken\na not_taken\na unknown\na 0+2 unknown\na 2+1 taken",
		counts: `1000 a32 executed=0 failed=0 unknown=4 first=0
			1004 a32 executed=0 failed=0 unknown=4 first=1
			1008 a32 executed=2 failed=1 unknown=1 first=2`,
		edges: `1004→1008 svc unknown n=4
			1008→1000 branch unknown n=1
			1008→1000 branch taken n=1
			1008→1000 branch not_taken n=1`,
	},
	{
		name:    "runs with all outcomes, and runs with one",
		program: "a 1000 other branch",
		trace:   "a NE taken\na taken\na EN not_taken\na not_taken\na unknown",
		counts: `1000 a32 executed=1 failed=1 unknown=3 first=0
			1004 a32 executed=2 failed=2 unknown=1 first=1`,
	},
	{
		name: "every kind has edges but other and barrier",
		program: `a 1000 other
			b 1004 barrier
			c 1008 branch
			d 100c call
			e 1010 indirect
			f 1014 indirect_call
			g 1018 return
			h 101c exception_return
			i 1020 svc
			j 1024 smc
			k 1028 hvc
			l 102c bkpt
			m 1030 udf`,
		trace: "a passed E\nb passed E\nc taken E\nd taken E\ne taken E\nf taken E\ng taken E\nh taken E\ni passed E\nj passed E\nk passed E\nl passed E\nm passed E\na passed E",
		edges: `1008→100c branch taken n=1
			100c→1010 call taken n=1
			1010→1014 indirect taken n=1
			1014→1018 indirect_call taken n=1
			1018→101c return taken n=1
			101c→1020 exception_return taken n=1
			1020→1024 svc taken n=1
			1024→1028 smc taken n=1
			1028→102c hvc taken n=1
			102c→1030 bkpt taken n=1
			1030→1000 udf taken n=1`,
	},
	{
		name:    "edges inside a run",
		program: "a 1000 svc svc other branch",
		trace:   "a ENEE taken\na 0+1 passed E\na 1+1 not_taken N\na 2+2 EE taken\na 0+3 NEE passed",
		edges: `1000→1004 svc taken n=2
			1000→1004 svc not_taken n=1
			1004→1008 svc taken n=1
			1004→1008 svc not_taken n=2
			100c→1000 branch taken n=2`,
	},
	{
		name:    "the last instruction has no edge",
		program: "a 1000 branch",
		trace:   "a E taken",
		edges:   "none",
	},
	{
		name:    "the last instruction has no edge even if an exception cuts in",
		program: "a 1000 branch",
		trace:   "a E taken\nexception 2000",
		edges:   "none",
	},
	{
		name:    "an exception cuts in: to its return address",
		program: "a 1000 branch\nh 18 other",
		trace:   "a E taken\nexception 2000\nh E passed",
		edges:   "1000→18 exception taken n=1\n1000→2000 branch taken n=1",
	},
	{
		name:    "an exception after an instruction that has no edges",
		program: "a 1000 other\nh 18 other",
		trace:   "a E passed\nexception 1004\nh E passed",
		edges:   "1000→18 exception taken n=1",
	},
	{
		name:    "an exception without a return address",
		program: "a 1000 branch\nh 18 other",
		trace:   "a E taken\nexception ?\nh E passed",
		edges:   "1000→18 exception taken n=1",
	},
	{
		name:    "an exception return that is traced cuts nothing",
		program: "a 1000 exception_return\nb 2000 other",
		trace:   "a E taken\nreturn\nb E passed",
		edges:   "1000→2000 exception_return taken n=1",
	},
	{
		name:    "back-to-back exceptions: each goes to the return address of the next",
		program: "a 1000 branch\nh 1c other",
		trace:   "a E taken\nexception 2000\nexception 18\nh E passed",
		edges:   "1000→18 exception taken n=1\n1000→1c exception taken n=1\n1000→2000 branch taken n=1",
	},
	{
		name:    "back-to-back exceptions, the second without a return address",
		program: "a 1000 branch\nh 1c other",
		trace:   "a E taken\nexception 2000\nexception ?\nh E passed",
		edges:   "1000→1c exception taken n=1\n1000→2000 branch taken n=1",
	},
	{
		name:    "an exception before the first instruction",
		program: "h 18 branch",
		trace:   "exception 2000\nh E taken\nh E taken",
		edges:   "18→18 branch taken n=1",
	},
	{name: "trace_on cuts", program: "a 1000 branch", trace: "a E taken\ntrace_on\na E taken", edges: "none"},
	{name: "overflow cuts", program: "a 1000 branch", trace: "a E taken\noverflow\na E taken", edges: "none"},
	{name: "debug_exit cuts", program: "a 1000 branch", trace: "a E taken\ndebug_exit\na E taken", edges: "none"},
	{name: "no program memory cuts", program: "a 1000 branch", trace: "a E taken\nunmapped\na E taken", edges: "none"},
	{name: "instructions without an address cut", program: "a 1000 branch", trace: "a E taken\nno_address\na E taken", edges: "none"},
	{name: "Jazelle state cuts", program: "a 1000 branch", trace: "a E taken\njazelle\na E taken", edges: "none"},
	{name: "a break of the input cuts", program: "a 1000 branch", trace: "a E taken\ndiscontinuity\na E taken", edges: "none"},
	{name: "a loss cuts", program: "a 1000 branch", trace: "a E taken\nloss\na E taken", edges: "none"},
	{
		name:    "other events cut nothing",
		program: "a 1000 branch",
		trace:   "a E taken\ninconsistent\na E taken\ntrigger\na E taken\ncancelled\na E taken\nbad_isync\na E taken",
		edges:   "1000→1000 branch taken n=4",
	},
	{
		name:    "an exception before a gap still says where the instruction went",
		program: "a 1000 branch\nh 18 other",
		trace:   "a E taken\nexception 2000\nloss\ntrace_on\nh E passed",
		edges:   "1000→2000 branch taken n=1",
	},
	{
		name:    "an exception before missing memory still says where the instruction went",
		program: "a 1000 branch\nh 18 other",
		trace:   "a E taken\nexception 2000\nunmapped\nh E passed",
		edges:   "1000→2000 branch taken n=1",
	},
	{
		name:    "a gap before an exception: it interrupts something else",
		program: "a 1000 branch\nh 18 other",
		trace:   "a E taken\ntrace_on\nexception 2000\nh E passed",
		edges:   "none",
	},
	{
		name:    "a debug exit cuts what an exception before it says, too",
		program: "a 1000 branch\nh 18 other",
		trace:   "a E taken\nexception 2000\ndebug_exit\nh E passed",
		edges:   "none",
	},
	{
		name:    "parts change nothing",
		program: "a 1000 branch\nh 18 branch",
		trace:   "a E taken\npart\npart\na E taken\nexception 2000\npart\nh E taken\npart\nloss\na E taken",
		edges:   "1000→18 exception taken n=1\n1000→1000 branch taken n=1\n1000→2000 branch taken n=1",
	},
	{
		name:    "an instruction in two blocks, and in two instruction sets",
		program: "ct 1000 other branch\na 1000 other other branch\nb 1004 other branch",
		trace:   "b EE taken\na EEE taken\nct EE taken\na NNN not_taken",
		counts: `1000 a32 executed=1 failed=1 unknown=0 first=2
			1000 t32 executed=1 failed=0 unknown=0 first=5
			1002 t32 executed=1 failed=0 unknown=0 first=6
			1004 a32 executed=2 failed=1 unknown=0 first=0
			1008 a32 executed=2 failed=1 unknown=0 first=1`,
		edges: `1002→1000 branch taken n=1
			1008→1000 branch taken n=2`,
	},
	{
		name:    "where a block goes changes",
		program: "a 1000 return\nb 2000 branch\nc 2004 branch",
		trace:   strings.Repeat("a E taken\nb E taken\na E taken\nc E taken\n", 3),
		edges: `1000→2000 return taken n=3
			1000→2004 return taken n=3
			2000→1000 branch taken n=3
			2004→1000 branch taken n=2`,
	},
	{
		name:    "two outcomes that lead to one place",
		program: "a 1000 branch\nb 1004 branch\nc 2000 branch",
		trace:   "a N not_taken\nb E taken\na N not_taken\nc E taken\na E taken\nb E taken\na N not_taken\nb E taken",
		edges: `1000→1004 branch taken n=1
			1000→1004 branch not_taken n=2
			1000→2000 branch not_taken n=1
			1004→1000 branch taken n=2
			2000→1000 branch taken n=1`,
	},
	{
		name:    "more ways than a block counts",
		program: "a 100 return\nb 2000 branch branch branch branch branch branch branch branch branch branch",
		trace: strings.Repeat("a E taken\nb 0+1 E taken\na E taken\nb 1+1 E taken\na E taken\nb 2+1 E taken\na E taken\nb 3+1 E taken\na E taken\nb 4+1 E taken\n"+
			"a E taken\nb 5+1 E taken\na E taken\nb 6+1 E taken\na E taken\nb 7+1 E taken\na E taken\nb 8+1 E taken\na E taken\nb 9+1 E taken\n", 2) + "a E taken",
		edges: `100→2000 return taken n=2
			100→2004 return taken n=2
			100→2008 return taken n=2
			100→200c return taken n=2
			100→2010 return taken n=2
			100→2014 return taken n=2
			100→2018 return taken n=2
			100→201c return taken n=2
			100→2020 return taken n=2
			100→2024 return taken n=2
			2000→100 branch taken n=2
			2004→100 branch taken n=2
			2008→100 branch taken n=2
			200c→100 branch taken n=2
			2010→100 branch taken n=2
			2014→100 branch taken n=2
			2018→100 branch taken n=2
			201c→100 branch taken n=2
			2020→100 branch taken n=2
			2024→100 branch taken n=2`,
	},
	{
		name:    "the first time, in pieces",
		program: "a 1000 other other other branch",
		trace:   "a 0+1 E passed\na 3+1 E taken\na EEEE taken\na EEEE taken",
		counts: `1000 a32 executed=3 failed=0 unknown=0 first=0
			1004 a32 executed=2 failed=0 unknown=0 first=3
			1008 a32 executed=2 failed=0 unknown=0 first=4
			100c a32 executed=3 failed=0 unknown=0 first=1`,
	},
	{
		name:    "own cycles of waypoints",
		program: "a 1000 other branch\nb 2000 other",
		trace:   "epoch 0\na taken cycles=7\na 0+1 unknown\na 1+1 taken cycles=0\nb passed cycles=1\na taken",
		counts: `1000 a32 executed=0 failed=0 unknown=3 first=0 timed=3 spread=3.5
			1004 a32 executed=3 failed=0 unknown=0 first=1 timed=3 cycles=7 spread=3.5
			2000 a32 executed=1 failed=0 unknown=0 first=4 timed=1 cycles=1 spread=1`,
		edges: `1004→1000 branch taken n=1 cycles=7
			1004→2000 branch taken n=1 cycles=0`,
	},
	{
		name:    "own cycles of each instruction",
		program: "a 1000 svc branch\nb 3000 other svc branch",
		trace:   "epoch 0\na EE taken costs=2,3\na NE taken costs=1,1\na 0+1 E passed costs=4\nexception 2000\na 1+1 E taken costs=9\nb EEE taken costs=1,2,3",
		counts: `1000 a32 executed=2 failed=1 unknown=0 first=0 timed=3 cycles=7 spread=7.5
			1004 a32 executed=3 failed=0 unknown=0 first=1 timed=3 cycles=13 spread=12.5
			3000 a32 executed=1 failed=0 unknown=0 first=6 timed=1 cycles=1 spread=2
			3004 a32 executed=1 failed=0 unknown=0 first=7 timed=1 cycles=2 spread=2
			3008 a32 executed=1 failed=0 unknown=0 first=8 timed=1 cycles=3 spread=2`,
		edges: `1000→1004 svc taken n=1 cycles=2
			1000→1004 svc not_taken n=1 cycles=1
			1000→1004 exception taken n=1 cycles=4
			1000→2000 svc taken n=1 cycles=4
			1004→1000 branch taken n=2 cycles=4
			1004→3000 branch taken n=1 cycles=9
			3004→3008 svc taken n=1 cycles=2`,
	},
	{
		name:    "the cost of runs is summed before it is divided",
		program: "a 1000 other other branch",
		trace:   "epoch 0\n" + strings.Repeat("a taken cycles=1\n", 3) + "a 0+2 unknown cycles=1",
		counts: `1000 a32 executed=0 failed=0 unknown=4 first=0 timed=4 spread=1.5
			1004 a32 executed=0 failed=0 unknown=4 first=1 timed=4 cycles=1 spread=1.5
			1008 a32 executed=3 failed=0 unknown=0 first=2 timed=3 cycles=3 spread=1`,
	},
	{
		name:    "epochs without cycles are not timed",
		program: "a 1000 branch",
		trace:   "epoch 0\na unknown\nepoch 1\na unknown\na taken cycles=1\nepoch 2\na unknown\nepoch 3\npart\na unknown\npart\na taken cycles=2\na unknown\nepoch 4\na unknown\nepoch 5\na unknown",
		counts:  "1000 a32 executed=2 failed=0 unknown=7 first=0 timed=5 cycles=3 spread=3",
	},
	{
		name:    "without cycles nothing is timed",
		program: "a 1000 branch",
		trace:   "a unknown\na taken",
		counts:  "1000 a32 executed=1 failed=0 unknown=1 first=0",
	},
}

// The rules hold, however runs are put into jobs, whichever worker counts them
// when, and however often what was counted is added up.
func TestExamples(t *testing.T) {
	tight := limits{job: 1, marks: usual.marks, source: usual.source}
	ways := map[string]func() *Tally{
		"at once":   func() *Tally { return New(nil, nil) },
		"stretches": func() *Tally { return New(nil, nil) },
		"folds":     func() *Tally { return &Tally{limits: tight} },
		"late workers": func() *Tally {
			return &Tally{workers: &lateWorkers{}, limits: limits{1, usual.marks, usual.fold, 0, usual.source}}
		},
		"some folds": func() *Tally {
			return &Tally{workers: &lateWorkers{}, limits: limits{1, usual.marks, 3, 5, usual.source}}
		},
		"many workers": func() *Tally {
			return &Tally{workers: &manyWorkers{}, limits: limits{1, usual.marks, 3, 5, usual.source}}
		},
	}
	for _, x := range examples {
		t.Run(x.name, func(t *testing.T) {
			for way, tally := range ways {
				for _, split := range []bool{false, true} {
					to := tally()
					script := stitchtest.Script{Program: x.program, Trace: x.trace, Split: split}
					if way == "stretches" {
						playStretches(t, script, to)
					} else {
						play(t, script, to)
					}
					counts, edges, err := to.Finish()
					if err != nil {
						t.Fatal(err)
					}
					if source := to.Base().Source; source != 7 {
						t.Errorf("%s: source %d", way, source)
					}
					c, e := words(counts, edges)
					same(t, fmt.Sprintf("%s, split %v: counts", way, split), c, x.counts)
					same(t, fmt.Sprintf("%s, split %v: edges", way, split), e, x.edges)
				}
			}
		})
	}
}

// same compares rows with those wanted, a line each.
func same(t *testing.T, what string, got []string, want string) {
	t.Helper()
	var rows []string
	for line := range strings.Lines(want) {
		rows = append(rows, strings.TrimSpace(line))
	}
	if want == "none" {
		rows = nil
	}
	if want != "" && !slices.Equal(got, rows) {
		t.Errorf("%s:\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(rows, "\n"))
	}
}

// lateWorkers do nothing until they are waited for, and then the last job first.
type lateWorkers struct{ jobs []func() }

func (w *lateWorkers) Go(work func()) error {
	w.jobs = append(w.jobs, work)
	return nil
}

func (w *lateWorkers) Wait() error {
	for _, work := range slices.Backward(w.jobs) {
		work()
	}
	w.jobs = nil
	return nil
}

// manyWorkers have a goroutine for each job.
type manyWorkers struct{ open sync.WaitGroup }

func (w *manyWorkers) Go(work func()) error {
	w.open.Go(work)
	return nil
}

func (w *manyWorkers) Wait() error {
	w.open.Wait()
	return nil
}
