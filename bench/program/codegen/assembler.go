package codegen

import (
	"encoding/binary"
	"fmt"

	"github.com/tracelake/tracelake/schema"
)

// An assembler writes code from a base address on.
type assembler struct {
	base   schema.Address
	code   []byte
	labels []label
}

// A label says what the code is from an address on, as the mapping symbols $a,
// $t, $x and $d do (ARM IHI 0044, §4.5.5).
type label struct {
	address schema.Address
	content content
}

type content uint8

const (
	contentA32 content = iota
	contentT32
	contentA64
	contentData
)

// here is the address of what is written next.
func (a *assembler) here() schema.Address { return a.base + schema.Address(len(a.code)) }

func (a *assembler) is(c content) {
	if n := len(a.labels); n == 0 || a.labels[n-1].content != c {
		a.labels = append(a.labels, label{a.here(), c})
	}
}

// a32 writes A32 instructions.
func (a *assembler) a32(words ...uint32) {
	a.is(contentA32)
	for _, w := range words {
		a.code = binary.LittleEndian.AppendUint32(a.code, w)
	}
}

// a64 writes A64 instructions.
func (a *assembler) a64(words ...uint32) {
	a.is(contentA64)
	for _, w := range words {
		a.code = binary.LittleEndian.AppendUint32(a.code, w)
	}
}

// t32 writes T32 instructions: those of 32 bits have their first halfword on
// top, which is not 0.
func (a *assembler) t32(words ...uint32) {
	a.is(contentT32)
	for _, w := range words {
		if w>>16 != 0 {
			a.code = binary.LittleEndian.AppendUint16(a.code, uint16(w>>16))
		}
		a.code = binary.LittleEndian.AppendUint16(a.code, uint16(w))
	}
}

// word writes a word of data, a byte one byte.
func (a *assembler) word(w uint32) {
	a.is(contentData)
	a.code = binary.LittleEndian.AppendUint32(a.code, w)
}

func (a *assembler) byte(b byte) {
	a.is(contentData)
	a.code = append(a.code, b)
}

// align pads with data up to a word.
func (a *assembler) align() {
	for len(a.code)%4 != 0 {
		a.byte(0)
	}
}

// A form is where a direct branch has its offset (DDI 0406C, A8.8).
type form uint8

const (
	formA32       form = iota // B, BL A1: 24 bits, words
	formA32BLX                // BLX A2: 24 bits and H, halfwords
	formT1                    // B T1: 8 bits
	formT2                    // B T2: 11 bits
	formT3                    // B T3: 20 bits
	formT4                    // B T4, BL T1: 24 bits
	formT32BLX                // BLX T2: 24 bits, words
	formCBZ                   // CBZ: 6 bits, forward
	formLoopStart             // LE: 11 bits, halfwords, back
	formLoopEnd               // WLS: 11 bits, halfwords, forward
	formA64                   // B, BL of A64: 26 bits, words
	formA64Cond               // B.<c>, CBZ, CBNZ of A64: 19 bits, words
	formA64Test               // TBZ, TBNZ: 14 bits, words
)

// A branch is a direct branch whose target is not known yet.
type branch struct {
	form form
	word uint32 // without offset
	at   schema.Address
}

// branch writes a branch with an offset that is to come.
func (a *assembler) branch(f form, w uint32) branch {
	b := branch{form: f, word: w, at: a.here()}
	switch {
	case f >= formA64:
		a.a64(w)
	case f == formA32 || f == formA32BLX:
		a.a32(w)
	default:
		a.t32(w)
	}
	return b
}

// land sends a branch to an address.
func (a *assembler) land(b branch, to schema.Address) {
	w := b.word | b.offset(to)
	code := a.code[b.at-a.base:]
	switch b.form {
	case formA32, formA32BLX, formA64, formA64Cond, formA64Test:
		binary.LittleEndian.PutUint32(code, w)
	case formT1, formT2, formCBZ:
		binary.LittleEndian.PutUint16(code, uint16(w))
	default:
		binary.LittleEndian.PutUint16(code, uint16(w>>16))
		binary.LittleEndian.PutUint16(code[2:], uint16(w))
	}
}

