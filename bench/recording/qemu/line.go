package qemu

import (
	"bytes"
	"encoding/hex"

	"github.com/tracelake/tracelake/schema"
)

// The lines of a QEMU log about an instruction, of QEMU 7.2 and, with addresses
// of 16 digits, of QEMU 10.0:
//
//	Trace 0: 0x7f01bdc000c0 [00800480/000105d8/00000000/00000201] main
//	R00=00000000 R01=40800abc R02=00000000 R03=00000000      and three more
//	PSR=00000030 ---- T usr32
//
// those that report that it was not executed after all:
//
//	Stopped execution of TB chain before 0x7f1fc00a8ac0 [00010398] main
//	cpu_io_recompile: rewound execution of TB to 00010398
//
// and one about an exception:
//
//	Taking exception 5 [IRQ] on CPU 0

// readTrace returns the number of the core or thread, in decimal, and the
// address of the instruction.
func readTrace(line []byte) (core []byte, pc schema.Address, ok bool) {
	line, ok = bytes.CutPrefix(line, []byte("Trace "))
	core, line, colon := bytes.Cut(line, []byte(": 0x"))
	_, line, bracket := bytes.Cut(line, []byte(" [")) // of the host's code
	_, line, first := bytes.Cut(line, []byte("/"))    // of cs_base
	address, _, second := bytes.Cut(line, []byte("/"))
	if !ok || !colon || !bracket || !first || !second {
		return nil, 0, false
	}
	pc, ok = readAddress(address)
	return core, pc, ok
}

// readRewound returns the address of the instruction that was not executed.
func readRewound(line []byte) (pc schema.Address, ok bool) {
	if address, found := bytes.CutPrefix(line, []byte("cpu_io_recompile: rewound execution of TB to ")); found {
		return readAddress(address)
	}
	line, ok = bytes.CutPrefix(line, []byte("Stopped execution of TB chain before 0x"))
	_, line, open := bytes.Cut(line, []byte(" ["))
	address, _, end := bytes.Cut(line, []byte("]"))
	if !ok || !open || !end {
		return 0, false
	}
	return readAddress(address)
}

// readException returns QEMU's name of an exception.
func readException(line []byte) (name string, ok bool) {
	line, ok = bytes.CutPrefix(line, []byte("Taking exception "))
	_, line, open := bytes.Cut(line, []byte(" ["))
	text, _, end := bytes.Cut(line, []byte("]"))
	return string(text), ok && open && end
}

// lineRegisters is how many registers a line has.
const lineRegisters = 4

// readRegisters reads four registers, of which first is the number of the
// first.
func readRegisters(line []byte, first int) (r [lineRegisters]uint32, ok bool) {
	const width = len("R00=00000000 ")
	if len(line) != lineRegisters*width-1 || first > 16-lineRegisters {
		return r, false
	}
	for i := range r {
		field := line[i*width:]
		n := first + i
		if field[0] != 'R' || field[1] != '0'+byte(n/10) || field[2] != '0'+byte(n%10) || field[3] != '=' {
			return r, false
		}
		if r[i], ok = readWord(field[4:12]); !ok {
			return r, false
		}
	}
	return r, true
}

// readPSR returns the program status register.
func readPSR(line []byte) (psr uint32, ok bool) {
	digits, ok := bytes.CutPrefix(line, []byte("PSR="))
	if !ok || len(digits) < 8 {
		return 0, false
	}
	return readWord(digits[:8])
}

// readAddress reads an address of 8 digits, or of 16 of which 8 are 0.
func readAddress(digits []byte) (schema.Address, bool) {
	if len(digits) == 16 {
		high, ok := readWord(digits[:8])
		if !ok || high != 0 {
			return 0, false
		}
		digits = digits[8:]
	}
	w, ok := readWord(digits)
	return schema.Address(w), ok
}

// readWord reads 8 hexadecimal digits.
func readWord(digits []byte) (uint32, bool) {
	var b [4]byte
	if len(digits) != 2*len(b) {
		return 0, false
	}
	if _, err := hex.Decode(b[:], digits); err != nil {
		return 0, false
	}
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3]), true
}
