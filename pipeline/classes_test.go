package pipeline

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode/capture"
)

// A program of AArch32 under a kernel of AArch64, each from an ELF file of its class: both are followed, the code of each as
// the state says that it runs in.
func TestBothClasses(t *testing.T) {
	dir := t.TempDir()
	kernel, app := filepath.Join(dir, "kernel.elf"), filepath.Join(dir, "app.elf")
	trace := filepath.Join(dir, "trace.bin")
	for name, content := range map[string][]byte{
		kernel: elfFile(elf.ELFCLASS64, elf.EM_AARCH64, 0xFFFFFFC000080000, 0xD503201F, 0xD69F03E0), // nop; eret
		app:    elfFile(elf.ELFCLASS32, elf.EM_ARM, 0x10000, 0xE1A00000, 0xE12FFF11, 0xE7FEBF00),    // nop; bx r1; of T32: nop; b .
		trace: slices.Concat(
			make([]byte, 11), []byte{0x80}, []byte{0x01, 0x01, 0x00}, // A-sync, Trace Info
			[]byte{0x85, 0, 0, 0x08, 0, 0xC0, 0xFF, 0xFF, 0xFF, 0x31}, []byte{0xF7}, // EL1, AArch64, up to ERET
			[]byte{0x82, 0, 0, 0x01, 0, 0x20}, []byte{0x07, 0xF7}, // EL0, AArch32, IS0: A32, up to BX
			[]byte{0x9B, 0x04, 0, 0x01, 0}, []byte{0xF7}, // IS1: T32
		),
	} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	opt := Options{Capture: capture.Options{Protocol: "etmv4", ELFs: []string{app, kernel}}}
	var got []string
	for x, err := range Instructions(t.Context(), trace, opt) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%x %s", x.Address, x.ISA))
	}
	want := []string{
		"ffffffc000080000 a64", "ffffffc000080004 a64", "10000 a32", "10004 a32", "10008 t32", "1000a t32",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// elfFile is an ELF file with one segment, of words at an address.
func elfFile(class elf.Class, machine elf.Machine, address uint64, words ...uint32) []byte {
	const at = 128 // of the words
	ident := [elf.EI_NIDENT]byte{0x7F, 'E', 'L', 'F', byte(class), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)}
	size := uint64(4 * len(words))
	var headers []any
	if class == elf.ELFCLASS64 {
		headers = []any{
			&elf.Header64{
				Ident: ident, Type: uint16(elf.ET_EXEC), Machine: uint16(machine), Version: 1, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 1,
			},
			&elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: 5, Off: at, Vaddr: address, Filesz: size, Memsz: size},
		}
	} else {
		headers = []any{
			&elf.Header32{
				Ident: ident, Type: uint16(elf.ET_EXEC), Machine: uint16(machine), Version: 1, Phoff: 52, Ehsize: 52, Phentsize: 32, Phnum: 1,
			},
			&elf.Prog32{
				Type: uint32(elf.PT_LOAD), Flags: 5, Off: at, Vaddr: uint32(address), Filesz: uint32(size), Memsz: uint32(size),
			},
		}
	}
	var b bytes.Buffer
	for _, h := range headers {
		_ = binary.Write(&b, binary.LittleEndian, h) // it never fails
	}
	b.Write(make([]byte, at-b.Len()))
	_ = binary.Write(&b, binary.LittleEndian, words)
	return b.Bytes()
}
