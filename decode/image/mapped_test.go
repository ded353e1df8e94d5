package image

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/schema"
)

// OpenMapped takes what has addresses of its own or of where it is mapped, and no file without code.
func TestOpenMapped(t *testing.T) {
	code := []testProg{{vaddr: 0x8000, data: "code"}}
	data := testProg{vaddr: 0x9000, data: "data", flags: uint32(elf.PF_R | elf.PF_W)}
	for _, tt := range []struct {
		name string
		elf  testELF
		want string // of the error; "" is none
	}{
		{"a program", testELF{wide: true, progs: code}, ""},
		{"of 32 bits", testELF{progs: code}, ""},
		{"a shared object", testELF{wide: true, kind: uint16(elf.ET_DYN), progs: code}, ""},
		{"what was in memory", testELF{wide: true, kind: uint16(elf.ET_CORE), progs: code}, ""},
		{"code that cannot be read", testELF{wide: true, progs: []testProg{{data: "code", flags: uint32(elf.PF_X)}, data}}, ""},
		{"an object file", testELF{wide: true, kind: uint16(elf.ET_REL), progs: code}, "is an object file (ET_REL)"},
		{"an unknown type", testELF{wide: true, kind: 9, progs: code}, "is an ELF file of type"},
		{"another machine", testELF{wide: true, machine: uint16(elf.EM_X86_64), progs: code}, "another machine"},
		{"data only", testELF{wide: true, progs: []testProg{data}}, "has no code"},
		{"a segment beyond the file", testELF{wide: true, progs: []testProg{{data: "code", filesz: 0x1_0000}}}, "its segment 0 takes 0x10000"},
		{"many headers", testELF{wide: true, count: 0xFFFF}, "PN_XNUM"},
	} {
		m, err := OpenMapped(asFile(tt.elf.bytes()))
		if tt.want == "" {
			if err != nil || m.Load() != nil || string(m.Segments[0].Bytes) != "code" || len(m.Segments) != 1 {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		if bad, ok := errors.AsType[*FormatError](err); !ok || !strings.Contains(bad.Error(), tt.want) || bad.Remedy == "" {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

// Segments that share the bytes of a file take no more than twice its size.
func TestMappedIsBounded(t *testing.T) {
	b := testELF{wide: true, progs: make([]testProg, 50)}.bytes()
	size := uint64(len(b))
	for i := range 50 {
		at := 64 + 56*i
		b = patch(b, at+8, make([]byte, 8)...) // p_offset
		b = patch(b, at+32, byte(size), byte(size>>8))
	}
	if _, err := OpenMapped(asFile(b)); err == nil || !strings.Contains(err.Error(), "up to its segment 2") {
		t.Errorf("error %v", err)
	}
}

func TestMapped(t *testing.T) {
	m, err := OpenMapped(asFile(testELF{wide: true, progs: []testProg{{vaddr: 0x8000, data: "0123456789"}, {vaddr: 0x9000, data: "abc"}}}.bytes()))
	if err != nil || m.Load() != nil {
		t.Fatal(err)
	}
	const top = uint64(schema.MaxAddress)
	for _, tt := range []struct {
		name          string
		bias          uint64
		address, size uint64
		want          string
	}{
		{"all addresses", 0x10_0000, 0, top, "0x108000 0123456789, 0x109000 abc"},
		{"from the start", 0, 0x8000, 4, "0x8000 0123"},
		{"from the middle", 0, 0x8003, 4, "0x8003 3456"},
		{"to the end", 0, 0x8008, 0x100, "0x8008 89"},
		{"after the end", 0, 0x800A, 0x100, ""},
		{"before the start", 0, 0x7FFF, 1, ""},
		{"up to the start", 0, 0x7FFF, 2, "0x8000 0"},
		{"nothing", 0, 0x8000, 0, ""},
		{"below where it was linked", ^uint64(0x1000 - 1), 0, top, "0x7000 0123456789, 0x8000 abc"},
		{"below 0", ^uint64(0x8005 - 1), 0, top, "0xfffffffffffffffb 0123, 0xffb abc"},
	} {
		var got []string
		for _, r := range m.Moved(tt.bias, schema.Address(tt.address), tt.size) {
			got = append(got, fmt.Sprintf("%#x %s", uint64(r.Address), r.Bytes))
		}
		if s := strings.Join(got, ", "); s != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, s, tt.want)
		}
	}
}

// FuzzMapped: no panic; what is loaded is bounded by the file, and regions have the bytes of the file
// where the map says.
func FuzzMapped(f *testing.F) {
	f.Add(testELF{wide: true, progs: []testProg{{vaddr: 0x8000, data: "code"}}}.bytes(), uint64(0x40_0000), uint64(0), uint64(0x1000))
	f.Add(named("\x00.text\x00", 1), uint64(0), uint64(4), ^uint64(0))
	f.Add(testELF{progs: []testProg{{data: "code"}}, shNote: []byte(buildIDNote)}.bytes(), ^uint64(0), uint64(80), uint64(2))
	f.Fuzz(func(t *testing.T, data []byte, address, offset, size uint64) {
		m, err := OpenMapped(asFile(data))
		if err != nil || m.Load() != nil {
			return
		}
		total := 0
		for _, s := range m.Segments {
			total += len(s.Bytes)
		}
		if total > 2*len(data) {
			t.Fatalf("%d bytes of %d", total, len(data))
		}
		m.Symbol("_text")
		for _, r := range m.At(schema.Address(address), offset, size) {
			at := uint64(r.Address) - address + offset
			if at > uint64(len(data)) || !bytes.HasPrefix(data[at:], r.Bytes) {
				t.Fatalf("region at %#x is not what the file has at %#x", r.Address, at)
			}
		}
		New(m.Moved(address, 0, ^uint64(0))...)
	})
}
