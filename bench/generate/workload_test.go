package generate

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/execute"
	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/schema"
)

// The sample for ARMv5TE has its vectors at 0 itself; wandering through it enters all
// exceptions there, and no T32 of 32 bits but BL and BLX.
func TestELFWorkloadV5TE(t *testing.T) {
	w, err := ELFWorkload(sample.ARM926ELF, sample.ARM926(), program.V5TE)
	if err != nil {
		t.Fatal(err)
	}
	if w.HighVectors || len(w.Memory) != 2 {
		t.Errorf("high vectors %v, %d regions", w.HighVectors, len(w.Memory))
	}
	for x, at := range map[schema.ExceptionType]schema.Address{
		schema.ExcReset: 0, schema.ExcUndefined: 4, schema.ExcSVC: 8, schema.ExcPrefetchAbort: 0xC,
		schema.ExcDataAbort: 0x10, schema.ExcIRQ: 0x18, schema.ExcFIQ: 0x1C,
	} {
		if got, want := w.Handlers[x], (step.Place{Address: at}); got != want {
			t.Errorf("%s is handled at %s, want %s", x, got, want)
		}
	}
	r := Recipe{Protocol: "etmv1", Instructions: 50_000, Exceptions: 3000, Switches: 500, Data: DataBoth}
	o := r.execution(w)
	o.Rates[schema.ExcReset] = 50
	entered := make(map[schema.ExceptionType]int)
	t32, calls := 0, 0
	for s, err := range execute.Run(w.Program(), o) {
		switch {
		case err != nil:
			t.Fatal(err)
		case s.At.Security != schema.Secure:
			t.Fatalf("%+v is not secure", s)
		case s.Entered:
			entered[s.Exception]++
		case s.At.ISA == schema.T32 && s.Instruction.Size == 4:
			if calls++; s.Instruction.Kind != schema.KindCall {
				t.Fatalf("%s: opcode 0x%x", s.At, s.Instruction.Opcode)
			}
		case s.At.ISA == schema.T32:
			t32++
		}
	}
	for x := range w.Handlers {
		if entered[x] == 0 {
			t.Errorf("no %s", x)
		}
	}
	if t32 < 1000 || calls == 0 {
		t.Errorf("%d instructions of T32, %d BL and BLX", t32, calls)
	}
}

// A program whose table is elsewhere gets vectors that lead to it: at 0, or if it lies
// there, at 0xFFFF0000.
func TestELFWorkloadAddsVectors(t *testing.T) {
	const source = `
	.arch armv5te
	.arm
	.global _start
_start:	b	_start
	.balign	32
	.global	vectors
vectors:
	.rept	8
	subs	pc, lr, #4
	.endr
`
	for _, tt := range []struct {
		text  string // where the program lies
		table schema.Address
		base  schema.Address
	}{
		{"0x8000", 0x8020, 0},
		{"0x0", 0x20, 0xFFFF0000},
	} {
		file := link(t, source, tt.text)
		w, err := ELFWorkload("prog", file, program.V5TE)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Handlers[schema.ExcIRQ]; got != (step.Place{Address: tt.base + 0x18}) || w.HighVectors != (tt.base > 0) {
			t.Errorf("at %s: IRQ is handled at %s, high vectors %v", tt.text, got, w.HighVectors)
		}
		p := w.Program()
		for i := range schema.Address(8) {
			in, err := p.Instruction(step.Place{Address: tt.base + 4*i})
			if err != nil || in.Opcode != 0xE59FF018 { // LDR PC,[PC,#24]
				t.Fatalf("vector %d: %+v, %v", i, in, err)
			}
			want := tt.table + 4*i
			if i == 0 {
				want = tt.table - 0x20 // _start
			}
			if got := schema.Address(binary.LittleEndian.Uint32(p.Fetch(schema.Secure, tt.base+4*i+32))); got != want {
				t.Errorf("vector %d leads to 0x%x, want 0x%x", i, got, want)
			}
		}
	}
}

