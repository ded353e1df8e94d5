package flow

import (
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

const nop64, branchToSelf64, ret64 = 0xd503201f, 0x14000000, 0xd65f03c0

// newWalker64 returns a walker of A64 at an address, and its result.
func newWalker64(at schema.Address, regions ...image.Region) (*Walker, *decode.Result) {
	rules := Rules{Dialect: isa.ETMv4, Barriers: true}
	w, result := NewWalker(NewProgram(image.New(image.Order(regions)...), rules)), &decode.Result{}
	w.Begin(result)
	w.Goto(decode.PC{Address: at, ISA: schema.A64}, schema.NonSecure)
	return w, result
}

// A64 code has addresses of 64 bits: it does not wrap round at 2³², and ends at 2⁶⁴.
func TestWideAddresses(t *testing.T) {
	const kernel = 0xffffffc000081000
	w, result := newWalker64(kernel, a32(kernel, nop64, 0x97ffffff /* bl -4 */, ret64))
	if stop := w.ToWaypoint(&Source{}, true); stop != Arrived || w.WaypointAddress() != kernel+4 {
		t.Fatalf("stop %d at %#x", stop, w.WaypointAddress())
	}
	if w.Push(); w.Onward() != (decode.PC{Address: kernel, ISA: schema.A64}) {
		t.Errorf("the call leads to %+v", w.Onward())
	}
	if w.Take(); w.PC().Address != kernel {
		t.Errorf("the flow goes on at %#x", w.PC().Address)
	}
	w.ToWaypoint(&Source{}, false)
	if w.Pass(); w.PC().Address != kernel+8 {
		t.Errorf("behind the call is %#x", w.PC().Address)
	}
	w.ToWaypoint(&Source{}, true)
	if _, ok := w.Return(); !ok || w.PC().Address != kernel+8 {
		t.Errorf("the call returns to %#x, %t", w.PC().Address, ok)
	}
	if b := result.Blocks[0]; b.Next(1) != kernel+8 {
		t.Errorf("after the block is %#x", b.Next(1))
	}

	low, _ := newWalker64(1<<32-4, a32(1<<32-4, nop64), a32(1<<32, branchToSelf64), a32(0, ret64))
	if stop := low.ToWaypoint(&Source{}, true); stop != Arrived || low.WaypointAddress() != 1<<32 {
		t.Errorf("over 2³²: stop %d at %#x", stop, low.WaypointAddress())
	}
	const last = 1<<64 - 8
	end, _ := newWalker64(last, a32(last, nop64), a32(0, branchToSelf64))
	if stop := end.ToWaypoint(&Source{}, true); stop != Missing || end.MissingAddress() != last+4 {
		t.Errorf("at 2⁶⁴: stop %d, missing %#x", stop, end.MissingAddress())
	}
}

// A walk does not go over an undefined instruction; to it, it does.
func TestUndefined(t *testing.T) {
	w, result := newWalker64(0x1000, a32(0x1000, nop64, 0, nop64, branchToSelf64))
	if stop := w.ToWaypoint(&Source{}, true); stop != Endless || len(result.Runs) != 0 {
		t.Errorf("stop %d, %d runs", stop, len(result.Runs))
	}
	if n, stop := w.Distance(0x1004); n != 1 || stop != Arrived {
		t.Errorf("to it: %d instructions, stop %d", n, stop)
	}
	if n, stop := w.Distance(0x1008); stop != Overshot {
		t.Errorf("over it: %d instructions, stop %d", n, stop)
	}
	old, _ := newWalker(0x1000, a32(0x1000, 0xe7f000f0, branchToSelf))
	if stop := old.ToWaypoint(&Source{}, true); stop != Arrived {
		t.Errorf("outside the dialects of ETMv4: stop %d", stop)
	}
}

// Straight code is walked up to an address or a number of instructions, and not over its waypoint.
func TestStraight(t *testing.T) {
	region := a32(0x1000, nop64, nop64, ret64, nop64)
	for _, tt := range []struct {
		at, to schema.Address
		n      int
		stop   Stop
	}{
		{0x1000, 0x1000, 0, Arrived},
		{0x1000, 0x1004, 1, Arrived},
		{0x1000, 0x1008, 2, Arrived},
		{0x1000, 0x100c, 0, Overshot}, // behind the waypoint
		{0x1000, 0x1002, 0, Overshot}, // no instruction
		{0x1004, 0x1000, 0, Overshot},
		{0x100c, 0x1010, 1, Arrived}, // where memory ends
		{0x100c, 0x1014, 1, Missing},
		{0x2000, 0x2000, 0, Arrived},
		{0x2000, 0x2004, 0, Missing},
	} {
		w, _ := newWalker64(tt.at, region)
		if n, stop := w.Distance(tt.to); n != tt.n || stop != tt.stop {
			t.Errorf("from %#x to %#x: %d, stop %d, want %d, %d", tt.at, tt.to, n, stop, tt.n, tt.stop)
		}
	}
	for _, tt := range []struct {
		at     schema.Address
		n      int
		walked int
		stop   Stop
		to     schema.Address
	}{
		{0x1000, 0, 0, Arrived, 0x1000},
		{0x1000, 2, 2, Arrived, 0x1008},
		{0x1000, 3, 2, Overshot, 0x1008},
		{0x100c, 1, 1, Arrived, 0x1010},
		{0x100c, 2, 1, Missing, 0},
		{0x2000, 1, 0, Missing, 0},
	} {
		w, _ := newWalker64(tt.at, region)
		walked, stop := w.Advance(&Source{}, tt.n)
		if walked != tt.walked || stop != tt.stop || w.Seq != int64(tt.walked) || tt.to > 0 && w.PC().Address != tt.to {
			t.Errorf("%d from %#x: %d, stop %d, at %#x, want %d, %d, %#x", tt.n, tt.at, walked, stop, w.PC().Address,
				tt.walked, tt.stop, tt.to)
		}
	}
}

// What was walked can be taken back.
func TestRetreat(t *testing.T) {
	w, result := newWalker64(0x1000, a32(0x1000, nop64, 0xb4000020 /* cbz x0, +4 */, ret64))
	runs, seq := len(result.Runs), w.Seq
	w.ToWaypoint(&Source{}, false)
	w.Pass()
	if w.Retreat(runs, seq); len(result.Runs) != 0 || w.Seq != 0 || w.Known() {
		t.Errorf("%d runs, %d instructions, known %t", len(result.Runs), w.Seq, w.Known())
	}
}

// A run of A64 says of all its instructions that they were executed.
func TestToldA64(t *testing.T) {
	for _, tt := range []struct {
		n        int
		executed bool
		failed   uint64
		outcome  schema.Outcome
	}{
		{3, true, 0, schema.Taken},
		{3, false, 1 << 2, schema.NotTaken},
		{63, false, 1 << 62, schema.NotTaken},
		{64, false, 0, schema.NotTaken}, // the outcome says so
	} {
		w, result := newWalker64(0x1000, a32(0x1000, append(repeated(nop64, tt.n-1), 0xb4000020)...))
		w.ToWaypoint(&Source{}, tt.executed)
		want := schema.Run{Count: uint16(tt.n), Failed: tt.failed, Outcome: tt.outcome, Flags: schema.RunHasFailed}
		if result.Runs[0] != want {
			t.Errorf("%+v, want %+v", result.Runs[0], want)
		}
	}
	w, result := newWalker64(0x1000, a32(0x1000, nop64, nop64, ret64))
	if w.Advance(&Source{}, 2); result.Runs[0].Outcome != schema.Passed || result.Runs[0].Flags != schema.RunHasFailed {
		t.Errorf("straight code: %+v", result.Runs[0])
	}
}
