package isa_test

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// moreWordings are what objdump writes of instructions that ETMv4 takes and PFT does not.
var moreWordings = map[isa.Dialect][]wording{
	isa.ETMv4: {wordingOf(`wf[ei]`, ``, schema.KindOther, isa.Wait)},
	isa.ETMv4M: {
		wordingOf(`wf[ei]`, ``, schema.KindOther, isa.Wait),
		wordingOf(`le|letp|wls|wlstp\.(8|16|32|64)`, ``, schema.KindBranch, isa.Direct),
		wordingOf(`bxaut`, ``, schema.KindReturn, isa.Indirect),
	},
}

// moreDifferences are those that dialects add.
var moreDifferences = map[isa.Dialect][]difference{
	isa.ETMv4M: {
		{"not of M profile", func(l *line, _ reading, got isa.Instruction) bool {
			return notOfM.MatchString(l.mnemonic+" "+l.operands) && got.Flow == isa.None && got.Kind == schema.KindOther
		}},
		{"WLS and LDM of the PC, BXAUT of SP and PC: UNPREDICTABLE", func(l *line, _ reading, got isa.Instruction) bool {
			return l.opcode>>16&15 == 15 && unpredictableM.MatchString(l.mnemonic) && got.Flow == isa.None
		}},
	},
}

var (
	notOfM         = regexp.MustCompile(`^(blx\S* (0x)?[0-9a-f]+\b|(bxj|eret|rfe|hvc|smc)|subs\S* pc|mcr\S* +15, )`)
	unpredictableM = regexp.MustCompile(`^(wls|wlstp\..*|(ldm|pop).*)$`)
)

// words returns n words: a third uniform, a third of the patterns, a third one bit beside
// them. They are always the same.
func words(patterns []isa.Pattern, n int) []uint32 {
	r := rand.New(rand.NewPCG(11, uint64(n)))
	list := make([]uint32, n)
	for i := range list {
		w, p := r.Uint32(), patterns[i/3%len(patterns)]
		switch i % 3 {
		case 1:
			w = w&^p.Mask | p.Value
		case 2:
			w = w&^p.Mask | p.Value ^ oneBit(r, p.Mask)
		}
		list[i] = w
	}
	return list
}

// oneBit returns one of the bits of a mask.
func oneBit(r *rand.Rand, mask uint32) uint32 {
	for n := r.IntN(bits.OnesCount32(mask)); n > 0; n-- {
		mask &= mask - 1
	}
	return mask & -mask
}

// exactly is the pattern of one word.
func exactly(w uint32) isa.Pattern { return isa.Pattern{Mask: 0xFFFFFFFF, Value: w} }

// TestObjdumpETMv4A32 compares A32 instructions in the dialect of ETMv4.
func TestObjdumpETMv4A32(t *testing.T) {
	patterns, _ := isa.ETMv4.Patterns()
	for _, e := range a32Encodings {
		patterns = append(patterns, exactly(e.w))
	}
	var code []byte
	for _, w := range words(patterns, need.Size(100_000, 1_000_000)) {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	compareLines(t, isa.ETMv4, disassemble(t, code, 0x02000000), 50, everyKindBut()...)
}

// TestObjdumpETMv4T32 compares 32-bit T32 instructions in the dialects of ETMv4.
func TestObjdumpETMv4T32(t *testing.T) {
	lacks := map[isa.Dialect][]schema.Kind{
		isa.ETMv4: {schema.KindIndirectCall, schema.KindSVC, schema.KindBKPT},
		isa.ETMv4M: {
			schema.KindIndirectCall, schema.KindSVC, schema.KindBKPT,
			schema.KindExceptionReturn, schema.KindHVC, schema.KindSMC,
		},
	}
	for _, d := range []isa.Dialect{isa.ETMv4, isa.ETMv4M} {
		_, patterns := d.Patterns()
		for _, e := range t32Encodings {
			patterns = append(patterns, exactly(uint32(e.h1)<<16|uint32(e.h2)))
		}
		for _, e := range dialectEncodings {
			patterns = append(patterns, exactly(uint32(e.h1)<<16|e.w))
		}
		var code []byte
		for _, w := range words(patterns, need.Size(100_000, 1_000_000)) {
			code = binary.LittleEndian.AppendUint16(code, max(uint16(w>>16), 0xE800))
			code = binary.LittleEndian.AppendUint16(code, uint16(w))
		}
		lines := disassemble(t, code, 0x02000000, "-Mforce-thumb")
		compareLines(t, d, lines, 50, everyKindBut(lacks[d]...)...)
	}
}
