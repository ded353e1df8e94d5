package isa_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// These tests compare with GNU objdump, by the words it prints.

// A line is one instruction as objdump prints it.
type line struct {
	address  schema.Address
	size     uint8
	opcode   uint32 // as in isa.Instruction
	a32      bool   // or A64
	mnemonic string // "" if objdump knows no such instruction
	operands string
	note     string // after the comment sign
}

func (l *line) String() string {
	return fmt.Sprintf("%8x: %0*x %s %s @ %s", l.address, 2*l.size, l.opcode, l.mnemonic, l.operands, l.note)
}

// The disassemblers, of A32 and T32 and of A64.
const (
	arm     = "arm-none-eabi-objdump"
	aarch64 = "aarch64-linux-gnu-objdump"
)

// objdump runs a disassembler and returns its lines but for data.
func objdump(t *testing.T, program string, args ...string) []line {
	t.Helper()
	out, err := exec.Command(need.Tool(t, need.Objdump, program), args...).Output()
	if err != nil {
		t.Fatalf("objdump %v: %v", args, err)
	}
	var lines []line
	for text := range strings.Lines(string(out)) {
		if l, ok := parseLine(text); ok {
			lines = append(lines, l)
		}
	}
	return lines
}

// parseLine reads "    8000:\tf000 f800 \tbl\t0x8004\t@ note".
func parseLine(text string) (line, bool) {
	at, rest, _ := strings.Cut(strings.TrimSpace(text), ":\t")
	digits, words, ok := strings.Cut(rest, "\t")
	address, err := strconv.ParseUint(at, 16, 32)
	if !ok || err != nil || strings.HasPrefix(words, ".") { // no instruction; .word
		return line{}, false
	}
	digits = strings.TrimSpace(digits)
	a32 := len(digits) == 8 // T32 is printed by halfwords
	digits = strings.ReplaceAll(digits, " ", "")
	opcode, err := strconv.ParseUint(digits, 16, 32)
	if err != nil {
		return line{}, false
	}
	note := ""
	if sign := strings.IndexAny(words, "@;"); sign >= 0 {
		words, note = words[:sign], words[sign:]
	}
	mnemonic, operands, _ := strings.Cut(strings.TrimSpace(words), "\t")
	return line{
		address: schema.Address(address), size: uint8(len(digits) / 2), opcode: uint32(opcode), a32: a32,
		mnemonic: mnemonic, operands: operands, note: note,
	}, true
}

// A reading is what a line says about the flow.
type reading struct {
	kind   schema.Kind
	flow   isa.Flow
	target schema.Address
}

// A wording is a form of line and its meaning. The first that matches holds.
type wording struct {
	mnemonic, operands *regexp.Regexp // of the whole mnemonic, the start of the operands
	kind               schema.Kind
	flow               isa.Flow
}

func wordingOf(mnemonic, operands string, kind schema.Kind, flow isa.Flow) wording {
	const condition = `(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?(\.n|\.w)?`
	return wording{regexp.MustCompile(`^(` + mnemonic + `)` + condition + `$`), regexp.MustCompile(`^(` + operands + `)`), kind, flow}
}

