package process

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/schema"
)

// mapped is a map of a process, named by one letter; it begins 0x1000 into its file.
func mapped(time uint64, pid int32, file string, address schema.Address, size uint64) Event {
	return Event{
		Kind: Mapped, Time: time, PID: pid, TID: pid, Executable: true,
		Map: Map{Address: address, Size: size, Offset: 0x1000, File: File{Name: file}},
	}
}

// timeline is that of events as a reader of records sorts them: by time, of one time as they are.
func timeline(events ...Event) *Timeline {
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b Event) int { return cmp.Compare(a.Time, b.Time) })
	return New(events)
}

// text shows maps: "a 10-20+1000", with the offset in the file of the first byte.
func text(m *Maps) string {
	var parts []string
	for p := range m.All() {
		offset := p.Map.Offset + uint64(p.From-p.Map.Address)
		parts = append(parts, fmt.Sprintf("%s %x-%x+%x", p.Map.File.Name, p.From, p.To, offset))
	}
	return strings.Join(parts, ", ")
}

func TestMaps(t *testing.T) {
	fork := func(time uint64, pid, parent int32) Event {
		return Event{Kind: Forked, Time: time, PID: pid, TID: pid, Parent: parent, ParentTID: parent}
	}
	data := mapped(2, 1, "d", 0x10, 0x10)
	data.Executable = false
	thread := Event{Kind: Forked, Time: 2, PID: 1, TID: 9, Parent: 1, ParentTID: 1}
	for _, c := range []struct {
		rule   string
		events []Event
		tid    int32
		time   uint64
		want   string
	}{
		{"nothing is known of a thread", nil, 1, 5, ""},
		{"a map begins at its time", []Event{mapped(5, 1, "a", 0x10, 0x10)}, 1, 4, ""},
		{"the time itself has it", []Event{mapped(5, 1, "a", 0x10, 0x10)}, 1, 5, "a 10-20+1000"},
		{"time 0 is from the beginning", []Event{mapped(5, 1, "b", 0x30, 0x10), mapped(0, 1, "a", 0x10, 0x10)}, 1, 0, "a 10-20+1000"},
		{"no map ends", []Event{mapped(5, 1, "a", 0x10, 0x10)}, 1, 1 << 63, "a 10-20+1000"},
		{"maps of data are ignored", []Event{mapped(1, 1, "a", 0x10, 0x10), data}, 1, 9, "a 10-20+1000"},
		{"a later map wins", []Event{mapped(1, 1, "a", 0x10, 0x10), mapped(2, 1, "b", 0x18, 0x10)}, 1, 9, "a 10-18+1000, b 18-28+1000"},
		{
			"of one time the later record wins",
			[]Event{mapped(1, 1, "b", 0x18, 0x10), mapped(1, 1, "a", 0x10, 0x10)},
			1, 9, "a 10-20+1000, b 20-28+1008",
		},
		{
			"a map inside another leaves two parts",
			[]Event{mapped(1, 1, "a", 0x10, 0x30), mapped(2, 1, "b", 0x20, 8)},
			1, 9,
			"a 10-20+1000, b 20-28+1000, a 28-40+1018",
		},
		{
			"a map covers many",
			[]Event{mapped(1, 1, "a", 0x10, 8), mapped(2, 1, "b", 0x20, 8), mapped(3, 1, "c", 0x14, 0x10)},
			1, 9,
			"a 10-14+1000, c 14-24+1000, b 24-28+1004",
		},
		{"an empty map is none", []Event{mapped(1, 1, "a", 0x10, 0)}, 1, 9, ""},
		{
			"a map ends with the addresses",
			[]Event{mapped(1, 1, "a", ^schema.Address(15), 1<<40)},
			1, 9,
			"a fffffffffffffff0-ffffffffffffffff+1000",
		},
		{"processes are apart", []Event{mapped(1, 1, "a", 0x10, 0x10), mapped(1, 2, "b", 0x10, 0x10)}, 2, 9, "b 10-20+1000"},
		{"a fork copies", []Event{mapped(1, 1, "a", 0x10, 0x10), fork(2, 3, 1)}, 3, 2, "a 10-20+1000"},
		{
			"a fork does not see what its parent maps later",
			[]Event{mapped(1, 1, "a", 0x10, 0x10), fork(2, 3, 1), mapped(2, 1, "b", 0x30, 0x10)},
			3, 9, "a 10-20+1000",
		},
		{
			"nor the parent what the fork maps",
			[]Event{mapped(2, 1, "a", 0x10, 0x10), fork(2, 3, 1), mapped(2, 3, "b", 0x10, 0x10)},
			1, 9, "a 10-20+1000",
		},
		{
			"a number that is used again is another process",
			[]Event{mapped(1, 3, "b", 0x30, 0x10), mapped(1, 1, "a", 0x10, 0x10), fork(4, 3, 1)},
			3, 9, "a 10-20+1000",
		},
		{
			"the process before it keeps its maps",
			[]Event{mapped(1, 3, "b", 0x30, 0x10), mapped(1, 1, "a", 0x10, 0x10), fork(4, 3, 1)},
			3, 3, "b 30-40+1000",
		},
		{
			"a process that ran before the recording has its own maps alone",
			[]Event{mapped(0, 1, "a", 0x10, 0x10), {Kind: Synthesized, PID: 3, TID: 3, Parent: 1, ParentTID: 1}},
			3, 9, "",
		},
		{"a thread has the maps of its process", []Event{mapped(1, 1, "a", 0x10, 0x10), thread}, 9, 9, "a 10-20+1000"},
		{
			"a thread sees what its process maps later",
			[]Event{mapped(1, 1, "a", 0x10, 0x10), thread, mapped(3, 1, "b", 0x30, 0x10)},
			9, 3, "a 10-20+1000, b 30-40+1000",
		},
		{
			"exec drops the maps",
			[]Event{mapped(1, 1, "a", 0x10, 0x10), {Kind: Executed, Time: 2, PID: 1, TID: 1}, mapped(2, 1, "b", 0x30, 0x10)},
			1, 2, "b 30-40+1000",
		},
		{
			"exec leaves the maps of the parent",
			[]Event{mapped(1, 1, "a", 0x10, 0x10), fork(2, 3, 1), {Kind: Executed, Time: 3, PID: 3, TID: 3}},
			1, 9, "a 10-20+1000",
		},
		{
			"a name alone drops nothing",
			[]Event{mapped(1, 1, "a", 0x10, 0x10), {Kind: Named, Time: 2, PID: 1, TID: 1, Name: "x"}},
			1, 9, "a 10-20+1000",
		},
		{
			"the kernel's maps are of no process",
			[]Event{mapped(1, KernelPID, "k", 0x10, 0x10), mapped(1, 1, "a", 0x30, 0x10)},
			1, 9, "a 30-40+1000",
		},
	} {
		if got := text(timeline(c.events...).At(c.tid, c.time)); got != c.want {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
}

func TestKernel(t *testing.T) {
	events := []Event{mapped(0, KernelPID, "k", 0x100, 0x100), mapped(7, KernelPID, "m", 0x20, 0x10)}
	tl := timeline(events...)
	if got, want := text(tl.Kernel(6)), "k 100-200+1000"; got != want {
		t.Errorf("before the module: %q, want %q", got, want)
	}
	if got, want := text(tl.Kernel(7)), "m 20-30+1000, k 100-200+1000"; got != want {
		t.Errorf("with the module: %q, want %q", got, want)
	}
}

// TestSameMaps: equal maps are the same pointer.
func TestSameMaps(t *testing.T) {
	a := mapped(1, 1, "a", 0x10, 0x10)
	again := mapped(4, 1, "a", 0x10, 0x10)
	fork := Event{Kind: Forked, Time: 5, PID: 2, TID: 2, Parent: 1, ParentTID: 1}
	tl := timeline(a, again, fork, mapped(9, 2, "b", 0x10, 4))
	parent := tl.At(1, 1)
	for _, c := range []struct {
		rule string
		tid  int32
		time uint64
		same bool
	}{
		{"a later time without a change", 1, 3, true},
		{"the same map again", 1, 4, true},
		{"a fork", 2, 5, true},
		{"a fork that changed", 2, 9, false},
		{"the parent of a fork that changed", 1, 9, true},
	} {
		if got := tl.At(c.tid, c.time) == parent; got != c.same {
			t.Errorf("%s: the same pointer is %v, want %v", c.rule, got, c.same)
		}
	}
	was, _ := parent.Find(0x18)
	if now, ok := tl.At(2, 9).Find(0x18); !ok || now.Map != was.Map {
		t.Error("a map that is still there is another pointer")
	}
}

func TestNames(t *testing.T) {
	tl := timeline([]Event{
		{Kind: Named, Time: 2, PID: 1, TID: 1, Name: "sh"},
		{Kind: Forked, Time: 3, PID: 2, TID: 2, Parent: 1, ParentTID: 1},
		{Kind: Executed, Time: 5, PID: 2, TID: 2, Name: "ls"},
		{Kind: Forked, Time: 6, PID: 2, TID: 8, Parent: 2, ParentTID: 2},
		{Kind: Named, Time: 7, PID: 2, TID: 8, Name: "worker"},
		{Kind: Seen, Time: 7, PID: 2, TID: 9},
	}...)
	for _, c := range []struct {
		tid  int32
		time uint64
		name string
		pid  int32
		ok   bool
	}{
		{1, 0, "sh", 1, true}, // before its first name
		{1, 9, "sh", 1, true},
		{2, 4, "sh", 2, true}, // of the thread that made it
		{2, 5, "ls", 2, true},
		{8, 6, "ls", 2, true},
		{8, 7, "worker", 2, true},
		{9, 1, "", 2, true}, // seen without a name
		{3, 9, "", 0, false},
	} {
		pid, ok := tl.PID(c.tid, c.time)
		if name := tl.Name(c.tid, c.time); name != c.name || pid != c.pid || ok != c.ok {
			t.Errorf("thread %d at %d: %q of %d, %v; want %q of %d, %v", c.tid, c.time, name, pid, ok, c.name, c.pid, c.ok)
		}
	}
}

func TestRan(t *testing.T) {
	in, out := SwitchedIn, SwitchedOut
	tl := timeline([]Event{
		{Kind: in, Time: 5, CPU: 0, PID: 1, TID: 1},
		{Kind: out, Time: 7, CPU: 0, PID: 1, TID: 1},
		{Kind: in, Time: 9, CPU: 0, PID: 0, TID: 0},
		{Kind: out, Time: 4, CPU: 3, PID: 2, TID: 2},
		{Kind: in, Time: 6, CPU: 3, PID: 1, TID: 4},
		{Kind: in, Time: 6, CPU: 3, PID: 1, TID: 5},
	}...)
	for _, c := range []struct {
		rule string
		cpu  int32
		time uint64
		tid  int32
		ok   bool
	}{
		{"before the first switch in", 0, 4, 0, false},
		{"from the switch in", 0, 5, 1, true},
		{"until the switch out", 0, 6, 1, true},
		{"at the switch out", 0, 7, 0, false},
		{"the idle thread", 0, 9, 0, true},
		{"who is switched out first ran before", 3, 0, 2, true},
		{"then nobody is known", 3, 5, 0, false},
		{"of one time the last holds", 3, 6, 5, true},
		{"no event of the CPU", 2, 6, 0, false},
	} {
		if tid, ok := tl.Ran(c.cpu, c.time); tid != c.tid || ok != c.ok {
			t.Errorf("%s: %d, %v; want %d, %v", c.rule, tid, ok, c.tid, c.ok)
		}
	}
}