// A kernel in A64 has its vectors where the table's symbol says; the sample has the same ones for
// V8A as for V7A, by the names they have there. Both are at level 1, with their handlers.
func TestELFWorkloadV8A(t *testing.T) {
	const source = `
	.global _start
	.balign 0x800
vectors: .rept 16
	.balign 0x80
	add x0, x0, #1
	eret
	.endr
	.balign 0x80
	.type _start, %function
_start: bl work
	b _start
	.type work, %function
work:	svc #1
	ldr x1, [x0]
	ret
	.quad 0
`
	kernel := linkBy(t, "aarch64-linux-gnu-", source, "0xffff800000080000")
	for _, tt := range []struct {
		file     []byte
		irq      step.Place
		entered  []schema.ExceptionType
		handlers int
	}{
		{kernel, step.Place{Address: 0xFFFF8000_00080280, ISA: schema.A64, Level: 1}, []schema.ExceptionType{
			schema.ExcSVC, schema.ExcIRQ, schema.ExcDataAbort, schema.ExcTrap, schema.ExcSystemError, schema.ExcReset,
		}, 11},
		{sample.Program(), step.Place{Address: 0x40008018, Level: 1}, []schema.ExceptionType{
			schema.ExcSVC, schema.ExcIRQ, schema.ExcDataAbort, schema.ExcTrap, schema.ExcPrefetchAbort, schema.ExcReset,
		}, 6},
	} {
		w, err := ELFWorkload("prog", tt.file, program.V8A)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Handlers[schema.ExcIRQ]; got != tt.irq || len(w.Handlers) != tt.handlers {
			t.Errorf("IRQ is handled at %+v; %d handlers", got, len(w.Handlers))
		}
		r := Recipe{Protocol: "pft", Instructions: 50_000, Exceptions: 3000, Switches: 500}
		o := r.execution(w)
		o.Rates[schema.ExcReset] = 50
		entered := make(map[schema.ExceptionType]int)
		for s, err := range execute.Run(w.Program(), o) {
			if err != nil {
				t.Fatal(err)
			}
			if s.At.Level != 1 || s.At.Security != schema.NonSecure || (s.At.ISA == schema.A64) != (tt.irq.ISA == schema.A64) {
				t.Fatalf("%+v", s)
			}
			entered[s.Exception]++
		}
		for _, x := range tt.entered {
			if entered[x] == 0 {
				t.Errorf("no %s", x)
			}
		}
	}
}

func TestELFWorkloadRefusesLater(t *testing.T) {
	file := link(t, ".arch armv7-a\n.global _start\n_start: b _start\n", "0x8000")
	if _, err := ELFWorkload("prog", file, program.V5TE); err == nil || !strings.HasPrefix(err.Error(), "prog: the program is for a later architecture than ARMv5TE; give one") {
		t.Errorf("error %v", err)
	}
	if _, err := ELFWorkload("prog", file, program.V7A); err != nil {
		t.Error(err)
	}
}

// link makes an ELF file of source, whose code begins at an address.
func link(t *testing.T, source, text string) []byte {
	t.Helper()
	return linkBy(t, "arm-none-eabi-", source, text)
}

func linkBy(t *testing.T, tools, source, text string) []byte {
	t.Helper()
	need.Tool(t, need.Objdump, tools+"as")
	need.Tool(t, need.Objdump, tools+"ld")
	dir := t.TempDir()
	name := func(file string) string { return filepath.Join(dir, file) }
	if err := os.WriteFile(name("a.S"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, line := range [][]string{
		{tools + "as", "-o", name("a.o"), name("a.S")},
		{tools + "ld", "-Ttext=" + text, "-o", name("a"), name("a.o")},
	} {
		if out, err := exec.Command(line[0], line[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line[0], err, out)
		}
	}
	file, err := os.ReadFile(name("a"))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// What the sample for ARMv5TE executed, as recorded.
func TestSampleWorkload(t *testing.T) {
	w, err := SampleWorkload()
	if err != nil {
		t.Fatal(err)
	}
	instructions := 0
	for s, err := range w.Recorded {
		if err != nil {
			t.Fatal(err)
		}
		if !s.Entered {
			instructions++
		}
		if s.Cycles == 0 {
			t.Fatalf("%s costs nothing", s.At)
		}
	}
	if w.Arch != program.V5TE || instructions != 247_891 { // bench/sample/README.md
		t.Errorf("%s, %d instructions", w.Arch, instructions)
	}
}
