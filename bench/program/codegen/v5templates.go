package codegen

import "slices"

// The instructions of programs for ARMv5TE (DDI 0100I). Registers are as in the
// other templates; where two may not be the same, one is R9 or R12.

// a32PlainV5TE are A32 instructions that do not touch memory, all of which may
// have a condition.
var a32PlainV5TE = []template{
	{0xE0800000, []field{{16, 8}, {12, 8}, {0, 8}}},                 // ADD
	{0xE0500000, []field{{16, 8}, {12, 8}, {0, 8}}},                 // SUBS
	{0xE1800000, []field{{16, 8}, {12, 8}, {0, 8}, {7, 32}}},        // ORR, LSL
	{0xE2000000, []field{{16, 8}, {12, 8}, {0, 256}}},               // AND immediate
	{0xE3A00000, []field{{12, 8}, {0, 256}}},                        // MOV immediate
	{0xE3500000, []field{{16, 8}, {0, 256}}},                        // CMP immediate
	{0xE1A00010, []field{{12, 8}, {8, 8}, {0, 8}}},                  // LSL register
	{0xE0A00000, []field{{16, 8}, {12, 8}, {0, 8}}},                 // ADC
	{0xE10F0000, []field{{12, 8}}},                                  // MRS
	{0xE128F000, []field{{0, 8}}},                                   // MSR CPSR_f
	{0xE0000000, []field{{16, 8}, {12, 8}, {0, 8}, {20, 2}}},        // AND, ANDS
	{0xE2400000, []field{{16, 8}, {12, 8}, {0, 256}, {20, 2}}},      // SUB, SUBS immediate
	{0xE1A00000, []field{{12, 8}, {0, 8}, {7, 32}, {5, 3}}},         // MOV, LSR, ASR
	{0xE2800000, []field{{16, 8}, {12, 8}, {0, 256}, {8, 16}}},      // ADD immediate, rotated
	{0xE3E00000, []field{{12, 8}, {0, 256}, {8, 16}}},               // MVN immediate
	{0xE0200000, []field{{16, 8}, {12, 8}, {0, 8}, {5, 3}, {7, 8}}}, // EOR
	{0xE00C0090, []field{{8, 8}, {0, 8}}},                           // MUL R12
	{0xE0299090, []field{{8, 8}, {0, 8}, {21, 1}}},                  // MLA R9,Rm,Rs,R9
	{0xE08C9090, []field{{8, 8}, {0, 8}, {21, 2}}},                  // UMULL, UMLAL R9,R12
	{0xE16F0F10, []field{{12, 8}, {0, 8}}},                          // CLZ
	{0xE1000050, []field{{16, 8}, {12, 8}, {0, 8}, {21, 4}}},        // QADD, QSUB, QDADD, QDSUB
	{0xE1600080, []field{{16, 8}, {8, 8}, {0, 8}, {5, 4}}},          // SMULxy
	{0xE1000080, []field{{16, 8}, {12, 8}, {8, 8}, {0, 8}, {5, 4}}}, // SMLAxy
	{0xEE100F10, []field{{12, 8}, {16, 4}}},                         // MRC p15, c0 to c3
	{0xEE020F10, []field{{12, 8}, {16, 2}}},                         // MCR p15, c2 and c3
	{0xEE000710, []field{{16, 8}, {12, 8}, {0, 8}, {20, 2}}},        // MCR, MRC p7
}

// a32DataV5TE are the loads and stores of A32, and transfers of two words to and
// from a coprocessor.
var a32DataV5TE = slices.Concat(a32Memory, []template{
	{0xE9180001, []field{{1, 128}, {23, 2}}}, // LDMDB, LDMIB R8
	{0xE8080001, []field{{1, 128}}},          // STMDA R8
}, a32Stack, []template{
	{0xE4B80004, []field{{12, 8}, {22, 2}}},         // LDRT, LDRBT [R8],#4
	{0xE4A90004, []field{{12, 8}, {22, 2}}},         // STRT, STRBT [R9],#4
	{0xE1089090, []field{{0, 8}, {22, 2}}},          // SWP, SWPB R9,Rm,[R8]
	{0xEC490710, []field{{12, 8}, {0, 8}, {20, 2}}}, // MCRR, MRRC p7,1,Rt,R9
})

