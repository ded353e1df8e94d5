package decodetest

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

// protocols are the words for "protocol =", with the registers that decide how a
// stream is read and their values where a scenario has none. Those of trace ports
// have options too.
var protocols = map[string]struct {
	name, version string
	registers     Registers
}{
	"pft1.0": {"pft", "1.0", Registers{"ETMCR": 0, "ETMCCER": 0, "ETMIDR": 0x411CF301}},
	"pft1.1": {"pft", "1.1", Registers{"ETMCR": 0, "ETMCCER": 0, "ETMIDR": 0x411CF311}},

	"etmv3.0": {"etmv3", "3.0", Registers{"ETMCR": 0, "ETMCCER": 0, "ETMIDR": 0x41013201}},
	"etmv3.1": {"etmv3", "3.1", Registers{"ETMCR": 0, "ETMCCER": 0, "ETMIDR": 0x41013211}},
	"etmv3.2": {"etmv3", "3.2", Registers{"ETMCR": 0, "ETMCCER": 0, "ETMIDR": 0x4104F220}},
	"etmv3.3": {"etmv3", "3.3", Registers{"ETMCR": 0, "ETMCCER": 0, "ETMIDR": 0x4104F230}},
	"etmv3.4": {"etmv3", "3.4", Registers{"ETMCR": 0, "ETMCCER": 0, "ETMIDR": 0x4104F240}},
	"etmv3.5": {"etmv3", "3.5", Registers{"ETMCR": 0, "ETMCCER": 0x30000000, "ETMIDR": 0x410CF250}},

	"etmv1.0": {"etmv1", "1.0", Registers{"ETMCR": 0x10, "ETMVERSION": 0x10}},
	"etmv1.1": {"etmv1", "1.1", Registers{"ETMCR": 0x10, "ETMVERSION": 0x11}},
	"etmv1.2": {"etmv1", "1.2", Registers{"ETMCR": 0x10, "ETMVERSION": 0x12}},
	"etmv1.3": {"etmv1", "1.3", Registers{"ETMCR": 0x10, "ETMVERSION": 0x13}},
	"etmv2.0": {"etmv2", "2.0", Registers{"ETMCR": 0x10, "ETMVERSION": 0x20}},
	"etmv2.1": {"etmv2", "2.1", Registers{"ETMCR": 0x10, "ETMVERSION": 0x21}},
}

// options are the words for options of protocols of trace ports, by their values.
var options = map[string][]string{
	"HIVECS": {"0", "1"}, "ENDIAN": {"little", "big"}, "COPROC_WORDS": {"0", "1", "2", "3", "4"}, "SWP": {"2", "1"},
	"TFO": {"flag", "plain", "auto"}, "FIRST": {"same", "next", "auto"}, "GAP": {"after", "none", "auto"}, "TFOLOW": {"zero", "any"},
}

// statuses are the statuses of samples by their codes.
var statuses = map[string][]string{
	"etmv1": {"IE", "ID", "IN", "WT", "BE", "BD", "TR", "TD"},
	"etmv2": {
		"IE", "DE", "IN", "DN", "WT", "DW", "TR", "TD",
		"PT_IE", "PT_DE", "PT_IN", "PT_DN", "PN_IE", "PN_DE", "PN_IN", "PN_DN",
	},
}

// A parser fills a scenario line by line.
type parser struct {
	s    *Scenario
	line int // number of the current line

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
		protocol, ok := protocols[value]
		if !ok || p.s.Protocol != "" {
			return p.errorf("protocol %q is unknown or the second one", value)
		}
		p.s.Protocol, p.s.Version, p.s.Registers = protocol.name, protocol.version, Registers{}
		maps.Copy(p.s.Registers, protocol.registers)
		return nil
	}
	if key == "profile" {
		p.s.Profile = value
		return nil
	}
	if words, ok := options[key]; ok && p.s.Protocol != "" && statuses[p.s.Protocol] != nil {
		i := slices.Index(words, value)
		if i < 0 {
			return p.errorf("%s: %q is none of %s", key, value, strings.Join(words, " "))
		}
		p.s.Registers[key] = uint64(i)
		return nil
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
	p.place(image.Region{File: p.s.Name, Address: uint32(address), Space: space, Bytes: opcode})
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
	switch code {
	case "":
		return nil
	case "break":
		p.broken = true
		return nil
	}
	b, err := hex.DecodeString(strings.Join(strings.Fields(code), ""))
	if err != nil {
		return p.errorf("packet: %v", err)
	}
	if name == "" {
		return p.errorf("a packet without a name behind it")
	}
	p.s.Packets = append(p.s.Packets, Packet{Line: p.line, Offset: p.offset, Bytes: b, Name: name, Break: p.broken})
	p.offset += len(b)
	p.broken = false
	return nil
}

// samples reads samples of a trace port, a packet for each.
func (p *parser) samples(code, about string) error {
	switch code {
	case "":
		return nil
	case "break":
		p.broken = true
		return nil
	}
	samples, err := port.ParseSamples(code, statuses[p.s.Protocol])
	if err != nil {
		return p.errorf("samples: %v", err)
	}
	p.s.Unit = port.SampleBytes
	for i, word := range strings.Fields(code) {
		p.s.Packets = append(p.s.Packets, Packet{
			Line: p.line, Offset: p.offset, Bytes: port.Append(nil, samples[i]), Name: word + " of " + strconv.Quote(about), Break: p.broken,
		})
		p.offset += port.SampleBytes
		p.broken = false
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
