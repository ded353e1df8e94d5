package isa

import (
	"math/bits"

	"github.com/tracelake/tracelake/schema"
)

// Transfers is the data that an instruction moves if it is executed, as data trace
// reports it, transfer by transfer. An instruction without transfers is no data
// instruction.
//
// Count counts words: a doubleword is two transfers of 4 bytes, and so is a 64-bit
// register transfer. The last word of an Advanced SIMD structure counts even if
// only part of it is transferred.
type Transfers struct {
	Count uint8 // 0: no data instruction
	Size  uint8 // bytes of each: 1, 2 or 4
	// Access is how memory is accessed; a register transfer is a Read if the core
	// receives.
	Access   Access
	Register bool // a transfer between core and coprocessor: no address
	PC       bool // a load multiple with the PC in its list
}

// Access is the direction of transfers, as seen from the core.
type Access uint8

// The directions.
const (
	Read Access = iota
	Write
	Swap // reads, then writes
)

// At returns the direction of the transfer at that position, from 0.
func (t Transfers) At(position uint16) schema.Access {
	if t.Access == Write || t.Access == Swap && position > 0 {
		return schema.AccessWrite
	}
	return schema.AccessRead
}

// Swaps reports whether the first transfer reads and the others write.
func (t Transfers) Swaps() bool { return t.Access == Swap }

// DataOf returns the transfers of an instruction from a block: its opcode (32-bit
// T32 has its first halfword on top) and its size in bytes. The transfers of
// Jazelle instructions and of A64 are not known.
func DataOf(opcode uint32, size uint8, state schema.ISA) Transfers {
	switch {
	case state == schema.A32:
		return DataA32(opcode)
	case state == schema.Jazelle, state == schema.A64:
		return Transfers{}
	case size == 4:
		return DataT32(uint16(opcode>>16), uint16(opcode), state == schema.T32EE)
	default:
		return DataT32(uint16(opcode), 0, state == schema.T32EE)
	}
}

// DataA32 returns the transfers of the A32 instruction w.
func DataA32(w uint32) Transfers {
	if w>>28 == 15 {
		return transfers(a32DataUnconditional, w)
	}
	return transfers(a32Data, w)
}

// DataT32 returns the transfers of the T32 instruction that begins with h1; h2
// is the halfword after it, ignored if h1 is an instruction by itself. With
// thumbEE the processor is in ThumbEE state.
func DataT32(h1, h2 uint16, thumbEE bool) Transfers {
	switch {
	case Is32Bit(h1):
		return transfers(t32DataWide, uint32(h1)<<16|uint32(h2))
	case thumbEE && inThumbEESpace(h1):
		return transfers(thumbEEData, uint32(h1))
	default:
		return transfers(t32DataNarrow, uint32(h1))
	}
}

// A dataRule is a set of encodings and their transfers; as with [rule], the first
// that matches applies. Where the number of transfers depends on the opcode, count
// sets it.
type dataRule struct {
	mask, value uint32
	transfers   Transfers
	count       func(opcode uint32, t *Transfers)
}

func read(count, size uint8) Transfers  { return Transfers{Count: count, Size: size, Access: Read} }
func write(count, size uint8) Transfers { return Transfers{Count: count, Size: size, Access: Write} }

// register are transfers of words between core and coprocessor.
func register(count uint8, access Access) Transfers {
	return Transfers{Count: count, Size: 4, Access: access, Register: true}
}

// transfers returns the transfers of the first matching rule.
func transfers(rules []dataRule, opcode uint32) Transfers {
	for i := range rules {
		r := &rules[i]
		if opcode&r.mask != r.value {
			continue
		}
		t := r.transfers
		if r.count != nil {
			r.count(opcode, &t)
		}
		if t.Count == 0 {
			return Transfers{}
		}
		return t
	}
	return Transfers{}
}

// registers counts the list in bits 15:0 of LDM and STM.
func registers(opcode uint32, t *Transfers) {
	t.Count = uint8(bits.OnesCount16(uint16(opcode)))
	t.PC = t.Access == Read && opcode>>15&1 == 1
}

// lowRegisters counts the list in bits 7:0 of 16-bit LDM and STM.
func lowRegisters(opcode uint32, t *Transfers) { t.Count = uint8(bits.OnesCount8(uint8(opcode))) }