var wordings = []wording{
	wordingOf(`b`, `(0x)?[0-9a-f]`, schema.KindBranch, isa.Direct),
	wordingOf(`cbn?z`, `r[0-7], (0x)?[0-9a-f]`, schema.KindBranch, isa.Direct),
	wordingOf(`bl|blx`, `(0x)?[0-9]|[a-f][0-9a-f]+\b`, schema.KindCall, isa.Direct),

	wordingOf(`bx|bxns`, `lr`, schema.KindReturn, isa.Indirect),
	wordingOf(`bxj?|bxns`, ``, schema.KindIndirect, isa.Indirect),
	wordingOf(`blx|blxns`, `r|ip|sp|lr|pc|sl|fp`, schema.KindIndirectCall, isa.Indirect),
	wordingOf(`tbb|tbh`, ``, schema.KindIndirect, isa.Indirect),
	wordingOf(`eret|rfe(da|db|ia|ib)`, ``, schema.KindExceptionReturn, isa.Indirect),

	wordingOf(`ldm(ia|ib|da|db|fd)?`, `.*\bpc\}\^`, schema.KindExceptionReturn, isa.Indirect),
	wordingOf(`pop`, `.*\bpc\}`, schema.KindReturn, isa.Indirect),
	wordingOf(`ldm(ia|ib|da|db|fd)?`, `sp!, \{.*\bpc\}`, schema.KindReturn, isa.Indirect),
	wordingOf(`ldm(ia|ib|da|db|fd)?`, `.*\bpc\}`, schema.KindIndirect, isa.Indirect),
	wordingOf(`ldr`, `pc, \[sp\], #`, schema.KindReturn, isa.Indirect),
	wordingOf(`ldr`, `pc, `, schema.KindIndirect, isa.Indirect),

	wordingOf(`mov`, `pc, lr$`, schema.KindReturn, isa.Indirect),
	wordingOf(`(and|eor|sub|rsb|add|adc|sbc|rsc|orr|mov|bic|mvn|lsl|lsr|asr|ror|rrx)s`, `pc, `, schema.KindExceptionReturn, isa.Indirect),
	wordingOf(`and|eor|sub|rsb|add|adc|sbc|rsc|orr|mov|bic|mvn|lsl|lsr|asr|ror|rrx`, `pc, `, schema.KindIndirect, isa.Indirect),

	wordingOf(`isb`, ``, schema.KindBarrier, isa.Barrier),
	wordingOf(`dsb|dmb|ssbb|pssbb|dfb`, ``, schema.KindBarrier, isa.DataBarrier),
	wordingOf(`mcr`, `15, 0, \w+, cr7, cr5, \{4\}`, schema.KindBarrier, isa.Barrier),
	wordingOf(`mcr`, `15, 0, \w+, cr7, cr10, \{[45]\}`, schema.KindBarrier, isa.DataBarrier),

	wordingOf(`svc`, ``, schema.KindSVC, isa.None),
	wordingOf(`smc`, ``, schema.KindSMC, isa.None),
	wordingOf(`hvc`, ``, schema.KindHVC, isa.None),
	wordingOf(`bkpt`, ``, schema.KindBKPT, isa.None),
	wordingOf(`udf`, ``, schema.KindUDF, isa.None),
}

var targetForm = regexp.MustCompile(`^(?:(?:r\d+|sl|fp|ip|sp|lr|pc), )*(?:0x)?([0-9a-f]{1,8})`)

// A reader finds the meaning of lines. It caches the wordings by mnemonic.
type reader struct {
	wordings []wording
	cache    map[string][]wording
}

func (r *reader) read(l *line) reading {
	list, ok := r.cache[l.mnemonic]
	if !ok {
		list = slices.Clone(r.wordings)
		list = slices.DeleteFunc(list, func(w wording) bool { return !w.mnemonic.MatchString(l.mnemonic) })
		r.cache[l.mnemonic] = list
	}
	for _, w := range list {
		if !w.operands.MatchString(l.operands) {
			continue
		}
		means := reading{kind: w.kind, flow: w.flow}
		if w.flow == isa.Direct {
			digits := targetForm.FindStringSubmatch(l.operands)[1]
			target, err := strconv.ParseUint(digits, 16, 32)
			if err != nil {
				panic(err) // not what targetForm allows
			}
			means.target = schema.Address(target)
		}
		return means
	}
	return reading{kind: schema.KindOther, flow: isa.None}
}

// classify returns what package isa says about the instruction of l.
func (l *line) classify(d isa.Dialect) isa.Instruction {
	switch {
	case l.a32:
		return d.A32(l.opcode, l.address)
	case l.size == 4:
		return d.T32(uint16(l.opcode>>16), uint16(l.opcode), l.address, false)
	default:
		return d.T32(uint16(l.opcode), 0xFFFF, l.address, false)
	}
}

// compareLines compares package isa with every line, and checks that there were at
// least min lines of each kind in kinds.
func compareLines(t *testing.T, d isa.Dialect, lines []line, min int, kinds ...schema.Kind) {
	t.Helper()
	seen := make([]int, len(schema.KindNames))
	excused := map[string]int{}
	words := reader{slices.Concat(moreWordings[d], wordings), map[string][]wording{}}
	excuses := slices.Concat(moreDifferences[d], differences)
	failed := 0
	for i := range lines {
		l := &lines[i]
		want, got := words.read(l), l.classify(d)
		if (reading{got.Kind, got.Flow, got.Target}) == want && got.Size == l.size {
			seen[want.kind]++
			continue
		}
		if name := excuse(excuses, l, want, got); name != "" && got.Size == l.size {
			excused[name]++
			continue
		}
		if failed++; failed <= 20 {
			t.Errorf("%v\n\tobjdump means %v, flow %v, target %x; got %v, flow %v, target %x, size %d",
				l, want.kind, want.flow, want.target, got.Kind, got.Flow, got.Target, got.Size)
		}
	}
	t.Logf("%d lines compared, %d differ, excused: %v", len(lines), failed, excused)
	for _, k := range kinds {
		if seen[k] < min {
			t.Errorf("only %d lines of kind %v: the test has no force", seen[k], k)
		}
	}
}

