package isa_test

import (
	"encoding/binary"
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

// A dataWording is a form of line and the transfers it means. The first whose
// mnemonic matches holds.
type dataWording struct {
	mnemonic *regexp.Regexp
	means    func(l *line) isa.Transfers
}

func dataWordingOf(mnemonic string, means func(l *line) isa.Transfers) dataWording {
	const condition = `(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?(\.n|\.w)?`
	return dataWording{regexp.MustCompile(`^(` + mnemonic + `)` + condition + `$`), means}
}

// always is a meaning that depends on the mnemonic alone.
func always(t isa.Transfers) func(*line) isa.Transfers {
	return func(*line) isa.Transfers { return t }
}

func reads(count, size uint8) isa.Transfers {
	return isa.Transfers{Count: count, Size: size, Access: isa.Read}
}

func writes(count, size uint8) isa.Transfers {
	return isa.Transfers{Count: count, Size: size, Access: isa.Write}
}

// listed is a list of core registers in braces; objdump writes no ranges.
func listed(access isa.Access) func(*line) isa.Transfers {
	return func(l *line) isa.Transfers {
		list := braces(l)
		single := strings.Contains(l.note, "(ldr") // POP {pc} as a load of one register
		return isa.Transfers{
			Count: uint8(len(list)), Size: 4, Access: access,
			PC: access == isa.Read && !single && slices.Contains(list, "pc"),
		}
	}
}

func braces(l *line) []string {
	_, list, _ := strings.Cut(l.operands, "{")
	list, _, _ = strings.Cut(list, "}")
	if list == "" {
		return nil
	}
	var names []string
	for name := range strings.SplitSeq(list, ",") {
		names = append(names, strings.TrimSpace(name))
	}
	return names
}

// vectors is a list of VFP registers, with ranges.
func vectors(access isa.Access) func(*line) isa.Transfers {
	return func(l *line) isa.Transfers {
		words := 0
		for _, name := range braces(l) {
			each := 1
			if name[0] == 'd' {
				each = 2
			}
			words += each * span(name)
		}
		return isa.Transfers{Count: uint8(words), Size: 4, Access: access}
	}
}

// span is how many registers "d3" or "d3-d5" are.
func span(name string) int {
	first, last, ranged := strings.Cut(name, "-")
	if !ranged {
		return 1
	}
	a, _ := strconv.Atoi(first[1:])
	b, _ := strconv.Atoi(last[1:])
	return b - a + 1
}

// single is a VFP register.
func single(access isa.Access) func(*line) isa.Transfers {
	return func(l *line) isa.Transfers {
		if l.operands[0] == 'd' {
			return isa.Transfers{Count: 2, Size: 4, Access: access}
		}
		return isa.Transfers{Count: 1, Size: 4, Access: access}
	}
}

var lanes = regexp.MustCompile(`\[[0-9]*\]`)

// elements is a list of Advanced SIMD: whole registers, or one element each.
func elements(access isa.Access) func(*line) isa.Transfers {
	return func(l *line) isa.Transfers {
		bytes := 0
		_, width, _ := strings.Cut(l.mnemonic, ".")
		bits, _ := strconv.Atoi(width)
		list := braces(l)
		if strings.HasPrefix(l.mnemonic, "vld1") && strings.Contains(l.operands, "[]") {
			list = list[:1] // one element, however many registers it fills
			list[0], _, _ = strings.Cut(list[0], "-")
		}
		for _, name := range list {
			size := 8
			if strings.Contains(name, "[") {
				size = bits / 8
				name = lanes.ReplaceAllString(name, "")
			}
			bytes += size * span(name)
		}
		switch bytes {
		case 1, 2:
			return isa.Transfers{Count: 1, Size: uint8(bytes), Access: access}
		default:
			return isa.Transfers{Count: uint8((bytes + 3) / 4), Size: 4, Access: access}
		}
	}
}

func registers(count uint8, access isa.Access) isa.Transfers {
	return isa.Transfers{Count: count, Size: 4, Access: access, Register: true}
}

var (
	coreRegister = regexp.MustCompile(`(?i)^(r[0-9]+|sp|lr|pc|ip|sl|fp|apsr_nzcv)$`)
	byAddress    = regexp.MustCompile(`^15, 0, \w+, cr7, cr(5|6|10|11|14), \{1\}`)
)

// moved is a VMOV or VDUP: a transfer for each core register, to the core if core
// registers come first.
func moved(l *line) isa.Transfers {
	core, first := uint8(0), false
	for i, name := range strings.Split(l.operands, ", ") {
		if coreRegister.MatchString(name) {
			core++
			first = first || i == 0
		}
	}
	switch {
	case core == 0:
		return isa.Transfers{}
	case first:
		return registers(core, isa.Read)
	default:
		return registers(core, isa.Write)
	}
}

var dataWordings = []dataWording{
	dataWordingOf(`ldr|ldrt|ldrex|lda|ldaex`, always(reads(1, 4))),
	dataWordingOf(`ldrs?b|ldrs?bt|ldrexb|ldab|ldaexb|tbb`, always(reads(1, 1))),
	dataWordingOf(`ldrs?h|ldrs?ht|ldrexh|ldah|ldaexh|tbh`, always(reads(1, 2))),
	dataWordingOf(`ldrd|ldrexd|ldaexd|rfe(da|db|ia|ib)`, always(reads(2, 4))),
	dataWordingOf(`str|strt|strex|stl|stlex`, always(writes(1, 4))),
	dataWordingOf(`strb|strbt|strexb|stlb|stlexb`, always(writes(1, 1))),
	dataWordingOf(`strh|strht|strexh|stlh|stlexh`, always(writes(1, 2))),
	dataWordingOf(`strd|strexd|stlexd|srs(da|db|ia|ib)`, always(writes(2, 4))),
	dataWordingOf(`swp`, always(isa.Transfers{Count: 2, Size: 4, Access: isa.Swap})),
	dataWordingOf(`swpb`, always(isa.Transfers{Count: 2, Size: 1, Access: isa.Swap})),

	dataWordingOf(`ldm(ia|ib|da|db|fd)?|pop`, listed(isa.Read)),
	dataWordingOf(`stm(ia|ib|da|db|fd)?|push`, listed(isa.Write)),
	dataWordingOf(`vldr`, single(isa.Read)),
	dataWordingOf(`vstr`, single(isa.Write)),
	dataWordingOf(`vldm(ia|db)|vpop|fldm(ia|db)x`, vectors(isa.Read)),
	dataWordingOf(`vstm(ia|db)|vpush|fstm(ia|db)x`, vectors(isa.Write)),
	dataWordingOf(`vld[1-4]\.(8|16|32|64)`, elements(isa.Read)),
	dataWordingOf(`vst[1-4]\.(8|16|32|64)`, elements(isa.Write)),

	dataWordingOf(`ldc2?l?`, always(reads(1, 4))),
	dataWordingOf(`stc2?l?`, always(writes(1, 4))),
	dataWordingOf(`mcr2?`, func(l *line) isa.Transfers {
		if byAddress.MatchString(l.operands) {
			return isa.Transfers{}
		}
		return registers(1, isa.Write)
	}),
	dataWordingOf(`mrc2?`, always(registers(1, isa.Read))),
	dataWordingOf(`mcrr2?`, always(registers(2, isa.Write))),
	dataWordingOf(`mrrc2?`, always(registers(2, isa.Read))),
	dataWordingOf(`vmrs`, always(registers(1, isa.Read))),
	dataWordingOf(`vmsr`, always(registers(1, isa.Write))),
	dataWordingOf(`(vmov|vdup)(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?(\.[su]?(8|16|32))?`, moved),
}

// A dataReader finds the meaning of lines. It caches the wordings by mnemonic.
type dataReader map[string]func(*line) isa.Transfers

func (r dataReader) read(l *line) isa.Transfers {
	if t := r.meaning(l)(l); t.Count > 0 {
		return t
	}
	return isa.Transfers{}
}

func (r dataReader) meaning(l *line) func(*line) isa.Transfers {
	means, ok := r[l.mnemonic]
	if !ok {
		means = always(isa.Transfers{})
		for _, w := range dataWordings {
			if w.mnemonic.MatchString(l.mnemonic) {
				means = w.means
				break
			}
		}
		r[l.mnemonic] = means
	}
	return means
}

// compareData compares package isa with every line, and checks that at least
// min of them transfer data.
func compareData(t *testing.T, lines []line, min int) {
	t.Helper()
	excused := map[string]int{}
	words := dataReader{}
	failed, data := 0, 0
	for i := range lines {
		l := &lines[i]
		state := schema.T32
		if l.a32 {
			state = schema.A32
		}
		want, got := words.read(l), isa.DataOf(l.opcode, l.size, state)
		if want == got {
			if got.Count > 0 {
				data++
			}
			continue
		}
		if name := dataExcuse(l, want, got); name != "" {
			excused[name]++
			continue
		}
		if failed++; failed <= 20 {
			t.Errorf("%v\n\tobjdump means %+v; got %+v", l, want, got)
		}
	}
	t.Logf("%d lines compared, %d transfer data, %d differ, excused: %v", len(lines), data, failed, excused)
	if data < min {
		t.Errorf("only %d lines transfer data: the test has no force", data)
	}
}

func dataExcuse(l *line, want, got isa.Transfers) string {
	for _, d := range dataDifferences {
		if d.is(l, want, got) {
			return d.name
		}
	}
	return ""
}

// dataDifferences are what objdump reads otherwise, each with a reason.
var dataDifferences = []struct {
	name string
	is   func(l *line, want, got isa.Transfers) bool
}{
	// What package isa does not check, being UNPREDICTABLE or UNDEFINED.
	{"bits that should be zero or one", func(l *line, want, got isa.Transfers) bool {
		for _, s := range dataShouldBe {
			if l.a32 == s.a32 && l.size == 4 && l.opcode&s.mask == s.value && l.opcode&s.bits != s.should {
				return want == isa.Transfers{}
			}
		}
		return false
	}},
	{"STM with write-back of a base that is not the first", func(l *line, want, got isa.Transfers) bool {
		return l.mnemonic == "stmia<und>" && got == writes(1, 4)
	}},
	{"structures of 64-bit elements", func(l *line, want, got isa.Transfers) bool {
		return strings.Contains(l.mnemonic, "<illegal width 64>")
	}},
	{"lists of more VFP registers than there are", func(l *line, want, got isa.Transfers) bool {
		tooMany := l.opcode&0xFF > 64 || strings.Contains(l.operands, "<overflow reg")
		return l.opcode&0x0E000E00 == 0x0C000A00 && tooMany && got.Access == want.Access && got.Count == uint8(l.opcode)&^uint8(l.opcode>>8&1)
	}},
	{"extra load or store with bits that should be zero or one", func(l *line, want, _ isa.Transfers) bool {
		return l.a32 && l.opcode&0x0E000090 == 0x00000090 && strings.Contains(l.note, "illegal shifter operand") && want == isa.Transfers{}
	}},
	{"coprocessors 8 to 11, where VFP leaves them UNDEFINED", func(l *line, want, got isa.Transfers) bool {
		return l.mnemonic == "" && l.opcode>>10&3 == 2 && got.Count > 0 && (l.opcode>>25&7 == 6 || l.opcode>>24&15 == 14)
	}},
	{"fields of a structure that are UNDEFINED", func(l *line, want, got isa.Transfers) bool {
		return strings.HasPrefix(l.note, "@ <UNDEFINED>") && (strings.HasPrefix(l.mnemonic, "vld") || strings.HasPrefix(l.mnemonic, "vst"))
	}},
	// What objdump does not check, or knows only as a coprocessor.
	{"LDC and STC with P, U, W, D clear: UNDEFINED", func(l *line, want, got isa.Transfers) bool {
		return l.opcode&0x0FE00000 == 0x0C000000 && got == isa.Transfers{}
	}},
	{"coprocessors 10 and 11 in the second space: UNDEFINED", func(l *line, want, got isa.Transfers) bool {
		return l.opcode>>26 == 0x3F && l.opcode>>9&7 == 5 && got == isa.Transfers{}
	}},
	{"unallocated memory hints: signed halfwords to the PC", func(l *line, want, got isa.Transfers) bool {
		return !l.a32 && l.opcode&0xFF70F000 == 0xF930F000 && want.Size == 2 && got == isa.Transfers{}
	}},
	// Older and newer than ARMv7.
	{"FPA, Maverick, iWMMXt", func(l *line, want, got isa.Transfers) bool {
		return slices.Contains([]uint32{0, 1, 2, 4, 5, 6}, l.opcode>>8&15) && l.mnemonic != "" &&
			want == isa.Transfers{} && l.opcode>>28 != 15 && (l.opcode>>25&7 == 6 || l.opcode>>24&15 == 14)
	}},
	{"ARMv8 acquire and release", func(l *line, want, got isa.Transfers) bool {
		return !l.a32 && l.opcode&0xFFE00080 == 0xE8C00080 && want.Count > 0 && got == isa.Transfers{}
	}},
	{"ARMv8.1-M CLRM: LDM from the PC", func(l *line, want, got isa.Transfers) bool {
		return l.mnemonic == "clrm" && l.opcode>>16 == 0xE89F && got.Access == isa.Read
	}},
	{"ARMv8.2 half precision: VLDR and VSTR of coprocessor 9", func(l *line, want, got isa.Transfers) bool {
		return l.opcode&0x0F200F00 == 0x0D000900 && strings.HasSuffix(l.mnemonic, ".16") && want == isa.Transfers{}
	}},
	{"ARMv8 Advanced SIMD", func(l *line, want, got isa.Transfers) bool {
		return l.opcode>>26 == 0x3F && l.mnemonic != "" && l.mnemonic[0] == 'v' && want == isa.Transfers{}
	}},
}

// dataShouldBe are the data instructions with bits that the manual gives in
// parentheses. objdump requires them, package isa does not.
var dataShouldBe = []struct {
	a32          bool
	mask, value  uint32
	bits, should uint32
}{
	{true, 0x0E4000F0, 0x000000B0, 0x00000F00, 0},           // STRH, LDRH register
	{true, 0x0E4000F0, 0x000000D0, 0x00000F00, 0},           // LDRD, LDRSB register
	{true, 0x0E4000F0, 0x000000F0, 0x00000F00, 0},           // STRD, LDRSH register
	{true, 0x0FB000F0, 0x01000090, 0x00000F00, 0},           // SWP
	{true, 0x0F9000F0, 0x01800090, 0x00000F00, 0x00000F00},  // STREX
	{true, 0x0F9000F0, 0x01900090, 0x00000F0F, 0x00000F0F},  // LDREX
	{true, 0xFE500000, 0xF8400000, 0x000FFFE0, 0x000D0500},  // SRS
	{true, 0xFE500000, 0xF8100000, 0x0000FFFF, 0x00000A00},  // RFE
	{false, 0xFFD00000, 0xE8000000, 0x000FFFE0, 0x000DC000}, // SRSDB
	{false, 0xFFD00000, 0xE9800000, 0x000FFFE0, 0x000DC000}, // SRSIA
	{false, 0xFFD00000, 0xE8100000, 0x0000FFFF, 0x0000C000}, // RFEDB
	{false, 0xFFD00000, 0xE9900000, 0x0000FFFF, 0x0000C000}, // RFEIA
	{false, 0xFFF00000, 0xE8500000, 0x00000F00, 0x00000F00}, // LDREX
	{false, 0xFFF000E0, 0xE8C00040, 0x00000F00, 0x00000F00}, // STREXB, STREXH
	{false, 0xFFF000E0, 0xE8D00040, 0x00000F0F, 0x00000F0F}, // LDREXB, LDREXH
	{false, 0xFFF000F0, 0xE8D00070, 0x0000000F, 0x0000000F}, // LDREXD
	{false, 0xFFF000E0, 0xE8D00000, 0x0000FF00, 0x0000F000}, // TBB, TBH
}

// TestObjdumpDataT32Narrow compares all 65,536 first halfwords.
func TestObjdumpDataT32Narrow(t *testing.T) {
	const nop = 0xBF00
	var code []byte
	for h := range uint32(1 << 16) {
		code = binary.LittleEndian.AppendUint16(code, uint16(h))
		code = binary.LittleEndian.AppendUint16(code, nop)
	}
	lines := disassemble(t, code, 0x8000, "-Mforce-thumb")
	lines = slices.DeleteFunc(lines, func(l line) bool { return l.address%4 != 0 || l.size != 2 })
	if len(lines) != 0xE800 {
		t.Fatalf("%d 16-bit instructions, want %d", len(lines), 0xE800)
	}
	compareData(t, lines, 0x5000)
}

// TestObjdumpDataT32Wide compares random 32-bit T32 encodings, and near ones to
// those of the table.
func TestObjdumpDataT32Wide(t *testing.T) {
	var seeds []uint32
	for _, e := range dataEncodings {
		if e.size == 4 && e.state == schema.T32 {
			seeds = append(seeds, e.opcode)
		}
	}
	var code []byte
	for _, w := range encodings(seeds) {
		h1 := uint16(w >> 16)
		if h1 < 0xE800 {
			h1 |= 0xE800
		}
		code = binary.LittleEndian.AppendUint16(code, h1)
		code = binary.LittleEndian.AppendUint16(code, uint16(w))
	}
	compareData(t, disassemble(t, code, 0x02000000, "-Mforce-thumb"), 5000)
}

// TestObjdumpDataA32 compares random A32 encodings, and near ones to those of
// the table.
func TestObjdumpDataA32(t *testing.T) {
	var seeds []uint32
	for _, e := range dataEncodings {
		if e.state == schema.A32 {
			seeds = append(seeds, e.opcode)
		}
	}
	var code []byte
	for _, w := range encodings(seeds) {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	compareData(t, disassemble(t, code, 0x02000000), 5000)
}

// TestObjdumpDataPrograms compares whole programs, as compilers make them.
func TestObjdumpDataPrograms(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(shared.File(t, "captures"), "*", "*.elf"))
	if len(files) == 0 {
		need.Missing(t, need.Silicon, "no ../shared/captures/*/*.elf beside the checkout")
	}
	for _, f := range files {
		t.Run(filepath.Base(filepath.Dir(f)), func(t *testing.T) {
			compareData(t, objdump(t, arm, "-d", "-z", f), 50)
		})
	}
}