// stacked counts the list in bits 7:0 of 16-bit PUSH and POP; bit 8 adds LR to
// the one, the PC to the other.
func stacked(opcode uint32, t *Transfers) {
	t.Count = uint8(bits.OnesCount16(uint16(opcode & 0x1FF)))
	t.PC = t.Access == Read && opcode>>8&1 == 1
}

// singles counts the words of VLDM and VSTM with 32-bit registers: imm8.
func singles(opcode uint32, t *Transfers) { t.Count = uint8(opcode) }

// doubles does so with 64-bit registers. FLDMX and FSTMX have an odd imm8, of
// which the last word is not transferred.
func doubles(opcode uint32, t *Transfers) { t.Count = uint8(opcode) &^ 1 }

// structures counts the words of VLD1 to VLD4 and VST1 to VST4 of multiple
// structures: two for each register, the number of which is in the field type.
func structures(opcode uint32, t *Transfers) {
	doublewords := [16]uint8{4, 4, 4, 4, 3, 3, 3, 1, 2, 2, 2}
	t.Count = 2 * doublewords[opcode>>8&15]
}

// lane counts the words of VLD1 to VLD4 and VST1 to VST4 of a single structure
// to one lane: one to four adjacent elements.
func lane(opcode uint32, t *Transfers) {
	structure(opcode>>8&3+1, 1<<(opcode>>10&3), t)
}

// allLanes does so for VLD1 to VLD4 to all lanes, which read it once. Size 3
// is a VLD4 of words that are aligned otherwise.
func allLanes(opcode uint32, t *Transfers) {
	structure(opcode>>8&3+1, 1<<min(opcode>>6&3, 2), t)
}

func structure(elements, size uint32, t *Transfers) {
	bytes := elements * size
	t.Count, t.Size = uint8((bytes+3)/4), 4
	if bytes < 3 {
		t.Size = uint8(bytes)
	}
}

// a32DataUnconditional are the encodings with condition field 15 (DDI 0406C,
// A5.7). That excludes PLD, PLDW and PLI: hints.
var a32DataUnconditional = append([]dataRule{
	{0xFE500000, 0xF8100000, read(2, 4), nil},  // RFE
	{0xFE500000, 0xF8400000, write(2, 4), nil}, // SRS
}, unconditionalData(0xF4000000)...)

// a32Data are those with any other condition (DDI 0406C, A5.2 to A5.6).
var a32Data = append([]dataRule{
	{0x0E000010, 0x06000010, Transfers{}, nil}, // media

	// Words and bytes, LDRT, STRT, LDRBT and STRBT too.
	{0x0C500000, 0x04000000, write(1, 4), nil}, // STR
	{0x0C500000, 0x04100000, read(1, 4), nil},  // LDR
	{0x0C500000, 0x04400000, write(1, 1), nil}, // STRB
	{0x0C500000, 0x04500000, read(1, 1), nil},  // LDRB

	{0x0E100000, 0x08000000, write(0, 4), registers}, // STM, PUSH
	{0x0E100000, 0x08100000, read(0, 4), registers},  // LDM, POP

	// Synchronization primitives.
	{0x0FF000F0, 0x01000090, Transfers{Count: 2, Size: 4, Access: Swap}, nil}, // SWP
	{0x0FF000F0, 0x01400090, Transfers{Count: 2, Size: 1, Access: Swap}, nil}, // SWPB
	{0x0FF000F0, 0x01800090, write(1, 4), nil},                                // STREX
	{0x0FF000F0, 0x01900090, read(1, 4), nil},                                 // LDREX
	{0x0FF000F0, 0x01A00090, write(2, 4), nil},                                // STREXD
	{0x0FF000F0, 0x01B00090, read(2, 4), nil},                                 // LDREXD
	{0x0FF000F0, 0x01C00090, write(1, 1), nil},                                // STREXB
	{0x0FF000F0, 0x01D00090, read(1, 1), nil},                                 // LDREXB
	{0x0FF000F0, 0x01E00090, write(1, 2), nil},                                // STREXH
	{0x0FF000F0, 0x01F00090, read(1, 2), nil},                                 // LDREXH

	// Extra loads and stores, unprivileged ones too.
	{0x0E1000F0, 0x000000B0, write(1, 2), nil}, // STRH
	{0x0E1000F0, 0x001000B0, read(1, 2), nil},  // LDRH
	{0x0E1000F0, 0x000000D0, read(2, 4), nil},  // LDRD
	{0x0E1000F0, 0x001000D0, read(1, 1), nil},  // LDRSB
	{0x0E1000F0, 0x000000F0, write(2, 4), nil}, // STRD
	{0x0E1000F0, 0x001000F0, read(1, 2), nil},  // LDRSH
}, coprocessorData...)

