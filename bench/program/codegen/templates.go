package codegen

import (
	"math/rand/v2"
	"slices"
)

// A template is an instruction with fields to fill in at random.
type template struct {
	word   uint32
	fields []field
}

// A field is any number below values, so many bits up.
type field struct{ shift, values uint }

// pick returns one of the instructions of one of the templates.
func pick(random *rand.Rand, templates []template) uint32 {
	t := templates[random.IntN(len(templates))]
	w := t.word
	for _, f := range t.fields {
		w += uint32(random.UintN(f.values)) << f.shift
	}
	return w
}

// The registers are R0 to R7. Where an encoding wants different ones (STREX,
// post-indexed loads), the base has one set beyond those of the field.

// a32Plain are A32 instructions that do not touch memory, all of which may have
// a condition.
var a32Plain = []template{
	{0xE0800000, []field{{16, 8}, {12, 8}, {0, 8}}},                 // ADD
	{0xE0500000, []field{{16, 8}, {12, 8}, {0, 8}}},                 // SUBS
	{0xE1800000, []field{{16, 8}, {12, 8}, {0, 8}, {7, 32}}},        // ORR, LSL
	{0xE2000000, []field{{16, 8}, {12, 8}, {0, 256}}},               // AND immediate
	{0xE3A00000, []field{{12, 8}, {0, 256}}},                        // MOV immediate
	{0xE3000000, []field{{16, 16}, {12, 8}, {0, 4096}}},             // MOVW
	{0xE3500000, []field{{16, 8}, {0, 256}}},                        // CMP immediate
	{0xE0000090, []field{{16, 8}, {8, 8}, {0, 8}}},                  // MUL
	{0xE1A00010, []field{{12, 8}, {8, 8}, {0, 8}}},                  // LSL register
	{0xE6EF0070, []field{{12, 8}, {0, 8}}},                          // UXTB
	{0xE16F0F10, []field{{12, 8}, {0, 8}}},                          // CLZ
	{0xE7E00050, []field{{16, 8}, {12, 8}, {0, 8}, {7, 16}}},        // UBFX
	{0xE0A00000, []field{{16, 8}, {12, 8}, {0, 8}}},                 // ADC
	{0xE10F0000, []field{{12, 8}}},                                  // MRS
	{0xE320F000, nil},                                               // NOP
	{0xEE1D0F70, []field{{12, 8}}},                                  // MRC: TPIDRURO
	{0xE0000000, []field{{16, 8}, {12, 8}, {0, 8}, {20, 2}}},        // AND, ANDS
	{0xE2400000, []field{{16, 8}, {12, 8}, {0, 256}, {20, 2}}},      // SUB, SUBS immediate
	{0xE1A00000, []field{{12, 8}, {0, 8}, {7, 32}, {5, 3}}},         // MOV, LSR, ASR
	{0xE2800000, []field{{16, 8}, {12, 8}, {0, 256}, {8, 16}}},      // ADD immediate, rotated
	{0xE3E00000, []field{{12, 8}, {0, 256}, {8, 16}}},               // MVN immediate
	{0xE1E00000, []field{{12, 8}, {0, 8}}},                          // MVN
	{0xE0200000, []field{{16, 8}, {12, 8}, {0, 8}, {5, 3}, {7, 8}}}, // EOR
}

// a32Data are the loads and stores of A32.
var a32Data = slices.Concat(a32Memory, a32Stack, []template{
	{0xE1900F9F, []field{{16, 8}, {12, 8}}}, // LDREX
	{0xE1889F90, []field{{0, 8}}},           // STREX R9,Rt,[R8]
	{0xE1C89F90, []field{{0, 8}}},           // STREXB R9,Rt,[R8]
	{0xE1A89F90, []field{{1, 4}}},           // STREXD R9,Rt,Rt2,[R8]
	{0xE1D00F9F, []field{{16, 8}, {12, 8}}}, // LDREXB
	{0xE1B00F9F, []field{{16, 8}, {13, 4}}}, // LDREXD
	{0xE1089090, []field{{0, 8}}},           // SWP R9,Rm,[R8]
	{0xED980A00, []field{{12, 8}, {0, 64}}}, // VLDR.32
	{0xED880B00, []field{{12, 8}, {0, 64}}}, // VSTR.64
	{0xEC980B04, []field{{12, 8}}},          // VLDM R8,{Dn,Dn+1}
	{0xEC880A03, []field{{12, 8}}},          // VSTM R8,{Sn..Sn+2}
})

