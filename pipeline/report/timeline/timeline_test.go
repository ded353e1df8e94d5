package timeline_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/pipeline/report/reporttest"
	"github.com/tracelake/tracelake/pipeline/report/timeline"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// aDataset is one, read.
type aDataset struct {
	t   *testing.T
	m   *report.Merged
	dir string
}

// described reads the dataset that a text describes.
func described(t *testing.T, text string) aDataset {
	t.Helper()
	return opened(t, datasettest.Datasets(t, text)[0])
}

func opened(t *testing.T, dir string) aDataset {
	t.Helper()
	m, err := report.Read([]string{dir}, report.Options{})
	noError(t, err)
	return aDataset{t, m, dir}
}

// timelines goes through the timelines in a window.
func (d aDataset) timelines(w timeline.Window, do func(*timeline.Timeline)) {
	d.t.Helper()
	noError(d.t, timeline.Each(d.m, []string{d.dir}, "", w, nil, func(x *timeline.Timeline) error {
		do(x)
		return nil
	}))
}

// shown returns what a timeline shows. Times have to follow one another, frames to nest, and
// everything to be left at the end.
func shown(t *testing.T, x *timeline.Timeline) (all []modelSlice) {
	t.Helper()
	open := map[int32][]modelSlice{}
	var turn *modelSlice
	last, ended := int64(-1), false
	endTurn := func(at int64) {
		if turn != nil {
			turn.until = at
			all = append(all, *turn)
		}
		turn = nil
	}
	noError(t, x.Walk(func(e *timeline.Event) error {
		if e.At < last || ended {
			t.Errorf("%v at %d comes after %d", e.Kind, e.At, last)
		}
		last = e.At
		l := open[e.Task]
		switch e.Kind {
		case timeline.Turn:
			endTurn(e.At)
			turn = &modelSlice{task: int(e.Task), name: "turn", from: e.At}
		case timeline.Enter:
			open[e.Task] = append(l, modelSlice{int(e.Task), len(l), x.Frames[e.Frame].Text(), e.At, 0})
		case timeline.Leave:
			s := l[len(l)-1]
			if s.name != x.Frames[e.Frame].Text() {
				t.Errorf("task %d leaves %s, and is in %s", e.Task, x.Frames[e.Frame].Text(), s.name)
			}
			s.until = e.At
			all = append(all, s)
			open[e.Task] = l[:len(l)-1]
		case timeline.Gap:
			endTurn(e.At)
			last = e.Until
			all = append(all, modelSlice{name: "gap", from: e.At, until: e.Until})
		case timeline.Mark:
			all = append(all, modelSlice{name: e.Text, from: e.At, until: e.At})
		case timeline.End:
			endTurn(e.At)
			ended = true
		}
		return nil
	}))
	for task, l := range open {
		if len(l) > 0 {
			t.Errorf("task %d is still in %v", task, l)
		}
	}
	return all
}

// lasting returns the slices that last, in order.
func lasting(all []modelSlice) []modelSlice {
	all = slices.DeleteFunc(all, func(s modelSlice) bool { return s.from == s.until })
	sortSlices(all)
	return all
}

// Timelines of tasks that were made up show what these did, in windows too.
func TestTimelineOfModel(t *testing.T) {
	for seed := range need.Size(8, 400) {
		m := newTimelineModel(uint64(seed), 500)
		d := described(t, m.text(false))
		random := rand.New(rand.NewPCG(uint64(seed), 1))
		for _, width := range []int64{0, 1, 2, 10, 50, 50, 50, 200, 200, 200, m.seq, m.seq} {
			w := timeline.Everything
			if width > 0 {
				from := random.Int64N(m.seq)
				w = timeline.Window{From: from, Until: from + width}
			}
			d.timelines(w, func(x *timeline.Timeline) {
				if diff := cmp.Diff(m.inside(w.From, w.Until), lasting(shown(t, x)), cmp.AllowUnexported(modelSlice{})); diff != "" {
					t.Fatalf("seed %d, window %v: want -, got +:\n%s", seed, w, diff)
				}
			})
		}
	}
}