// t32DataNarrow are the 16-bit encodings (DDI 0406C, A6.2).
var t32DataNarrow = []dataRule{
	{0xF800, 0x4800, read(1, 4), nil},           // LDR literal
	{0xFE00, 0x5000, write(1, 4), nil},          // STR register
	{0xFE00, 0x5200, write(1, 2), nil},          // STRH
	{0xFE00, 0x5400, write(1, 1), nil},          // STRB
	{0xFE00, 0x5600, read(1, 1), nil},           // LDRSB
	{0xFE00, 0x5800, read(1, 4), nil},           // LDR
	{0xFE00, 0x5A00, read(1, 2), nil},           // LDRH
	{0xFE00, 0x5C00, read(1, 1), nil},           // LDRB
	{0xFE00, 0x5E00, read(1, 2), nil},           // LDRSH
	{0xF800, 0x6000, write(1, 4), nil},          // STR immediate
	{0xF800, 0x6800, read(1, 4), nil},           // LDR
	{0xF800, 0x7000, write(1, 1), nil},          // STRB
	{0xF800, 0x7800, read(1, 1), nil},           // LDRB
	{0xF800, 0x8000, write(1, 2), nil},          // STRH
	{0xF800, 0x8800, read(1, 2), nil},           // LDRH
	{0xF800, 0x9000, write(1, 4), nil},          // STR [sp]
	{0xF800, 0x9800, read(1, 4), nil},           // LDR [sp]
	{0xFE00, 0xB400, write(0, 4), stacked},      // PUSH
	{0xFE00, 0xBC00, read(0, 4), stacked},       // POP
	{0xF800, 0xC000, write(0, 4), lowRegisters}, // STM
	{0xF800, 0xC800, read(0, 4), lowRegisters},  // LDM
}

// thumbEEData are the 16-bit encodings that ThumbEE has in place of LDM and STM
// (DDI 0406C, A9).
var thumbEEData = []dataRule{
	{0xFE00, 0xC800, read(1, 4), nil},  // LDR [Rn,#-n]
	{0xFF00, 0xCB00, read(1, 4), nil},  // LDR [r10,#n]
	{0xFE00, 0xCC00, read(1, 4), nil},  // LDR [r9,#n]
	{0xFE00, 0xCE00, write(1, 4), nil}, // STR [r9,#n]
}

// t32DataWide are the 32-bit encodings, first halfword in the high half (DDI
// 0406C, A6.3).
var t32DataWide = append([]dataRule{
	{0xFFD00000, 0xE8000000, write(2, 4), nil},       // SRSDB
	{0xFFD00000, 0xE8100000, read(2, 4), nil},        // RFEDB
	{0xFFD00000, 0xE9800000, write(2, 4), nil},       // SRSIA
	{0xFFD00000, 0xE9900000, read(2, 4), nil},        // RFEIA
	{0xFE500000, 0xE8000000, write(0, 4), registers}, // STM, PUSH
	{0xFE500000, 0xE8100000, read(0, 4), registers},  // LDM, POP

	// Exclusives, table branches, doublewords.
	{0xFFF00000, 0xE8400000, write(1, 4), nil}, // STREX
	{0xFFF00000, 0xE8500000, read(1, 4), nil},  // LDREX
	{0xFFF000F0, 0xE8C00040, write(1, 1), nil}, // STREXB
	{0xFFF000F0, 0xE8C00050, write(1, 2), nil}, // STREXH
	{0xFFF000F0, 0xE8C00070, write(2, 4), nil}, // STREXD
	{0xFFF000F0, 0xE8D00000, read(1, 1), nil},  // TBB
	{0xFFF000F0, 0xE8D00010, read(1, 2), nil},  // TBH
	{0xFFF000F0, 0xE8D00040, read(1, 1), nil},  // LDREXB
	{0xFFF000F0, 0xE8D00050, read(1, 2), nil},  // LDREXH
	{0xFFF000F0, 0xE8D00070, read(2, 4), nil},  // LDREXD
	{0xFF600000, 0xE8400000, Transfers{}, nil}, // undefined
	{0xFE500000, 0xE8400000, write(2, 4), nil}, // STRD
	{0xFE500000, 0xE8500000, read(2, 4), nil},  // LDRD

	// Single data, unprivileged ones too.
	{0xFF700000, 0xF8000000, write(1, 1), nil}, // STRB
	{0xFF700000, 0xF8200000, write(1, 2), nil}, // STRH
	{0xFF700000, 0xF8400000, write(1, 4), nil}, // STR
	{0xFE50F000, 0xF810F000, Transfers{}, nil}, // PLD, PLDW, PLI: bytes and halfwords to the PC
	{0xFE700000, 0xF8100000, read(1, 1), nil},  // LDRB, LDRSB
	{0xFE700000, 0xF8300000, read(1, 2), nil},  // LDRH, LDRSH
	{0xFF700000, 0xF8500000, read(1, 4), nil},  // LDR
}, unconditionalData(0xF9000000)...)

