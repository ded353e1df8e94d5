package generate

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/encode/perfdata"
	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/bench/program/linker"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// A perfTrial is a recording of what a story tells.
type perfTrial struct {
	name    string
	recipe  Recipe
	session perfdata.Session
	story   perfStory
	change  func(r *perfdata.Recording) // nil: as perf writes it
	untold  bool                        // perf itself does not find what was executed
}

// A perfStory is what happens while perf records. It returns what was traced.
type perfStory func(t *testing.T, r *Recipe, s *perfdata.Session) []perfRun

// A perfRun is the capture of what a process executed, on CPUs from one on, and the files it is in.
type perfRun struct {
	capture *Capture
	at      PerfThread
	files   []*PerfFile
}

func perfTrials() []perfTrial {
	etmv4 := Recipe{Protocol: "etmv4", Minor: 2, ContextIDBytes: 4}
	ete := Recipe{Protocol: "ete", Minor: 1, ContextIDBytes: 4}
	ptm := Recipe{Protocol: "pft", Minor: 1, ContextIDBytes: 4}
	etmv3 := Recipe{Protocol: "etmv3", Minor: 5, ContextIDBytes: 4}
	one, several := processes(1, 0), processes(3, 0)
	return []perfTrial{
		{name: "version 0", recipe: etmv4, story: several},
		{name: "version 1", recipe: etmv4, story: several, session: perfdata.Session{Version: 1}},
		{name: "IDs of hardware", recipe: etmv4, story: several, session: perfdata.Session{Version: 2, HardwareIDs: true}, untold: true},
		{
			name: "IDs by sink", recipe: etmv4, story: processes(3, 3),
			session: perfdata.Session{Version: 2, HardwareIDs: true, Sinks: true}, untold: true,
		},
		{name: "CPUs", recipe: etmv4, story: processes(2, 3), session: perfdata.Session{Version: 1}},
		{name: "one sink", recipe: etmv4, story: cores, session: perfdata.Session{Version: 1}},
		{name: "rings of threads", recipe: etmv4, story: processes(2, 0), session: perfdata.Session{Version: 1, PerThread: true}},
		{name: "snapshots", recipe: etmv4, story: several, session: perfdata.Session{Version: 1, Snapshot: true}},
		{name: "ete", recipe: ete, story: several, session: perfdata.Session{Version: 1}},
		{name: "raw", recipe: ete, story: unframed(1), session: perfdata.Session{Version: 1}},
		{name: "raw of two CPUs", recipe: ete, story: unframed(2), session: perfdata.Session{Version: 1}, untold: true},
		{name: "ptm", recipe: ptm, story: one, session: perfdata.Session{Version: 1}},
		{name: "etmv3", recipe: etmv3, story: one, session: perfdata.Session{Version: 1}, untold: true},
		{name: "threads", recipe: etmv4, story: threads, session: perfdata.Session{Version: 1}},
		{name: "interrupts", recipe: etmv4, story: interrupts, session: perfdata.Session{Version: 1}, untold: true},
		{name: "library", recipe: etmv4, story: library, session: perfdata.Session{Version: 1}},
		{name: "fork", recipe: etmv4, story: fork, session: perfdata.Session{Version: 1}},
		{name: "exec", recipe: etmv4, story: replaced, session: perfdata.Session{Version: 1}, untold: true},
		{name: "kernel", recipe: etmv4, story: kernel, session: perfdata.Session{Version: 1}},
		{
			name: "attributes of 64 bytes", recipe: etmv4, story: one, session: perfdata.Session{Version: 1},
			change: func(r *perfdata.Recording) { r.AttrBytes = 64 },
		},
		{
			name: "compressed", recipe: etmv4, story: one, session: perfdata.Session{Version: 1},
			change: func(r *perfdata.Recording) { r.Compression = perfdata.Compressed },
		},
		{
			name: "compressed since 6.16", recipe: etmv4, story: one, session: perfdata.Session{Version: 1}, untold: true,
			change: func(r *perfdata.Recording) { r.Compression = perfdata.Compressed2 },
		},
		{
			name: "piped", recipe: etmv4, story: one, session: perfdata.Session{Version: 1},
			change: func(r *perfdata.Recording) { r.Piped = true },
		},
		{
			name: "simpleperf", recipe: etmv4, story: one, session: perfdata.Session{Version: 1, Simpleperf: true},
		},
	}
}

