package image

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/schema"
)

// A testELF is an ELF file put together by hand; zero fields are those of a good
// little-endian program.
type testELF struct {
	order   binary.ByteOrder // nil is little-endian
	class   byte             // 0 is 32-bit, or 64-bit if wide
	wide    bool             // the layout of 64 bits
	kind    uint16           // 0 is ET_EXEC
	machine uint16           // 0 is EM_ARM, or EM_AARCH64 if wide
	flags   uint32
	entry   uint16 // size of a program header; 0 is 32, or 56 if wide
	count   uint16 // number of program headers; 0 is as many as there are
	progs   []testProg
	shNote  []byte // content of a note section
	shoff   uint32 // of the section headers; 0 is after the segments
}

type testProg struct {
	kind   uint32 // 0 is PT_LOAD
	vaddr  uint64
	paddr  uint32
	data   string
	memsz  uint32
	flags  uint32 // 0 is PF_R|PF_X
	filesz uint32 // 0 is len(data)
}

func (e testELF) bytes() []byte {
	or := func(v, def uint32) uint32 {
		if v == 0 {
			return def
		}
		return v
	}
	var order binary.ByteOrder = binary.LittleEndian
	data := byte(1)
	if e.order == binary.BigEndian {
		order, data = binary.BigEndian, 2
	}
	var b, body []byte
	u16 := func(v uint16) { b = append(b, 0, 0); order.PutUint16(b[len(b)-2:], v) }
	u32 := func(v uint32) { b = append(b, 0, 0, 0, 0); order.PutUint32(b[len(b)-4:], v) }
	word := func(v uint64) { u32(uint32(v)) }
	class, machine, header, program, section := uint32(1), uint32(40), uint32(52), uint32(32), uint32(40)
	if e.wide {
		word = func(v uint64) { b = append(b, 0, 0, 0, 0, 0, 0, 0, 0); order.PutUint64(b[len(b)-8:], v) }
		class, machine, header, program, section = 2, 183, 64, 56, 64
	}
	b = append(b, 0x7F, 'E', 'L', 'F', byte(or(uint32(e.class), class)), data, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	bodyAt := header + program*uint32(len(e.progs))
	size := bodyAt
	for _, p := range e.progs {
		size += uint32(len(p.data))
	}
	u16(uint16(or(uint32(e.kind), 2)))
	u16(uint16(or(uint32(e.machine), machine)))
	u32(1)                          // version
	word(0)                         // entry
	word(uint64(header))            // program headers
	word(uint64(or(e.shoff, size))) // section headers
	u32(e.flags)
	u16(uint16(header))
	u16(uint16(or(uint32(e.entry), program)))
	u16(uint16(or(uint32(e.count), uint32(len(e.progs)))))
	u16(uint16(section))
	if e.shNote != nil {
		u16(1)
	} else {
		u16(0)
	}
	u16(0)
	for _, p := range e.progs {
		u32(or(p.kind, 1))
		if e.wide {
			u32(or(p.flags, 5))
		}
		word(uint64(bodyAt) + uint64(len(body)))
		word(p.vaddr)
		word(uint64(p.paddr))
		word(uint64(or(p.filesz, uint32(len(p.data)))))
		word(uint64(or(p.memsz, uint32(len(p.data)))))
		if !e.wide {
			u32(or(p.flags, 5))
		}
		word(4)
		body = append(body, p.data...)
	}
	b = append(b, body...)
	if e.shNote != nil {
		u32(0)
		u32(7) // SHT_NOTE
		for _, v := range []uint64{0, 0, uint64(size + section), uint64(len(e.shNote))} {
			word(v)
		}
		u32(0)
		u32(0)
		word(4)
		word(0)
		b = append(b, e.shNote...)
	}
	return b
}

func asFile(b []byte) File {
	return File{Name: "a.elf", Data: bytes.NewReader(b), Size: int64(len(b))}
}

const buildIDNote = "\x04\x00\x00\x00\x04\x00\x00\x00\x03\x00\x00\x00GNU\x00\xde\xad\xbe\xef"

func TestReadELF(t *testing.T) {
	base, mapped := schema.Address(0x1_0000), schema.Address(0xAAAA_AAAA_0000)
	tests := []struct {
		name  string
		elf   testELF
		base  *schema.Address
		want  map[schema.Address]string // by address
		build string
	}{
		{
			name: "segments at virtual addresses, cleared memory left out",
			elf: testELF{progs: []testProg{
				{vaddr: 0x8000, paddr: 0x100, data: "code"},
				{vaddr: 0x9000, data: "da", memsz: 0x1000, flags: 6},
				{vaddr: 0xA000, memsz: 0x1000, flags: 6},
				{kind: 0x70000001, vaddr: 0x8000, data: "exidx"},
			}},
			want: map[schema.Address]string{0x8000: "code", 0x9000: "da"},
		},
		{
			name: "position-independent",
			elf:  testELF{kind: 3, progs: []testProg{{vaddr: 0x8000, data: "code"}}},
			base: &base, want: map[schema.Address]string{0x1_8000: "code"},
		},
		{
			name: "BE8: executable segments only",
			elf: testELF{order: binary.BigEndian, flags: 0x0580_0200, progs: []testProg{
				{vaddr: 0x8000, data: "code"}, {vaddr: 0x9000, data: "data", flags: 6},
			}},
			want: map[schema.Address]string{0x8000: "code"},
		},
		{
			name: "build ID in a note segment, after another note",
			elf: testELF{progs: []testProg{
				{vaddr: 0x8000, data: "code"},
				{kind: 4, data: "\x05\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00ABCD\x00\x00\x00\x00!\x00\x00\x00" + buildIDNote},
			}},
			want: map[schema.Address]string{0x8000: "code"}, build: "deadbeef",
		},
		{
			name: "build ID in a note section",
			elf:  testELF{progs: []testProg{{vaddr: 0x8000, data: "code"}}, shNote: []byte(buildIDNote)},
			want: map[schema.Address]string{0x8000: "code"}, build: "deadbeef",
		},
		{
			name: "wild offset of no sections",
			elf:  testELF{progs: []testProg{{vaddr: 0x8000, data: "code"}}, shoff: 0xFFFF_FFFF},
			want: map[schema.Address]string{0x8000: "code"},
		},
		{
			name: "up to the top of memory",
			elf:  testELF{progs: []testProg{{vaddr: 0xFFFF_FFFC, data: "code"}}},
			want: map[schema.Address]string{0xFFFF_FFFC: "code"},
		},
		{
			name: "AArch64: a kernel, and what is executed and never read",
			elf: testELF{wide: true, progs: []testProg{
				{vaddr: 0xFFFF_FFC0_0008_0000, data: "kernel"}, {vaddr: 0x40_0000, data: "code", flags: 1}, {vaddr: 1<<64 - 5, data: "last"},
			}},
			want: map[schema.Address]string{0xFFFF_FFC0_0008_0000: "kernel", 0x40_0000: "code", 1<<64 - 5: "last"},
		},
		{
			name: "AArch64: position-independent",
			elf:  testELF{wide: true, kind: 3, progs: []testProg{{vaddr: 0x8000, data: "code"}}},
			base: &mapped, want: map[schema.Address]string{0xAAAA_AAAA_8000: "code"},
		},
		{
			name: "AArch64, big-endian: code is little-endian",
			elf: testELF{wide: true, order: binary.BigEndian, progs: []testProg{
				{vaddr: 0x40_0000, data: "code"}, {vaddr: 0x50_0000, data: "data", flags: 6},
			}},
			want: map[schema.Address]string{0x40_0000: "code"},
		},
		{
			name: "AArch64: build ID",
			elf:  testELF{wide: true, progs: []testProg{{vaddr: 0x8000, data: "code"}, {kind: 4, data: buildIDNote}}},
			want: map[schema.Address]string{0x8000: "code"}, build: "deadbeef",
		},
		{
			name: "AArch64: build ID in a section",
			elf:  testELF{wide: true, progs: []testProg{{vaddr: 0x8000, data: "code"}}, shNote: []byte(buildIDNote)},
			want: map[schema.Address]string{0x8000: "code"}, build: "deadbeef",
		},
		{
			name: "ILP32 of AArch64",
			elf:  testELF{machine: 183, progs: []testProg{{vaddr: 0x8000, data: "code"}}},
			want: map[schema.Address]string{0x8000: "code"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			regions, err := ReadELF(asFile(tt.elf.bytes()), tt.base)
			if err != nil {
				t.Fatal(err)
			}
			if len(regions) != len(tt.want) {
				t.Errorf("%d regions, want %d", len(regions), len(tt.want))
			}
			for _, r := range regions {
				if string(r.Bytes) != tt.want[r.Address] || r.BuildID != tt.build || r.File != "a.elf" || r.Space != AnySpace {
					t.Errorf("region %q of %q at %#x in %v, build ID %q", r.Bytes, r.File, r.Address, r.Space, r.BuildID)
				}
				if wide := tt.elf.wide || tt.elf.machine == 183; r.AArch64 != wide {
					t.Errorf("region of AArch64: %t, want %t", r.AArch64, wide)
				}
			}
		})
	}
}

func TestReadELFRefuses(t *testing.T) {
	code := []testProg{{vaddr: 0x8000, data: "code"}}
	base := schema.Address(0)
	high, last := schema.Address(0xFFFF_8000), schema.Address(1<<64-1)
	good := testELF{progs: code}.bytes()
	noted := testELF{progs: code, shNote: []byte(buildIDNote)}.bytes()
	cut := noted[:len(noted)-len(buildIDNote)-1]
	tests := []struct {
		name string
		file []byte
		base *schema.Address
		want string
	}{
		{"empty", nil, nil, "is no ELF file"},
		{"text", []byte("hello, this is text and long enough"), nil, "is no ELF file"},
		{"magic only", []byte("\x7fELF"), nil, "is no ELF file"},
		{"header cut short", good[:40], nil, "ELF header"},
		{"64-bit Arm", testELF{wide: true, machine: 40, progs: code}.bytes(), nil, "64-bit ELF"},
		{"64-bit header cut short", testELF{wide: true}.bytes()[:60], nil, "ELF header"},
		{"other machine of 64 bits", testELF{wide: true, machine: 62, progs: code}.bytes(), nil, "EM_X86_64"},
		{"object file of AArch64", testELF{wide: true, kind: 1, progs: code}.bytes(), nil, "ET_REL"},
		{"position-independent AArch64 without base", testELF{wide: true, kind: 3, progs: code}.bytes(), nil, "FILE@BASE"},
		{"AArch64 beyond the addresses", testELF{wide: true, progs: []testProg{{vaddr: 1<<64 - 2, data: "code"}}}.bytes(), nil, "beyond 2⁶⁴"},
		{"AArch64 beyond the addresses by its base", testELF{wide: true, kind: 3, progs: code}.bytes(), &last, "beyond 2⁶⁴"},
		{"ILP32 beyond 4 GiB", testELF{machine: 183, kind: 3, progs: code}.bytes(), &last, "beyond 2³²"},
		{"small headers of AArch64", testELF{wide: true, entry: 32, progs: code}.bytes(), nil, "entries of 32 bytes"},
		{"big-endian AArch64 without code", testELF{wide: true, order: binary.BigEndian, progs: []testProg{{vaddr: 1, data: "data", flags: 6}}}.bytes(), nil, "big-endian image without"},
		{"unknown class", testELF{class: 9, progs: code}.bytes(), nil, "unknown class 9"},
		{"other machine", testELF{machine: 243, progs: code}.bytes(), nil, "EM_RISCV"},
		{"object file", testELF{kind: 1, progs: code}.bytes(), nil, "ET_REL"},
		{"core file", testELF{kind: 4, progs: code}.bytes(), nil, "ET_CORE"},
		{"position-independent without base", testELF{kind: 3, progs: code}.bytes(), nil, "FILE@BASE"},
		{"fixed addresses with base", good, &base, "fixed addresses"},
		{"BE32", testELF{order: binary.BigEndian, progs: code}.bytes(), nil, "big-endian"},
		{"BE8 without code", testELF{order: binary.BigEndian, flags: efARMBE8, progs: []testProg{{vaddr: 1, data: "data", flags: 6}}}.bytes(), nil, "big-endian image without"},
		{"no segments", testELF{}.bytes(), nil, "no PT_LOAD"},
		{"nothing in the file", testELF{progs: []testProg{{vaddr: 0x8000, memsz: 64}}}.bytes(), nil, "no PT_LOAD"},
		{"segment cut short", testELF{progs: []testProg{{vaddr: 0x8000, data: "code", filesz: 100}}}.bytes(), nil, "segment 0 takes 0x64 from offset 0x54"},
		{"absurd segment", testELF{progs: []testProg{{vaddr: 0, data: "code", filesz: 0xFFFF_FFFF}}}.bytes(), nil, "loads more than"},
		{"beyond 4 GiB", testELF{progs: []testProg{{vaddr: 0xFFFF_FFFE, data: "code"}}}.bytes(), nil, "beyond 2³²"},
		{"beyond 4 GiB by its base", testELF{kind: 3, progs: code}.bytes(), &high, "beyond 2³²"},
		{"more headers than e_phnum can say", testELF{count: 0xFFFF, progs: code}.bytes(), nil, "PN_XNUM"},
		{"more headers than e_phnum of AArch64 can say", testELF{wide: true, count: 0xFFFF, progs: code}.bytes(), nil, "PN_XNUM"},
		{"headers cut short", testELF{count: 1000, progs: code}.bytes(), nil, "program header table"},
		{"section headers cut short", cut, nil, "section header table"},
		{"small section headers", patch(noted, 46, 8), nil, "invalid ELF shentsize"},
		{"program headers inside the file header", patch(good, 28, 51), nil, "inside its file header"},
		{"section headers inside the file header", patch(noted, 32, 0, 0), nil, "inside its file header"},
		{"compressed section without its header", patch(noted, len(noted)-len(buildIDNote)-31, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4), nil, "unreadable ELF headers"},
		{"unknown version", patch(good, 20, 2), nil, "mismatched ELF version"},
		{"small headers", testELF{entry: 8, progs: code}.bytes(), nil, "entries of 8 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			regions, err := ReadELF(asFile(tt.file), tt.base)
			bad, ok := errors.AsType[*FormatError](err)
			if !ok {
				t.Fatalf("ReadELF = %v, %v, want a FormatError", regions, err)
			}
			if !strings.Contains(bad.Error(), tt.want) || bad.Remedy == "" {
				t.Errorf("error %q does not say %q", bad, tt.want)
			}
		})
	}
}