// In cycles, calls that return are where their cycles are, on one axis; turns sum up to all
// cycles.
func TestTimelineOfModelInCycles(t *testing.T) {
	for seed := range need.Size(8, 400) {
		m := newTimelineModel(uint64(seed), 500)
		d := described(t, m.text(true))
		for _, w := range []timeline.Window{timeline.Everything, {From: m.seq / 3, Until: m.seq / 2}} {
			d.timelines(w, func(x *timeline.Timeline) {
				sum, got := int64(0), map[string]bool{}
				for _, s := range shown(t, x) {
					if s.name == "turn" {
						sum += s.until - s.from
					}
					got[fmt.Sprint(s)] = true
				}
				if w == timeline.Everything && (x.Unit != durations.InCycles || sum != m.cycles[m.seq]) {
					t.Errorf("seed %d: turns have %d %v, want %d", seed, sum, x.Unit, m.cycles[m.seq])
				}
				for _, s := range m.slices {
					inside := s.from >= w.From && s.until < w.Until
					s.from, s.until = m.cycles[s.from], m.cycles[s.until]
					if inside && strings.HasPrefix(s.name, "f") && !got[fmt.Sprint(s)] {
						t.Fatalf("seed %d, window %v: no %v", seed, w, s)
					}
				}
			})
		}
	}
}

// timelineProgram has functions 0 to 4, code, and a source that ran 100 instructions.
const timelineProgram = `
source 0x10
run 0x1000 a32 executed=100
function 0x1000 16 main
function 0x1010 16 f
function 0x1020 16 g
function 0x1030 16 h
function 0x1040 16 isr
`

