package tally

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/stitch/stitchtest"
	"github.com/tracelake/tracelake/schema"
)

// Many blocks are counted a few at a time: what is held of them stays small, however
// many are run through. Those that are run through again weigh nothing.
func TestFolds(t *testing.T) {
	var program, trace strings.Builder
	for i := range 100 {
		fmt.Fprintf(&program, "b%d %x other other other branch\n", i, 0x1000+16*i)
		fmt.Fprintf(&trace, "b%d EEEE taken\n", i)
	}
	tally := &Tally{limits: limits{job: 1, fold: 40, marks: usual.marks, counter: usual.counter, source: usual.source}}
	sinks := tally.Sinks(stitch.Sinks{})
	most := 0
	count := sinks.Runs
	sinks.Runs = func(r stitch.Runs) error {
		defer func() { most = max(most, tally.held()) }()
		return count(r)
	}
	stitchtest.Script{Program: program.String(), Trace: trace.String(), Split: true}.Play(t, sinks)
	if tally.touched.folds != 4 { // twenty blocks each, twice as many as of different units
		t.Errorf("%d folds, want 4", tally.touched.folds)
	}
	counts, edges, err := tally.Finish()
	if err != nil || len(counts) != 400 || len(edges) != 99 {
		t.Errorf("%d counts, %d edges, %v", len(counts), len(edges), err)
	}
	if most != 19 { // the job of the twentieth is not counted yet
		t.Errorf("%d shapes are held at once, want 19", most)
	}
	again := &Tally{limits: limits{job: 1, fold: 6, marks: usual.marks, counter: usual.counter, source: usual.source}}
	play(t, stitchtest.Script{Program: "a 1000 other other branch\nb 2000 other other branch", Trace: strings.Repeat("a EEE taken\nb EEE taken\n", 100), Split: true}, again)
	if again.touched.folds != 0 {
		t.Errorf("%d folds of two blocks, want 0", again.touched.folds)
	}
}

// held counts the shapes that counters hold.
func (t *Tally) held() (n int) {
	for _, c := range t.counters.idle {
		n += len(c.index)
	}
	return n
}

// Too many different edges, or shapes of runs that have cycles, are an error.
func TestLimit(t *testing.T) {
	for _, tt := range []struct {
		trace string
		fails bool
	}{
		{"a E taken\nb E taken\na E taken\nb E taken", false},
		{"a E taken\nb E taken\na E taken\na E taken\nb E taken\nc E taken", true},
		{"epoch 0\na taken cycles=1\nb taken cycles=1\nd 0+1 unknown cycles=1\nd 1+1 unknown cycles=1", true},
	} {
		tally := &Tally{limits: limits{job: 1, fold: usual.fold, marks: usual.marks, source: 3}}
		play(t, stitchtest.Script{Program: "a 1000 branch\nb 2000 branch\nc 3000 branch\nd 4000 other other", Trace: tt.trace, Split: true}, tally)
		_, _, err := tally.Finish()
		limit, ok := errors.AsType[*LimitError](err)
		if ok != tt.fails || ok && (limit.Most != 3 || !strings.HasPrefix(limit.Error(), "more than 3 different edges")) {
			t.Errorf("%q: %v", tt.trace, err)
		}
	}
}

// A flood of exceptions between two instructions takes no more memory than a few
// of them, and makes no edges.
func TestFlood(t *testing.T) {
	tally := &Tally{limits: limits{job: 4, marks: 10, fold: usual.fold, counter: usual.counter, source: usual.source}}
	trace := "a E taken\npart\n" + strings.Repeat("exception 2000\n", 30) + "a E taken\nexception 2000\na E taken"
	play(t, stitchtest.Script{Program: "a 1000 branch", Trace: trace}, tally)
	if n := len(tally.job.marks); n > 11 {
		t.Errorf("%d marks are held, want 11 at most", n)
	}
	_, edges, err := tally.Finish()
	if err != nil {
		t.Fatal(err)
	}
	_, e := words(nil, edges)
	same(t, "edges", e, "1000→1000 exception taken n=1\n1000→2000 branch taken n=1")
}

// Counting takes no memory once blocks and edges are known.
func TestNoAllocations(t *testing.T) {
	for _, x := range examples {
		tally := New(nil, nil)
		var parts []stitch.Runs
		sinks := tally.Sinks(stitch.Sinks{})
		sinks.Runs = stitch.TeeRuns(collect{&parts}.Add, tally.add)
		stitchtest.Script{Program: x.program, Trace: x.trace}.Play(t, sinks)
		c := newCounter(1, usual.counter)
		if n := testing.AllocsPerRun(10, func() { c.count(&job{pieces: parts}) }); n > 0 {
			t.Errorf("%s: %v allocations", x.name, n)
		}
	}
}