// Where programs run, and how much lower the addresses in their files are.
const (
	perfBase = 0x40_0000
	perfBias = 0x30_0000
	perfCPU  = 2 // the first that is used
	perfPID  = 1000
)

// perfProgram makes up a program for user space that gets no exceptions.
func perfProgram(t *testing.T, r *Recipe, seed uint64, pid uint32) *Workload {
	t.Helper()
	w, err := GeneratedWorkload(codegen.Options{
		Seed: seed, Bytes: 1 << 12, Base: perfBase, Arch: r.Arch(), Security: schema.NonSecure,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Tasks, w.Handlers = w.Tasks[:1], nil
	w.Tasks[0].ContextID = pid
	return w
}

// perfFile is the file that regions of memory are from.
func perfFile(r *Recipe, name string, bias uint64, regions ...image.Region) *PerfFile {
	return &PerfFile{
		Name: "/bin/" + name, BuildID: bytes.Repeat([]byte(name[len(name)-1:]), 20), AArch32: r.Arch() == program.V7A,
		Regions: regions, Bias: bias,
	}
}

// perfCapture is the capture of a program on some cores, whose trace units depend on the recipe
// alone.
func perfCapture(t *testing.T, r Recipe, w *Workload, cores int) *Capture {
	t.Helper()
	r.Seed, r.Instructions, r.Cores = 1, 1000, cores
	c, err := r.Capture(w)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// record has perf record the run.
func (p *perfRun) record(t *testing.T, s *perfdata.Session) {
	t.Helper()
	if err := p.capture.RecordPerf(t.Context(), s, p.at); err != nil {
		t.Fatal(err)
	}
}

// processes run one after another, each a program of its own at the same addresses, on CPUs so far
// apart.
func processes(n, apart int) perfStory {
	return func(t *testing.T, r *Recipe, s *perfdata.Session) []perfRun {
		var runs []perfRun
		for k := range n {
			pid := uint32(perfPID + k)
			name := fmt.Sprint("process", k)
			w := perfProgram(t, r, uint64(k), pid)
			c := perfCapture(t, *r, w, n)
			if apart > 0 {
				c = c.Alone(k)
			} else {
				c = c.Alone(0)
			}
			p := perfRun{c, PerfThread{perfCPU + k*apart, uint32(k * apart), pid, pid}, []*PerfFile{perfFile(r, name, perfBias, w.Memory...)}}
			s.Exec(pid, name)
			p.files[0].Map(s, pid, k == 1)
			p.record(t, s)
			runs = append(runs, p)
		}
		return runs
	}
}

// unframed are processes, each on a CPU of its own, the trace of which has no frames.
func unframed(n int) perfStory {
	return func(t *testing.T, r *Recipe, s *perfdata.Session) []perfRun {
		var runs []perfRun
		for k := range n {
			pid := uint32(perfPID + k)
			w := perfProgram(t, r, uint64(k), pid)
			p := perfRun{
				perfCapture(t, *r, w, n).Alone(k),
				PerfThread{perfCPU + k, uint32(k), pid, pid},
				[]*PerfFile{perfFile(r, fmt.Sprint("process", k), perfBias, w.Memory...)},
			}
			p.capture.Framing = NoFrames
			p.files[0].Map(s, pid, false)
			p.record(t, s)
			runs = append(runs, p)
		}
		return runs
	}
}

// cores are two that execute one program, whose trace is in one buffer.
func cores(t *testing.T, r *Recipe, s *perfdata.Session) []perfRun {
	t.Helper()
	w := perfProgram(t, r, 1, perfPID)
	p := perfRun{
		perfCapture(t, *r, w, 2),
		PerfThread{perfCPU, 0, perfPID, perfPID},
		[]*PerfFile{perfFile(r, "process", perfBias, w.Memory...)},
	}
	p.files[0].Map(s, perfPID, false)
	p.record(t, s)
	return []perfRun{p}
}

// threads are two of a process, the second of which was made later.
func threads(t *testing.T, r *Recipe, s *perfdata.Session) []perfRun {
	t.Helper()
	file := perfFile(r, "process", perfBias, perfProgram(t, r, 1, perfPID).Memory...)
	s.Exec(perfPID, "process")
	file.Map(s, perfPID, false)
	var runs []perfRun
	for tid := uint32(perfPID); tid < perfPID+2; tid++ {
		if tid > perfPID {
			s.Thread(perfPID, tid, "worker")
		}
		c := perfCapture(t, *r, perfProgram(t, r, 1, tid), 2).Alone(int(tid - perfPID))
		p := perfRun{c, PerfThread{perfCPU + int(tid-perfPID), 0, perfPID, tid}, []*PerfFile{file}}
		p.record(t, s)
		runs = append(runs, p)
	}
	return runs
}

// interrupts are those of threads that take turns: their handlers are in a kernel.
func interrupts(t *testing.T, r *Recipe, s *perfdata.Session) []perfRun {
	t.Helper()
	w, err := GeneratedWorkload(codegen.Options{
		Seed: 1, Bytes: 1 << 12, Base: perfBase, Arch: r.Arch(), Security: schema.NonSecure, Switches: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	busy := *r
	busy.Switches, busy.Exceptions = 5000, 20_000
	m := w.Memory[0]
	functions := slices.MinFunc(w.Targets, func(a, b step.Place) int { return cmp.Compare(a.Address, b.Address) }).Address
	user := image.Region{Address: functions, Bytes: m.Bytes[functions-m.Address:]}
	p := perfRun{nil, PerfThread{perfCPU, 0, perfPID, perfPID}, []*PerfFile{
		perfFile(r, "process", perfBias, user), perfFile(r, "vmlinux", perfBias/2, m),
	}}
	p.files[1].Symbols = []linker.Symbol{{Name: "_text", Address: uint64(m.Address) - perfBias/2}}
	p.files[1].MapKernel(s, uint64(m.Address))
	s.Exec(perfPID, "process")
	p.files[0].Map(s, perfPID, false)
	for i := range w.Tasks {
		tid := uint32(perfPID + i)
		w.Tasks[i].ContextID = tid
		if i > 0 {
			s.Thread(perfPID, tid, "worker")
		}
	}
	p.capture = perfCapture(t, busy, w, 1)
	p.record(t, s)
	return []perfRun{p}
}

// library is a program half of which is in a shared object with a bias of its own.
func library(t *testing.T, r *Recipe, s *perfdata.Session) []perfRun {
	t.Helper()
	w := perfProgram(t, r, 1, perfPID)
	m := w.Memory[0]
	const half = linker.PageBytes
	low, high := m, m
	low.Bytes = m.Bytes[:half]
	high.Address, high.Bytes = m.Address+half, m.Bytes[half:]
	p := perfRun{perfCapture(t, *r, w, 1), PerfThread{perfCPU, 0, perfPID, perfPID}, []*PerfFile{
		perfFile(r, "process", perfBias, low), perfFile(r, "lib.so", perfBias+half, high),
	}}
	for _, f := range p.files {
		f.Map(s, perfPID, false)
	}
	p.record(t, s)
	return []perfRun{p}
}

// fork is a process and its child, which has what its parent had mapped.
func fork(t *testing.T, r *Recipe, s *perfdata.Session) []perfRun {
	t.Helper()
	file := perfFile(r, "process", perfBias, perfProgram(t, r, 1, perfPID).Memory...)
	file.Map(s, perfPID, false)
	var runs []perfRun
	for pid := uint32(perfPID); pid < perfPID+2; pid++ {
		if pid > perfPID {
			s.Fork(pid, perfPID)
		}
		p := perfRun{perfCapture(t, *r, perfProgram(t, r, 1, pid), 1), PerfThread{perfCPU, 0, pid, pid}, []*PerfFile{file}}
		p.record(t, s)
		runs = append(runs, p)
	}
	return runs
}

// replaced is a program in whose place its process executes another, at the same addresses. Perf
// looks up both in the last one.
func replaced(t *testing.T, r *Recipe, s *perfdata.Session) []perfRun {
	t.Helper()
	var runs []perfRun
	for k := range uint64(2) {
		w := perfProgram(t, r, k, perfPID)
		name := fmt.Sprint("program", k)
		p := perfRun{perfCapture(t, *r, w, 1), PerfThread{perfCPU, 0, perfPID, perfPID}, []*PerfFile{perfFile(r, name, perfBias, w.Memory...)}}
		s.Exec(perfPID, name)
		p.files[0].Map(s, perfPID, false)
		p.record(t, s)
		runs = append(runs, p)
	}
	return runs
}

// kernel is one that KASLR has moved.
func kernel(t *testing.T, r *Recipe, s *perfdata.Session) []perfRun {
	t.Helper()
	const text, slide = 0xFFFF_8000_0A01_0000, 0x200_0000
	w, err := GeneratedWorkload(codegen.Options{
		Seed: 1, Bytes: 1 << 12, Base: text, Arch: program.V8A, Level: 1, Security: schema.NonSecure,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Tasks = w.Tasks[:1]
	w.Tasks[0].ContextID = perfPID
	f := perfFile(r, "vmlinux", slide, w.Memory...)
	for _, name := range []string{"_text", "_stext"} {
		f.Symbols = append(f.Symbols, linker.Symbol{Name: name, Address: text - slide})
	}
	f.MapKernel(s, text)
	p := perfRun{perfCapture(t, *r, w, 1), PerfThread{perfCPU, 0, perfPID, perfPID}, []*PerfFile{f}}
	s.Exec(perfPID, "process")
	p.record(t, s)
	return []perfRun{p}
}

// record tells the story, and writes the recording and the files of the programs into dir.
func (tr *perfTrial) record(t *testing.T, dir string) []perfRun {
	t.Helper()
	s := tr.session
	runs := tr.story(t, &tr.recipe, &s)
	r, err := s.Recording()
	if err != nil {
		t.Fatal(err)
	}
	if tr.change != nil {
		tr.change(r)
	}
	var b bytes.Buffer
	err = errors.Join(r.Write(&b), os.MkdirAll(filepath.Join(dir, "root", "bin"), 0o755),
		os.WriteFile(filepath.Join(dir, "perf.data"), b.Bytes(), 0o644))
	for i := range runs {
		for _, f := range runs[i].files {
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, "root", f.Name), f.ELF(), 0o644))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

// The trace of each run is in the recording as it is.
func TestPerfRecordings(t *testing.T) {
	for _, tr := range perfTrials() {
		dir := t.TempDir()
		runs := tr.record(t, dir)
		recording, err := os.ReadFile(filepath.Join(dir, "perf.data"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range runs {
			trace, err := runs[i].capture.buffered(t.Context())
			if err != nil || len(trace) == 0 {
				t.Fatalf("%s: trace of %d bytes, %v", tr.name, len(trace), err)
			}
			if bytes.Count(recording, trace) != 1 {
				t.Errorf("%s: run %d is not in the recording", tr.name, i)
			}
		}
	}
}

// What perf's metadata has of trace units, in its order; TRCDEVARCH as in files of simpleperf.
func TestPerfCPU(t *testing.T) {
	for _, tt := range []struct {
		recipe     Recipe
		simpleperf bool
		magic      perfdata.Magic
		registers  string
		last       uint64
	}{
		{Recipe{Protocol: "pft", Minor: 1}, false, perfdata.ETMv3, "ETMCR ETMTRACEIDR ETMCCER ETMIDR", 0x411CF312},
		{Recipe{Protocol: "etmv3", Minor: 5}, false, perfdata.ETMv3, "ETMCR ETMTRACEIDR ETMCCER ETMIDR", 0x410CF250},
		{
			Recipe{Protocol: "etmv4", Minor: 2},
			false, perfdata.ETMv4,
			"TRCCONFIGR TRCTRACEIDR TRCIDR0 TRCIDR1 TRCIDR2 TRCIDR8 TRCAUTHSTATUS", 0,
		},
		{
			Recipe{Protocol: "etmv4", Minor: 2},
			true, perfdata.ETE,
			"TRCCONFIGR TRCTRACEIDR TRCIDR0 TRCIDR1 TRCIDR2 TRCIDR8 TRCAUTHSTATUS TRCDEVARCH", 0x47724A13,
		},
		{
			Recipe{Protocol: "ete", Minor: 1},
			false, perfdata.ETE,
			"TRCCONFIGR TRCTRACEIDR TRCIDR0 TRCIDR1 TRCIDR2 TRCIDR8 TRCAUTHSTATUS TRCDEVARCH", 0x47715A13,
		},
	} {
		core := &perfCapture(t, tt.recipe, perfProgram(t, &tt.recipe, 1, perfPID), 2).Cores[1]
		cpu, err := core.perfCPU(7, tt.simpleperf)
		if err != nil {
			t.Fatal(err)
		}
		names := strings.Fields(tt.registers)
		if cpu.Magic != tt.magic || cpu.Number != 7 || len(cpu.Parameters) != len(names) || cpu.Parameters[len(names)-1] != tt.last {
			t.Errorf("%s: %+v", tt.recipe.Protocol, cpu)
		}
		if id := cpu.Parameters[perfdata.TraceIDParameter]; id != recipeFirstSource+1 {
			t.Errorf("%s: trace ID 0x%x", tt.recipe.Protocol, id)
		}
		for _, r := range core.Registers {
			if i := slices.Index(names, r.Name); i >= 0 && cpu.Parameters[i] != uint64(r.Value) {
				t.Errorf("%s: %s is 0x%x, want 0x%x", tt.recipe.Protocol, r.Name, cpu.Parameters[i], r.Value)
			}
		}
	}
}

// What perf does not record.
func TestPerfRefuses(t *testing.T) {
	for _, tt := range []struct {
		recipe Recipe
		want   string
	}{
		{Recipe{Protocol: "etmv1", Instructions: 10}, "perf does not record etmv1"},
		{Recipe{Protocol: "etmv4", Instructions: 10, Framing: FramesOfPort}, "not from a trace port"},
	} {
		w, err := GeneratedWorkload(codegen.Options{Bytes: 1 << 10, Base: perfBase, Arch: tt.recipe.Arch()})
		if err != nil {
			t.Fatal(err)
		}
		c, err := tt.recipe.Capture(w)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.RecordPerf(t.Context(), new(perfdata.Session), PerfThread{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
}

// unsent is how many instructions at the end of a run are not in its trace, at the most: those after
// the last waypoint.
const unsent = 40

// Perf itself, with OpenCSD, finds in a recording what each process has executed.
func TestPerfDecodes(t *testing.T) {
	perf := need.Tool(t, need.Perf, "perf")
	for _, tr := range perfTrials() {
		if tr.untold {
			continue
		}
		t.Run(tr.name, func(t *testing.T) {
			dir := t.TempDir()
			runs := tr.record(t, dir)
			got, complaints := perfInstructions(t, perf, dir)
			for _, p := range runs {
				for i := range p.capture.Cores {
					key := fmt.Sprintf("%d [%03d]", p.at.PID, p.at.CPU+i)
					want := executed(t, &p.capture.Cores[i])
					n := 0
					for n < min(len(want), len(got[key])) && want[n] == got[key][n] {
						n++
					}
					got[key] = got[key][n:]
					if n < len(want)-unsent {
						t.Errorf("%s: %d instructions of %d, then %.100s, want %.100s\n%s", key, n, len(want), got[key], want[n:], complaints)
					}
				}
			}
			for key, more := range got {
				if len(more) > 0 {
					t.Errorf("%s: %d instructions that were not executed: %.100s", key, len(more), more)
				}
			}
		})
	}
}

// executed are the addresses of the instructions of a core.
func executed(t *testing.T, core *TracedCore) []string {
	t.Helper()
	var at []string
	for s, err := range core.Steps {
		if err != nil {
			t.Fatal(err)
		}
		if !s.Entered {
			at = append(at, fmt.Sprintf("%x", uint64(s.At.Address)))
		}
	}
	return at
}

// perfInstructions are the addresses of the instructions of each process on each CPU, as perf lists
// them, and what it says beside.
func perfInstructions(t *testing.T, perf, dir string) (at map[string][]string, complaints string) {
	t.Helper()
	recording, err := os.ReadFile(filepath.Join(dir, "perf.data"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), perf, "script", "-i", "perf.data", "--itrace=i1i", "-F", "pid,cpu,ip")
	cmd.Dir = dir
	if recording[8] == 16 { // as to a pipe
		cmd.Args[3], cmd.Stdin = "-", bytes.NewReader(recording)
	}
	if _, err := os.Stat(filepath.Join(dir, "root", "bin", "vmlinux")); err == nil {
		cmd.Args = append(cmd.Args, "--vmlinux", "root/bin/vmlinux")
	} else {
		cmd.Args = append(cmd.Args, "--symfs", "root")
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	at = map[string][]string{}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) == 3 {
			key := f[0] + " " + f[1]
			at[key] = append(at[key], f[2])
		}
	}
	return at, stderr.String()
}
