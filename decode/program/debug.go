package program

import (
	"debug/elf"
	"fmt"
	"io"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/program/linetable"
)

// unpackedShare is how many bytes of debug information there may be for each byte
// of the file, where it is compressed.
const unpackedShare = 64

// debugInfo is what the debug information says of the code.
type debugInfo struct {
	lines []linetable.Unit
	*info
}

// debugSections are the sections of debug information that are read.
var debugSections = []string{
	".debug_info", ".debug_abbrev", ".debug_str", ".debug_str_offsets", ".debug_addr",
	".debug_ranges", ".debug_rnglists", ".debug_line", ".debug_line_str",
}

// readDebug reads the debug information. What of it is damaged is left out, with
// a note: lines do without units, and units without lines.
func (p *Program) readDebug(f image.File, e *image.ELF) *debugInfo {
	s := p.unpack(f, e)
	d := &debugInfo{info: &info{}}
	if len(s[".debug_line"]) == 0 && len(s[".debug_info"]) == 0 {
		p.note("has no debug information (DWARF): no lines, no inlined functions")
		return d
	}
	var err error
	damaged := 0
	d.lines, damaged, err = linetable.Read(linetable.Sections{
		Line: s[".debug_line"], LineStr: s[".debug_line_str"], Str: s[".debug_str"], Order: e.ByteOrder,
		AddressBytes: e.AddressBytes(),
	})
	if err != nil {
		p.note("section .debug_line: %v: %d tables were left out", err, damaged)
	}
	if d.info, err = readInfo(s, e.ByteOrder, e.Top()); err != nil {
		p.note("section .debug_info: %v: what comes after it was left out", err)
	}
	if d.split > 0 {
		p.note("has %d units of split DWARF, whose files (.dwo) are not read: their inlined functions are unknown", d.split)
	}
	return d
}

// unpack returns the sections of debug information by name.
func (p *Program) unpack(f image.File, e *image.ELF) map[string][]byte {
	left := unpackedShare * uint64(f.Size)
	sections := map[string][]byte{}
	for _, name := range debugSections {
		if e.Section(".z"+name[1:]) != nil {
			p.note("section .z%s is of an old form and was not read: objcopy --decompress-debug-sections makes one that can be",
				name[1:])
		}
		s := e.Section(name)
		if s == nil || s.Type == elf.SHT_NOBITS {
			continue
		}
		b, err := unpackSection(f, s, left)
		if err != nil {
			p.note("section %s: %v", name, err)
			continue
		}
		left -= uint64(len(b))
		sections[name] = b
	}
	return sections
}

// unpackSection returns the bytes of a section, which debug/elf decompresses.
func unpackSection(f image.File, s *elf.Section, limit uint64) (b []byte, err error) {
	if s.Flags&elf.SHF_COMPRESSED == 0 {
		return readAt(f, s.Offset, s.FileSize, s.Name)
	}
	if s.Size > limit {
		return nil, fmt.Errorf("claims %#x bytes unpacked, in a file of %#x: damaged", s.Size, f.Size)
	}
	err = guarded(func() error {
		b = make([]byte, s.Size)
		_, err := io.ReadFull(s.Open(), b)
		return err
	})
	return b, err
}

// guarded calls what is not hardened: its panics become errors.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("damaged: %v", p)
		}
	}()
	return f()
}
