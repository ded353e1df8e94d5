package flow

import (
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// words is A32 code in memory.
func words(code ...uint32) []byte {
	var b []byte
	for _, w := range code {
		b = append(b, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	return b
}

// Consecutive atoms of one packet are one run; a branch, another packet and 63
// instructions end it.
func TestAtoms(t *testing.T) {
	const nop, loop, ret = 0xe1a00000, 0x1afffffd, 0xe12fff1e // bne 8000 at 8004; bx lr
	mem := image.New(image.Order([]image.Region{{Address: 0x8000, Bytes: words(nop, loop, ret)}})...)
	w := NewWalker(NewProgram(mem, Rules{}))
	var result decode.Result
	w.Begin(&result)
	w.Goto(decode.PC{Address: 0x8000}, schema.Secure)
	first, second := Source{Offset: 1, Flags: schema.RunHasCosts, Cycle: 5}, Source{Offset: 2}
	for i, step := range []struct {
		source   *Source
		executed bool
		cost     uint32
		stop     Stop
		next     schema.Address
	}{
		{&first, true, 2, Arrived, 0x8004},
		{&first, true, 3, Arrived, 0x8000}, // taken
		{&second, false, 0, Arrived, 0x8004},
		{&second, false, 0, Arrived, 0x8008}, // not taken
		{&second, true, 0, AtIndirect, 0},
	} {
		if stop := w.Atom(step.source, step.executed, step.cost); stop != step.stop {
			t.Fatalf("step %d: stop %d, want %d", i, stop, step.stop)
		}
		if step.next != 0 && w.PC().Address != step.next {
			t.Errorf("step %d: at %#x, want %#x", i, w.PC().Address, step.next)
		}
	}
	want := []schema.Run{
		{Offset: 1, Cycle: 5, Cycles: 5, Block: 0, First: 0, Count: 2, Outcome: schema.Taken, Flags: schema.RunHasFailed | schema.RunHasCosts},
		{Offset: 2, Failed: 3, Block: 0, First: 0, Count: 2, Outcome: schema.NotTaken, Flags: schema.RunHasFailed},
		{Offset: 2, Block: 1, First: 0, Count: 1, Outcome: schema.Taken, Flags: schema.RunHasFailed},
	}
	if len(result.Runs) != len(want) {
		t.Fatalf("runs %+v", result.Runs)
	}
	for i := range want {
		if result.Runs[i] != want[i] {
			t.Errorf("run %d: %+v\nwant %+v", i, result.Runs[i], want[i])
		}
	}
	if len(result.Costs) != 2 || result.Costs[0] != 2 || result.Costs[1] != 3 || w.Seq != 5 {
		t.Errorf("costs %v, %d instructions", result.Costs, w.Seq)
	}
	// Taken back one by one: the addresses in reverse order, then none.
	for _, address := range []schema.Address{0x8008, 0x8004, 0x8000, 0x8004, 0x8000} {
		if at, _, ok := w.TakeBack(decode.Ends{}); !ok || at != address {
			t.Errorf("took back %#x, %t, want %#x", at, ok, address)
		}
	}
	if _, _, ok := w.TakeBack(decode.Ends{}); ok || w.Seq != 0 || len(result.Runs) != 0 || len(result.Costs) != 0 {
		t.Errorf("left: %d instructions, %v, %v", w.Seq, result.Runs, result.Costs)
	}
}

// Straight code without end, entered at ever new addresses: each atom gets a row,
// though the result can hold no more blocks of that length. Decoded and held
// instructions are bounded.
func TestAtomsOfUnitBudget(t *testing.T) {
	const entries, atoms = 400, 15
	w, result := newWalker(0, a32(0, repeated(nop, schema.MaxBlock+entries+atoms)...))
	enter := func(i schema.Address) {
		w.Goto(decode.PC{Address: 4 * i, ISA: schema.A32}, schema.Secure)
		if walked, stop := w.Executed(&Source{Offset: int64(i)}, atoms); walked != atoms || stop != Arrived {
			t.Fatalf("entry %d: %d atoms walked, stop %d", i, walked, stop)
		}
	}
	for i := range schema.Address(entries) {
		enter(i)
	}
	if w.Seq != entries*atoms {
		t.Errorf("%d instructions, want %d", w.Seq, entries*atoms)
	}
	decoded := 0 // the cache is too small to have forgotten a block
	for _, b := range w.prog.blocks {
		decoded += b.len()
	}
	held := 0
	for _, b := range result.Blocks {
		held += len(b.Address)
	}
	if limit := unitInstructions + schema.MaxBlock + entries*shortInstructions; decoded > limit || held > limit || held < unitInstructions {
		t.Errorf("%d instructions decoded and %d held, the limit is %d", decoded, held, limit)
	}
	checkRuns(t, result, 4, atoms)
	// The next unit has the same block again, in its full length.
	next := &decode.Result{}
	w.Begin(next)
	enter(entries - 1)
	if n := len(next.Blocks[0].Address); n != schema.MaxBlock {
		t.Errorf("the next unit has a block of %d instructions", n)
	}
}

// checkRuns checks that the runs of each offset have count instructions, from
// offset times size on without a hole.
func checkRuns(t *testing.T, result *decode.Result, size schema.Address, count int) {
	t.Helper()
	at := map[int64]schema.Address{}
	for i := range result.Runs {
		run := &result.Runs[i]
		for k := range run.Count {
			n := at[run.Offset]
			if got, want := result.Blocks[run.Block].Address[run.First+k], (schema.Address(run.Offset)+n)*size; got != want {
				t.Fatalf("offset %d, instruction %d at %#x, want %#x", run.Offset, n, got, want)
			}
			at[run.Offset] = n + 1
		}
	}
	for offset, n := range at {
		if int(n) != count {
			t.Fatalf("offset %d: %d instructions, want %d", offset, n, count)
		}
	}
}

// Which blocks of a result are short depends on its work unit alone, not on blocks
// cached from earlier work units: a used program gives the same runs and blocks as
// an unused one. Code is entered by direct branches, and walked from block to
// block.
func TestShortBlocksDependOnUnit(t *testing.T) {
	const entries, straight = 200, schema.MaxBlock + 200
	const back = 0xea000000 | -(straight+2)&0xffffff // b to as many words before
	memory := a32(0, append(repeated(nop, straight), repeated(back, entries+1)...)...)
	walk := func(w *Walker, order func(i schema.Address) schema.Address, n schema.Address) *decode.Result {
		result := &decode.Result{}
		w.Begin(result)
		for i := range schema.Address(entries) { // each branch is in the result, not taken
			w.Goto(decode.PC{Address: 4 * (straight + i), ISA: schema.A32}, schema.Secure)
			w.Atom(&Source{Offset: -1}, false, 0)
		}
		for i := range n {
			source := &Source{Offset: int64(i)}
			w.Goto(decode.PC{Address: 4 * (straight + order(i)), ISA: schema.A32}, schema.Secure)
			if walked, stop := w.Executed(source, 40); walked != 40 || stop != Arrived {
				t.Fatalf("entry %d: %d atoms, stop %d", i, walked, stop)
			}
		}
		return result
	}
	down := func(i schema.Address) schema.Address { return entries - 1 - i%(entries-20) } // and some of them again
	used, _ := newWalker(0, memory)
	unused, _ := newWalker(0, memory)
	walk(used, func(i schema.Address) schema.Address { return 20 + i%50 }, 100) // the last ones below, and links to them
	got, want := walk(used, down, entries), walk(unused, down, entries)
	if !slices.Equal(got.Runs, want.Runs) || !slices.EqualFunc(got.Blocks, want.Blocks, sameBlock) {
		t.Errorf("%d runs in %d blocks, want %d in %d", len(got.Runs), len(got.Blocks), len(want.Runs), len(want.Blocks))
	}
	entered := map[schema.Address]bool{}
	for _, b := range got.Blocks {
		if entered[b.Key.Address] {
			t.Errorf("two blocks at 0x%x", b.Key.Address)
		}
		entered[b.Key.Address] = true
	}
}

func sameBlock(a, b *schema.Block) bool { return a.Key == b.Key && len(a.Address) == len(b.Address) }

// A direct branch to straight code of which no instruction is walked does not
// decode that code.
func TestUnusedTargets(t *testing.T) {
	const branches = 1000
	memory := repeated(nop, schema.MaxBlock+branches)
	const back = 0xea000000 | -(schema.MaxBlock+branches+2)&0xffffff // b to as many words before
	w, result := newWalker(0, a32(0, append(memory, repeated(back, branches)...)...))
	for i := range schema.Address(branches) {
		w.Goto(decode.PC{Address: 4 * (schema.MaxBlock + branches + i), ISA: schema.A32}, schema.Secure)
		if stop := w.Atom(&Source{}, true, 0); stop != Arrived || w.PC().Address != 4*i {
			t.Fatalf("branch %d: stop %d, at %#x", i, stop, w.PC().Address)
		}
	}
	if decoded := w.prog.held - blockWeight*len(w.prog.blocks); decoded != branches || len(result.Blocks) != branches {
		t.Errorf("%d instructions decoded in %d blocks, want %d", decoded, len(result.Blocks), branches)
	}
}

// Executed continues over taken branches and blocks, with 63 instructions a run,
// and stops at missing memory.
func TestExecuted(t *testing.T) {
	code := make([]uint32, 70)
	for i := range code {
		code[i] = 0xe1a00000
	}
	mem := image.New(image.Order([]image.Region{{Address: 0x8000, Bytes: words(code...)}})...)
	w := NewWalker(NewProgram(mem, Rules{}))
	var result decode.Result
	w.Begin(&result)
	w.Goto(decode.PC{Address: 0x8000}, schema.Secure)
	walked, stop := w.Executed(&Source{Offset: 1}, 80)
	if walked != 70 || stop != Missing || w.MissingAddress() != 0x8000+4*70 {
		t.Errorf("walked %d, stop %d at %#x", walked, stop, w.MissingAddress())
	}
	if len(result.Runs) != 2 || result.Runs[0].Count != 63 || result.Runs[1].Count != 7 || result.Runs[1].First != 63 || result.Runs[0].Outcome != schema.Passed {
		t.Errorf("runs %+v", result.Runs)
	}
}
