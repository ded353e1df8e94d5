package profile

import (
	"fmt"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Samples are executions by line, as compilers take them for feedback.
type Samples struct {
	Functions []FunctionSamples // those that ran, the most executed first; those of one name are one
	Executed  int64             // executions of instructions in functions
	LeftOut   int64             // of those: of functions without a line, of inlined ones whose declaration is not known
}

// A FunctionSamples is what ran of a function, or of one where it was inlined.
type FunctionSamples struct {
	Name    string // in the symbol table
	Entries int64  // executions of its first instruction; 0 for inlined ones
	Total   int64  // the sum over all lines, those of inlined functions too
	Lines   []LineSamples
	Inlined []InlinedSamples // by offset and name
}

// A LineSamples is what ran of a line. Offset is from that of the declaration of the function, in
// 16 bits, as LLVM has it.
type LineSamples struct {
	Offset  uint16
	Count   int64 // of that instruction of it which ran most often
	Targets []CallTarget
}

// A CallTarget is how often a line called a function.
type CallTarget struct {
	Name  string // in the symbol table
	Count int64
}

// An InlinedSamples is a function where it was inlined.
type InlinedSamples struct {
	Offset uint16 // of the line that it was inlined at
	FunctionSamples
}

// ReadSamples returns executions by line in the datasets of m, which have to be those in dirs. It
// fails with a [*dataset.Error] if one has no `edges`.
func ReadSamples(m *report.Merged, dirs []string, test string) (*Samples, error) {
	s := &sampler{
		m: m, declared: declarations(m), functions: map[report.Function]*sampled{},
		lines: map[location]*sampledLine{},
	}
	if err := s.readLines(dirs, test); err != nil {
		return nil, err
	}
	err := read.EachSource(dirs, test, &schema.Edges, func(d *dataset.Dataset, source *schema.SourceTotals) error {
		return read.EachBatch(d, &schema.Edges, source.Source,
			func(b *schema.Batch) error { return s.addCalls(b, source.Core) })
	})
	return s.samples(), err
}

// A declaration names a function in the source.
type declaration struct{ file, name string }

// declarations returns the functions whose declaration is known.
func declarations(m *report.Merged) map[declaration]report.Function {
	declared := map[declaration]report.Function{}
	for f := range m.Functions() {
		if f.Line != 0 {
			declared[declaration{f.File, f.Name}] = f
		}
	}
	return declared
}

// A sampler finds which line of which function, inlined where, an instruction is of.
type sampler struct {
	m         *report.Merged
	declared  map[declaration]report.Function
	functions map[report.Function]*sampled
	lines     map[location]*sampledLine // of instructions
	placed    int64                     // executions of those
	called    int64
}

// A chainLine is a line of an instruction: first its own, then those that it was inlined at.
type chainLine struct {
	file, inlined string // inlined: the function whose line it is; of the last one ""
	line          uint32
}

// readLines gives instructions that ran to their lines. All datasets are of one program: the first
// has it.
func (s *sampler) readLines(dirs []string, test string) error {
	done := false
	return read.EachSource(dirs, test, &schema.Lines, func(d *dataset.Dataset, _ *schema.SourceTotals) error {
		if done {
			return nil
		}
		done = true
		var at location
		var chain []chainLine
		err := read.EachBatch(d, &schema.Lines, 0, func(b *schema.Batch) error {
			cores, files, names := b.Columns[schema.LinesCore].Str, b.Columns[schema.LinesFile].Str,
				b.Columns[schema.LinesInlinedName].Str
			for row := range b.Rows() {
				if x := (location{cores[row], schema.LinesAddress.At(b, row)}); x != at {
					s.place(at, chain)
					at, chain = x, chain[:0]
				}
				if depth := schema.LinesInlineDepth.At(b, row); int(depth) != len(chain) {
					return fmt.Errorf("%s has inline depth %d where %d is expected", at.address.Hex(), depth, len(chain))
				}
				chain = append(chain, chainLine{files[row], names[row], schema.LinesLine.At(b, row)})
			}
			return nil
		})
		s.place(at, chain)
		return err
	})
}

// place gives an instruction to its line.
func (s *sampler) place(at location, chain []chainLine) {
	if len(chain) == 0 || s.lines[at] != nil {
		return
	}
	x, _ := s.m.CodeAt(at.core, at.address)
	if x.Core != at.core || !x.Function.OK || x.Passed == 0 {
		return
	}
	l := s.line(x.Function.V, chain)
	if l == nil {
		return
	}
	s.placed += x.Passed
	l.count = max(l.count, x.Passed)
	s.lines[at] = l
}

// line returns the line of a function that a chain leads to; nil if an offset from a declaration
// is not known.
func (s *sampler) line(f report.Function, chain []chainLine) *sampledLine {
	last := len(chain) - 1
	if f.Line == 0 || chain[last].file != f.File {
		return nil
	}
	at, start := s.function(f), f.Line
	for i := last; i > 0; i-- {
		callee, ok := s.declared[declaration{chain[i-1].file, chain[i-1].inlined}]
		if !ok {
			return nil
		}
		at, start = at.inline(inlining{uint16(chain[i].line - start), callee.Linkage}), callee.Line
	}
	return at.line(uint16(chain[0].line - start))
}

// function returns what ran of a function, as far as it is known.
func (s *sampler) function(f report.Function) *sampled {
	if s.functions[f] == nil {
		s.functions[f] = newSampled()
		if x, _ := s.m.CodeAt(f.Core, f.Address); x.Core == f.Core {
			s.functions[f].entries = x.Passed
		}
	}
	return s.functions[f]
}

// addCalls adds calls of a core to the lines that call.
func (s *sampler) addCalls(b *schema.Batch, core string) error {
	for row := range b.Rows() {
		n := int64(schema.EdgesN.At(b, row))
		if n < 0 || s.called > read.MaxCount-n {
			return fmt.Errorf("row %d has a count that no trace can have", row)
		}
		s.called += n
		if !isCall(b, row) {
			continue
		}
		from, ok := s.m.CodeAt(core, schema.EdgesFromAddress.At(b, row))
		to, _ := s.m.CodeAt(core, schema.EdgesToAddress.At(b, row))
		if l := s.lines[location{from.Core, from.Address}]; ok && l != nil && to.Function.OK {
			l.targets[to.Function.V.Linkage] += n
		}
	}
	return nil
}
