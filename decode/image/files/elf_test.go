package files

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
)

// A testELF is an ELF file of AArch64 put together by hand.
type testELF struct {
	kind    elf.Type    // 0 is ET_DYN
	machine elf.Machine // 0 is EM_AARCH64
	id      string      // build ID in hex; "" without
	segs    []testSeg
	symbol  string // with its address; "" without a symbol table
	at      uint64
	nobits  bool // the section of code is not in the file
}

type testSeg struct {
	offset, vaddr uint64
	flags         elf.ProgFlag // 0 is PF_X alone
	data          string
}

func (e testELF) bytes() []byte {
	const headers = 64 + 8*56
	b := make([]byte, headers)
	var progs []elf.Prog64
	put := func(off uint64, data []byte) {
		if need := int(off) + len(data); need > len(b) {
			b = append(b, make([]byte, need-len(b))...)
		}
		copy(b[off:], data)
	}
	for _, s := range e.segs {
		flags := s.flags
		if flags == 0 {
			flags = elf.PF_X
		}
		put(s.offset, []byte(s.data))
		n := uint64(len(s.data))
		progs = append(progs, elf.Prog64{
			Type: uint32(elf.PT_LOAD), Flags: uint32(flags), Off: s.offset, Vaddr: s.vaddr, Filesz: n, Memsz: n,
		})
	}
	if e.id != "" {
		id, _ := hex.DecodeString(e.id)
		note := binary.LittleEndian.AppendUint32(nil, 4)
		note = binary.LittleEndian.AppendUint32(note, uint32(len(id)))
		note = append(binary.LittleEndian.AppendUint32(note, 3), "GNU\x00"+string(id)...)
		progs = append(progs, elf.Prog64{Type: uint32(elf.PT_NOTE), Off: uint64(len(b)), Filesz: uint64(len(note))})
		put(uint64(len(b)), note)
	}
	sections := e.sections(&b)
	h := elf.Header64{
		Ident: [16]byte{0x7F, 'E', 'L', 'F', 2, 1, 1}, Type: uint16(e.kind), Machine: uint16(e.machine), Version: 1,
		Phoff: 64, Shoff: uint64(len(b)), Ehsize: 64, Phentsize: 56, Phnum: uint16(len(progs)),
		Shentsize: 64, Shnum: uint16(len(sections)),
	}
	if e.kind == 0 {
		h.Type = uint16(elf.ET_DYN)
	}
	if e.machine == 0 {
		h.Machine = uint16(elf.EM_AARCH64)
	}
	put(uint64(len(b)), encode(sections))
	put(0, encode(h))
	put(64, encode(progs))
	return b
}

// sections are the section headers; what they need goes to the end of the file.
func (e testELF) sections(b *[]byte) []elf.Section64 {
	list := []elf.Section64{{}}
	if e.nobits {
		list = append(list, elf.Section64{
			Type: uint32(elf.SHT_NOBITS), Flags: uint64(elf.SHF_ALLOC | elf.SHF_EXECINSTR), Size: 16,
		})
	}
	if e.symbol != "" {
		names := "\x00" + e.symbol + "x\x00" + e.symbol + "\x00"
		symbols := encode([]elf.Sym64{{Name: 1, Value: 1}, {Name: uint32(len(e.symbol)) + 3, Value: e.at}})
		i := uint32(len(list))
		list = append(list, elf.Section64{
			Type: uint32(elf.SHT_SYMTAB), Off: uint64(len(*b)), Size: uint64(len(symbols)), Link: i + 1, Entsize: 24,
		})
		*b = append(*b, symbols...)
		list = append(list, elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: uint64(len(*b)), Size: uint64(len(names))})
		*b = append(*b, names...)
	}
	return list
}

func encode(v any) []byte {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
		panic(err)
	}
	return b.Bytes()
}