// a32LDC are LDC and STC.
var a32LDC = []template{
	{0xED980700, []field{{12, 8}, {0, 64}}}, // LDC p7,[R8,#…]
	{0xED890700, []field{{12, 8}, {0, 64}}}, // STC p7,[R9,#…]
	{0xECB80701, []field{{12, 8}, {0, 64}}}, // LDC p7,[R8],#…
}

// thumb1Plain are T32 instructions of 16 bits that do not touch memory.
var thumb1Plain = []template{
	{0x1800, []field{{6, 8}, {3, 8}, {0, 8}}},  // ADDS
	{0x1A00, []field{{6, 8}, {3, 8}, {0, 8}}},  // SUBS
	{0x1C00, []field{{6, 8}, {3, 8}, {0, 8}}},  // ADDS, three bits
	{0x2000, []field{{8, 8}, {0, 256}}},        // MOVS immediate
	{0x2800, []field{{8, 8}, {0, 256}}},        // CMP immediate
	{0x3000, []field{{8, 8}, {0, 256}}},        // ADDS immediate
	{0x3800, []field{{8, 8}, {0, 256}}},        // SUBS immediate
	{0x0000, []field{{6, 32}, {3, 8}, {0, 8}}}, // LSLS
	{0x0800, []field{{6, 32}, {3, 8}, {0, 8}}}, // LSRS
	{0x1000, []field{{6, 32}, {3, 8}, {0, 8}}}, // ASRS
	{0x4000, []field{{6, 13}, {3, 8}, {0, 8}}}, // ANDS to ORRS
	{0x4380, []field{{6, 2}, {3, 8}, {0, 8}}},  // BICS, MVNS
	{0x4640, []field{{3, 8}, {0, 8}}},          // MOV from R8 to R15
	{0x4680, []field{{3, 8}, {0, 4}}},          // MOV to R8 to R11
	{0x4440, []field{{3, 5}, {0, 8}}},          // ADD of R8 to R12
	{0x4540, []field{{3, 5}, {0, 8}}},          // CMP with R8 to R12
	{0xA800, []field{{8, 8}, {0, 256}}},        // ADD SP
	{0xA000, []field{{8, 8}, {0, 256}}},        // ADR
}

// thumb1Data are the loads and stores of 16 bits.
var thumb1Data = []template{
	{0x6800, []field{{6, 32}, {3, 8}, {0, 8}}},        // LDR
	{0x6000, []field{{6, 32}, {3, 8}, {0, 8}}},        // STR
	{0x7800, []field{{6, 32}, {3, 8}, {0, 8}}},        // LDRB
	{0x7000, []field{{6, 32}, {3, 8}, {0, 8}}},        // STRB
	{0x8800, []field{{6, 32}, {3, 8}, {0, 8}}},        // LDRH
	{0x8000, []field{{6, 32}, {3, 8}, {0, 8}}},        // STRH
	{0x5000, []field{{6, 8}, {3, 8}, {0, 8}, {9, 8}}}, // all of them by register, LDRSB, LDRSH
	{0x4800, []field{{8, 8}, {0, 16}}},                // LDR literal
	{0x9800, []field{{8, 8}, {0, 256}}},               // LDR [SP]
	{0x9000, []field{{8, 8}, {0, 256}}},               // STR [SP]
	{0xB401, []field{{1, 128}}},                       // PUSH
	{0xB500, []field{{0, 256}}},                       // PUSH with LR
	{0xBC01, []field{{1, 128}}},                       // POP
	{0xCF01, []field{{1, 64}}},                        // LDM R7!
	{0xC701, []field{{1, 64}}},                        // STM R7!
}
