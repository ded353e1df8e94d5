package flow

import (
	"encoding/binary"
	"testing"
	"unsafe"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

const nop, branchToSelf = 0xe1a00000, 0xeafffffe // mov r0, r0; b .

// a32 is a region of A32 words.
func a32(address schema.Address, words ...uint32) image.Region {
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return image.Region{Address: address, Bytes: b}
}

// newWalker returns a walker of the regions at an address, and its result.
func newWalker(at schema.Address, regions ...image.Region) (*Walker, *decode.Result) {
	w, result := NewWalker(NewProgram(image.New(image.Order(regions)...), Rules{Barriers: true})), &decode.Result{}
	w.Begin(result)
	w.Goto(decode.PC{Address: at, ISA: schema.A32}, schema.Secure)
	return w, result
}

// repeated is n times the word.
func repeated(word uint32, n int) []uint32 {
	words := make([]uint32, n)
	for i := range words {
		words[i] = word
	}
	return words
}

// An atom does not walk straight code without a waypoint in 65,535 instructions;
// UpTo walks it up to an address in it.
func TestEndless(t *testing.T) {
	w, result := newWalker(0, a32(0, repeated(nop, schema.MaxBlock+10)...))
	if stop := w.ToWaypoint(&Source{}, true); stop != Endless || len(result.Runs) != 0 || w.Seq != 0 {
		t.Errorf("an atom stops with %d, %d runs, %d instructions; want %d and none", stop, len(result.Runs), w.Seq, Endless)
	}
	if stop := w.UpTo(4*100, &Source{}); stop != Arrived || w.Seq != 101 || w.PC().Address != 4*101 {
		t.Errorf("up to the 101st: stop %d, %d instructions, at %#x", stop, w.Seq, w.PC().Address)
	}
	if stop := w.UpTo(4*schema.MaxBlock, &Source{}); stop != Endless || w.Seq != 101 {
		t.Errorf("beyond the limit: stop %d, %d instructions, want %d and no more", stop, w.Seq, Endless)
	}
}

// A block ends at 2³² and does not continue at 0.
func TestEndOfMemory(t *testing.T) {
	w, _ := newWalker(0xfffffff8, a32(0xfffffff8, nop, nop), a32(0, branchToSelf))
	if stop := w.ToWaypoint(&Source{}, true); stop != Endless {
		t.Errorf("stop %d, want %d", stop, Endless)
	}
}

// A result holds a bounded number of instructions, whatever addresses a stream
// enters.
func TestUnitBudget(t *testing.T) {
	const length = 60000
	words := append(repeated(nop, 2*length), branchToSelf)
	w, result := newWalker(0, a32(0, words...))
	held := 0
	for at := schema.Address(4 * 2 * length); at > 0; at -= 4 {
		w.Goto(decode.PC{Address: at, ISA: schema.A32}, schema.Secure)
		if w.ToWaypoint(&Source{}, true) == Endless {
			break
		}
	}
	for _, b := range result.Blocks {
		held += len(b.Address)
	}
	if held > unitInstructions || held < unitInstructions/2 {
		t.Errorf("the result holds %d instructions, the bound is %d", held, unitInstructions)
	}
	next := &decode.Result{}
	w.Begin(next) // empties the cache; the new work unit has a budget of its own
	w.Goto(decode.PC{Address: 4 * 2 * length, ISA: schema.A32}, schema.Secure)
	if stop := w.ToWaypoint(&Source{}, true); stop != Arrived || len(next.Runs) != 1 {
		t.Errorf("the next unit: stop %d, %d runs", stop, len(next.Runs))
	}
	if w.prog.held > heldInstructions {
		t.Errorf("the cache holds %d instructions, the bound is %d", w.prog.held, heldInstructions)
	}
}

// The cache is bounded during a work unit too, whatever straight code without end
// is entered, which the result does not hold. The blocks of the result stay.
func TestCacheBudget(t *testing.T) {
	const entries = limitInstructions/schema.MaxBlock + 20
	words := append([]uint32{branchToSelf}, repeated(nop, schema.MaxBlock+entries)...)
	w, result := newWalker(0, a32(0, words...))
	for i := range schema.Address(entries) {
		for _, at := range []schema.Address{4 * (entries - i), 0} {
			w.Goto(decode.PC{Address: at, ISA: schema.A32}, schema.Secure)
			if stop, want := w.ToWaypoint(&Source{}, true), map[bool]Stop{true: Endless, false: Arrived}[at > 0]; stop != want {
				t.Fatalf("from 0x%x: stop %d, want %d", at, stop, want)
			}
		}
		if w.prog.held > limitInstructions+schema.MaxBlock+blockWeight {
			t.Fatalf("the cache holds %d instructions, the bound is %d", w.prog.held, limitInstructions)
		}
	}
	if len(result.Blocks) != 1 || len(result.Runs) != entries {
		t.Errorf("the result holds %d blocks for %d runs, want 1 for %d", len(result.Blocks), len(result.Runs), entries)
	}
}

// A cache that has only blocks of the result is not trimmed for each new block.
func TestCacheOfUnit(t *testing.T) {
	const branchToNext, blocks = 0xeaffffff, limitInstructions/17 + 100 // of one instruction
	w, result := newWalker(0, a32(0, repeated(branchToNext, blocks+1)...))
	w.Goto(decode.PC{Address: 0, ISA: schema.A32}, schema.Secure)
	for i := range blocks {
		if stop := w.ToWaypoint(&Source{}, true); stop != Arrived {
			t.Fatalf("branch %d: stop %d", i, stop)
		}
		w.Take()
	}
	if p := w.prog; len(result.Blocks) != blocks || p.held <= limitInstructions || p.held > p.limit {
		t.Errorf("%d blocks, want %d; the cache holds %d, and is trimmed beyond %d", len(result.Blocks), blocks, p.held, p.limit)
	}
}

// The parts of a work unit share one budget, in which a block counts once.
func TestUnitBudgetOfParts(t *testing.T) {
	const length, parts = 60000, 200
	words := append(repeated(nop, length+parts), branchToSelf)
	w, result := newWalker(0, a32(0, words...))
	walk := func(at schema.Address) Stop {
		w.Begin(result)
		w.Goto(decode.PC{Address: 4 * at, ISA: schema.A32}, schema.Secure)
		return w.ToWaypoint(&Source{}, true)
	}
	for range parts {
		if stop := walk(0); stop != Arrived {
			t.Fatalf("the same code again: stop %d", stop)
		}
	}
	n := schema.Address(1)
	for n < parts && walk(n) == Arrived {
		n++
	}
	if want := schema.Address(unitInstructions / (length + parts)); n != want {
		t.Errorf("%d parts with code of their own, want %d", n, want)
	}
	w.Begin(&decode.Result{})
	w.Goto(decode.PC{Address: 4 * parts, ISA: schema.A32}, schema.Secure)
	if stop := w.ToWaypoint(&Source{}, true); stop != Arrived {
		t.Errorf("the next unit: stop %d", stop)
	}
}

// A run that continues in the next work unit stays in its block, though the cache
// was emptied in between.
func TestRunContinuesInNextUnit(t *testing.T) {
	w, result := newWalker(0x100, a32(0x100, nop, nop, nop, branchToSelf))
	w.UpTo(0x100, &Source{})
	w.prog.held = heldInstructions + 1
	next := &decode.Result{}
	w.Begin(next)
	if stop := w.ToWaypoint(&Source{}, true); stop != Arrived {
		t.Fatalf("stop %d", stop)
	}
	first, second := result.Runs[0], next.Runs[0]
	if first.First != 0 || first.Count != 1 || second.First != 1 || second.Count != 3 {
		t.Errorf("runs %+v and %+v, want 1 instruction from 0 and 3 from 1", first, second)
	}
	if got, want := next.Blocks[second.Block].Key, result.Blocks[first.Block].Key; got != want {
		t.Errorf("block %+v, want %+v", got, want)
	}
}

// The return stack keeps the newest entries.
func TestReturnStack(t *testing.T) {
	var s returnStack
	for i := range schema.Address(returnStackDepth + 5) {
		s.push(&block{address: i})
	}
	for want := returnStackDepth + 4; want >= 5; want-- {
		if b := s.pop(); b == nil || b.next() != schema.Address(want) {
			t.Fatalf("popped %+v; want %d", b, want)
		}
	}
	if s.pop() != nil {
		t.Error("popped more than the depth")
	}
	s.push(&block{})
	s.empty()
	if s.pop() != nil {
		t.Error("popped from an emptied stack")
	}
}

// A call on the return stack does not lead to blocks that the cache has dropped since, nor
// to those that it drops later.
func TestReturnAfterForget(t *testing.T) {
	const bl, bxLR = 0xeb000000, 0xe12fff1e // bl 8
	w, _ := newWalker(0, a32(0, bl, branchToSelf, bxLR))
	walk := func(from schema.Address) {
		t.Helper()
		w.Goto(decode.PC{Address: from, ISA: schema.A32}, schema.Secure)
		if stop := w.ToWaypoint(&Source{}, true); stop != Arrived {
			t.Fatalf("stop %d", stop)
		}
	}
	walk(4)
	walk(0)
	w.Push()
	w.Push()
	w.Pass() // the call leads to the block after it
	for range 2 {
		w.prog.held = heldInstructions + 1
		w.Begin(&decode.Result{})
		walk(4)
		walk(8)
		if _, ok := w.Return(); !ok || w.PC().Address != 4 {
			t.Fatalf("returned to %#x, %v; want 4", w.PC().Address, ok)
		}
		if w.cur != w.prog.find(w.cur.at().key()) {
			t.Error("returned to a block that is not cached")
		}
	}
}

// What a walk needs of a block is in one line of the cache, which the block begins at: the
// allocator puts blocks of 192 bytes at multiples of 64.
func TestBlockLayout(t *testing.T) {
	var b block
	if hot, size := unsafe.Offsetof(b.address), unsafe.Sizeof(b); hot > 64 || size <= 176 || size > 192 {
		t.Errorf("%d bytes of %d are needed by a walk; want 64 of 177 to 192", hot, size)
	}
}
