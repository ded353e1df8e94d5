package perfdata

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
)

// Events are in the order of time, and then of the file.
func TestEvents(t *testing.T) {
	stamp := at(5, 6, 100, 2)
	file := join(u32(8, 1), u64(77, 0))
	id := join([]byte{4, 0, 0, 0}, []byte("IDID"), make([]byte, 16))
	f := read(t, simple(
		rec(1, 1|miscData, u32(1<<32-1, 0), u64(0x1000, 0x20, 0), []byte("data\x00\x00"), at(1, 1, 0, 1<<32-1)),
		rec(1, 1, u32(1<<32-1, 0), u64(0xFFFF0000, 0x40, 8), []byte("[kernel]_text\x00"), at(1, 1, 0, 1<<32-1)),
		rec(10, 2, u32(5, 6), u64(1, 2, 3), file, u32(4, 2), []byte("/bin/a\nb\x00\xFF"), at(5, 6, 300, 2)),
		rec(10, 2|miscBuildID, u32(5, 6), u64(4, 5, 6), id, u32(1, 2), []byte("[kernel]_text"), stamp),
		rec(3, miscExec, u32(5, 6), []byte("name\x00\x00\x00\x00"), stamp),
		rec(3, 0, u32(5, 6), []byte("name"), stamp),
		rec(7, 0, u32(7, 5, 8, 6), u64(100), stamp),
		rec(7, miscExec, u32(9, 1, 9, 1), u64(0), at(1, 1, 0, 0)), // it was there before
		rec(4, 0, u32(7, 5, 8, 6), u64(100), at(7, 8, 400, 3)),
		rec(12, 0, u32(5, 6), stamp),
		rec(14, miscOut, stamp),
		rec(15, 0, u32(1, 2), stamp),
		rec(17, 0, u64(0xF00), u32(64), u16(1, 1), []byte("bpf_prog"), stamp),
		rec(20, 1, u64(0xF10), u16(2, 3), []byte("abcde\x00\x00"), stamp),
		aux(1, 0, 16, 0, 0, 9), trace(0, 0, 0, 0, make([]byte, 16)),
	))
	var got []string
	for _, e := range f.Events {
		text := fmt.Sprint(e.Time, " ", e.CPU, " ", e.Kind, " ", e.PID, ":", e.TID, " ", e.OtherPID, ":", e.OtherTID, " ", e.Out, " ", e.Exec)
		switch e.Kind {
		case CommEvent:
			text += fmt.Sprintf(" %q", f.Names[e.Index])
		case MapEvent:
			m := f.Maps[e.Index]
			text += fmt.Sprintf(" %x+%x at %x %q %q %t %d", m.Addr, m.Size, m.FileOffset, f.Names[m.Name], f.Names[m.BuildID], m.Executable, m.Mode)
		case SymbolEvent:
			s := f.Symbols[e.Index]
			text += fmt.Sprintf(" %x+%x %q %d %t", s.Addr, s.Size, f.Names[s.Name], s.Type, s.Unregister)
		case PokeEvent:
			text += fmt.Sprintf(" %x %q %q", f.Pokes[e.Index].Addr, f.Pokes[e.Index].Old, f.Pokes[e.Index].New)
		}
		got = append(got, text)
	}
	same(t, "events", []string{
		`0 -1 1 -1:0 -1:-1 false false 1000+20 at 0 "data" "" false 1`,
		`0 -1 1 -1:0 -1:-1 false false ffff0000+40 at 8 "[kernel]_text" "" true 1`,
		`0 0 7 9:9 1:1 false true`,
		`100 2 1 5:6 -1:-1 false false 4+5 at 6 "[kernel]_text" "IDID" false 2`,
		`100 2 3 5:6 -1:-1 false true "name"`,
		`100 2 3 5:6 -1:-1 false false "name"`,
		`100 2 7 7:8 5:6 false false`,
		`100 2 12 5:6 -1:-1 false false`,
		`100 2 14 5:6 -1:-1 true false`,
		`100 2 15 5:6 1:2 false false`,
		`100 2 17 5:6 -1:-1 false false f00+40 "bpf_prog" 1 true`,
		`100 2 20 5:6 -1:-1 false false f10 "ab" "cde"`,
		`300 2 1 5:6 -1:-1 false false 1+2 at 3 "/bin/a` + `\n` + `b" "" true 2`,
		`400 3 4 7:8 5:6 false false`,
	}, got)
	same(t, "names, once each", []string{"", "data", "[kernel]_text", "/bin/a\nb", "IDID", "name", "bpf_prog"}, f.Names)
}

