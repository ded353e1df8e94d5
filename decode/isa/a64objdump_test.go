package isa_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// An a64Reading is what a line of A64 says about the flow.
type a64Reading struct {
	reading
	conditional bool
}

// a64Words are the mnemonics that mean something. A condition after B and BC is ".".
var a64Words = map[string]a64Reading{
	"b":    {reading{kind: schema.KindBranch, flow: isa.Direct}, false},
	"bl":   {reading{kind: schema.KindCall, flow: isa.Direct}, false},
	"b.":   {reading{kind: schema.KindBranch, flow: isa.Direct}, true},
	"bc.":  {reading{kind: schema.KindBranch, flow: isa.Direct}, true},
	"cbz":  {reading{kind: schema.KindBranch, flow: isa.Direct}, true},
	"cbnz": {reading{kind: schema.KindBranch, flow: isa.Direct}, true},
	"tbz":  {reading{kind: schema.KindBranch, flow: isa.Direct}, true},
	"tbnz": {reading{kind: schema.KindBranch, flow: isa.Direct}, true},

	"br":     {reading{kind: schema.KindIndirect, flow: isa.Indirect}, false},
	"braa":   {reading{kind: schema.KindIndirect, flow: isa.Indirect}, false},
	"brab":   {reading{kind: schema.KindIndirect, flow: isa.Indirect}, false},
	"braaz":  {reading{kind: schema.KindIndirect, flow: isa.Indirect}, false},
	"brabz":  {reading{kind: schema.KindIndirect, flow: isa.Indirect}, false},
	"blr":    {reading{kind: schema.KindIndirectCall, flow: isa.Indirect}, false},
	"blraa":  {reading{kind: schema.KindIndirectCall, flow: isa.Indirect}, false},
	"blrab":  {reading{kind: schema.KindIndirectCall, flow: isa.Indirect}, false},
	"blraaz": {reading{kind: schema.KindIndirectCall, flow: isa.Indirect}, false},
	"blrabz": {reading{kind: schema.KindIndirectCall, flow: isa.Indirect}, false},
	"ret":    {reading{kind: schema.KindReturn, flow: isa.Indirect}, false},
	"retaa":  {reading{kind: schema.KindReturn, flow: isa.Indirect}, false},
	"retab":  {reading{kind: schema.KindReturn, flow: isa.Indirect}, false},
	"eret":   {reading{kind: schema.KindExceptionReturn, flow: isa.Indirect}, false},
	"eretaa": {reading{kind: schema.KindExceptionReturn, flow: isa.Indirect}, false},
	"eretab": {reading{kind: schema.KindExceptionReturn, flow: isa.Indirect}, false},

	"isb":    {reading{kind: schema.KindBarrier, flow: isa.Barrier}, false},
	"dsb":    {reading{kind: schema.KindBarrier, flow: isa.DataBarrier}, false},
	"ssbb":   {reading{kind: schema.KindBarrier, flow: isa.DataBarrier}, false},
	"pssbb":  {reading{kind: schema.KindBarrier, flow: isa.DataBarrier}, false},
	"dfb":    {reading{kind: schema.KindBarrier, flow: isa.DataBarrier}, false},
	"dmb":    {reading{kind: schema.KindBarrier, flow: isa.DataBarrier}, false},
	"wfe":    {reading{kind: schema.KindOther, flow: isa.Wait}, false},
	"wfi":    {reading{kind: schema.KindOther, flow: isa.Wait}, false},
	"wfet":   {reading{kind: schema.KindOther, flow: isa.Wait}, false},
	"wfit":   {reading{kind: schema.KindOther, flow: isa.Wait}, false},
	"tstart": {reading{kind: schema.KindOther, flow: isa.Barrier}, false},

	"svc": {reading{kind: schema.KindSVC}, false},
	"hvc": {reading{kind: schema.KindHVC}, false},
	"smc": {reading{kind: schema.KindSMC}, false},
	"brk": {reading{kind: schema.KindBKPT}, false},
	"udf": {reading{kind: schema.KindUDF}, false},
}

// a64Target is the last operand of a direct branch.
var a64Target = regexp.MustCompile(`0x([0-9a-f]+)(?:\s|$)`)

func readA64(t *testing.T, l *line) a64Reading {
	t.Helper()
	mnemonic, _, condition := strings.Cut(l.mnemonic, ".")
	if condition {
		mnemonic += "."
	}
	r := a64Words[mnemonic]
	if r.flow != isa.Direct {
		return r
	}
	digits := a64Target.FindStringSubmatch(l.operands)
	if digits == nil {
		t.Fatalf("%v: no target", l)
	}
	target, err := strconv.ParseUint(digits[1], 16, 64)
	if err != nil {
		t.Fatalf("%v: %v", l, err)
	}
	r.target = schema.Address(target)
	return r
}

// afterBinutils says whether a word is one of those that binutils 2.40 does not know:
// compare and branch, returns with the PC in their signature, TEXIT.
func afterBinutils(w uint32) bool {
	for _, p := range []isa.Pattern{
		{Mask: 0x7E000000, Value: 0x74000000},
		{Mask: 0xFFC0001F, Value: 0x5500001F},
		{Mask: 0xFFFFFBE0, Value: 0xD65F0BE0},
		{Mask: 0xFFFFFBFF, Value: 0xD6FF03E0},
	} {
		if w&p.Mask == p.Value {
			return true
		}
	}
	return false
}

// TestObjdumpA64 compares words of all rows, words beside them and random ones. What
// objdump does not know is no branch, but for what is newer than it.
func TestObjdumpA64(t *testing.T) {
	patterns := isa.PatternsA64()
	for _, e := range a64Encodings {
		patterns = append(patterns, exactly(e.w))
	}
	all := words(patterns, need.Size(200_000, 1_000_000))
	const base schema.Address = 0x10000000
	lines := disassembleA64(t, all, base)
	seen := make([]int, len(schema.KindNames))
	failed, unknown, newer := 0, 0, 0
	for i, w := range all {
		address := base + schema.Address(4*i)
		in := isa.A64(w, address)
		checkA64Form(t, in)
		got := a64Reading{reading{in.Kind, in.Flow, in.Target}, in.Conditional(schema.A64)}
		var want a64Reading
		switch {
		case len(lines) > 0 && lines[0].address == address:
			want = readA64(t, &lines[0])
			seen[want.kind]++
			lines = lines[1:]
		case afterBinutils(w):
			newer++
			continue
		default:
			unknown++
		}
		if got != want {
			if failed++; failed <= 20 {
				t.Errorf("%08x at %x: objdump means %+v; got %+v", w, address, want, got)
			}
		}
	}
	t.Logf("%d words compared, %d differ; objdump does not know %d, and %d newer ones", len(all), failed, unknown, newer)
	for kind, n := range seen {
		if n < 50 {
			t.Errorf("only %d lines of kind %v: the test has no force", n, schema.Kind(kind))
		}
	}
}

// disassembleA64 returns the words at base that objdump knows.
func disassembleA64(t *testing.T, words []uint32, base schema.Address) []line {
	t.Helper()
	var code []byte
	for _, w := range words {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	file := filepath.Join(t.TempDir(), "code.bin")
	if err := os.WriteFile(file, code, 0o600); err != nil {
		t.Fatal(err)
	}
	return objdump(t, aarch64, "-D", "-z", "-bbinary", "-maarch64", fmt.Sprintf("--adjust-vma=%#x", base), file)
}
