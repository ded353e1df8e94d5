package generate

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// A recordedProgram is a program that QEMU recorded.
type recordedProgram struct {
	elf, log []byte
}

// record builds the program of testdata and runs it in QEMU, or skips the test.
func record(t *testing.T, flags ...string) *recordedProgram {
	t.Helper()
	const compiler = "arm-linux-gnueabihf-gcc"
	need.Tool(t, need.GCC, compiler)
	need.Tool(t, need.QEMU, "qemu-arm")
	dir := t.TempDir()
	program, log := filepath.Join(dir, "recorded"), filepath.Join(dir, "log")
	build := slices.Concat([]string{"-O3", "-ffast-math", "-march=armv7-a", "-mfpu=neon", "-no-pie", "-o", program}, flags, []string{filepath.Join("testdata", "recorded.c")})
	if out, err := exec.Command(compiler, build...).CombinedOutput(); err != nil {
		need.Missing(t, need.GCC, fmt.Sprintf("%s: %v\n%s", compiler, err, out)) // without its C library
	}
	help, _ := exec.Command("qemu-arm", "-h").Output() // some exit with 1
	single := "-singlestep"
	if strings.Contains(string(help), "-one-insn-per-tb") {
		single = "-one-insn-per-tb"
	}
	out, err := exec.Command("qemu-arm", "-L", "/usr/arm-linux-gnueabihf", single, "-d", "exec,cpu,nochain", "-D", log, program).Output()
	// 21 is the eighth Fibonacci number, 64.0 the sum of 64 times 0 * 1.5 + 1.
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 7 || !strings.HasPrefix(string(out), "1 signal, ") || !strings.HasSuffix(string(out), ", 21, 64.0, 1\n") {
		t.Fatalf("qemu-arm: %v, printed %q", err, out)
	}
	p := &recordedProgram{}
	for name, to := range map[string]*[]byte{program: &p.elf, log: &p.log} {
		if *to, err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p *recordedProgram) workload(t *testing.T) *Workload {
	t.Helper()
	w, err := RecordedWorkload("recorded", p.elf, QEMULog{Name: "log", Data: bytes.NewReader(p.log)})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A program with a C library, in both instruction sets: what QEMU recorded of it
// is decoded to its truth, of whatever version of whatever protocol.
func TestRecorded(t *testing.T) {
	recipes := []Recipe{
		{Protocol: "pft", Minor: 0},
		{Protocol: "pft", Minor: 1, ReturnStack: true, CycleAccurate: true},
		{Protocol: "pft", Minor: 1, Broadcast: true, Timestamps: true, ContextIDBytes: 4, Variation: 0.2},
		{Protocol: "etmv3", Minor: 0},
		{Protocol: "etmv3", Minor: 3, CycleAccurate: true, TwoAtoms: true},
		{Protocol: "etmv3", Minor: 4, AltBranch: true, Broadcast: true},
		{Protocol: "etmv3", Minor: 5, CycleAccurate: true, Timestamps: true, ContextIDBytes: 1, Variation: 0.2},
	}
	for set, flags := range map[string][]string{"a32": {"-marm", "-static"}, "t32": {"-mthumb", "-static"}, "dynamic": {"-mthumb"}} {
		t.Run(set, func(t *testing.T) {
			p := record(t, flags...)
			checkRecorded(t, p, set)
			seen := tally{}
			for i, r := range recipes {
				if i%3 != 0 && testing.Short() {
					continue
				}
				t.Run(fmt.Sprintf("%s/%d", r.Protocol, i), func(t *testing.T) {
					c, err := r.Capture(p.workload(t))
					if err != nil {
						t.Fatal(err)
					}
					roundTrip(t, c, uint64(i), seen)
				})
			}
			t.Logf("rows compared: %v", seen)
		})
	}
}

// A program that is moved when it is loaded has other addresses than its log.
func TestRecordedWorkloadRefuses(t *testing.T) {
	moved := sample.Program()
	moved[16] = byte(elf.ET_DYN) // e_type
	for _, tt := range []struct {
		name string
		file []byte
		want string
	}{
		{"position independent", moved, "prog: is position-independent (ET_DYN); give an Arm program that has a place of its own in memory, as -no-pie links it"},
		{"no ELF file", []byte("text"), "prog: is no ELF file; give an Arm program"},
	} {
		if _, err := RecordedWorkload("prog", tt.file, QEMULog{}); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

// checkRecorded demands that the program does what a program does, and that there
// is a step for each record.
func checkRecorded(t *testing.T, p *recordedProgram, set string) {
	t.Helper()
	seen := map[string]int{}
	instructions := 0
	for s, err := range p.workload(t).Recorded {
		switch {
		case err != nil:
			t.Fatal(err)
		case s.Entered || s.Trace != step.Traced:
			continue
		}
		instructions++
		seen[s.At.ISA.String()]++
		seen[s.Instruction.Kind.String()]++
		if s.Failed && s.Instruction.Flow == isa.None {
			seen["a condition that fails"]++
		}
		if s.At.ISA == schema.T32 && s.Instruction.Opcode&0xFFF0FFF0 == 0xE8D0F000 { // DDI 0406C A8.8.238
			seen["TBB"]++
		}
	}
	want := []string{"call", "indirect_call", "return", "branch", "indirect", "a condition that fails"}
	switch set {
	case "a32":
		want = append(want, "a32", "t32", "svc") // the library is T32
	case "t32":
		want = append(want, "a32", "t32", "svc", "TBB")
	}
	for _, what := range want {
		if seen[what] == 0 {
			t.Errorf("no %s among %v", what, seen)
		}
	}
	if set == "dynamic" {
		return // most records are of the library
	}
	records := bytes.Count(p.log, []byte("\nTrace ")) + 1 - bytes.Count(p.log, []byte("\nStopped "))
	if instructions != records-1 { // the last is exit
		t.Errorf("%d instructions, want %d", instructions, records-1)
	}
}

// OpenCSD decodes a recorded program to the truth, too.
func TestOutsideRecorded(t *testing.T) {
	skipShort(t)
	lister := findLister(t)
	p := record(t, "-mthumb", "-static")
	for _, r := range []Recipe{
		{Protocol: "pft", Minor: 1},
		{Protocol: "pft", Minor: 1, ReturnStack: true, CycleAccurate: true},
		{Protocol: "etmv3", Minor: 5, Broadcast: true},
		{Protocol: "etmv3", Minor: 5, CycleAccurate: true, Timestamps: true},
	} {
		t.Run(fmt.Sprintf("%s/%t", r.Protocol, r.CycleAccurate), func(t *testing.T) {
			r.Instructions = 20_000
			w := p.workload(t)
			c, err := r.Capture(w)
			if err != nil {
				t.Fatal(err)
			}
			compareOutside(t, lister, c, w)
		})
	}
}
