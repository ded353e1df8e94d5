package program_test

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"testing"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/decode/program"
	"github.com/tracelake/tracelake/schema"
)

// A subject is the program file of a capture, and what other tools made of it.
type subject struct {
	name    string
	path    string // below the captures; "" is the sample
	figures figures
	dropped program.Dropped
	vectors string // the file of the lines at address 0
}

// figures are the denominators of coverage.
type figures struct {
	code, padding              int
	functions, names           int
	lines, files               int
	conditional, predicated    int // branches, and other instructions that can fail
	unsized, labels, ofDwarf   int // functions by origin
	statements                 int // lines of which a row is the start of a statement
	aliases, withoutDefinition int // functions
}

// The figures were computed from objdump and readelf's symbols and lines.
var subjects = []subject{
	{
		name:    "sample",
		figures: figures{code: 790, padding: 4, functions: 41, names: 41, lines: 245, files: 8, conditional: 53, predicated: 14, statements: 112},
		dropped: program.Dropped{InlineRanges: 86, InlineRangesKept: 86},
	},
	{
		name: "freertos", path: "am243x-r5f-etmv3-freertos-002b37c/freertos.elf", vectors: "HwiP_armv7r_vectors_freertos_asm.S",
		figures: figures{
			code: 34642, padding: 1978, functions: 633, names: 616, lines: 10123, files: 85, conditional: 2060, predicated: 138,
			unsized: 46, labels: 13, statements: 10123, aliases: 4,
		},
		dropped: program.Dropped{DeadSequences: 29, SequencesAtZero: 1, InlineRanges: 83, InlineRangesKept: 79},
	},
	{
		name: "zephyr", path: "am243x-r5f-etmv3-zephyr-e9185a9/zephyr.elf", vectors: "boot.S",
		figures: figures{
			code: 5422, padding: 69, functions: 190, names: 190, lines: 1694, files: 93, conditional: 484, predicated: 162,
			unsized: 19, labels: 1, statements: 666, aliases: 4, withoutDefinition: 3,
		},
		dropped: program.Dropped{DeadSequences: 179, SequencesAtZero: 1, InlineRanges: 3927, InlineRangesKept: 2075},
	},
	{
		name: "threadx", path: "am243x-r5f-etmv3-threadx-ce42d22/threadx.elf", vectors: "HwiP_armv7r_vectors_threadx_asm.S",
		figures: figures{
			code: 38122, padding: 1932, functions: 636, names: 619, lines: 11188, files: 141, conditional: 2308, predicated: 266,
			unsized: 55, labels: 14, statements: 11188, aliases: 4, withoutDefinition: 1,
		},
		dropped: program.Dropped{DeadSequences: 12, SequencesAtZero: 1, InlineRanges: 29, InlineRangesKept: 28},
	},
}

// each runs a test on the program files of all captures.
func each(t *testing.T, test func(t *testing.T, s subject, file []byte, p *program.Program)) {
	for _, s := range subjects {
		t.Run(s.name, func(t *testing.T) {
			file := sample.Program()
			if s.path != "" {
				file = shared.Read(t, shared.File(t, "captures/"+s.path))
			}
			p, err := program.Read(open(file), nil, isa.PFT)
			if err != nil {
				t.Fatal(err)
			}
			test(t, s, file, p)
		})
	}
}

// The denominators of coverage are those that were computed by other means.
func TestCaptures(t *testing.T) {
	each(t, func(t *testing.T, s subject, file []byte, p *program.Program) {
		if got := figuresOf(p); got != s.figures {
			t.Errorf("figures %+v, want %+v", got, s.figures)
		}
		if p.Dropped != s.dropped {
			t.Errorf("dropped %+v, want %+v", p.Dropped, s.dropped)
		}
		if len(p.Notes) > 1 || len(p.Notes) == 1 && !hasNote(p, "left out, and were dropped") {
			t.Errorf("notes %q", p.Notes)
		}
		again, err := program.Read(open(bytes.Clone(file)), nil, isa.PFT)
		if err != nil || again.CodeSHA256 != p.CodeSHA256 {
			t.Errorf("read again: code hash %v, %v", again, err)
		}
	})
}

// GNU ld moves all ranges of what it leaves out to 0, or to 1 in lists, where 0 is
// the end: debug/dwarf alone can count them.
func TestInlineRanges(t *testing.T) {
	each(t, func(t *testing.T, s subject, file []byte, p *program.Program) {
		if s.name != "sample" && s.name != "zephyr" {
			return
		}
		e, err := elf.NewFile(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		d, err := e.DWARF()
		if err != nil {
			t.Fatal(err)
		}
		all, kept := 0, 0
		for r := d.Reader(); ; {
			entry, err := r.Next()
			if entry == nil || err != nil {
				break
			}
			if entry.Tag != dwarf.TagInlinedSubroutine {
				continue
			}
			ranges, err := d.Ranges(entry)
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range ranges {
				all++
				if at[0] > 1 {
					kept++
				}
			}
		}
		if p.Dropped.InlineRanges != all || p.Dropped.InlineRangesKept != kept {
			t.Errorf("%+v, debug/dwarf has %d ranges, %d of them above 1", p.Dropped, all, kept)
		}
	})
}

// figuresOf counts what a program has.
func figuresOf(p *program.Program) figures {
	var n figures
	for _, c := range p.Code {
		switch flow := c.Kind != schema.KindOther; {
		case !c.Function.OK:
			n.padding++
			continue
		case c.Conditional && flow:
			n.conditional++
		case c.Conditional:
			n.predicated++
		}
		n.code++
	}
	n.countFunctions(p)
	lines, files, statements := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, l := range p.Lines {
		if l.InlineDepth == 0 {
			at := place{l.File, l.Line}.String()
			lines[at], files[l.File] = true, true
			statements[at] = statements[at] || l.IsStmt
		}
	}
	n.lines, n.files = len(lines), len(files)
	for _, is := range statements {
		if is {
			n.statements++
		}
	}
	return n
}

// countFunctions counts the functions.
func (n *figures) countFunctions(p *program.Program) {
	names := map[string]bool{}
	for _, f := range p.Functions {
		names[f.Name] = true
		switch f.Origin {
		case schema.OriginUnsized:
			n.unsized++
		case schema.OriginLabel:
			n.labels++
		case schema.OriginDWARF:
			n.ofDwarf++
		}
		if len(f.Aliases) > 0 {
			n.aliases++
		}
		if f.File == "" {
			n.withoutDefinition++
		}
	}
	n.functions, n.names = len(p.Functions), len(names)
}
