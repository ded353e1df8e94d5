package program_test

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/program"
	"github.com/tracelake/tracelake/schema"
)

// A place is a line of a file.
type place struct {
	file string
	line uint32
}

func (p place) String() string { return fmt.Sprintf("%s:%d", p.file, p.line) }

// A decodedRow is a row of readelf's decoded line table.
type decodedRow struct {
	place
	address schema.Address
	end     bool
}

// The name, the line or a dash, the address.
var decodedLine = regexp.MustCompile(`^(\S.*?)\s+(\d+|-)\s+(0x[0-9a-f]+|0)(\s|$)`)

// decodedLines returns the sequences of the line tables of a file as readelf
// decodes them, with names of files without directories.
func decodedLines(t *testing.T, file []byte) [][]decodedRow {
	t.Helper()
	elf := filepath.Join(t.TempDir(), "a.elf")
	if err := os.WriteFile(elf, file, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(need.Tool(t, need.Readelf, "readelf"), "--wide", "--debug-dump=decodedline", elf).Output()
	if err != nil {
		t.Fatal(err)
	}
	var sequences [][]decodedRow
	var rows []decodedRow
	for text := range strings.Lines(string(out)) {
		m := decodedLine.FindStringSubmatch(strings.TrimSpace(text))
		if m == nil {
			continue
		}
		address, err := strconv.ParseUint(m[3], 0, 32)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		line, _ := strconv.ParseUint(m[2], 10, 32) // of a dash 0
		name := path.Base(strings.ReplaceAll(m[1], `\`, "/"))
		rows = append(rows, decodedRow{place{name, uint32(line)}, schema.Address(address), m[2] == "-"})
		if m[2] == "-" {
			sequences, rows = append(sequences, rows), nil
		}
	}
	return sequences
}

// The line of each instruction is that of readelf's decoded line table.
func TestReadelf(t *testing.T) {
	each(t, func(t *testing.T, s subject, file []byte, p *program.Program) {
		want := map[schema.Address]place{} // by address
		for _, rows := range decodedLines(t, file) {
			if first := rows[0]; first.address == 0 && first.file != s.vectors {
				continue
			}
			fill(p, rows, want)
		}
		got, lines := map[schema.Address]place{}, map[place]bool{}
		for _, l := range p.Lines {
			if l.InlineDepth == 0 {
				at := place{path.Base(l.File), l.Line}
				got[l.Address], lines[at] = at, true
			}
		}
		for _, c := range p.Code {
			if g, w := got[c.Address], want[c.Address]; g != w {
				t.Fatalf("instruction at %#x: line %v, readelf says %v", c.Address, g, w)
			}
		}
		distinct := map[place]bool{}
		for _, at := range want {
			distinct[at] = true
		}
		if len(distinct) != len(lines) || len(lines) < 200 {
			t.Errorf("%d lines, readelf has %d", len(lines), len(distinct))
		}
	})
}

// fill gives each instruction of a sequence its line, but for line 0.
func fill(p *program.Program, rows []decodedRow, lines map[schema.Address]place) {
	for _, c := range p.Code {
		if c.Address < rows[0].address || c.Address >= rows[len(rows)-1].address {
			continue
		}
		last := 0
		for i, r := range rows {
			if r.address <= c.Address {
				last = i
			}
		}
		if rows[last].line > 0 {
			lines[c.Address] = rows[last].place
		}
	}
}
