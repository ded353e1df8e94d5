package program_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/program"
	"github.com/tracelake/tracelake/schema"
)

// A disassembled line is one instruction of objdump, or data.
type disassembled struct {
	size     uint8
	opcode   uint32
	isa      schema.ISA
	mnemonic string
}

// The address, the opcode by words or halfwords, the mnemonic.
var disassembledLine = regexp.MustCompile(`^\s*([0-9a-f]+):\t([0-9a-f]{8}|[0-9a-f]{4}(?: [0-9a-f]{4})?)\s+\t(\S+)`)

// disassemble returns what objdump makes of a file, by address.
func disassemble(t *testing.T, file []byte) map[schema.Address]disassembled {
	t.Helper()
	elf := filepath.Join(t.TempDir(), "a.elf")
	if err := os.WriteFile(elf, file, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(need.Tool(t, need.Objdump, "arm-none-eabi-objdump"), "--disassemble", "--disassemble-zeroes", elf).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := map[schema.Address]disassembled{}
	for text := range strings.Lines(string(out)) {
		m := disassembledLine.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		address, err := strconv.ParseUint(m[1], 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		d := disassembled{size: uint8(len(strings.ReplaceAll(m[2], " ", "")) / 2), isa: schema.T32, mnemonic: m[3]}
		if len(m[2]) == 8 {
			d.isa = schema.A32
		}
		opcode, err := strconv.ParseUint(strings.ReplaceAll(m[2], " ", ""), 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		d.opcode = uint32(opcode)
		lines[schema.Address(address)] = d
	}
	return lines
}

// condition is the end of the mnemonic of an instruction that can fail; some end
// so by their names.
var (
	condition = regexp.MustCompile(`(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)(\.[nw]|\.[fsiu]\d+)*$|^cbn?z$`)
	named     = regexp.MustCompile(`^(teq|svc|hvc|mls|vmls|smmls|bics|movs|adcs|sbcs|rscs|vcls|vcge|vcgt|vcle|vclt|vceq|vacge|vacgt|mcs|lsls|muls|smulls|umulls|rors)(\.[nw]|\.[fsiu]\d+)*$`)
)

// The instructions are those of objdump, and those that can fail have a condition
// there. What objdump takes for data since an object's symbol is there, in spite of
// mapping symbols, is none.
func TestObjdump(t *testing.T) {
	each(t, func(t *testing.T, s subject, file []byte, p *program.Program) {
		lines := disassemble(t, file)
		data := 0
		for _, c := range p.Code {
			d, ok := lines[c.Address]
			if !ok || strings.HasPrefix(d.mnemonic, ".") {
				data++
				continue
			}
			if d.size != c.Size || d.opcode != c.Opcode || d.isa != c.ISA {
				t.Fatalf("at %#x: %+v, objdump has %+v", c.Address, c, d)
			}
			if can := condition.MatchString(d.mnemonic) && !named.MatchString(d.mnemonic); can != c.Conditional {
				t.Errorf("at %#x: conditional %t, objdump has %s", c.Address, c.Conditional, d.mnemonic)
			}
		}
		instructions := 0
		for _, d := range lines {
			if !strings.HasPrefix(d.mnemonic, ".") {
				instructions++
			}
		}
		if want := map[string]int{"zephyr": 8}[s.name]; data != want || instructions != len(p.Code)-data {
			t.Errorf("objdump has %d instructions, and of ours %d as data; want %d and %d", instructions, data, len(p.Code)-data, want)
		}
	})
}
