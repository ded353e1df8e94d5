// Package decodetest reads scenario files, each of which shows one rule of a
// trace protocol: a program, packets, and the rows they have to become. Only
// tests import it.
//
// A scenario is a txtar archive. The text before the first section is mandatory:
// it states the rule and cites its source. The sections:
//
//	config        protocol = pft1.1, then registers: ETMCR = 0x20000000,
//	              and if exceptions depend on it profile = M
//	program       address: opcode ; assembler
//	packets       bytes in hex ; name of the packet, and what it says
//	samples       STATUS:TRACEPKT in hex, * for TRACESYNC ; what they say
//	want/TABLE    names of columns, then rows
//
// An opcode is a word of eight digits (A32) or one or two halfwords of four
// (T32). An address may have a memory space in front, as N:00008000. Lines that
// follow each other in memory make one region; a blank line ends it.
//
// A line of packets is one packet; "break" means that the input broke there: what
// follows does not continue what came before. The stream from each A-sync on is
// also decoded alone, and has to give the same rows; an A-sync is exempt, and is
// written a-sync, if a later cancel, late count or Context ID refers to what came before
// it. A packet with bits set that the codec does not write has a name that ends in
// reserved bits.
//
// A trace port has samples instead of packets; the capture offset of a sample is its
// number. Its options (docs/etmv2.md §10) go into config, as words. The stream from
// each cut on is decoded alone too, and the stream without the samples that a capture
// device may leave out.
//
// Cells of a table are two or more blanks apart. In all sections a semicolon begins
// a comment.
//
// Its API is not stable (docs/guide/library.md).
package decodetest

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
)

// A Scenario is a scenario file.
type Scenario struct {
	Name      string // of the file
	About     string // the text before the sections
	Protocol  string // as "pft"
	Version   string // as "1.1"
	Registers Registers
	CoreType  string // as "Cortex-M3"; may be ""
	Profile   string // of the core: "A", "R", "M" or ""
	Regions   []image.Region
	Packets   []Packet
	Unit      int // bytes of a sample, each of which is a packet; 0: the packets are bytes
	Want      []Table
}

// A Packet is a line of the section packets.
type Packet struct {
	Line   int
	Offset int    // in the stream
	Bytes  []byte // at least one
	Name   string
	Break  bool // the input broke before it
}

// A Table is a section of expected rows.
type Table struct {
	Name    string
	Line    int // of the names of the columns
	Columns []string
	Rows    []Row
}

// A Row has one cell for each column of its table.
type Row struct {
	Line  int
	Cells []string
}

// Registers are the registers of a source by name. They implement
// decode.Registers.
type Registers map[string]uint64

// Lookup returns the value of a register.
func (r Registers) Lookup(name string) (uint64, bool) {
	v, ok := r[name]
	return v, ok
}

// ReadAll reads all scenario files below dir, in the order of their names. They are of the
// given families.
func ReadAll(dir string, families ...decode.Family) ([]*Scenario, error) {
	var all []*Scenario
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".txtar" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		s, err := Parse(filepath.ToSlash(name), text, families...)
		if err != nil {
			return err
		}
		all = append(all, s)
		return nil
	})
	return all, err
}

// Parse reads a scenario of one of the families. Errors begin with name and the number of
// the line.
func Parse(name string, text []byte, families ...decode.Family) (*Scenario, error) {
	archive := txtar.Parse(text)
	p := parser{
		s: &Scenario{Name: name, About: strings.TrimSpace(string(archive.Comment))}, families: families, line: 1,
	}
	if p.s.About == "" {
		return nil, p.errorf("no text before the first section; say the rule and where it is from")
	}
	p.line += strings.Count(string(archive.Comment), "\n")
	seen := map[string]bool{}
	for _, file := range archive.Files {
		if seen[file.Name] {
			return nil, p.errorf("a second section %q", file.Name)
		}
		seen[file.Name] = true
		if err := p.section(file.Name, string(file.Data)); err != nil {
			return nil, err
		}
	}
	if !seen["config"] {
		return nil, p.errorf("no section %q", "config")
	}
	if seen["packets"] == seen["samples"] {
		return nil, p.errorf("no section %q, or beside one %q", "packets", "samples")
	}
	return p.s, nil
}

// Stream returns the bytes of all packets.
func (s *Scenario) Stream() []byte {
	var b []byte
	for i := range s.Packets {
		b = append(b, s.Packets[i].Bytes...)
	}
	return b
}

// PacketAt returns the packet that has the byte at an offset in the stream, or
// nil.
func (s *Scenario) PacketAt(offset int) *Packet {
	i, ok := slices.BinarySearchFunc(s.Packets, offset,
		func(p Packet, offset int) int { return cmp.Compare(p.Offset, offset) })
	if !ok {
		i--
	}
	if i < 0 || offset >= s.Packets[i].Offset+len(s.Packets[i].Bytes) {
		return nil
	}
	return &s.Packets[i]
}

// Memory returns the program memory.
func (s *Scenario) Memory() *image.Memory {
	return image.New(image.Order(s.Regions)...)
}

// Where names the line of the packet at a capture offset, for messages.
func (s *Scenario) Where(offset int) string {
	offset *= max(s.Unit, 1)
	p := s.PacketAt(offset)
	if p == nil {
		return fmt.Sprintf("offset %d, which is in no packet", offset)
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.Name)
}