func TestTimeline(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{
			"nothing is called",
			"task main\nstack function=0\ncall 0 0 stack=0", // a row, for the table to be there
			"0 turn 0, 0 enter 0 main, 0 enter 0 main, 0 leave 0 main, 100 leave 0 main, 100 end",
		},
		{
			"a tail call is above the function that was called; that of a root is seen at the first call that it makes",
			`task main
stack function=0
stack function=1 parent=0 entry=call
stack function=2 parent=1 entry=tail
stack function=3 parent=2 entry=call
stack function=4 parent=0 entry=tail
stack function=3 parent=4 entry=call
call 20 30 stack=3
call 20 40 stack=2 entry=tail
call 10 40 stack=1
call 60 70 stack=5`,
			"0 turn 0, 0 enter 0 main, 10 enter 0 f, 20 enter 0 g, 20 enter 0 h, 30 leave 0 h, 40 leave 0 g, 40 leave 0 f, " +
				"60 enter 0 isr, 60 enter 0 h, 70 leave 0 h, 100 leave 0 isr, 100 leave 0 main, 100 end",
		},
		{
			"callers whose row was left out, and a tail call",
			`task main
stack function=0
stack function=1 parent=0 entry=call
stack function=2 parent=1 entry=call
stack function=3 parent=2 entry=call
stack function=4 parent=1 entry=tail
call 20 30 stack=3
call 31 40 stack=3
call 50 60 stack=4 entry=tail`,
			"0 turn 0, 0 enter 0 main, 0 enter 0 f, 0 enter 0 g, 20 enter 0 h, 30 leave 0 h, 31 enter 0 h, 40 leave 0 h, " +
				"50 leave 0 g, 50 enter 0 isr, 60 leave 0 isr, 100 leave 0 f, 100 leave 0 main, 100 end",
		},
		{
			"an exception interrupts a tail call; it is open to the end",
			`task main
stack function=0
stack function=1 parent=0 entry=call
stack function=2 parent=1 entry=tail
stack parent=2 entry=exception type=svc number=53
stack function=4 parent=3 entry=root
stack function=3 parent=4 entry=call
exception 20 entry type=svc number=53
call 30 40 stack=5
call 15 ? stack=2 entry=tail end=open
call 10 ? stack=1 end=open
span 20 ? ordinal=0 stack=2 end=open`,
			"0 turn 0, 0 enter 0 main, 10 enter 0 f, 15 enter 0 g, 20 enter 0 [svc 53], 20 enter 0 isr, 30 enter 0 h, 40 leave 0 h, " +
				"100 leave 0 isr, 100 leave 0 [svc 53], 100 leave 0 g, 100 leave 0 f, 100 leave 0 main, 100 end",
		},
		{
			"handlers of an exception are above what that interrupted, a handler too; a call in one whose exception was not seen is in a task of its own",
			`task main
task "[irq 14]" first=20 origin=exception
task "[fiq]" first=30 origin=exception
stack function=0
stack function=1 parent=0 entry=call
stack task=1 entry=exception type=irq number=14
stack task=1 function=4 parent=2
stack task=1 function=3 parent=3 entry=tail
stack task=2 entry=exception type=fiq
stack task=2 function=4 parent=5
stack task=2 function=2 parent=6 entry=call
exception 20 entry type=irq number=14
exception 30 entry type=fiq
exception 60 entry type=irq number=14
call 32 34 stack=7
call 25 45 stack=4 entry=tail
call 60 63 stack=4 entry=tail
call 10 70 stack=1
call 80 85 stack=7
span 30 40 ordinal=1 stack=4
span 20 45 ordinal=0 stack=1
span 60 63 ordinal=2 stack=1`,
			"0 turn 0, 0 enter 0 main, 10 enter 0 f, 20 enter 0 [irq 14], 20 enter 0 isr, 25 enter 0 h, 30 enter 0 [fiq], 30 enter 0 isr, " +
				"32 enter 0 g, 34 leave 0 g, 40 leave 0 isr, 40 leave 0 [fiq], 45 leave 0 h, 45 leave 0 isr, 45 leave 0 [irq 14], " +
				"60 enter 0 [irq 14], 60 enter 0 isr, 60 enter 0 h, 63 leave 0 h, 63 leave 0 isr, 63 leave 0 [irq 14], 70 leave 0 f, " +
				"80 turn 2, 80 enter 2 [fiq], 80 enter 2 isr, 80 enter 2 g, 85 leave 2 g, " +
				"100 leave 0 main, 100 leave 2 isr, 100 leave 2 [fiq], 100 end",
		},
		{
			"handlers that were not seen to come, then the task; trace that was off leaves nothing; after a gap a row says who runs and where",
			`task "[entry not seen]" origin=exception
task main first=20
task other first=40 origin=new
stack entry=exception
stack function=4 parent=0
stack task=1 function=0
stack task=1 function=1 parent=2 entry=call
stack task=1 function=2 parent=3 entry=call
stack task=2 function=3
event 30 trace_on
event 50 overflow
event 80 overflow
call 25 35 stack=3
call 60 70 stack=4`,
			"0 turn 0, 0 enter 0 [entry not seen], 0 enter 0 isr, 20 turn 1, 20 enter 1 main, 25 enter 1 f, 30 mark trace_on, 35 leave 1 f, " +
				"40 turn 2, 40 enter 2 h, 50 leave 0 isr, 50 leave 0 [entry not seen], 50 leave 1 main, 50 leave 2 h, 50 gap until 50, 50 turn 1, " +
				"50 enter 1 main, 50 enter 1 f, 50 mark overflow, 60 enter 1 g, 70 leave 1 g, 80 leave 1 f, 80 leave 1 main, 80 gap until 80, " +
				"80 turn 1, 80 enter 1 main, 80 mark overflow, 100 leave 1 main, 100 end",
		},
		{
			"a gap leaves everything, also what no row ends; marks",
			`task main
task g origin=gap first=50
stack function=0
stack function=1 parent=0 entry=call
stack function=2 task=1
call 10 50 stack=1 end=gap
event 50 overflow
event 100 trace_on`,
			"0 turn 0, 0 enter 0 main, 10 enter 0 f, 50 leave 0 f, 50 leave 0 main, 50 gap until 50, 50 turn 1, 50 enter 1 g, 50 mark overflow, " +
				"100 leave 1 g, 100 mark trace_on, 100 end",
		},
		{
			"two stacks of which no caller was seen take turns: each is left when it ends",
			`task g origin=gap
stack function=0
stack function=1 parent=0 entry=call
stack function=2
stack function=3 parent=2 entry=call
call 10 60 stack=1
call 30 80 stack=3`,
			"0 turn 0, 0 enter 0 main, 10 enter 0 f, 30 turn 1, 30 enter 1 g, 30 enter 1 h, 60 leave 0 f, 60 turn 0, 80 leave 1 h, 80 turn 1, " +
				"100 leave 0 main, 100 leave 1 g, 100 end",
		},
		{
			"cycles between epochs are the length of a gap; a call over two epochs ends between what is known",
			`task main cycles=100
task g origin=gap first=50 cycles=60
stack function=0
stack function=1 parent=0 entry=call
stack function=2 task=1
stack function=3 task=1 parent=2 entry=call
call 10 50 stack=1 end=gap epoch=0 cycle=20
event 50 overflow
call 60 80 stack=3 epoch=1 cycle=10
call 90 95 stack=3 epoch=2 cycle=4 end_cycle=6
count 0 100
count 1 40
count 1 1000 kind=gap
count 2 20`,
			"0 turn 0, 0 enter 0 main, 20 enter 0 f, 100 leave 0 f, 100 leave 0 main, 100 gap until 1100, 1100 turn 1, 1100 enter 1 g, 1100 mark overflow, " +
				"1110 enter 1 h, 1132 leave 1 h, 1144 enter 1 h, 1146 leave 1 h, 1160 leave 1 g, 1160 end",
		},
		{
			"several epochs whose lengths no table has: instructions",
			`task main cycles=100
stack function=0
stack function=1 parent=0 entry=call
call 10 50 stack=1 epoch=0 cycle=20 end_cycle=30
call 60 80 stack=1 epoch=1 cycle=10 end_cycle=30`,
			"0 turn 0, 0 enter 0 main, 10 enter 0 f, 50 leave 0 f, 60 enter 0 f, 80 leave 0 f, 100 leave 0 main, 100 end",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			described(t, timelineProgram+tt.text+withSpans(tt.text)).timelines(timeline.Everything, func(x *timeline.Timeline) {
				if got := events(t, x); got != tt.want {
					t.Errorf("%s\nwant\n%s", got, tt.want)
				}
			})
		})
	}
}

