package isa_test

import (
	"testing"

	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// dataEncodings has for each row of the tables what it means and what just
// misses it, worked out from the encodings in DDI 0406C.
var dataEncodings = []struct {
	opcode uint32
	size   uint8
	state  schema.ISA
	asm    string
	want   isa.Transfers
}{
	// A32, words and bytes.
	{0xE5801004, 4, schema.A32, "str r1,[r0,#4]", writes(1, 4)},
	{0xE7801002, 4, schema.A32, "str r1,[r0,r2]", writes(1, 4)},
	{0xE4A01004, 4, schema.A32, "strt r1,[r0],#4", writes(1, 4)},
	{0xE5901004, 4, schema.A32, "ldr r1,[r0,#4]", reads(1, 4)},
	{0x05901004, 4, schema.A32, "ldreq r1,[r0,#4]", reads(1, 4)},
	{0xE49DF004, 4, schema.A32, "ldr pc,[sp],#4", reads(1, 4)},
	{0xE4B01004, 4, schema.A32, "ldrt r1,[r0],#4", reads(1, 4)},
	{0xE5C01000, 4, schema.A32, "strb r1,[r0]", writes(1, 1)},
	{0xE4E10002, 4, schema.A32, "strbt r0,[r1],#2", writes(1, 1)},
	{0xE7D01002, 4, schema.A32, "ldrb r1,[r0,r2]", reads(1, 1)},
	{0xE7901012, 4, schema.A32, "media, ldr register with bit 4 set", isa.Transfers{}},
	{0xF5901004, 4, schema.A32, "pldw [r0,#4], ldr with cond 15", isa.Transfers{}},
	{0xF5D0F000, 4, schema.A32, "pld [r0]", isa.Transfers{}},
	{0xF4D0F000, 4, schema.A32, "pli [r0]", isa.Transfers{}},
	{0xF7D0F001, 4, schema.A32, "pld [r0,r1]", isa.Transfers{}},
	{0xE2801001, 4, schema.A32, "add r1,r0,#1", isa.Transfers{}},
	{0xEAFFFFFE, 4, schema.A32, "b .", isa.Transfers{}},
	{0xEF000000, 4, schema.A32, "svc #0", isa.Transfers{}},

	// Lists.
	{0xE92D40F0, 4, schema.A32, "push {r4-r7,lr}", writes(5, 4)},
	{0xE9800001, 4, schema.A32, "stmib r0,{r0}", writes(1, 4)},
	{0xE92DFFFF, 4, schema.A32, "push {r0-r15}", writes(16, 4)},
	{0xE8BD40F0, 4, schema.A32, "pop {r4-r7,lr}", reads(5, 4)},
	{0xE8BD80F0, 4, schema.A32, "pop {r4-r7,pc}", isa.Transfers{Count: 5, Size: 4, Access: isa.Read, PC: true}},
	{0xE8FD803F, 4, schema.A32, "ldm sp!,{r0-r5,pc}^", isa.Transfers{Count: 7, Size: 4, Access: isa.Read, PC: true}},
	{0xE8D000FF, 4, schema.A32, "ldm r0,{r0-r7}^", reads(8, 4)},
	{0xE8900000, 4, schema.A32, "ldm r0,{}: UNPREDICTABLE", isa.Transfers{}},

	// Synchronization primitives and what shares their space.
	{0xE1020091, 4, schema.A32, "swp r0,r1,[r2]", isa.Transfers{Count: 2, Size: 4, Access: isa.Swap}},
	{0xE1420091, 4, schema.A32, "swpb r0,r1,[r2]", isa.Transfers{Count: 2, Size: 1, Access: isa.Swap}},
	{0xE1820F91, 4, schema.A32, "strex r0,r1,[r2]", writes(1, 4)},
	{0xE1921F9F, 4, schema.A32, "ldrex r1,[r2]", reads(1, 4)},
	{0xE1A40F92, 4, schema.A32, "strexd r0,r2,r3,[r4]", writes(2, 4)},
	{0xE1B42F9F, 4, schema.A32, "ldrexd r2,r3,[r4]", reads(2, 4)},
	{0xE1C20F91, 4, schema.A32, "strexb r0,r1,[r2]", writes(1, 1)},
	{0xE1D21F9F, 4, schema.A32, "ldrexb r1,[r2]", reads(1, 1)},
	{0xE1E20F91, 4, schema.A32, "strexh r0,r1,[r2]", writes(1, 2)},
	{0xE1F21F9F, 4, schema.A32, "ldrexh r1,[r2]", reads(1, 2)},
	{0xE1220091, 4, schema.A32, "unallocated beside SWP", isa.Transfers{}},
	{0xE0020091, 4, schema.A32, "mul r2,r1,r0", isa.Transfers{}},
	{0xE0821390, 4, schema.A32, "umull r1,r2,r0,r3", isa.Transfers{}},
	{0xE1020051, 4, schema.A32, "qadd r0,r1,r2", isa.Transfers{}},
	{0xE1600080, 4, schema.A32, "smulbb r0,r0,r0", isa.Transfers{}},

	// Extra loads and stores.
	{0xE1C010B2, 4, schema.A32, "strh r1,[r0,#2]", writes(1, 2)},
	{0xE0E010B2, 4, schema.A32, "strht r1,[r0],#2", writes(1, 2)},
	{0xE19010B2, 4, schema.A32, "ldrh r1,[r0,r2]", reads(1, 2)},
	{0xE1C020D8, 4, schema.A32, "ldrd r2,[r0,#8]", reads(2, 4)},
	{0xE1D010D1, 4, schema.A32, "ldrsb r1,[r0,#1]", reads(1, 1)},
	{0xE0F010D1, 4, schema.A32, "ldrsbt r1,[r0],#1", reads(1, 1)},
	{0xE1C020F8, 4, schema.A32, "strd r2,[r0,#8]", writes(2, 4)},
	{0xE1D010F2, 4, schema.A32, "ldrsh r1,[r0,#2]", reads(1, 2)},
	{0xE3C010B2, 4, schema.A32, "bic r1,r0,#0xb2, strh with bit 25 set", isa.Transfers{}},

	// The unconditional space.
	{0xF8BD0A00, 4, schema.A32, "rfeia sp!", reads(2, 4)},
	{0xF96D0513, 4, schema.A32, "srsdb sp!,#19", writes(2, 4)},
	{0xF8500A00, 4, schema.A32, "unallocated, RFE with bit 22", isa.Transfers{}},
	{0xFA000000, 4, schema.A32, "blx", isa.Transfers{}},
	{0xF57FF05F, 4, schema.A32, "dmb sy", isa.Transfers{}},

	// Advanced SIMD structures: multiple, to one lane, to all lanes.
	{0xF420070F, 4, schema.A32, "vld1.8 {d0},[r0]", reads(2, 4)},
	{0xF4200A0F, 4, schema.A32, "vld1.8 {d0-d1},[r0]", reads(4, 4)},
	{0xF420060F, 4, schema.A32, "vld1.8 {d0-d2},[r0]", reads(6, 4)},
	{0xF420028D, 4, schema.A32, "vld1.32 {d0-d3},[r0]!", reads(8, 4)},
	{0xF420080F, 4, schema.A32, "vld2.8 {d0-d1},[r0]", reads(4, 4)},
	{0xF420090F, 4, schema.A32, "vld2.8 {d0,d2},[r0]", reads(4, 4)},
	{0xF420030F, 4, schema.A32, "vld2.8 {d0-d3},[r0]", reads(8, 4)},
	{0xF420040F, 4, schema.A32, "vld3.8 {d0-d2},[r0]", reads(6, 4)},
	{0xF420050F, 4, schema.A32, "vld3.8 {d0,d2,d4},[r0]", reads(6, 4)},
	{0xF420000F, 4, schema.A32, "vld4.8 {d0-d3},[r0]", reads(8, 4)},
	{0xF420010F, 4, schema.A32, "vld4.8 {d0,d2,d4,d6},[r0]", reads(8, 4)},
	{0xF400010F, 4, schema.A32, "vst4.8 {d0,d2,d4,d6},[r0]", writes(8, 4)},
	{0xF4200B0F, 4, schema.A32, "undefined: type 11", isa.Transfers{}},
	{0xF430070F, 4, schema.A32, "no structure: bit 20", isa.Transfers{}},
	{0xF4A0002F, 4, schema.A32, "vld1.8 {d0[1]},[r0]", reads(1, 1)},
	{0xF4A0044F, 4, schema.A32, "vld1.16 {d0[1]},[r0]", reads(1, 2)},
	{0xF480088F, 4, schema.A32, "vst1.32 {d0[1]},[r0]", writes(1, 4)},
	{0xF4A0012F, 4, schema.A32, "vld2.8 {d0[1],d1[1]},[r0]", reads(1, 2)},
	{0xF4A0022F, 4, schema.A32, "vld3.8 {d0[1]-d2[1]},[r0]: three bytes", reads(1, 4)},
	{0xF4A0064F, 4, schema.A32, "vld3.16 {d0[1]-d2[1]},[r0]: six bytes", reads(2, 4)},
	{0xF4A00B0F, 4, schema.A32, "vld4.32 {d0[0]-d3[0]},[r0]", reads(4, 4)},
	{0xF4A00C0F, 4, schema.A32, "vld1.8 {d0[]},[r0]", reads(1, 1)},
	{0xF4A10F6F, 4, schema.A32, "vld4.16 {d0[],d2[],d4[],d6[]},[r1]", reads(2, 4)},
	{0xF4A00FDF, 4, schema.A32, "vld4.32 {d0[]-d3[]},[r0:128]", reads(4, 4)},
	{0xF4800C0F, 4, schema.A32, "undefined: vst1 to all lanes", isa.Transfers{}},

	// Coprocessors and VFP.
	{0xED807A00, 4, schema.A32, "vstr s14,[r0]", writes(1, 4)},
	{0xEDD07A00, 4, schema.A32, "vldr s15,[r0]", reads(1, 4)},
	{0xED807B00, 4, schema.A32, "vstr d7,[r0]", writes(2, 4)},
	{0xED107B04, 4, schema.A32, "vldr d7,[r0,#-16]", reads(2, 4)},
	{0xED2D8B10, 4, schema.A32, "vpush {d8-d15}", writes(16, 4)},
	{0xECBD8B10, 4, schema.A32, "vpop {d8-d15}", reads(16, 4)},
	{0xECF00A07, 4, schema.A32, "vldmia r0!,{s1-s7}", reads(7, 4)},
	{0xECA00A03, 4, schema.A32, "vstmia r0!,{s0-s2}", writes(3, 4)},
	{0xECB00B07, 4, schema.A32, "fldmiax r0!,{d0-d2}", reads(6, 4)},
	{0xEC300A03, 4, schema.A32, "undefined: vldm with P, U, W = 0, 0, 1", isa.Transfers{}},
	{0xEDB00A03, 4, schema.A32, "undefined: vldm with P, U, W = 1, 1, 1", isa.Transfers{}},
	{0xECB05E01, 4, schema.A32, "ldc p14,c5,[r0],#4", reads(1, 4)},
	{0xFDA05E01, 4, schema.A32, "stc2 p14,c5,[r0,#4]!", writes(1, 4)},
	{0xEC105E01, 4, schema.A32, "undefined: ldc with P, U, W, D clear", isa.Transfers{}},
	{0xEE070F95, 4, schema.A32, "mcr CP15ISB", registers(1, isa.Write)},
	{0xEE111F10, 4, schema.A32, "mrc p15,0,r1,c1,c0,0", registers(1, isa.Read)},
	{0xFE111F10, 4, schema.A32, "mrc2 p15,0,r1,c1,c0,0", registers(1, isa.Read)},
	{0xEC421F02, 4, schema.A32, "mcrr p15,0,r1,r2,c2", registers(2, isa.Write)},
	{0xEC521F02, 4, schema.A32, "mrrc p15,0,r1,r2,c2", registers(2, isa.Read)},
	{0xEE100A90, 4, schema.A32, "vmov r0,s1", registers(1, isa.Read)},
	{0xEE203B10, 4, schema.A32, "vmov.32 d0[1],r3", registers(1, isa.Write)},
	{0xEC510B13, 4, schema.A32, "vmov r0,r1,d3", registers(2, isa.Read)},
	{0xEC410B13, 4, schema.A32, "vmov d3,r0,r1", registers(2, isa.Write)},
	{0xEEF1FA10, 4, schema.A32, "vmrs APSR_nzcv,fpscr", registers(1, isa.Read)},
	{0xEEE10A10, 4, schema.A32, "vmsr fpscr,r0", registers(1, isa.Write)},
	{0xEEE01B10, 4, schema.A32, "vdup.8 q0,r1", registers(1, isa.Write)},
	{0xEE300A20, 4, schema.A32, "vadd.f32 s0,s0,s1", isa.Transfers{}},
	{0xEE000000, 4, schema.A32, "cdp p0,0,c0,c0,c0,0", isa.Transfers{}},
	{0xFD900A00, 4, schema.A32, "unallocated: vldr with cond 15", isa.Transfers{}},
	{0xFE100A90, 4, schema.A32, "unallocated: vmov with cond 15", isa.Transfers{}},

	// Cache operations by address, and others.
	{0xEE070F35, 4, schema.A32, "mcr ICIMVAU", isa.Transfers{}},
	{0xEE071F36, 4, schema.A32, "mcr DCIMVAC", isa.Transfers{}},
	{0xEE072F3A, 4, schema.A32, "mcr DCCMVAC", isa.Transfers{}},
	{0xEE070F3B, 4, schema.A32, "mcr DCCMVAU", isa.Transfers{}},
	{0xEE070F3E, 4, schema.T32, "mcr DCCIMVAC", isa.Transfers{}},
	{0xEE070F15, 4, schema.A32, "mcr ICIALLU: not by address", registers(1, isa.Write)},
	{0xEE070F5A, 4, schema.A32, "mcr DCCSW: by set and way", registers(1, isa.Write)},
	{0xEE080F35, 4, schema.A32, "mcr ITLBIMVA: c8", registers(1, isa.Write)},

	// 16-bit T32.
	{0x4801, 2, schema.T32, "ldr r0,[pc,#4]", reads(1, 4)},
	{0x5088, 2, schema.T32, "str r0,[r1,r2]", writes(1, 4)},
	{0x5288, 2, schema.T32, "strh r0,[r1,r2]", writes(1, 2)},
	{0x5488, 2, schema.T32, "strb r0,[r1,r2]", writes(1, 1)},
	{0x5688, 2, schema.T32, "ldrsb r0,[r1,r2]", reads(1, 1)},
	{0x5888, 2, schema.T32, "ldr r0,[r1,r2]", reads(1, 4)},
	{0x5A88, 2, schema.T32, "ldrh r0,[r1,r2]", reads(1, 2)},
	{0x5C88, 2, schema.T32, "ldrb r0,[r1,r2]", reads(1, 1)},
	{0x5E88, 2, schema.T32, "ldrsh r0,[r1,r2]", reads(1, 2)},
	{0x6048, 2, schema.T32, "str r0,[r1,#4]", writes(1, 4)},
	{0x6848, 2, schema.T32, "ldr r0,[r1,#4]", reads(1, 4)},
	{0x7048, 2, schema.T32, "strb r0,[r1,#1]", writes(1, 1)},
	{0x7848, 2, schema.T32, "ldrb r0,[r1,#1]", reads(1, 1)},
	{0x8048, 2, schema.T32, "strh r0,[r1,#2]", writes(1, 2)},
	{0x8848, 2, schema.T32, "ldrh r0,[r1,#2]", reads(1, 2)},
	{0x9001, 2, schema.T32, "str r0,[sp,#4]", writes(1, 4)},
	{0x9801, 2, schema.T32, "ldr r0,[sp,#4]", reads(1, 4)},
	{0xB510, 2, schema.T32, "push {r4,lr}", writes(2, 4)},
	{0xB4FF, 2, schema.T32, "push {r0-r7}", writes(8, 4)},
	{0xBC10, 2, schema.T32, "pop {r4}", reads(1, 4)},
	{0xBD10, 2, schema.T32, "pop {r4,pc}", isa.Transfers{Count: 2, Size: 4, Access: isa.Read, PC: true}},
	{0xC107, 2, schema.T32, "stmia r1!,{r0-r2}", writes(3, 4)},
	{0xC907, 2, schema.T32, "ldmia r1!,{r0-r2}", reads(3, 4)},
	{0x4770, 2, schema.T32, "bx lr", isa.Transfers{}},
	{0xA001, 2, schema.T32, "adr r0,pc+4", isa.Transfers{}},
	{0xA801, 2, schema.T32, "add r0,sp,#4", isa.Transfers{}},
	{0xB610, 2, schema.T32, "unallocated beside PUSH", isa.Transfers{}},
	{0xBE10, 2, schema.T32, "bkpt", isa.Transfers{}},
	{0xD001, 2, schema.T32, "beq", isa.Transfers{}},

	// 16-bit ThumbEE.
	{0xC848, 2, schema.T32EE, "ldr r0,[r1,#-4]", reads(1, 4)},
	{0xCA48, 2, schema.T32EE, "chka", isa.Transfers{}},
	{0xCB08, 2, schema.T32EE, "ldr r0,[r10,#4]", reads(1, 4)},
	{0xCC08, 2, schema.T32EE, "ldr r0,[r9,#4]", reads(1, 4)},
	{0xCE08, 2, schema.T32EE, "str r0,[r9,#4]", writes(1, 4)},
	{0xC007, 2, schema.T32EE, "hbp", isa.Transfers{}},
	{0xC207, 2, schema.T32EE, "hb", isa.Transfers{}},
	{0xC407, 2, schema.T32EE, "hblp", isa.Transfers{}},
	{0x6848, 2, schema.T32EE, "ldr r0,[r1,#4]", reads(1, 4)},
	{0xE8BD81F0, 4, schema.T32EE, "pop.w {r4-r8,pc}", isa.Transfers{Count: 6, Size: 4, Access: isa.Read, PC: true}},

	// 32-bit T32: lists, return states.
	{0xE92D41F0, 4, schema.T32, "push.w {r4-r8,lr}", writes(6, 4)},
	{0xE8800006, 4, schema.T32, "stm.w r0,{r1,r2}", writes(2, 4)},
	{0xE8BD81F0, 4, schema.T32, "pop.w {r4-r8,pc}", isa.Transfers{Count: 6, Size: 4, Access: isa.Read, PC: true}},
	{0xE9100006, 4, schema.T32, "ldmdb r0,{r1,r2}", reads(2, 4)},
	{0xE82DC013, 4, schema.T32, "srsdb sp!,#19", writes(2, 4)},
	{0xE9ADC013, 4, schema.T32, "srsia sp!,#19", writes(2, 4)},
	{0xE83DC000, 4, schema.T32, "rfedb sp!", reads(2, 4)},
	{0xE9BDC000, 4, schema.T32, "rfeia sp!", reads(2, 4)},

	// 32-bit T32: exclusives, table branches, doublewords.
	{0xE8421000, 4, schema.T32, "strex r0,r1,[r2]", writes(1, 4)},
	{0xE8521F00, 4, schema.T32, "ldrex r1,[r2]", reads(1, 4)},
	{0xE8C21F40, 4, schema.T32, "strexb r0,r1,[r2]", writes(1, 1)},
	{0xE8C21F50, 4, schema.T32, "strexh r0,r1,[r2]", writes(1, 2)},
	{0xE8C41270, 4, schema.T32, "strexd r0,r1,r2,[r4]", writes(2, 4)},
	{0xE8DFF000, 4, schema.T32, "tbb [pc,r0]", reads(1, 1)},
	{0xE8DFF010, 4, schema.T32, "tbh [pc,r0,lsl #1]", reads(1, 2)},
	{0xE8D21F4F, 4, schema.T32, "ldrexb r1,[r2]", reads(1, 1)},
	{0xE8D21F5F, 4, schema.T32, "ldrexh r1,[r2]", reads(1, 2)},
	{0xE8D2017F, 4, schema.T32, "ldrexd r0,r1,[r2]", reads(2, 4)},
	{0xE8D21F6F, 4, schema.T32, "undefined beside LDREXH", isa.Transfers{}},
	{0xE9C01202, 4, schema.T32, "strd r1,r2,[r0,#8]", writes(2, 4)},
	{0xE8E01202, 4, schema.T32, "strd r1,r2,[r0],#8", writes(2, 4)},
	{0xE9D01202, 4, schema.T32, "ldrd r1,r2,[r0,#8]", reads(2, 4)},
	{0xE8701202, 4, schema.T32, "ldrd r1,r2,[r0],#-8", reads(2, 4)},
	{0xEA000001, 4, schema.T32, "and.w r0,r0,r1", isa.Transfers{}},

	// 32-bit T32: single data and hints.
	{0xF8801001, 4, schema.T32, "strb.w r1,[r0,#1]", writes(1, 1)},
	{0xF8001E01, 4, schema.T32, "strbt r1,[r0,#1]", writes(1, 1)},
	{0xF8A01002, 4, schema.T32, "strh.w r1,[r0,#2]", writes(1, 2)},
	{0xF8C01004, 4, schema.T32, "str.w r1,[r0,#4]", writes(1, 4)},
	{0xF8401002, 4, schema.T32, "str.w r1,[r0,r2]", writes(1, 4)},
	{0xF8901001, 4, schema.T32, "ldrb.w r1,[r0,#1]", reads(1, 1)},
	{0xF9901001, 4, schema.T32, "ldrsb.w r1,[r0,#1]", reads(1, 1)},
	{0xF8301E02, 4, schema.T32, "ldrht r1,[r0,#2]", reads(1, 2)},
	{0xF9B01002, 4, schema.T32, "ldrsh.w r1,[r0,#2]", reads(1, 2)},
	{0xF8D01004, 4, schema.T32, "ldr.w r1,[r0,#4]", reads(1, 4)},
	{0xF85FF004, 4, schema.T32, "ldr.w pc,[pc,#-4]", reads(1, 4)},
	{0xF85DFB04, 4, schema.T32, "ldr.w pc,[sp],#4", reads(1, 4)},
	{0xF890F000, 4, schema.T32, "pld [r0]", isa.Transfers{}},
	{0xF8B0F000, 4, schema.T32, "pldw [r0]", isa.Transfers{}},
	{0xF990F000, 4, schema.T32, "pli [r0]", isa.Transfers{}},
	{0xF81FF004, 4, schema.T32, "pld [pc,#-4]", isa.Transfers{}},
	{0xF810F001, 4, schema.T32, "pld [r0,r1]", isa.Transfers{}},
	{0xF9501004, 4, schema.T32, "undefined: signed word", isa.Transfers{}},
	{0xF8601004, 4, schema.T32, "undefined: store of size 3", isa.Transfers{}},
	{0xF8701004, 4, schema.T32, "undefined: load of size 3", isa.Transfers{}},
	{0xFA00F001, 4, schema.T32, "lsl.w r0,r0,r1", isa.Transfers{}},
	{0xF3BF8F5F, 4, schema.T32, "dmb sy", isa.Transfers{}},

	// 32-bit T32: SIMD structures and coprocessors, as in A32.
	{0xF920070F, 4, schema.T32, "vld1.8 {d0},[r0]", reads(2, 4)},
	{0xF900010F, 4, schema.T32, "vst4.8 {d0,d2,d4,d6},[r0]", writes(8, 4)},
	{0xF9A0064F, 4, schema.T32, "vld3.16 {d0[1]-d2[1]},[r0]: six bytes", reads(2, 4)},
	{0xF980002F, 4, schema.T32, "vst1.8 {d0[1]},[r0]", writes(1, 1)},
	{0xF9A00C4F, 4, schema.T32, "vld1.16 {d0[]},[r0]", reads(1, 2)},
	{0xF9800C0F, 4, schema.T32, "undefined: vst1 to all lanes", isa.Transfers{}},
	{0xED2D8B10, 4, schema.T32, "vpush {d8-d15}", writes(16, 4)},
	{0xEDD07A00, 4, schema.T32, "vldr s15,[r0]", reads(1, 4)},
	{0xFDD07A00, 4, schema.T32, "unallocated: vldr with bit 28 set", isa.Transfers{}},
	{0xEE111F10, 4, schema.T32, "mrc p15,0,r1,c1,c0,0", registers(1, isa.Read)},
	{0xEC410B13, 4, schema.T32, "vmov d3,r0,r1", registers(2, isa.Write)},
	{0xFC421F02, 4, schema.T32, "mcrr2 p15,0,r1,r2,c2", registers(2, isa.Write)},
	{0xEF000010, 4, schema.T32, "vqadd.s8 d0,d0,d0: Advanced SIMD data processing", isa.Transfers{}},

	{0xE5901004, 4, schema.Jazelle, "no instruction we know", isa.Transfers{}},
}

func TestData(t *testing.T) {
	for _, e := range dataEncodings {
		if got := isa.DataOf(e.opcode, e.size, e.state); got != e.want {
			t.Errorf("%0*x %v %s: %+v, want %+v", 2*e.size, e.opcode, e.state, e.asm, got, e.want)
		}
	}
}

// The direction of a swap depends on the position, that of others does not.
func TestTransfersAt(t *testing.T) {
	for _, c := range []struct {
		access isa.Access
		want   [2]schema.Access
	}{
		{isa.Read, [2]schema.Access{schema.AccessRead, schema.AccessRead}},
		{isa.Write, [2]schema.Access{schema.AccessWrite, schema.AccessWrite}},
		{isa.Swap, [2]schema.Access{schema.AccessRead, schema.AccessWrite}},
	} {
		x := isa.Transfers{Count: 2, Size: 4, Access: c.access}
		if got := [2]schema.Access{x.At(0), x.At(1)}; got != c.want {
			t.Errorf("access %d: %v, want %v", c.access, got, c.want)
		}
	}
}

func FuzzData(f *testing.F) {
	for _, e := range dataEncodings {
		f.Add(e.opcode)
	}
	f.Fuzz(func(t *testing.T, opcode uint32) {
		for _, state := range []schema.ISA{schema.A32, schema.T32, schema.T32EE} {
			for _, size := range []uint8{2, 4} {
				x := isa.DataOf(opcode, size, state)
				if x.Count == 0 && x != (isa.Transfers{}) {
					t.Errorf("%08x %v: %+v without transfers", opcode, state, x)
				}
				if x.Count > 0 && x.Size != 1 && x.Size != 2 && x.Size != 4 {
					t.Errorf("%08x %v: %+v", opcode, state, x)
				}
			}
		}
	})
}
