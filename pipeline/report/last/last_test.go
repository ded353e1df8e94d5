package last_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/calls"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/pipeline/report/last"
	"github.com/tracelake/tracelake/pipeline/report/reporttest"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/datasettest"
)

func equal(t *testing.T, want, got any, options ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, options...); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

// A lastOf finds the last instructions of a dataset.
type lastOf struct {
	t   *testing.T
	dir string
	m   *report.Merged
}

func newLast(t *testing.T, dir string) *lastOf {
	t.Helper()
	m, err := report.Read([]string{dir}, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &lastOf{t, dir, m}
}

// before returns the last n instructions before a point of its only source.
func (l *lastOf) before(kind last.PointKind, at, n int64) *last.Excerpt {
	l.t.Helper()
	x, err := last.Read(l.m, l.dir, schema.Null[uint8]{}, last.Point{Kind: kind, N: at}, n, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	return x
}

// frames are the frames of a stack in words: functions that were called, =tail calls and
// [exceptions].
func frames(x *last.Excerpt) string {
	if x.Stack == nil {
		return x.Why
	}
	var words []string
	for _, f := range slices.Backward(x.Stack.Frames) {
		word := f.Function
		switch f.Entry {
		case schema.StackTail:
			word = "=" + word
		case schema.StackException:
			word = "[" + f.Exception + "]"
		}
		words = append(words, word)
	}
	return x.Stack.Task.Name + ": " + strings.Join(words, " ")
}

// Stacks of the sample: in a task, in a handler, in one that is to switch to another task,
// in recursion, where a function was tail-called.
func TestLastStacks(t *testing.T) {
	l := newLast(t, reporttest.Sample(t, schema.LevelBlocks))
	for seq, want := range map[int64]string{
		0:      "_start: _start",
		178843: "sort_task: sort_task quicksort by_digits",
		178850: "sort_task: sort_task quicksort by_digits [irq 14] irq_entry",
		178943: "sort_task: sort_task quicksort by_digits [irq 14] irq_entry kernel_irq =next",
		159573: "script_task: script_task interpret.constprop.0 fibonacci_of =fibonacci",
		218348: "sort_task: sort_task [svc 10] svc_entry kernel_svc =next",
	} {
		x := l.before(last.AtSeq, seq+1, 3)
		if got := frames(x); got != want || len(x.Rows) == 0 || x.Rows[len(x.Rows)-1].Seq != seq {
			t.Errorf("at %d: %s, want %s", seq, got, want)
		}
	}
}

// At any instruction of the sample the task is that of its Context ID, and the function on
// top its own. In a handler the Context ID may be that of the next task; and the first task
// begins without one, from which only its first exception tells it.
func TestLastTask(t *testing.T) {
	dir := reporttest.Sample(t, schema.LevelInstructions)
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	contexts, l, random := contextsOf(t, d), newLast(t, dir), rand.New(rand.NewPCG(1, 2))
	const booted = 10247
	for range need.Size(30, 300) {
		at := booted + random.Int64N(int64(len(contexts))-booted)
		x := l.before(last.AtSeq, at+1, 1)
		if x.Stack == nil || x.Stack.Frames[0].Function != x.Rows[0].Function {
			t.Errorf("at %d, in %s: %s", at, x.Rows[0].Function, frames(x))
			continue
		}
		handles := slices.ContainsFunc(x.Stack.Frames, func(f last.Frame) bool { return f.Entry == schema.StackException })
		if !handles && x.Stack.Task.ContextID != schema.Of(contexts[at]) {
			t.Errorf("at %d: %s with Context ID %d, want %d", at, frames(x), x.Stack.Task.ContextID.V, contexts[at])
		}
	}
}

func contextsOf(t *testing.T, d *dataset.Dataset) (contexts []uint32) {
	t.Helper()
	for b, err := range d.Batches(&schema.Instructions) {
		if err != nil {
			t.Fatal(err)
		}
		contexts = append(contexts, b.Columns[schema.InstructionsContextID].U32...)
	}
	return contexts
}

// Both levels have the same instructions before any point, those that the table has; an
// exception and a byte of the capture are found.
func TestLastPoints(t *testing.T) {
	flat, blocks := newLast(t, reporttest.Sample(t, schema.LevelInstructions)), newLast(t, reporttest.Sample(t, schema.LevelBlocks))
	for _, tt := range []struct {
		kind          last.PointKind
		at, n         int64
		before, first int64 // seq of the point, and of the first instruction
	}{
		{last.AtEnd, 0, 7, 218349, 218342},
		{last.AtSeq, 218349, 1, 218349, 218348},
		{last.AtSeq, 100, 200, 100, 0},
		{last.AtSeq, 1, 50, 1, 0},
		{last.AtException, 153, 10, 178844, 178834},
		{last.AtException, 0, 10, 6232, 6222},
		{last.AtOffset, 0x2000, 6, 27611, 27605},
		{last.AtOffset, 1 << 40, 6, 218349, 218343},
	} {
		x, y := flat.before(tt.kind, tt.at, tt.n), blocks.before(tt.kind, tt.at, tt.n)
		if x.Before != tt.before || x.Rows[0].Seq != tt.first || int64(len(x.Rows)) != tt.before-tt.first {
			t.Errorf("%+v: %d rows from %d, before %d", tt, len(x.Rows), x.Rows[0].Seq, x.Before)
		}
		y.Dir, y.Stack.Task.Dir = x.Dir, x.Stack.Task.Dir
		equal(t, x, y, cmpopts.IgnoreUnexported(last.Mark{}))
	}
	if x := flat.before(last.AtOffset, 0, 6); x.Before != 0 || len(x.Rows) != 0 || x.Stack != nil {
		t.Errorf("before the first byte: %+v", x)
	}
	x := flat.before(last.AtException, 153, 200)
	equal(t, &last.Exception{Ordinal: 153, Seq: 178844, Exception: read.Exception{Type: schema.Of(schema.ExcIRQ), Number: schema.Of(uint16(14))}}, x.Entry)
	equal(t, []last.Mark{{Seq: 178844, Table: "exceptions", What: "irq 14"}}, x.Marks, cmpopts.IgnoreUnexported(last.Mark{}))
	row := x.Rows[len(x.Rows)-1]
	equal(t, last.Executed{
		Seq: 178843, Address: 0x40008580, Size: 4, ISA: schema.A32, Opcode: 0x33a00001, Kind: schema.KindOther, Conditional: true,
		Name: report.Name{Function: "by_digits", Address: 0x40008550, File: "sort.c", Line: 13},
	}, row)
}

// A call is found by its number, and the report of calls has the numbers of the longest.
func TestLastCalls(t *testing.T) {
	dir := reporttest.Sample(t, schema.LevelInstructions)
	l := newLast(t, dir)
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	seqs := map[int64]int64{}
	for b, err := range d.Batches(&schema.Calls) {
		if err != nil {
			t.Fatal(err)
		}
		for row := range b.Rows() {
			seqs[int64(schema.CallsCall.At(b, row))] = int64(schema.CallsSeq.At(b, row))
		}
	}
	for call := int64(0); call < int64(len(seqs)); call += 500 {
		if x := l.before(last.AtCall, call, 3); x.Before != seqs[call] || x.Call != schema.Of(call) || len(x.Rows) != 3 {
			t.Errorf("call %d: before %d, want %d", call, x.Before, seqs[call])
		}
	}
	none := last.Point{Kind: last.AtCall, N: int64(len(seqs))}
	if _, err := last.Read(l.m, dir, schema.Null[uint8]{}, none, 3, nil); err == nil || !strings.Contains(err.Error(), "there is no call") {
		t.Errorf("after the last: %v", err)
	}
	table, err := calls.Read(l.m, []string{dir}, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range table.Rows {
		if at := r.Worst; r.Ended > 0 && (!at.Row.OK || seqs[at.Row.V] != at.Seq) {
			t.Errorf("%s: the longest is call %+v at %d", r.Function, at.Row, at.Seq)
		}
	}
}

// What cannot be answered is an error that says what to do.
func TestLastRefuses(t *testing.T) {
	const two = "source 0x10\nsource 0x11\nsource 0x12\ncode 0x1000 a32 other executed=1\nrun 0x1000 a32 source=0x11 executed=1\n"
	for _, tt := range []struct {
		name, text string
		source     schema.Null[uint8]
		point      last.Point
		want       string
	}{
		{"two sources", two, schema.Null[uint8]{}, last.Point{}, "run has 2 sources that ran"},
		{"another source", two, schema.Of(uint8(0x12)), last.Point{}, "run has no source 0x12 that ran"},
		{"nothing ran", "source 0x10", schema.Null[uint8]{}, last.Point{}, "run has 0 sources that ran"},
		{"beyond", datasettest.Stacked, schema.Null[uint8]{}, last.Point{Kind: last.AtSeq, N: 19}, "run: seq 19 is beyond the end: source 0x10 has 18 instructions"},
		{"no call", datasettest.Stacked, schema.Null[uint8]{}, last.Point{Kind: last.AtCall, N: 1000}, "run: has no table calls"},
		{"no exception", datasettest.Stacked, schema.Null[uint8]{}, last.Point{Kind: last.AtException, N: 0}, "run: there is no exception 0"},
	} {
		dir := datasettest.Datasets(t, tt.text)[0]
		_, err := last.Read(newLast(t, dir).m, dir, tt.source, tt.point, 5, nil)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	dir := reporttest.Sample(t, schema.LevelNone)
	_, err := last.Read(newLast(t, dir).m, dir, schema.Null[uint8]{}, last.Point{}, 5, nil)
	if e, ok := errors.AsType[*dataset.Error](err); !ok || !strings.Contains(e.Remedy, "--level blocks") {
		t.Errorf("level none: %v", err)
	}
}

// What the tables do not say, or say wrong, is no stack and no panic.
func TestLastUnknown(t *testing.T) {
	rows := datasettest.Stacked + strings.Repeat("instruction 0x1008 a32 other\n", 18)
	const none = "task main\nspan 1 ? end=open\nexception 1 entry type=irq\n"
	for _, tt := range []struct{ name, text, want string }{
		{"no tables", "", "the dataset has no table calls"},
		{"right", "task main\nspan 1 2\nexception 1 entry\nstack function=0\nstack parent=0 function=1 entry=call\ncall 6 ? stack=1 end=open", "main: main work"},
		{"another function", "task main\nspan 1 2\nexception 1 entry\nstack function=0\nstack parent=0 function=0 entry=call\ncall 6 ? stack=1 end=open", "no path of task main leads to its function"},
		{"no such stack", "task main\nspan 1 2\nexception 1 entry\nstack function=1\ncall 6 ? stack=9 end=open", "main: work"},
		{"no such task", "span 1 2 stack=-7\nexception 1 entry\ntask main first=99\nstack function=1 task=9\ncall 6 ? end=open", "nothing near it says which task ran"},
		{"no such exception", none + "stack function=1\ncall 0 1", "no path of task main leads to its function"},
		{"task begins late", "task main first=99\nspan 1 2 stack=5\nexception 1 entry\nstack function=1 task=5\ncall 0 1", "nothing near it says which task ran"},
	} {
		dir := datasettest.Datasets(t, rows+tt.text)[0]
		if got := frames(newLast(t, dir).before(last.AtEnd, 0, 1)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