// withSpans returns a row of exception_spans that is nowhere, if a text has none: the table has to be
// there.
func withSpans(text string) string {
	if strings.Contains(text, "\nspan ") {
		return ""
	}
	return "\nexception 100 entry\nspan 100 100 ordinal=0 end=gap"
}

// events lists what happens in a timeline.
func events(t *testing.T, x *timeline.Timeline) string {
	t.Helper()
	var all []string
	noError(t, x.Walk(func(e *timeline.Event) error {
		text := fmt.Sprint(e.At, " ", e.Kind)
		switch e.Kind {
		case timeline.Turn:
			text += fmt.Sprint(" ", e.Task)
		case timeline.Enter, timeline.Leave:
			text += fmt.Sprint(" ", e.Task, " ", x.Frames[e.Frame].Text())
		case timeline.Gap:
			text += fmt.Sprint(" until ", e.Until)
		case timeline.Mark:
			text += " " + e.Text
		case timeline.End:
		}
		all = append(all, text)
		return nil
	}))
	return strings.Join(all, ", ")
}

// Frames that no viewer shows are not entered, and what is in them does not come out elsewhere.
func TestDeepTimeline(t *testing.T) {
	const depth = 700
	stacks, calls := "stack function=0\n", ""
	for i := 1; i < depth; i++ {
		stacks += fmt.Sprintf("stack function=1 parent=%d entry=call\n", i-1)
		calls = fmt.Sprintf("call %d %d stack=%d\n", i, 2*depth-i, i) + calls
	}
	text := "source 0x10\nrun 0x1000 a32 executed=2000\nfunction 0x1000 16 main\nfunction 0x1010 16 f\ntask main\n" + stacks + calls
	described(t, text+withSpans("task main")).timelines(timeline.Everything, func(x *timeline.Timeline) {
		all := shown(t, x)
		deepest := slices.MaxFunc(all, func(x, y modelSlice) int { return x.depth - y.depth })
		if len(all) != 512+2 || // a turn, and the exception of withSpans
			deepest.depth != 511 || deepest.from != 511 || deepest.until != 2*depth-511 {
			t.Errorf("%d slices, the deepest %+v", len(all), deepest)
		}
	})
}