// a32Memory and a32Stack are loads and stores that ARMv5TE has too.
var (
	a32Memory = []template{
		{0xE5900000, []field{{16, 8}, {12, 8}, {0, 4096}}},        // LDR
		{0xE5800000, []field{{16, 8}, {12, 8}, {0, 4096}}},        // STR
		{0xE5D00000, []field{{16, 8}, {12, 8}, {0, 4096}}},        // LDRB
		{0xE5C00000, []field{{16, 8}, {12, 8}, {0, 4096}}},        // STRB
		{0xE1D000B0, []field{{16, 8}, {12, 8}, {8, 16}, {0, 16}}}, // LDRH
		{0xE1C000B0, []field{{16, 8}, {12, 8}, {8, 16}, {0, 16}}}, // STRH
		{0xE1D000D0, []field{{16, 8}, {12, 8}, {8, 16}, {0, 16}}}, // LDRSB
		{0xE1D000F0, []field{{16, 8}, {12, 8}, {8, 16}, {0, 16}}}, // LDRSH
		{0xE1C000D0, []field{{16, 8}, {13, 4}, {8, 16}, {0, 16}}}, // LDRD
		{0xE1C000F0, []field{{16, 8}, {13, 4}, {8, 16}, {0, 16}}}, // STRD
		{0xE8980001, []field{{1, 128}}},                           // LDM R8
		{0xE8880001, []field{{1, 128}}},                           // STM R8
		{0xE8B90001, []field{{1, 128}}},                           // LDM R9!
	}
	a32Stack = []template{
		{0xE92D0001, []field{{1, 128}}},         // PUSH
		{0xE8BD0001, []field{{1, 128}}},         // POP
		{0xE5980000, []field{{12, 8}, {2, 64}}}, // LDR [R8]
		{0xE7980000, []field{{12, 8}, {0, 8}}},  // LDR [R8,Rm]
		{0xE4980004, []field{{12, 8}}},          // LDR [R8],#4
		{0xE4890004, []field{{12, 8}}},          // STR [R9],#4
	}
)

// t32Plain are T32 instructions that do not touch memory, and are allowed in an
// IT block.
var t32Plain = []template{
	{0x1800, []field{{6, 8}, {3, 8}, {0, 8}}},                  // ADDS
	{0x1A00, []field{{6, 8}, {3, 8}, {0, 8}}},                  // SUBS
	{0x2000, []field{{8, 8}, {0, 256}}},                        // MOVS immediate
	{0x2800, []field{{8, 8}, {0, 256}}},                        // CMP immediate
	{0x3000, []field{{8, 8}, {0, 256}}},                        // ADDS immediate
	{0x3800, []field{{8, 8}, {0, 256}}},                        // SUBS immediate
	{0x0000, []field{{6, 32}, {3, 8}, {0, 8}}},                 // LSLS
	{0x0800, []field{{6, 32}, {3, 8}, {0, 8}}},                 // LSRS
	{0x4000, []field{{6, 16}, {3, 8}, {0, 8}}},                 // ANDS to MVNS
	{0x4600, []field{{3, 8}, {0, 8}}},                          // MOV
	{0xB2C0, []field{{3, 8}, {0, 8}}},                          // UXTB
	{0xEB000000, []field{{16, 8}, {8, 8}, {0, 8}}},             // ADD.W
	{0xEA4F0000, []field{{8, 8}, {0, 8}, {6, 4}, {12, 8}}},     // MOV.W, shifts
	{0xF2400000, []field{{16, 16}, {12, 8}, {8, 8}, {0, 256}}}, // MOVW
	{0xF1A00000, []field{{16, 8}, {8, 8}, {0, 256}}},           // SUB.W immediate
	{0xFB00F000, []field{{16, 8}, {8, 8}, {0, 8}}},             // MUL
	{0xF3C00000, []field{{16, 8}, {8, 8}, {0, 16}}},            // UBFX
	{0xFAB0F080, []field{{8, 8}}},                              // CLZ R0
	{0xBF00, nil},                                              // NOP
}