// The counter's ticks are perf's time as perf computes it.
func TestTimeConversion(t *testing.T) {
	f := read(t, simple(rec(79, 0, u64(10, 2048, 1000)), aux(1, 0, 16, 0, 0, 9), trace(0, 0, 0, 0, make([]byte, 16))))
	same(t, "three fields", &TimeConversion{Shift: 10, Multiplier: 2048, Zero: 1000}, f.Conversion)
	same(t, "time", 1000+2*5001, f.Conversion.Nanoseconds(5001))
	f = read(t, simple(rec(79, 0, u64(10, 2048, 1000, 0x1_FFFF_FFF0, 0xFFFF_FFFF), []byte{1, 1, 0, 0, 0, 0, 0, 0}),
		aux(1, 0, 16, 0, 0, 9), trace(0, 0, 0, 0, make([]byte, 16))))
	same(t, "short", &TimeConversion{Shift: 10, Multiplier: 2048, Zero: 1000, Short: true, Cycles: 0x1_FFFF_FFF0, Mask: 0xFFFF_FFFF}, f.Conversion)
	same(t, "time that went on", 1000+2*0x2_0000_0010, f.Conversion.Nanoseconds(0x10))
	same(t, "impossible shift", 1000, (&TimeConversion{Shift: 99, Multiplier: 1, Zero: 1000}).Nanoseconds(7))
}

// A million processes take no more memory than their records in the file, twice.
func TestManyProcesses(t *testing.T) {
	processes := need.Size(50_000, 1_000_000)
	b := make([]byte, 0, 128*processes)
	for i := range uint32(processes) {
		pid := 1000 + i
		b = append(b, rec(7, 0, u32(pid, 1, pid, 1), u64(uint64(i)), at(1, 1, uint64(i), 0))...)
		b = append(b, rec(3, miscExec, u32(pid, pid), fmt.Appendf(nil, "p%06d\x00", i), at(pid, pid, uint64(i), 0))...)
	}
	r := simple(aux(1, 0, 16, 0, 0, 9), trace(0, 0, 0, 0, make([]byte, 16)))
	r.records = append(b, r.records...)
	file := r.bytes()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	f := readBytes(t, file)
	runtime.GC()
	runtime.ReadMemStats(&after)
	same(t, "events", 2*processes, len(f.Events))
	same(t, "names", processes+1, len(f.Names))
	kept := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	t.Logf("%d MB of records, %d MB kept, %d MB allocated", len(b)>>20, kept>>20, (after.TotalAlloc-before.TotalAlloc)>>20)
	if kept > int64(len(b)) || after.TotalAlloc-before.TotalAlloc > 6*uint64(len(b)) {
		t.Errorf("%d bytes kept, %d allocated, of %d in the file", kept, after.TotalAlloc-before.TotalAlloc, len(b))
	}
	runtime.KeepAlive(f)
	runtime.KeepAlive(file)
	runtime.KeepAlive(b)
}

// Many names, or long ones, do not grow without bounds.
func TestKept(t *testing.T) {
	r := newReader(nil)
	r.begin(0, &Part{Name: "perf.data"})
	r.bytes = maxBytes - 10
	r.name([]byte(strings.Repeat("x", 11)))
	const want = "perf.data: at offset 0x0: tells of more processes, maps and pieces of trace than there is room for; record a shorter time"
	if err := r.keep(0); err == nil || err.Error() != want {
		t.Errorf("bytes: %v", err)
	}
	r.bytes, r.kept = 0, maxKept-1
	if err := r.keep(0); err != nil {
		t.Errorf("just enough: %v", err)
	}
	if err := r.keep(0); err == nil || err.Error() != want {
		t.Errorf("events: %v", err)
	}
}
