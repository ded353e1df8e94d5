package flow

import (
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

// Atoms of one packet that go straight on are one run; a branch, another packet
// and 64 instructions end it.
func TestAtoms(t *testing.T) {
	const nop, loop, ret = 0xe1a00000, 0x1afffffd, 0xe12fff1e // bne 8000 at 8004; bx lr
	mem := image.New(image.Order([]image.Region{{Address: 0x8000, Bytes: words(nop, loop, ret)}})...)
	w := NewWalker(NewProgram(mem, Rules{}))
	var u decode.Unit
	w.Begin(&u)
	w.Goto(decode.Place{Address: 0x8000}, image.SecureSpace)
	first, second := Told{Offset: 1, Flags: schema.RunCostsTold, Cycle: 5}, Told{Offset: 2}
	for i, step := range []struct {
		told     *Told
		executed bool
		cost     uint32
		stop     Stop
		next     uint32
	}{
		{&first, true, 2, Arrived, 0x8004},
		{&first, true, 3, Arrived, 0x8000}, // taken
		{&second, false, 0, Arrived, 0x8004},
		{&second, false, 0, Arrived, 0x8008}, // not taken
		{&second, true, 0, AtIndirect, 0},
	} {
		if stop := w.Atom(step.told, step.executed, step.cost); stop != step.stop {
			t.Fatalf("step %d: stop %d, want %d", i, stop, step.stop)
		}
		if step.next != 0 && w.Place().Address != step.next {
			t.Errorf("step %d: at %#x, want %#x", i, w.Place().Address, step.next)
		}
	}
	want := []schema.Run{
		{Offset: 1, Cycle: 5, Cycles: 5, Block: 0, First: 0, Count: 2, Outcome: schema.Taken, Flags: schema.RunFailedTold | schema.RunCostsTold},
		{Offset: 2, Failed: 3, Block: 0, First: 0, Count: 2, Outcome: schema.NotTaken, Flags: schema.RunFailedTold},
		{Offset: 2, Block: 1, First: 0, Count: 1, Outcome: schema.Taken, Flags: schema.RunFailedTold},
	}
	if len(u.Runs) != len(want) {
		t.Fatalf("runs %+v", u.Runs)
	}
	for i := range want {
		if u.Runs[i] != want[i] {
			t.Errorf("run %d: %+v\nwant %+v", i, u.Runs[i], want[i])
		}
	}
	if len(u.Costs) != 2 || u.Costs[0] != 2 || u.Costs[1] != 3 || w.Seq != 5 {
		t.Errorf("costs %v, %d instructions", u.Costs, w.Seq)
	}
	// Taken back one by one: the addresses in reverse order, then none.
	for _, address := range []uint32{0x8008, 0x8004, 0x8000, 0x8004, 0x8000} {
		if at, _, ok := w.TakeBack(decode.Ends{}); !ok || at != address {
			t.Errorf("took back %#x, %t, want %#x", at, ok, address)
		}
	}
	if _, _, ok := w.TakeBack(decode.Ends{}); ok || w.Seq != 0 || len(u.Runs) != 0 || len(u.Costs) != 0 {
		t.Errorf("left: %d instructions, %v, %v", w.Seq, u.Runs, u.Costs)
	}
}

// Executed walks on over taken branches and blocks, 64 instructions a run, and
// stops at missing memory.
func TestExecuted(t *testing.T) {
	code := make([]uint32, 70)
	for i := range code {
		code[i] = 0xe1a00000
	}
	mem := image.New(image.Order([]image.Region{{Address: 0x8000, Bytes: words(code...)}})...)
	w := NewWalker(NewProgram(mem, Rules{}))
	var u decode.Unit
	w.Begin(&u)
	w.Goto(decode.Place{Address: 0x8000}, image.SecureSpace)
	walked, stop := w.Executed(&Told{Offset: 1}, 80)
	if walked != 70 || stop != Missing || w.MissingAddress() != 0x8000+4*70 {
		t.Errorf("walked %d, stop %d at %#x", walked, stop, w.MissingAddress())
	}
	if len(u.Runs) != 2 || u.Runs[0].Count != 64 || u.Runs[1].Count != 6 || u.Runs[1].First != 64 || u.Runs[0].Outcome != schema.Passed {
		t.Errorf("runs %+v", u.Runs)
	}
}
