package decodetest

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

// A parser fills a scenario line by line.
type parser struct {
	s        *Scenario
	families []decode.Family // that may be named
	family   *decode.Family  // that the scenario names
	line     int             // number of the current line

	apart  bool // the next opcode begins a region
	broken bool // the next packet begins after a break
	offset int  // of the next packet
}

func (p *parser) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", p.s.Name, p.line, fmt.Sprintf(format, args...))
}

// section reads a section; p.line is that of its name.
func (p *parser) section(name, text string) error {
	read, ok := map[string]func(code, comment string) error{
		"config": p.config, "program": p.program, "packets": p.packet, "samples": p.samples,
	}[name]
	if table, found := strings.CutPrefix(name, "want/"); found {
		p.s.Want = append(p.s.Want, Table{Name: table, Line: p.line})
		read, ok = p.row, true
		if schema.FindTable(table) == nil {
			return p.errorf("no table %q", table)
		}
	}
	if !ok {
		return p.errorf("no section %q is known: there are config, program, packets or samples, want/TABLE", name)
	}
	p.line++
	for line := range strings.Lines(text) {
		code, comment, found := strings.Cut(line, ";")
		code, comment = strings.TrimSpace(code), strings.TrimSpace(comment)
		if code != "" || !found {
			if err := read(code, comment); err != nil {
				return err
			}
		}
		p.line++
	}
	return nil
}

// config reads "key = value".
func (p *parser) config(code, _ string) error {
	if code == "" {
		return nil
	}
	key, value, _ := strings.Cut(code, "=")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	if key == "protocol" {
		return p.protocol(value)
	}
	if key == "profile" {
		p.s.Profile = value
		return nil
	}
	if p.family != nil {
		if o := p.family.Option(key); o != nil {
			v, ok := o.Parse(value)
			if !ok {
				return p.errorf("%s: %q is none of %s", key, value, o.Known())
			}
			p.s.Registers[key] = v
			return nil
		}
	}
	if _, ok := p.s.Registers[key]; !ok {
		return p.errorf("no key %q is known: first comes protocol, then its registers", key)
	}
	v, err := strconv.ParseUint(value, 0, 32)
	if err != nil {
		return p.errorf("%s: %v", key, err)
	}
	p.s.Registers[key] = v
	return nil
}

// protocol reads the name of a protocol with its version, "pft1.1", and gives the scenario the
// registers of that version.
func (p *parser) protocol(word string) error {
	for i := range p.families {
		f := &p.families[i]
		for _, v := range f.Versions {
			if p.family != nil || word != strings.TrimSuffix(f.Name, f.Version)+v.Name { // etmv3 in 3.5 is etmv3.5
				continue
			}
			p.family = f
			p.s.Protocol, p.s.Version, p.s.Registers = f.Name, v.Name, Registers{}
			for _, r := range v.Registers {
				p.s.Registers[r.Name] = r.Value
			}
			return nil
		}
	}
	return p.errorf("protocol %q is unknown or the second one", word)
}

// program reads "address: opcode".
func (p *parser) program(code, _ string) error {
	if code == "" {
		p.apart = true
		return nil
	}
	i := strings.LastIndexByte(code, ':')
	if i < 0 {
		return p.errorf("an opcode without an address")
	}
	word, where, ok := strings.Cut(code[:i], ":")
	space := image.AnySpace
	if !ok {
		where = word
	} else if space, ok = image.ParseSpace(word); !ok {
		return p.errorf("no memory space %q", word)
	}
	address, err := strconv.ParseUint(where, 16, 32)
	if err != nil {
		return p.errorf("address: %v", err)
	}
	opcode, err := opcodeBytes(strings.Fields(code[i+1:]))
	if err != nil {
		return p.errorf("%v", err)
	}
	p.place(image.Region{File: p.s.Name, Address: schema.Address(address), Space: space, Bytes: opcode})
	return nil
}

// place adds bytes to the last region if they continue it, otherwise to a new one.
func (p *parser) place(r image.Region) {
	all := p.s.Regions
	if n := len(all); n > 0 && !p.apart && all[n-1].Space == r.Space &&
		uint64(all[n-1].Address)+uint64(len(all[n-1].Bytes)) == uint64(r.Address) {
		all[n-1].Bytes = append(all[n-1].Bytes, r.Bytes...)
		return
	}
	p.apart = false
	p.s.Regions = append(all, r)
}

// opcodeBytes returns the bytes in memory of a word or of halfwords.
func opcodeBytes(digits []string) ([]byte, error) {
	var b []byte
	for _, d := range digits {
		v, err := strconv.ParseUint(d, 16, 32)
		switch {
		case err != nil:
			return nil, fmt.Errorf("opcode: %w", err)
		case len(d) == 8 && len(digits) == 1:
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		case len(d) == 4 && len(digits) <= 2:
			b = binary.LittleEndian.AppendUint16(b, uint16(v))
		default:
			return nil, fmt.Errorf("opcode %q: want a word of eight digits, or one or two halfwords of four", digits)
		}
	}
	if len(b) == 0 {
		return nil, fmt.Errorf("no opcode")
	}
	return b, nil
}

// packet reads the bytes of a packet.
func (p *parser) packet(code, name string) error {
	if p.isBreak(code) || code == "" {
		return nil
	}
	b, err := hex.DecodeString(strings.Join(strings.Fields(code), ""))
	if err != nil {
		return p.errorf("packet: %v", err)
	}
	if name == "" {
		return p.errorf("a packet without a name behind it")
	}
	p.add(b, name)
	return nil
}

// isBreak notes a break of the stream, if a line is one.
func (p *parser) isBreak(code string) bool {
	p.broken = p.broken || code == "break"
	return code == "break"
}

// add adds a packet to the stream.
func (p *parser) add(b []byte, name string) {
	p.s.Packets = append(p.s.Packets, Packet{Line: p.line, Offset: p.offset, Bytes: b, Name: name, Break: p.broken})
	p.offset += len(b)
	p.broken = false
}

// samples reads samples of a trace port, a packet for each.
func (p *parser) samples(code, about string) error {
	if p.isBreak(code) || code == "" {
		return nil
	}
	if p.family == nil {
		return p.errorf("samples before a protocol")
	}
	samples, err := port.ParseSamples(code, p.family.Statuses)
	if err != nil {
		return p.errorf("samples: %v", err)
	}
	p.s.Unit = port.SampleBytes
	for i, word := range strings.Fields(code) {
		p.add(port.Append(nil, samples[i]), word+" of "+strconv.Quote(about))
	}
	return nil
}

var apart = regexp.MustCompile(`\s{2,}`)

// row reads the names of columns, then rows.
func (p *parser) row(code, _ string) error {
	if code == "" {
		return nil
	}
	cells := apart.Split(code, -1)
	t := &p.s.Want[len(p.s.Want)-1]
	if t.Columns == nil {
		t.Line, t.Columns = p.line, cells
		return p.checkColumns(t)
	}
	if len(cells) != len(t.Columns) {
		return p.errorf("a row of %d cells for %d columns; cells stand two blanks apart", len(cells), len(t.Columns))
	}
	t.Rows = append(t.Rows, Row{Line: p.line, Cells: cells})
	return nil
}

func (p *parser) checkColumns(t *Table) error {
	known := schema.FindTable(t.Name).Columns
	for _, name := range t.Columns {
		if !slices.ContainsFunc(known, func(c schema.Column) bool { return c.Name == name }) {
			return p.errorf("%s has no column %q", t.Name, name)
		}
	}
	return nil
}
