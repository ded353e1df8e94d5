package program

import (
	"cmp"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// readSections reads the sections of code. They may share bytes of the file, but
// take at most twice its size, as segments do.
func (p *Program) readSections(f image.File, e *image.ELF, base *schema.Address) error {
	var total uint64
	for i, s := range e.Sections {
		if s.Type != elf.SHT_PROGBITS || s.Flags&elf.SHF_EXECINSTR == 0 || s.FileSize == 0 {
			continue
		}
		total += s.FileSize
		if s.Flags&elf.SHF_COMPRESSED != 0 {
			return damaged("has compressed code in section %s", s.Name)
		}
		if err := e.CheckPlace(s.Addr, s.FileSize, base, "code (section "+s.Name+")"); err != nil {
			return err
		}
		if most := min(image.MaxLoad, 2*uint64(f.Size)); total > most {
			return damaged("has sections of code of more than %d bytes up to %s", most, s.Name)
		}
		b, err := readAt(f, s.Offset, s.FileSize, s.Name)
		if err != nil {
			return err
		}
		p.Sections = append(p.Sections, Section{Name: s.Name, Address: schema.Address(s.Addr), Bytes: b, index: i})
	}
	slices.SortStableFunc(p.Sections, func(a, b Section) int { return cmp.Compare(a.Address, b.Address) })
	p.dropOverlaps()
	if len(p.Sections) == 0 {
		p.note("has no section of code (PROGBITS and EXECINSTR): its section headers were removed")
	}
	return nil
}

// dropOverlaps drops sections that begin inside another one: overlays, whose
// addresses say nothing about which of them ran.
func (p *Program) dropOverlaps() {
	var end uint64
	p.Sections = slices.DeleteFunc(p.Sections, func(s Section) bool {
		if uint64(s.Address) < end {
			p.note("section %s overlaps the one before it and was left out", s.Name)
			return true
		}
		end = s.end()
		return false
	})
}

// section returns the section of code that contains an address, or nil.
func (p *Program) section(address schema.Address) *Section {
	i, found := slices.BinarySearchFunc(p.Sections, address,
		func(s Section, a schema.Address) int { return cmp.Compare(s.Address, a) })
	if !found {
		i--
	}
	if i < 0 || uint64(address) >= p.Sections[i].end() {
		return nil
	}
	return &p.Sections[i]
}

// hashCode returns the SHA-256 of the sections in hex.
func (p *Program) hashCode() string {
	h := sha256.New()
	for _, s := range p.Sections {
		var head []byte
		if p.AArch64 {
			head = binary.LittleEndian.AppendUint64(head, uint64(s.Address))
		} else {
			head = binary.LittleEndian.AppendUint32(head, uint32(s.Address)) // which has no more bits
		}
		h.Write(binary.LittleEndian.AppendUint64(head, uint64(len(s.Bytes))))
		h.Write(s.Bytes)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// readAt returns size bytes of the file, after comparing both with its size.
func readAt(f image.File, off, size uint64, section string) ([]byte, error) {
	if off > uint64(f.Size) || size > uint64(f.Size)-off {
		return nil, damaged("has %d bytes, but its section %s takes %#x from offset %#x on", f.Size, section, size, off)
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(io.NewSectionReader(f.Data, int64(off), int64(size)), b); err != nil {
		return nil, fmt.Errorf("read %s: section %s: %w", f.Name, section, err)
	}
	return b, nil
}

// damaged returns the error for a file that cannot be what it claims.
func damaged(problem string, args ...any) error {
	return &image.FormatError{Problem: fmt.Sprintf(problem, args...), Remedy: "the file is damaged"}
}

// maxNotes is how many notes a program may have: damage repeats itself.
const maxNotes = 50

// note adds a note, once.
func (p *Program) note(text string, args ...any) {
	if len(p.Notes) == maxNotes {
		return
	}
	if text = fmt.Sprintf(text, args...); !slices.Contains(p.Notes, text) {
		p.Notes = append(p.Notes, text)
	}
}