// patch returns a copy of b with other bytes from off on.
func patch(b []byte, off int, with ...byte) []byte {
	b = bytes.Clone(b)
	copy(b[off:], with)
	return b
}

// A thousand sections whose names are nearly all of a table of 1 MiB are no way
// to a gigabyte: names are not read.
func TestReadELFLeavesSectionNames(t *testing.T) {
	const sections, names = 1000, 1 << 20
	good := testELF{progs: []testProg{{vaddr: 0x8000, data: "code"}}}.bytes()
	b := patch(good, 48, 0xE8, 0x03, 1) // e_shnum, e_shstrndx
	for range sections {
		section := make([]byte, 40)
		section[4] = 3 // SHT_STRTAB
		binary.LittleEndian.PutUint32(section[16:], uint32(len(good)+40*sections))
		binary.LittleEndian.PutUint32(section[20:], names)
		b = append(b, section...)
	}
	b = append(b, strings.Repeat("x", names-1)...)
	b = append(b, 0)

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	regions, err := ReadELF(asFile(b), nil)
	runtime.ReadMemStats(&after)
	if err != nil || len(regions) != 1 || string(regions[0].Bytes) != "code" {
		t.Errorf("ReadELF = %v, %v", regions, err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > names {
		t.Errorf("%d bytes allocated for %d sections", n, sections)
	}
}

// A brokenReader returns the header, and then calls its function.
type brokenReader struct {
	*bytes.Reader
	then func() error
}

func (r brokenReader) ReadAt(b []byte, off int64) (int, error) {
	if off >= 52 {
		return 0, r.then()
	}
	return r.Reader.ReadAt(b, off)
}

// What goes wrong inside debug/elf comes out as what it is: its panics are
// damage, errors of the disk are not.
func TestReadELFInsideLibrary(t *testing.T) {
	good := testELF{progs: []testProg{{vaddr: 0x8000, data: "code"}}}.bytes()
	file := asFile(good)
	file.Data = brokenReader{bytes.NewReader(good), func() error { panic("index out of range") }}
	_, err := ReadELF(file, nil)
	if bad, ok := errors.AsType[*FormatError](err); !ok || !strings.Contains(bad.Problem, "index out of range") {
		t.Errorf("after a panic: error %v", err)
	}
	file.Data = brokenReader{bytes.NewReader(good), func() error { return os.ErrDeadlineExceeded }}
	_, err = ReadELF(file, nil)
	if _, ok := errors.AsType[*FormatError](err); ok || !errors.Is(err, os.ErrDeadlineExceeded) || !strings.Contains(err.Error(), "a.elf") {
		t.Errorf("after a failed read: error %v", err)
	}
}

// The same bytes again and again are no way to much memory.
func TestReadELFBoundsSharedSegments(t *testing.T) {
	e := testELF{progs: []testProg{{vaddr: 0x8000, data: strings.Repeat("x", 1000)}}}
	for range 10 {
		e.progs = append(e.progs, testProg{vaddr: 0x8000, data: ""})
	}
	b := e.bytes()
	for i := 1; i <= 10; i++ { // all of them take the bytes of the first
		copy(b[52+32*i:], b[52:52+32])
	}
	if _, err := ReadELF(asFile(b), nil); err == nil || !strings.Contains(err.Error(), "loads more than") {
		t.Errorf("error is %v", err)
	}
}

// The captures' memory files were made from the ELF files beside them, one for
// each segment, by somebody else.
func TestReadELFAgainstCaptures(t *testing.T) {
	dir := shared.File(t, "captures")
	compared := 0
	for _, program := range []struct{ folder, elf string }{
		{"am243x-r5f-etmv3-freertos-002b37c", "freertos.elf"},
		{"am243x-r5f-etmv3-zephyr-e9185a9", "zephyr.elf"},
		{"am243x-r5f-etmv3-threadx-ce42d22", "threadx.elf"},
		{"stm32f105-m3-etmv34-itm-swo", "trace_example.elf"},
	} {
		b, err := os.ReadFile(filepath.Join(dir, program.folder, program.elf))
		if err != nil {
			t.Fatal(err)
		}
		regions, err := ReadELF(asFile(b), nil)
		if err != nil {
			t.Fatalf("%s: %v", program.elf, err)
		}
		m := New(Order(regions)...)
		dumps, err := filepath.Glob(filepath.Join(dir, program.folder, "mem_*.bin"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range dumps {
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			a, err := hex.DecodeString(filepath.Base(name)[4:12])
			if err != nil {
				t.Fatal(err)
			}
			address := schema.Address(binary.BigEndian.Uint32(a))
			var got []byte
			for len(got) < len(want) {
				part := m.Fetch(SecureSpace, address+schema.Address(len(got)))
				if part == nil {
					t.Fatalf("%s: nothing mapped at %#x", program.elf, address+schema.Address(len(got)))
				}
				got = append(got, part...)
			}
			if !bytes.Equal(got[:len(want)], want) {
				t.Errorf("%s: memory at %#x differs from %s", program.elf, address, name)
			}
			compared += len(want)
		}
	}
	if compared == 0 {
		t.Error("nothing was compared")
	}
	t.Logf("%d bytes compared", compared)
}

func TestDump(t *testing.T) {
	f := File{Name: "m.bin", Data: strings.NewReader("0123456789"), Size: 10}
	tests := []struct {
		dump Dump
		want string
		err  string
	}{
		{Dump{Address: 0x8000, ToEnd: true}, "0123456789", ""},
		{Dump{Address: 0x8000, ToEnd: true, Offset: 4}, "456789", ""},
		{Dump{Address: 0x8000, Offset: 4, Length: 2}, "45", ""},
		{Dump{Address: 0x8000, Length: 0}, "", ""},
		{Dump{Address: 0x8000, Offset: 10, ToEnd: true}, "", ""},
		{Dump{Address: 1<<32 - 10, ToEnd: true}, "0123456789", ""},
		{Dump{Address: 0x8000, Length: 11}, "", "has 10 bytes (0xa) from offset 0x0 on, fewer than the length 11 (0xb)"},
		{Dump{Address: 0x8000, Length: 1<<64 - 1}, "", "fewer than the length"},
		{Dump{Address: 0x8000, Offset: 11, ToEnd: true}, "", "fewer than the offset 0xb"},
		{Dump{Address: 0x8000, Offset: 1<<64 - 1, Length: 2}, "", "fewer than the offset"},
		{Dump{Address: 1<<32 - 9, ToEnd: true}, "", "beyond 2³²"},
		{Dump{Address: 1<<64 - 1, ToEnd: true}, "", "beyond 2³²"},
		{Dump{Address: 1<<32 - 9, ToEnd: true, Wide: true}, "0123456789", ""},
		{Dump{Address: 0xFFFF_FFC0_0008_0000, ToEnd: true, Wide: true}, "0123456789", ""},
		{Dump{Address: 1<<64 - 11, ToEnd: true, Wide: true}, "0123456789", ""},
		{Dump{Address: 1<<64 - 10, ToEnd: true, Wide: true}, "", "beyond 2⁶⁴"},
	}
	for _, tt := range tests {
		r, err := tt.dump.Read(f)
		switch {
		case tt.err == "" && (err != nil || string(r.Bytes) != tt.want || uint64(r.Address) != tt.dump.Address):
			t.Errorf("%+v: %q at %#x, %v; want %q", tt.dump, r.Bytes, r.Address, err, tt.want)
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("%+v: error %v, want %q", tt.dump, err, tt.err)
		}
	}
	sparse := File{Data: strings.NewReader(""), Size: 1 << 31}
	if _, err := (Dump{ToEnd: true}).Read(sparse); err == nil || !strings.Contains(err.Error(), "more than the limit") {
		t.Errorf("2 GiB: error %v", err)
	}
}

// FuzzELF: no panic, and no more memory than twice the file.
func FuzzELF(f *testing.F) {
	f.Add(testELF{progs: []testProg{{vaddr: 0x8000, data: "code"}, {kind: 4, data: buildIDNote}}}.bytes(), false, uint32(0))
	f.Add(testELF{kind: 3, progs: []testProg{{vaddr: 0x8000, data: "code"}}, shNote: []byte(buildIDNote)}.bytes(), true, uint32(0x1000))
	f.Add(testELF{order: binary.BigEndian, flags: efARMBE8, progs: []testProg{{vaddr: 0x8000, data: "code"}}}.bytes(), false, uint32(0))
	f.Add(patch(testELF{progs: []testProg{{vaddr: 0x8000, data: "code"}}, shNote: []byte(buildIDNote)}.bytes(), 50, 1), false, uint32(0))
	f.Fuzz(func(t *testing.T, b []byte, based bool, base uint32) {
		var at *schema.Address
		if based {
			at = new(schema.Address(base))
		}
		regions, err := ReadELF(asFile(b), at)
		if (err == nil) != (len(regions) > 0) {
			t.Fatalf("%d regions and error %v", len(regions), err)
		}
		total := 0
		for _, r := range regions {
			total += len(r.Bytes)
			if !bytes.Contains(b, r.Bytes) {
				t.Errorf("region at %#x is not in the file", r.Address)
			}
		}
		if total > 2*len(b) {
			t.Errorf("%d bytes of memory from a file of %d", total, len(b))
		}
		New(Order(regions)...)
	})
}