func excuse(differences []difference, l *line, want reading, got isa.Instruction) string {
	for _, d := range differences {
		if d.is(l, want, got) {
			return d.name
		}
	}
	return ""
}

// A difference is what objdump reads otherwise, with a reason.
type difference struct {
	name string
	is   func(l *line, want reading, got isa.Instruction) bool
}

var differences = []difference{
	// DDI 0406C calls the PC as the destination UNPREDICTABLE, so it is no
	// branch (IHI 0035B, §2.2.1).
	{"shift by register to the PC", func(l *line, _ reading, got isa.Instruction) bool {
		return l.a32 && l.opcode&0x0E000090 == 0x00000010 && strings.Contains(l.note, "UNPREDICTABLE") && got.Flow == isa.None
	}},
	{"32-bit data processing to the PC", func(l *line, _ reading, got isa.Instruction) bool {
		return !l.a32 && l.size == 4 && dataProcessing.MatchString(l.mnemonic) && got.Flow == isa.None && l.opcode&0xFFFF8000 != 0xF3DE8000
	}},
	{"HVC with a condition", func(l *line, want reading, got isa.Instruction) bool {
		return l.a32 && l.opcode>>28 != 14 && want.kind == schema.KindHVC && got.Kind == schema.KindOther
	}},
	// objdump ignores bits whose other values are UNDEFINED.
	{"LDR register with h2[11:6] other than 0", func(l *line, _ reading, got isa.Instruction) bool {
		return !l.a32 && l.opcode&0xFFF0F800 == 0xF850F000 && l.opcode&0x07C0 != 0 && got.Flow == isa.None
	}},
	{"extra load or store with bits that should be zero or one", func(l *line, _ reading, got isa.Instruction) bool {
		return l.a32 && l.opcode&0x0E000090 == 0x00000090 && strings.Contains(l.note, "illegal shifter operand") && got.Flow == isa.None
	}},
	{"LDR literal with the bits of LDRT", func(l *line, _ reading, got isa.Instruction) bool {
		return !l.a32 && l.opcode&0xFFFFFF00 == 0xF85FFE00 && got.Flow == isa.Indirect
	}},
	// ThumbEE is older than what objdump reads, v8.1-M newer than we do.
	{"ENTERX and LEAVEX", func(l *line, _ reading, got isa.Instruction) bool {
		return !l.a32 && l.opcode&0xFFFFFFE0 == 0xF3BF8F00 && got.Flow == isa.Direct
	}},
	{"v8.1-M CLRM: LDM from the PC", func(l *line, _ reading, got isa.Instruction) bool {
		return !l.a32 && strings.HasPrefix(l.mnemonic, "clrm") && got.Flow == isa.Indirect
	}},
	{"bits that should be zero or one", func(l *line, _ reading, got isa.Instruction) bool {
		for _, s := range shouldBe {
			if l.a32 == s.a32 && got.Size == s.size && l.opcode&s.mask == s.value && l.opcode&s.bits != s.should {
				return got.Flow != isa.None
			}
		}
		return false
	}},
}

var dataProcessing = regexp.MustCompile(`^(and|eor|sub|rsb|add|adc|sbc|orr|mov|bic|mvn|lsl|lsr|asr|ror|rrx)s?(\.w)?$`)

// shouldBe are the branches with bits that the manual gives in parentheses.
// objdump requires them, package isa does not.
var shouldBe = []struct {
	a32          bool
	size         uint8
	mask, value  uint32
	bits, should uint32
}{
	{true, 4, 0xFE500000, 0xF8100000, 0x0000FFFF, 0x00000A00},  // RFE
	{true, 4, 0xFFF000C0, 0xF5700040, 0x000FFF00, 0x000FF000},  // DSB, DMB, ISB
	{true, 4, 0x0FF000C0, 0x01200000, 0x000FFF00, 0x000FFF00},  // BX, BXJ, BLX
	{true, 4, 0x0DA0F000, 0x01A0F000, 0x000F0000, 0},           // MOV, MVN
	{false, 2, 0x0000FF80, 0x00004780, 0x00000007, 0},          // BLX
	{false, 4, 0xFFF0D000, 0xF3C08000, 0x00002FFF, 0x00000F00}, // BXJ
	{false, 4, 0xFFF0DF00, 0xF3D08F00, 0x000F2000, 0x000E0000}, // SUBS pc,lr
	{false, 4, 0xFFD00000, 0xE8100000, 0x0000FFFF, 0x0000C000}, // RFEDB
	{false, 4, 0xFFD00000, 0xE9900000, 0x0000FFFF, 0x0000C000}, // RFEIA
}