// t32Data are the loads and stores of T32.
var t32Data = []template{
	{0x6800, []field{{6, 32}, {3, 8}, {0, 8}}},         // LDR
	{0x6000, []field{{6, 32}, {3, 8}, {0, 8}}},         // STR
	{0x7800, []field{{6, 32}, {3, 8}, {0, 8}}},         // LDRB
	{0x7000, []field{{6, 32}, {3, 8}, {0, 8}}},         // STRB
	{0x8800, []field{{6, 32}, {3, 8}, {0, 8}}},         // LDRH
	{0x8000, []field{{6, 32}, {3, 8}, {0, 8}}},         // STRH
	{0x5600, []field{{6, 8}, {3, 8}, {0, 8}}},          // LDRSB
	{0x5E00, []field{{6, 8}, {3, 8}, {0, 8}}},          // LDRSH
	{0x5000, []field{{6, 8}, {3, 8}, {0, 8}, {9, 7}}},  // STR to LDRB, register
	{0x9800, []field{{8, 8}, {0, 256}}},                // LDR [SP]
	{0x9000, []field{{8, 8}, {0, 256}}},                // STR [SP]
	{0xB401, []field{{1, 128}}},                        // PUSH
	{0xBC01, []field{{1, 128}}},                        // POP
	{0xCF01, []field{{1, 64}}},                         // LDM R7!
	{0xC701, []field{{1, 64}}},                         // STM R7!
	{0xF8D00000, []field{{16, 8}, {12, 8}, {0, 4096}}}, // LDR.W
	{0xF8C00000, []field{{16, 8}, {12, 8}, {0, 4096}}}, // STR.W
	{0xF8900000, []field{{16, 8}, {12, 8}, {0, 4096}}}, // LDRB.W
	{0xF8A00000, []field{{16, 8}, {12, 8}, {0, 4096}}}, // STRH.W
	{0xF9900000, []field{{16, 8}, {12, 8}, {0, 4096}}}, // LDRSB.W
	{0xF9B00000, []field{{16, 8}, {12, 8}, {0, 4096}}}, // LDRSH.W
	{0xF8580B04, []field{{12, 8}}},                     // LDR [R8],#4
	{0xF8480D04, []field{{12, 8}}},                     // STR [R8,#-4]!
	{0xE9D00800, []field{{16, 8}, {12, 8}, {0, 256}}},  // LDRD Rt,R8
	{0xE9C00800, []field{{16, 8}, {12, 8}, {0, 256}}},  // STRD Rt,R8
	{0xE8980003, []field{{2, 64}}},                     // LDM.W R8
	{0xE8880003, []field{{2, 64}}},                     // STM.W R8
	{0xE92D0003, []field{{2, 64}}},                     // PUSH.W
	{0xE8500F00, []field{{16, 8}, {12, 8}, {0, 256}}},  // LDREX
	{0xE8480900, []field{{12, 8}, {0, 256}}},           // STREX R9,Rt,[R8]
	{0xE8D00F4F, []field{{16, 8}, {12, 8}}},            // LDREXB
	{0xE8C80F49, []field{{12, 8}}},                     // STREXB R9,Rt,[R8]
	{0xE8C80F59, []field{{12, 8}}},                     // STREXH R9,Rt,[R8]
}

// t32DataA are those that v7-M has not, or not always: Advanced SIMD and
// floating point, doubleword exclusives.
var t32DataA = []template{
	{0xED980A00, []field{{12, 8}, {0, 64}}}, // VLDR.32
	{0xED880B00, []field{{12, 8}, {0, 64}}}, // VSTR.64
	{0xEC980B04, []field{{12, 8}}},          // VLDM R8,{Dn,Dn+1}
	{0xE8D8017F, []field{{12, 1}}},          // LDREXD R0,R1,[R8]
	{0xE8C80179, nil},                       // STREXD R9,R0,R1,[R8]
	{0xEE1D0F70, []field{{12, 8}}},          // MRC: TPIDRURO
}
