package isa_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// afterV5TE says whether an encoding of A32 is one that ARMv5TE leaves undefined and
// later architectures use (DDI 0406C, A5.2, A5.6): objdump reads it as its
// neighbours.
func afterV5TE(w uint32) bool {
	for _, later := range []struct{ mask, value uint32 }{
		{0x0FF000F0, 0x01200020}, // BXJ
		{0x0FF000F0, 0x01600060}, // ERET
		{0x0FD000F0, 0x01400070}, // HVC, SMC
		{0xFFE00000, 0xFC400000}, // MCRR2, MRRC2
		{0x0E000F80, 0x0C000B80}, // VFP, more than 32 registers
	} {
		if w&later.mask == later.value {
			return true
		}
	}
	return false
}

// What objdump knows of ARMv5TE it means as we do, in kind, flow and data: cores with
// ETMv1 and ETMv2 execute no more. There are encodings that ARMv7 gave to others.
func TestObjdumpV5TE(t *testing.T) {
	var seeds []uint32
	for _, e := range a32Encodings {
		seeds = append(seeds, e.w)
	}
	for _, e := range dataEncodings {
		if e.state == schema.A32 {
			seeds = append(seeds, e.opcode)
		}
	}
	var code []byte
	for _, w := range encodings(seeds) {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	file := filepath.Join(t.TempDir(), "code.bin")
	if err := os.WriteFile(file, code, 0o600); err != nil {
		t.Fatal(err)
	}
	lines := objdump(t, arm, "-D", "-z", "-bbinary", "-marmv5te", "--adjust-vma=0x02000000", file)
	lines = slices.DeleteFunc(lines, func(l line) bool { return strings.Contains(l.note, "<UNDEFINED>") || afterV5TE(l.opcode) })
	if len(lines) < 30_000 {
		t.Fatalf("%d instructions", len(lines))
	}
	compareLines(t, isa.PFT, lines, 50, schema.KindBranch, schema.KindCall, schema.KindIndirect, schema.KindIndirectCall, schema.KindReturn,
		schema.KindExceptionReturn, schema.KindSVC, schema.KindBKPT)
	compareData(t, lines, 10_000)
}