// unconditionalData are the loads and stores of elements and structures, whose first byte is that of
// base, and the coprocessor encodings without a condition (DDI 0406C, A7.7).
func unconditionalData(base uint32) []dataRule {
	return append([]dataRule{
		{0xFFB00C00, base | 0xA00C00, read(0, 4), allLanes},   // VLDn to all lanes
		{0xFFB00C00, base | 0x800C00, Transfers{}, nil},       // undefined
		{0xFFB00000, base | 0x800000, write(0, 4), lane},      // VSTn from one lane
		{0xFFB00000, base | 0xA00000, read(0, 4), lane},       // VLDn to one lane
		{0xFFB00000, base, write(0, 4), structures},           // VSTn
		{0xFFB00000, base | 0x200000, read(0, 4), structures}, // VLDn
		{0xFC000E00, 0xFC000A00, Transfers{}, nil},            // VFP has no such encodings
	}, coprocessorData...)
}

// coprocessorData are the coprocessor encodings, whose bits 27:0 are the same in
// A32 and in 32-bit T32 (DDI 0406C, A5.6, A6.3.18, A7.6 to A7.9).
//
// The coprocessor decides how many words LDC and STC transfer (ARM IHI 0014Q
// §4.11.2); the only register that ARMv7 has for them, DBGDTR, is one word.
var coprocessorData = []dataRule{
	// Cache operations by address: MCR p15, 0, Rt, c7.
	{0x0FFF0FFF, 0x0E070F35, Transfers{}, nil}, // ICIMVAU: c5, 1
	{0x0FFF0FFF, 0x0E070F36, Transfers{}, nil}, // DCIMVAC: c6, 1
	{0x0FFF0FFF, 0x0E070F3A, Transfers{}, nil}, // DCCMVAC: c10, 1
	{0x0FFF0FFF, 0x0E070F3B, Transfers{}, nil}, // DCCMVAU: c11, 1
	{0x0FFF0FFF, 0x0E070F3E, Transfers{}, nil}, // DCCIMVAC: c14, 1

	// VMOV, VMSR, VMRS, VDUP are of these forms too.
	{0x0F100010, 0x0E000010, register(1, Write), nil}, // MCR
	{0x0F100010, 0x0E100010, register(1, Read), nil},  // MRC
	{0x0FF00000, 0x0C400000, register(2, Write), nil}, // MCRR
	{0x0FF00000, 0x0C500000, register(2, Read), nil},  // MRRC
	{0x0FA00000, 0x0C000000, Transfers{}, nil},        // undefined

	{0x0F300F00, 0x0D000A00, write(1, 4), nil},     // VSTR.32
	{0x0F300F00, 0x0D100A00, read(1, 4), nil},      // VLDR.32
	{0x0F300F00, 0x0D000B00, write(2, 4), nil},     // VSTR.64
	{0x0F300F00, 0x0D100B00, read(2, 4), nil},      // VLDR.64
	{0x0FA00E00, 0x0C200A00, Transfers{}, nil},     // undefined: VLDM, VSTM decrement after
	{0x0FA00E00, 0x0DA00A00, Transfers{}, nil},     // undefined: increment before
	{0x0E100F00, 0x0C000A00, write(0, 4), singles}, // VSTM, VPUSH
	{0x0E100F00, 0x0C100A00, read(0, 4), singles},  // VLDM, VPOP
	{0x0E100F00, 0x0C000B00, write(0, 4), doubles}, // VSTM, VPUSH, FSTMX
	{0x0E100F00, 0x0C100B00, read(0, 4), doubles},  // VLDM, VPOP, FLDMX

	{0x0E100000, 0x0C000000, write(1, 4), nil}, // STC
	{0x0E100000, 0x0C100000, read(1, 4), nil},  // LDC
}