// What shapes count, however seldom they settle, is what comes of settling after
// each run that is new.
func TestSettling(t *testing.T) {
	const program = "a 1000 other svc branch\nb 2000 other branch\nct 2000 other return\nd 1008 branch"
	blocks := map[string]int{"a": 3, "b": 2, "ct": 2, "d": 1}
	for seed := range need.Size[uint64](50, 5000) {
		random := rand.New(rand.NewPCG(seed, 0))
		lines := []string{"epoch 0\n"}
		for range 200 {
			lines = append(lines, randomLine(random, blocks))
		}
		trace := strings.Join(lines, "")
		var want string
		for _, counter := range []int{0, 1, 7, usual.counter} {
			tally := &Tally{limits: limits{1 + random.IntN(50), usual.marks, usual.fold, counter, usual.source}}
			play(t, stitchtest.Script{Program: program, Trace: trace, Split: random.IntN(2) == 0}, tally)
			counts, edges, err := tally.Finish()
			if err != nil {
				t.Fatal(err)
			}
			c, e := words(counts, edges)
			got := strings.Join(slices.Concat(c, e), "\n")
			if want == "" {
				want = got
			}
			if got != want {
				t.Fatalf("seed %d: with %d shapes:\n%s\nwith one:\n%s\nof\n%s", seed, counter, got, want, trace)
			}
		}
	}
}

// randomLine is a run of one of the blocks, which have so many instructions, or
// something between two.
func randomLine(random *rand.Rand, blocks map[string]int) string {
	if random.IntN(8) == 0 {
		return []string{"exception 2000\n", "exception ?\n", "return\n", "loss\n", "trace_on\n", "debug_exit\n", "part\n"}[random.IntN(7)]
	}
	names := slices.Sorted(maps.Keys(blocks))
	name := names[random.IntN(len(names))]
	first := random.IntN(blocks[name])
	count := 1 + random.IntN(blocks[name]-first)
	line := fmt.Sprintf("%s %d+%d %s", name, first, count, schema.OutcomeNames[random.IntN(len(schema.OutcomeNames))])
	if random.IntN(2) == 0 {
		atoms := make([]byte, count)
		for i := range atoms {
			atoms[i] = "EN"[random.IntN(2)]
		}
		line += " " + string(atoms)
	}
	switch random.IntN(3) {
	case 0:
		line += fmt.Sprintf(" cycles=%d", random.IntN(5))
	case 1:
		line += " costs=" + strings.Repeat("3,", count-1) + fmt.Sprint(random.IntN(9))
	}
	return line + "\n"
}

// collect collects runs.
type collect struct{ to *[]stitch.Runs }

func (c collect) Add(r stitch.Runs) error {
	*c.to = append(*c.to, r)
	return nil
}

// What cannot be counted is an error, and so is what is not counted any more.
func TestWorkersFail(t *testing.T) {
	for _, w := range []failing{{submit: errFull}, {wait: errFull}} {
		tally := New(w, nil)
		play(t, stitchtest.Script{Program: "a 1000 branch", Trace: "a E taken"}, tally)
		if _, _, err := tally.Finish(); !errors.Is(err, errFull) {
			t.Errorf("%+v: %v", w, err)
		}
	}
}

var errFull = errors.New("no more")

type failing struct{ submit, wait error }

func (f failing) Go(func()) error { return f.submit }
func (f failing) Wait() error     { return f.wait }

// What is counted is handed on, and a sink that is not wanted is not needed.
func TestSinksHandOn(t *testing.T) {
	var got []string
	to := stitch.Sinks{Runs: handOn{&got}.Add, Events: handOnRows[schema.Event]{&got}.Add}
	sinks := New(nil, nil).Sinks(to)
	b := stitch.Base{}
	unit := &decode.Result{Blocks: []*schema.Block{{Address: []schema.Address{0}, Size: []uint8{4}, Opcode: []uint32{0}, Kind: []uint8{0}}}, Runs: []schema.Run{{Count: 1}}}
	err := errors.Join(
		sinks.Runs.Add(stitch.Runs{Unit: unit, Numbers: []uint32{0}, Spans: []schema.Span{{}}, To: 1, Blocks: 1}),
		sinks.Events.Add(b, []schema.Event{{}, {}}), sinks.Losses.Add(b, []schema.Loss{{}}), sinks.Exceptions.Add(b, []stitch.Exception{{}}),
	)
	if err != nil || strings.Join(got, ", ") != "1 runs, 2 rows" {
		t.Errorf("%q, %v", got, err)
	}
}

type handOn struct{ got *[]string }

func (h handOn) Add(r stitch.Runs) error {
	*h.got = append(*h.got, fmt.Sprintf("%d runs", r.To-r.From))
	return nil
}

type handOnRows[T any] struct{ got *[]string }

func (h handOnRows[T]) Add(_ stitch.Base, rows []T) error {
	*h.got = append(*h.got, fmt.Sprintf("%d rows", len(rows)))
	return nil
}