// TestObjdumpT32Narrow compares all 65,536 first halfwords, and above all the
// sizes.
func TestObjdumpT32Narrow(t *testing.T) {
	const nop = 0xBF00
	var code []byte
	for h := range uint32(1 << 16) {
		code = binary.LittleEndian.AppendUint16(code, uint16(h))
		code = binary.LittleEndian.AppendUint16(code, nop)
	}
	lines := disassemble(t, code, 0x8000, "-Mforce-thumb")
	lines = slices.DeleteFunc(lines, func(l line) bool { return l.address%4 != 0 })
	if len(lines) != 1<<16 {
		t.Fatalf("%d instructions, want 65536", len(lines))
	}
	for _, d := range []isa.Dialect{isa.PFT, isa.ETMv4, isa.ETMv4M} {
		compareLines(t, d, lines, 16, schema.KindBranch, schema.KindIndirect, schema.KindIndirectCall, schema.KindReturn,
			schema.KindSVC, schema.KindBKPT, schema.KindUDF)
	}
}

// TestObjdumpT32Wide compares random 32-bit T32 encodings, and near ones to
// those of the tables.
func TestObjdumpT32Wide(t *testing.T) {
	var seeds []uint32
	for _, e := range t32Encodings {
		if e.h1 >= 0xE800 {
			seeds = append(seeds, uint32(e.h1)<<16|uint32(e.h2))
		}
	}
	var code []byte
	for _, w := range encodings(seeds) {
		h1 := uint16(w >> 16)
		h1 = max(h1, 0xE800)
		code = binary.LittleEndian.AppendUint16(code, h1)
		code = binary.LittleEndian.AppendUint16(code, uint16(w))
	}
	compareLines(t, isa.PFT, disassemble(t, code, 0x02000000, "-Mforce-thumb"), 50, everyKindBut(schema.KindIndirectCall, schema.KindSVC, schema.KindBKPT)...)
}

// TestObjdumpA32 compares random A32 encodings, and near ones to those of the
// tables.
func TestObjdumpA32(t *testing.T) {
	var seeds []uint32
	for _, e := range a32Encodings {
		seeds = append(seeds, e.w)
	}
	var code []byte
	for _, w := range encodings(seeds) {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	compareLines(t, isa.PFT, disassemble(t, code, 0x02000000), 50, everyKindBut()...)
}

// TestObjdumpPrograms compares whole programs, as compilers make them.
func TestObjdumpPrograms(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(shared.File(t, "captures"), "*", "*.elf"))
	if len(files) == 0 {
		need.Missing(t, need.Silicon, "no ../shared/captures/*/*.elf beside the checkout")
	}
	for _, f := range files {
		t.Run(filepath.Base(filepath.Dir(f)), func(t *testing.T) {
			compareLines(t, isa.PFT, objdump(t, arm, "-d", "-z", f), 5, schema.KindBranch, schema.KindCall, schema.KindReturn)
		})
	}
}

// disassemble runs objdump on code at base.
func disassemble(t *testing.T, code []byte, base schema.Address, args ...string) []line {
	t.Helper()
	file := filepath.Join(t.TempDir(), "code.bin")
	if err := os.WriteFile(file, code, 0o600); err != nil {
		t.Fatal(err)
	}
	args = append(args, "-D", "-z", "-bbinary", "-marm", fmt.Sprintf("--adjust-vma=%#x", base), file)
	return objdump(t, arm, args...)
}

// encodings returns the seeds, neighbours of each, and random words; always the
// same ones.
func encodings(seeds []uint32) []uint32 {
	const neighbours, random = 200, 20_000
	r := rand.New(rand.NewPCG(7, 0))
	list := slices.Clone(seeds)
	for _, s := range seeds {
		for range neighbours {
			w := s
			for range 1 + r.IntN(4) {
				w ^= 1 << r.IntN(32)
			}
			list = append(list, w)
		}
	}
	for range random {
		list = append(list, r.Uint32())
	}
	return list
}

func everyKindBut(but ...schema.Kind) []schema.Kind {
	var kinds []schema.Kind
	for k := range schema.KindNames {
		if !slices.Contains(but, schema.Kind(k)) {
			kinds = append(kinds, schema.Kind(k))
		}
	}
	return kinds
}