// offset is the field of b for a branch to an address. It panics if that is out
// of reach.
func (b *branch) offset(to schema.Address) uint32 {
	switch b.form {
	case formA32:
		return b.fit(to-b.at-8, 26) >> 2 & 0xFFFFFF
	case formA32BLX:
		d := b.fit(to-b.at-8, 26)
		return d>>2&0xFFFFFF | d>>1&1<<24
	case formT1:
		return b.fit(to-b.at-4, 9) >> 1 & 0xFF
	case formT2:
		return b.fit(to-b.at-4, 12) >> 1 & 0x7FF
	case formT3:
		d := b.fit(to-b.at-4, 21)
		return d>>20&1<<26 | d>>18&1<<13 | d>>19&1<<11 | d>>12&0x3F<<16 | d>>1&0x7FF
	case formT4:
		return offset24(b.fit(to-b.at-4, 25))
	case formT32BLX:
		return offset24(b.fit(to-(b.at+4)&^3, 25))
	case formCBZ:
		d := uint32(to - b.at - 4)
		if d > 126 {
			panic(fmt.Sprintf("codegen: CBZ at 0x%08x does not reach 0x%08x", b.at, to))
		}
		return d>>6&1<<9 | d>>1&0x1F<<3
	case formLoopStart:
		return b.loop(b.at + 4 - to)
	case formLoopEnd:
		return b.loop(to - b.at - 4)
	case formA64:
		return b.fit(to-b.at, 28) >> 2 & 0x3FFFFFF
	case formA64Cond:
		return b.fit(to-b.at, 21) >> 2 & 0x7FFFF << 5
	case formA64Test:
		return b.fit(to-b.at, 16) >> 2 & 0x3FFF << 5
	}
	panic(fmt.Sprintf("codegen: form %d", b.form))
}

// loop is the field of LE or WLS for a distance.
func (b *branch) loop(d schema.Address) uint32 {
	if d > 4094 {
		panic(fmt.Sprintf("codegen: loop at 0x%08x does not reach %d bytes", b.at, int32(d)))
	}
	return uint32(d)>>2<<1 | uint32(d)>>1&1<<11
}

// fit returns d, which must be a signed number of so many bits.
func (b *branch) fit(d schema.Address, bits uint) uint32 {
	if int32(d) < -1<<(bits-1) || int32(d) >= 1<<(bits-1) {
		panic(fmt.Sprintf("codegen: branch at 0x%08x does not reach %d bytes", b.at, int32(d)))
	}
	return uint32(d)
}

// offset24 is S:I1:I2:imm10:imm11, where J1 = NOT(I1 EOR S), J2 likewise.
func offset24(d uint32) uint32 {
	s, i1, i2 := d>>24&1, d>>23&1, d>>22&1
	return s<<26 | (i1^s^1)<<13 | (i2^s^1)<<11 | d>>12&0x3FF<<16 | d>>1&0x7FF
}

// call is the branch with link from one instruction set to another.
func (a *assembler) call(from, to schema.ISA) branch {
	switch {
	case from == schema.A64:
		return a.branch(formA64, 0x94000000)
	case from == schema.A32 && to == schema.A32:
		return a.branch(formA32, 0xEB000000)
	case from == schema.A32:
		return a.branch(formA32BLX, 0xFA000000)
	case to == schema.A32:
		return a.branch(formT32BLX, 0xF000C000)
	}
	return a.branch(formT4, 0xF000D000)
}

// jump is the branch without link in an instruction set.
func (a *assembler) jump(set schema.ISA) branch {
	switch set {
	case schema.A64:
		return a.branch(formA64, 0x14000000)
	case schema.A32:
		return a.branch(formA32, 0xEA000000)
	}
	return a.branch(formT4, 0xF0009000)
}
