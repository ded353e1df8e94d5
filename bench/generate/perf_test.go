package generate

import (
	"bufio"
	"bytes"
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
	"github.com/tracelake/tracelake/schema"
)

// A perfProcess is a process of one thread, and its capture.
type perfProcess struct {
	file    *PerfFile
	capture *Capture
	pid     uint32
}

// A perfTrial is a recording of processes that share addresses, and have programs of their own.
type perfTrial struct {
	name      string
	recipe    Recipe
	session   perfdata.Session
	processes int
	apart     bool // each process is on a CPU of its own
	raw       bool // trace has no frames
	inodes    bool
	recording func(r *perfdata.Recording)
}

func perfTrials() []perfTrial {
	etmv4 := Recipe{Protocol: "etmv4", Minor: 2, ContextIDBytes: 4}
	ete := Recipe{Protocol: "ete", Minor: 1, ContextIDBytes: 4}
	ptm := Recipe{Protocol: "pft", Minor: 1, ContextIDBytes: 4}
	return []perfTrial{
		{name: "version 0", recipe: etmv4, processes: 3},
		{name: "version 1", recipe: etmv4, processes: 3, inodes: true, session: perfdata.Session{Version: 1}},
		{name: "CPUs", recipe: etmv4, processes: 2, apart: true, session: perfdata.Session{Version: 1}},
		{name: "threads", recipe: etmv4, processes: 2, session: perfdata.Session{Version: 1, PerThread: true}},
		{name: "snapshots", recipe: etmv4, processes: 3, session: perfdata.Session{Version: 1, Snapshot: true}},
		{name: "ete", recipe: ete, processes: 2, session: perfdata.Session{Version: 1}},
		{name: "raw", recipe: ete, processes: 2, apart: true, raw: true, session: perfdata.Session{Version: 1}},
		{name: "ptm", recipe: ptm, processes: 2, session: perfdata.Session{Version: 1}},
		{
			name: "attributes of 64 bytes", recipe: etmv4, processes: 1, session: perfdata.Session{Version: 1},
			recording: func(r *perfdata.Recording) { r.AttrBytes = 64 },
		},
		{
			name: "compressed", recipe: etmv4, processes: 1, session: perfdata.Session{Version: 1},
			recording: func(r *perfdata.Recording) { r.Compression = perfdata.Compressed },
		},
		{
			name: "piped", recipe: etmv4, processes: 1, session: perfdata.Session{Version: 1},
			recording: func(r *perfdata.Recording) { r.Piped = true },
		},
		{
			name: "simpleperf", recipe: etmv4, processes: 1, session: perfdata.Session{Version: 1, Simpleperf: true},
		},
	}
}

// process makes the program of a process, whose file has other addresses, and its capture.
func (tr *perfTrial) process(t *testing.T, n int) *perfProcess {
	t.Helper()
	const base, bias = 0x40_0000, 0x30_0000
	pid := uint32(1000 + n)
	w, err := GeneratedWorkload(codegen.Options{
		Seed: uint64(n), Bytes: 1 << 12, Base: base, Arch: tr.recipe.Arch(), Security: schema.NonSecure,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Tasks, w.Handlers = w.Tasks[:1], nil
	w.Tasks[0].ContextID = pid
	r := tr.recipe
	r.Seed, r.Instructions, r.Cores = 1, 1000, tr.processes
	c, err := r.Capture(w)
	if err != nil {
		t.Fatal(err)
	}
	id := bytes.Repeat([]byte{byte(n + 1)}, 20)
	core := 0
	if tr.apart {
		core = n
	}
	c = c.Alone(core)
	if tr.raw {
		c.Framing = NoFrames
	}
	return &perfProcess{
		file: &PerfFile{
			Name: fmt.Sprintf("/bin/process%d", n), BuildID: id, AArch32: tr.recipe.Arch() == program.V7A, Regions: w.Memory,
			Bias: bias,
		},
		capture: c, pid: pid,
	}
}

// record has perf record all processes, one after another, and writes the file and those of the
// programs into dir.
func (tr *perfTrial) record(t *testing.T, dir string) []*perfProcess {
	t.Helper()
	s := tr.session
	var all []*perfProcess
	for n := range tr.processes {
		p := tr.process(t, n)
		s.Exec(p.pid, filepath.Base(p.file.Name))
		p.file.Map(&s, p.pid, tr.inodes)
		at := PerfThread{PID: p.pid, TID: p.pid, CPU: 2}
		if tr.apart {
			at.CPU, at.Sink = 2+3*n, uint32(n)
		}
		if err := p.capture.RecordPerf(t.Context(), &s, at); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "root", p.file.Name), p.file.ELF())
		all = append(all, p)
	}
	r, err := s.Recording()
	if err != nil {
		t.Fatal(err)
	}
	if tr.recording != nil {
		tr.recording(r)
	}
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "perf.data"), b.Bytes())
	return all
}

func write(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// unsent is how many instructions at the end of a run are not in its trace, at the most: those after
// the last waypoint.
const unsent = 40

// Perf itself, with OpenCSD, finds in a recording which instructions each process has executed.
func TestPerfDecodes(t *testing.T) {
	perf := need.Tool(t, need.Perf, "perf")
	for _, tr := range perfTrials() {
		t.Run(tr.name, func(t *testing.T) {
			dir := t.TempDir()
			processes := tr.record(t, dir)
			got := perfInstructions(t, perf, dir)
			for _, p := range processes {
				var want []string
				for s, err := range p.capture.Cores[0].Steps {
					if err != nil {
						t.Fatal(err)
					}
					want = append(want, fmt.Sprintf("%x", uint64(s.At.Address)))
				}
				have := got[fmt.Sprint(p.pid)]
				if len(have) < len(want)-unsent || len(have) > len(want) || !slices.Equal(have, want[:len(have)]) {
					for i := range have { if i>= len(want)|| have[i]!=want[i] { t.Log(i, have[i-5:min(len(have),i+8)], want[i-5:i+8]); break }}
					t.Errorf("process %d: %d instructions of %d, not those executed: %.300s, want %.300s", p.pid, len(have), len(want), have, want)
				}
			}
		})
	}
}

// perfInstructions are the addresses of the instructions of each process, as perf lists them.
func perfInstructions(t *testing.T, perf, dir string) map[string][]string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), perf, "script", "-i", "-", "--symfs", "root", "--itrace=i1i", "-F", "pid,ip")
	cmd.Dir = dir
	if piped, err := os.ReadFile(filepath.Join(dir, "perf.data")); err != nil {
		t.Fatal(err)
	} else if piped[8] == 16 {
		cmd.Stdin = bytes.NewReader(piped)
	} else {
		cmd.Args[3] = "perf.data"
	}
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, complaints.String())
	}
	got := map[string][]string{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		if f := strings.Fields(lines.Text()); len(f) == 2 {
			got[f[0]] = append(got[f[0]], f[1])
		}
	}
	if len(got) == 0 {
		t.Log(complaints.String())
	}
	return got
}