// A damaged dataset is an error that names the row.
func TestDamagedTimeline(t *testing.T) {
	const good = "task main\nstack function=0\nstack function=1 parent=0 entry=call\nstack function=2 parent=0 entry=call\nexception 50 entry\n"
	for _, tt := range []struct{ name, text, want string }{
		{"calls cross", good + "call 10 30 stack=1\ncall 20 40 stack=2\nspan 50 60", "call of g of task 0 from seq 20 to 40 crosses one that ends at 30"},
		{"an exception crosses a call", good + "call 10 55 stack=1\nspan 50 60", "exception [exception] of task 0 from seq 50 to 60 crosses one that ends at 55"},
		{"unknown stack", good + "call 10 20 stack=3\nspan 50 60", "call 0 is of stack 3, which there is not"},
		{"unknown task", "task a\nstack task=1\ncall 10 20\nexception 50 entry\nspan 50 60", "call 0 is of task 1, which there is not"},
		{"an exception of an unknown stack", good + "call 10 20 stack=1\nspan 50 60 stack=3", "span 0 is of stack 3, which there is not"},
		{"end before start", good + "call 10 20 stack=1\ncall 30 29 stack=1\nspan 50 60", "call 1 ends at seq 29, before it begins at 30"},
		{"end before start in cycles", good + "call 10 20 stack=1 cycle=7 end_cycle=6\nspan 50 60", "call 0 ends at cycle 6, before it begins at 7"},
		{"after the end", good + "call 10 101 stack=1\nspan 50 60", "call 0 is after the last instruction, seq 99"},
		{"before its task", "task a\ntask b first=30\nstack function=0 task=1\ncall 10 20 stack=0\nspan 50 60", "call 0 begins at seq 10, before its task 1"},
		{"tasks out of order", "task a first=30\ntask b first=20\nstack\ncall 40 45\nspan 50 60", "task 1 begins at seq 20, out of order"},
		{"unknown exception", good + "call 10 20 stack=1\nspan 50 60 ordinal=4", "span 0 is of row 4 of exceptions, which there is not"},
		{"no spans", good + "call 10 20 stack=1", "has no table exception_spans"},
		{"no tasks", "stack\ncall 10 20\nspan 50 60", "has no table tasks"},
		{"huge times", good + "call 10 20 stack=1 cycle=9223372036854775807\nspan 50 60", "call 0 has counts that no trace can have"},
		{"epochs out of order", "task a cycles=1\nevent 30 overflow\nstack\nexception 50 entry\ncount 1 5\ncount 0 5\nspan 50 60\ncall 10 10", "epoch 0 comes after 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := described(t, timelineProgram+tt.text)
			err := timeline.Each(d.m, []string{d.dir}, "", timeline.Everything, nil, func(x *timeline.Timeline) error {
				return x.Walk(func(*timeline.Event) error { return nil })
			})
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), d.dir) {
				t.Errorf("%v\nwant %s", err, tt.want)
			}
		})
	}
}

// Turns of the sample sum up to all of its cycles, and those of each task to its own and those of the interrupts that
// it was interrupted by: of `tasks` and `exception_spans`.
func TestSampleTimeline(t *testing.T) {
	opened(t, reporttest.Sample(t, schema.LevelNone)).timelines(timeline.Everything, func(x *timeline.Timeline) {
		var all int64
		sum := make([]int64, len(x.Tasks))
		for _, s := range shown(t, x) {
			if s.name == "turn" {
				sum[s.task] += s.until - s.from
				all += s.until - s.from
			}
		}
		if all != 440811 || x.Unit != durations.InCycles || x.Slices != 6610 {
			t.Errorf("%d %v in %d slices", all, x.Unit, x.Slices)
		}
		if diff := cmp.Diff([]int64{14890, 59757 + 1338, 0, 197886 + 11077, 49399 + 1876, 96699 + 3021, 4868}, sum); diff != "" {
			t.Errorf("of tasks want -, got +:\n%s", diff)
		}
	})
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Time in which trace was off is in no turn: turns have what tasks executed, gaps and pauses what `epochs` says. Where
// rows do not say when it was, turns have it.
func TestOff(t *testing.T) {
	for level, placed := range map[schema.Level]bool{schema.LevelInstructions: true, schema.LevelNone: false} {
		dir := reporttest.Export(t, "opencsd-TC2", "", pipeline.Options{Level: level})
		d, err := dataset.Open(dir)
		noError(t, err)
		executed, gaps := map[uint8]int64{}, map[uint8]int64{}
		for b, err := range d.Batches(&schema.Epochs) {
			noError(t, err)
			for row := range b.Rows() {
				off, source := int64(schema.EpochsGapCycles.At(b, row)), schema.EpochsSource.At(b, row)
				executed[source], gaps[source] = executed[source]+int64(schema.EpochsCycles.At(b, row))-off, gaps[source]+off
			}
		}
		d.Close()
		opened(t, dir).timelines(timeline.Everything, func(x *timeline.Timeline) {
			turns, off, at, isOn := int64(0), int64(0), int64(0), false
			noError(t, x.Walk(func(e *timeline.Event) error {
				if isOn {
					turns += e.At - at
				}
				at = e.At
				switch e.Kind {
				case timeline.Turn:
					isOn = true
				case timeline.Gap, timeline.Pause:
					off += e.Until - e.At
					isOn, at = isOn && e.Kind == timeline.Pause, e.Until
				}
				return nil
			}))
			want := [3]int64{executed[x.Source], gaps[x.Source], 0}
			if !placed {
				want = [3]int64{executed[x.Source] + gaps[x.Source], 0, gaps[x.Source]}
			}
			if got := [3]int64{turns, off, x.OffCycles}; got != want {
				t.Errorf("level %v, source %#x: turns, gaps and cycles without place are %v, want %v", level, x.Source, got, want)
			}
		})
	}
}
