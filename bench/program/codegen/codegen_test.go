package codegen_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/internal/benchtest"
	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

func TestGenerateProgramIsDeterministic(t *testing.T) {
	for _, o := range benchtest.Programs {
		first, second := benchtest.Generate(t, o), benchtest.Generate(t, o)
		if !bytes.Equal(first.Code, second.Code) || !slices.Equal(first.Targets, second.Targets) {
			t.Errorf("%+v: two programs differ", o)
		}
		o.Seed += 100
		if bytes.Equal(first.Code, benchtest.Generate(t, o).Code) {
			t.Errorf("%+v: the program of another seed is the same", o)
		}
	}
}

func TestGenerateProgramSize(t *testing.T) {
	for _, size := range []int{0, 1000, 1 << 20} {
		for _, arch := range []program.Arch{program.V7A, program.V8A} {
			g := benchtest.Generate(t, codegen.Options{Seed: 7, Bytes: size, Arch: arch})
			if len(g.Code) < size || len(g.Code) > size+40_000 {
				t.Errorf("%s: asked for %d bytes, got %d", arch, size, len(g.Code))
			}
		}
	}
}

func TestGenerateProgramRefuses(t *testing.T) {
	for _, o := range []codegen.Options{
		{Base: 2},
		{Bytes: -1},
		{Bytes: 1<<30 + 1},
		{Base: 0xFFFF0000, Bytes: 1 << 16},
		{Base: schema.MaxAddress &^ 0xFFFF, Bytes: 1 << 16, Arch: program.V8A},
		{Base: 1 << 32, Arch: program.V8A, AArch32: codegen.Functions},
		{Base: 1 << 32, Arch: program.V8A, AArch32: codegen.All},
		{Arch: program.V8A, AArch32: codegen.Functions, Level: 1},
		{Arch: program.V8A, Level: 4},
		{Level: 1},
		{Arch: program.V8M, Transactions: true},
		{AArch32: codegen.All},
		{Base: 1 << 32},
	} {
		if _, err := codegen.Generate(o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

// listing is what objdump makes of an instruction.
type listing struct{ opcode, text string }

// disassemble has the GNU tools read the code of g, its labels made into mapping
// symbols by directives.
func disassemble(t *testing.T, arch program.Arch, g *codegen.Program) map[schema.Address]listing {
	t.Helper()
	line := regexp.MustCompile(`(?m)^ *([0-9a-f]+):\t([0-9a-f ]+?) *\t(.*)$`)
	found := make(map[schema.Address]listing)
	var lines [][]string
	for _, r := range g.Regions() {
		for _, a64 := range []bool{false, true} {
			if source := assembly(arch, g, r, a64); source != "" {
				lines = append(lines, line.FindAllStringSubmatch(objdump(t, arch, source, r.Address, a64), -1)...)
			}
		}
	}
	for _, m := range lines {
		address, err := strconv.ParseUint(m[1], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(m[3], ".") || strings.Contains(m[3], "undefined") { // no data
			found[schema.Address(address)] = listing{opcode: m[2], text: m[3]}
		}
	}
	return found
}

// objdump is what the disassembler prints of source that is at an address.
func objdump(t *testing.T, arch program.Arch, source string, at schema.Address, a64 bool) string {
	t.Helper()
	dir := t.TempDir()
	name, object := filepath.Join(dir, "code.s"), filepath.Join(dir, "code.o")
	writeFile(t, name, source)
	tools := "arm-none-eabi-"
	if a64 {
		tools = "aarch64-linux-gnu-"
	}
	need.Tool(t, need.Objdump, tools+"as")
	need.Tool(t, need.Objdump, tools+"objdump")
	if out, err := exec.Command(tools+"as", "-o", object, name).CombinedOutput(); err != nil {
		t.Fatalf("as: %v\n%.2000s", err, out)
	}
	args := []string{"-d", "-w", "--adjust-vma", fmt.Sprint(uint64(at)), object}
	if arch == program.V5TE {
		args = append(args, "-m", "armv5te")
	}
	out, err := exec.Command(tools+"objdump", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// headers begin the source of a program.
var headers = map[program.Arch]string{
	program.V5TE: ".syntax unified\n.arch armv5te\n.text\n",
	program.V7A:  ".syntax unified\n.arch armv7ve\n.arch_extension sec\n.arch_extension virt\n.fpu neon\n.text\n",
	program.V8A:  ".syntax unified\n.arch armv8-a\n.fpu crypto-neon-fp-armv8\n.text\n",
	program.V8M:  ".syntax unified\n.arch armv8.1-m.main\n.fpu fpv5-d16\n.text\n",
}

// assembly is a region of g as source of the GNU assembler, of AArch64 or of AArch32: what is
// of the other is data. It is empty if there is no code of it.
func assembly(arch program.Arch, g *codegen.Program, r image.Region, a64 bool) string {
	var s strings.Builder
	header, ok := headers[arch]
	switch {
	case a64:
		header = ".arch armv8.7-a\n.text\n"
	case !ok:
		header = headers[program.V7A]
	}
	s.WriteString(header)
	found := false
	for piece := range g.Pieces() {
		if piece.Address-r.Address >= schema.Address(len(r.Bytes)) {
			continue
		}
		if piece.Data || (piece.ISA == schema.A64) != a64 {
			for _, b := range piece.Bytes {
				fmt.Fprintf(&s, ".byte %d\n", b)
			}
			continue
		}
		found = true
		assemble(&s, piece.Bytes, piece.ISA)
	}
	if !found {
		return ""
	}
	return s.String()
}

// assemble writes code of an instruction set.
func assemble(s *strings.Builder, code []byte, set schema.ISA) {
	s.WriteString(map[schema.ISA]string{schema.A32: ".arm\n", schema.T32: ".thumb\n"}[set])
	for len(code) > 0 {
		switch {
		case set != schema.T32:
			fmt.Fprintf(s, ".inst 0x%02x%02x%02x%02x\n", code[3], code[2], code[1], code[0])
			code = code[4:]
		case isa.Is32Bit(uint16(code[1])<<8 | uint16(code[0])):
			fmt.Fprintf(s, ".inst.w 0x%02x%02x%02x%02x\n", code[1], code[0], code[3], code[2])
			code = code[4:]
		default:
			fmt.Fprintf(s, ".inst.n 0x%02x%02x\n", code[1], code[0])
			code = code[2:]
		}
	}
}

// Every instruction is one to the GNU tools, and every direct branch goes to an
// instruction.
func TestGenerateProgramDisassembles(t *testing.T) {
	for _, o := range benchtest.Programs {
		t.Run(fmt.Sprint(o.Seed), func(t *testing.T) {
			g := benchtest.Generate(t, o)
			code := disassemble(t, o.Arch, g)
			if len(code) < 10_000 {
				t.Fatalf("only %d lines", len(code))
			}
			target := regexp.MustCompile(`^(?:b\w*|cbn?z|tbn?z|le|wls)(?:\.\w+)?\t(?:lr, )?(?:[rwx]\d, )?(?:#\d+, )?(?:0x)?([0-9a-f]{4,16})\b`)
			branches := 0
			for address, l := range code {
				lower := strings.ToLower(l.text)
				if strings.Contains(lower, "undefined") || strings.Contains(lower, "unpredictable") || strings.HasPrefix(lower, "udf") {
					t.Errorf("0x%x: %s %s", address, l.opcode, l.text)
				}
				if m := target.FindStringSubmatch(l.text); m != nil {
					to, _ := strconv.ParseUint(m[1], 16, 64)
					if _, ok := code[schema.Address(to)]; !ok {
						t.Errorf("0x%x: %s goes to no instruction", address, l.text)
					}
					branches++
				}
			}
			if branches < 1000 {
				t.Errorf("only %d direct branches", branches)
			}
			for _, p := range g.Targets {
				if _, ok := code[p.Address]; !ok {
					t.Errorf("target %s is no instruction", p)
				}
			}
		})
	}
}

// The assembler takes every instruction of a program for V5TE for one of that
// architecture, in the words of the disassembler, which reads later ones of T32 too.
// Direct branches are left out: their targets are addresses.
func TestGenerateProgramV5TE(t *testing.T) {
	branch := regexp.MustCompile(`^(b|bl|blx|b(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le))(\.n|\.w)?\t[0-9a-f]+ <`)
	opcode2 := regexp.MustCompile(`\{(\d)\}`) // of MCR and MRC, which as wants without braces
	short := regexp.MustCompile(`^[0-9a-f]{4}( [0-9a-f]{4})? *$`)
	for _, o := range benchtest.Programs {
		if o.Arch != program.V5TE {
			continue
		}
		seen := make(map[string]bool)
		var s strings.Builder
		s.WriteString(".syntax unified\n.arch armv5te\n")
		for address, l := range disassemble(t, o.Arch, benchtest.Generate(t, o)) {
			text, _, _ := strings.Cut(l.text, "@")
			text = opcode2.ReplaceAllString(text, "$1")
			t32 := short.MatchString(l.opcode)
			if set := map[bool]string{false: ".arm\n", true: ".thumb\n"}[t32]; !branch.MatchString(text) && !seen[set+text] {
				seen[set+text] = true
				fmt.Fprintf(&s, "%s%s @ 0x%x: %s\n", set, text, address, l.opcode)
			}
		}
		source := filepath.Join(t.TempDir(), "code.s")
		writeFile(t, source, s.String())
		out, err := exec.Command("arm-none-eabi-as", "-W", "-o", os.DevNull, source).CombinedOutput()
		if err != nil {
			t.Errorf("seed %d: %v\n%.2000s", o.Seed, err, out)
		}
		if len(seen) < 3000 {
			t.Errorf("seed %d: only %d different lines", o.Seed, len(seen))
		}
	}
}

// A program has instructions of all kinds there are for its profile.
func TestGenerateProgramKinds(t *testing.T) {
	for _, o := range benchtest.Programs {
		g := benchtest.Generate(t, o)
		kinds := make(map[schema.Kind]int)
		accesses := make(map[isa.Transfers]int)
		sets := make(map[schema.ISA]int)
		inBlock := 0 // instructions left in an IT block
		eachInstruction(g, func(at step.Place, in isa.Instruction) {
			kinds[in.Kind]++
			accesses[isa.DataOf(in.Opcode, in.Size, at.ISA)]++
			sets[at.ISA]++
			switch mask := in.Opcode & 15; {
			case inBlock > 0:
				inBlock--
				if in.Flow != isa.None && inBlock > 0 {
					t.Errorf("seed %d: branch at %s is not the last of an IT block", o.Seed, at)
				}
			case at.ISA == schema.T32 && in.Size == 2 && in.Opcode>>8 == 0xBF && mask != 0:
				for inBlock = 4; mask&1 == 0; mask >>= 1 {
					inBlock--
				}
			}
		})
		for k := range schema.KindNames {
			kind := schema.Kind(k)
			want := !slices.Contains([]schema.Kind{schema.KindBKPT, schema.KindUDF}, kind)
			switch kind {
			case schema.KindSMC:
				want = o.SMC
			case schema.KindHVC:
				want = o.HVC
			case schema.KindExceptionReturn:
				want = !o.Arch.ProfileM()
			case schema.KindBarrier:
				want = true // the write buffer's drain, in V5TE
			}
			if want != (kinds[kind] > 0) {
				t.Errorf("seed %d: %d instructions of kind %s", o.Seed, kinds[kind], kind)
			}
		}
		a64 := o.Arch == program.V8A && o.AArch32 == codegen.Nothing
		handlersA64 := o.Arch == program.V8A && o.AArch32 != codegen.All
		for set, want := range map[schema.ISA]int{
			schema.A32: 1000 * count(!a64 && !o.Arch.ProfileM()), schema.T32: 1000 * count(!a64),
			schema.A64: 100*count(handlersA64) + 900*count(a64),
		} {
			if sets[set] < want || want == 0 && sets[set] > 0 {
				t.Errorf("seed %d: instructions by set: %v", o.Seed, sets)
			}
		}
		if len(accesses) < 12 && !a64 {
			t.Errorf("seed %d: %d ways to access memory only", o.Seed, len(accesses))
		}
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// eachInstruction goes through the code of g as it is written.
func eachInstruction(g *codegen.Program, visit func(step.Place, isa.Instruction)) {
	p := g.Program()
	for piece := range g.Pieces() {
		at := step.Place{Address: piece.Address, ISA: piece.ISA}
		end := piece.Address + schema.Address(len(piece.Bytes))
		for !piece.Data && at.Address < end {
			in, err := p.Instruction(at)
			if err != nil {
				panic(err)
			}
			visit(at, in)
			at.Address += schema.Address(in.Size)
		}
	}
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
