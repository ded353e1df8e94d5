package process_test

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/capture/perfdata"
	"github.com/tracelake/tracelake/decode/process"
	"github.com/tracelake/tracelake/schema"
)

// recorded are the events of a recording of simpleperf.
func recorded(t *testing.T, name string) []process.Event {
	t.Helper()
	path := filepath.Join(need.Module(t), "..", "shared", "captures", "perf-simpleperf-"+name, "perf.data")
	data, err := os.Open(path)
	if err != nil {
		need.Missing(t, need.Silicon, err.Error())
	}
	defer data.Close()
	info, err := data.Stat()
	if err != nil {
		t.Fatal(err)
	}
	f, err := perfdata.Read([]perfdata.Part{{Name: "perf.data", Data: data, Size: info.Size()}})
	if err != nil {
		t.Fatal(err)
	}
	return events(f)
}

// events are those of a recording that a timeline is made of. Names of build IDs do not say the
// symbol that the name of the kernel's map ends in.
func events(f *perfdata.File) []process.Event {
	ids := map[string]string{}
	for _, b := range f.BuildIDs {
		ids[b.Name] = hex.EncodeToString([]byte(b.ID))
	}
	var list []process.Event
	for _, e := range f.Events {
		out := process.Event{Time: e.Time, PID: e.PID, TID: e.TID, CPU: int32(e.CPU)}
		switch e.Kind {
		case perfdata.MapEvent:
			m := f.Maps[e.Index]
			name := f.Names[m.Name]
			out.Kind, out.Executable = process.Mapped, m.Executable
			out.Map = process.Map{Address: schema.Address(m.Addr), Size: m.Size, Offset: m.FileOffset}
			out.Map.File = process.File{Name: name, BuildID: ids[strings.TrimSuffix(name, "_stext")]}
		case perfdata.CommEvent:
			out.Kind, out.Name = process.Named, f.Names[e.Index]
			if e.Exec {
				out.Kind = process.Executed
			}
		case perfdata.TraceStartEvent:
			out.Kind = process.SwitchedIn
		}
		list = append(list, out)
	}
	return list
}

// shown shows a part of a map, with the file offset of its first byte.
func shown(p process.Part, ok bool) string {
	if !ok {
		return "nothing"
	}
	return fmt.Sprintf("%s %x-%x+%x %s", p.Map.File.Name, p.From, p.To, p.Map.Offset+uint64(p.From-p.Map.Address), p.Map.File.BuildID)
}

func count(m *process.Maps) (n int) {
	for range m.All() {
		n++
	}
	return n
}

// TestRecording: a recording has the maps of the kernel and its modules from the beginning, those
// of a program from its exec on, and none of the recorder that became this program.
func TestRecording(t *testing.T) {
	tl := process.New(recorded(t, "kernel"))
	const pid, begin, end = 15320, 495_580_000_000, 495_590_833_743 // ns: before the exec, and at the last AUX record
	kernel := tl.Kernel(0)
	for _, c := range []struct{ want, got string }{
		{"[kernel.kallsyms]_stext ffffff9a5dc9d000-ffffffffffffffff+0 314a4f09e2d2305e", shown(kernel.Find(0xFFFFFF9A5DC9E000))},
		{"/vendor/lib/modules/incrementalfs.ko ffffff99f425c000-ffffff99f4272000+0 d360d9c2dbb0fdf8", shown(kernel.Find(0xFFFFFF99F4260000))},
		{"./simpleperf64, 2 maps", fmt.Sprintf("%s, %d maps", tl.Name(pid, begin), count(tl.At(pid, begin)))},
		{"sleep, 17 maps", fmt.Sprintf("%s, %d maps", tl.Name(pid, end), count(tl.At(pid, end)))},
		{"/system/bin/toybox 59b64ff000-59b6544000+2b000 6c38345dea265b0e074fd440fa3114e5", shown(tl.At(pid, end).Find(0x59B6500000))},
		{"nothing", shown(tl.At(pid, begin).Find(0x59B6500000))},
		{"329 maps of the kernel", fmt.Sprintf("%d maps of the kernel", count(kernel))},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
	if tl.Kernel(end) != kernel {
		t.Error("the kernel's maps change")
	}
	for _, cpu := range []int32{0, 6} {
		if tid, ok := tl.Ran(cpu, end); tid != pid || !ok {
			t.Errorf("CPU %d ran %d, %v; want %d", cpu, tid, ok, pid)
		}
	}
}
