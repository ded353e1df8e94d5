package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/pipeline/report/trust"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Read reads the datasets in dirs and adds them up. It fails with a [*MergeError] if
// they are not of one program.
func Read(dirs []string, opt Options) (*Merged, error) {
	open, err := read.Open(dirs, opt.Test)
	defer read.Close(open)
	if err != nil {
		return nil, err
	}
	for _, d := range open[1:] {
		if err := mergeable(open[0], d); err != nil {
			return nil, err
		}
	}
	m := &Merged{
		keys: programKeys(open[0]), images: open[0].Manifest.Images, programs: map[string]*program{},
		outside: map[location]*counts{}, entries: map[string]*counts{},
		measure: opt.Clocks, stacked: true,
	}
	for i, d := range open {
		if i == 0 || !hasProgram(d) { // with program files all have the same
			if err := m.readProgram(d); err != nil {
				return nil, err
			}
		}
	}
	for _, p := range m.programs {
		m.named = m.named || len(p.functions) > 0
	}
	if err := m.selects(&opt.Only); err != nil {
		return nil, err
	}
	m.exclude(opt.Exclude)
	for _, d := range open {
		if err := m.readCounts(d); err != nil {
			return nil, err
		}
	}
	m.concludeExclusions()
	m.concludeTrust()
	return m, nil
}

// concludeTrust adds what only all datasets together show, and the verdict.
func (m *Merged) concludeTrust() {
	t := &m.trust
	for _, at := range slices.SortedFunc(maps.Keys(m.outside), compareLocations) {
		t.Outside = append(t.Outside, trust.Outside{Core: at.core, Address: at.address, Times: m.outside[at].reached()})
	}
	for _, x := range m.code() {
		if x.conditional && !x.branches() && x.reached() > 0 && (x.function != none || !t.HasProgram) {
			t.Conditions++
			t.Unknown += one(x.unknown > 0)
		}
	}
	t.Named = m.named
	t.Conclude()
}

// readProgram adds the program of d to m: code, functions and lines.
func (m *Merged) readProgram(d *dataset.Dataset) error {
	if err := read.EachBatch(d, &schema.Functions, 0, m.addFunctions); err != nil {
		return err
	}
	if err := read.EachBatch(d, &schema.Code, 0, m.addCode); err != nil {
		return err
	}
	for _, p := range m.programs {
		slices.SortStableFunc(p.code, func(x, y instruction) int { return cmp.Compare(x.address, y.address) })
		p.code = slices.CompactFunc(p.code, func(x, y instruction) bool { return x.address == y.address })
	}
	return read.EachBatch(d, &schema.Lines, 0, m.addLines)
}

func (m *Merged) addFunctions(b *schema.Batch) error {
	core, name := b.Columns[schema.FunctionsCore].Str, b.Columns[schema.FunctionsName].Str
	linkage, aliases, file := b.Columns[schema.FunctionsLinkageName].Str, b.Columns[schema.FunctionsAliases].Str,
		b.Columns[schema.FunctionsFile].Str
	for row := range b.Rows() {
		p := m.program(core[row])
		if ordinal := schema.FunctionsFunction.At(b, row); int64(ordinal) != int64(len(p.functions)) {
			return fmt.Errorf("function %d comes where %d is expected", int32(ordinal), len(p.functions))
		}
		p.functions = append(p.functions, function{
			address: schema.FunctionsAddress.At(b, row), name: name[row], linkage: linkage[row], alias: aliases[row],
			file: file[row], line: schema.FunctionsLine.At(b, row),
		})
	}
	return nil
}

func (m *Merged) addCode(b *schema.Batch) error {
	core := b.Columns[schema.CodeCore].Str
	functions, targets := &b.Columns[schema.CodeFunction], &b.Columns[schema.CodeTarget]
	for row := range b.Rows() {
		p := m.program(core[row])
		i := instruction{
			address: schema.CodeAddress.At(b, row), opcode: schema.CodeOpcode.At(b, row), size: schema.CodeSize.At(b, row),
			isa: schema.ISA(schema.CodeISA.At(b, row)), kind: schema.Kind(schema.CodeKind.At(b, row)),
			conditional: schema.CodeConditional.At(b, row) != 0, function: none, line: none, exclusion: none,
		}
		if !targets.Null(row) {
			i.target = schema.Of(schema.CodeTarget.At(b, row))
		}
		if !functions.Null(row) {
			i.function = int32(functions.U32[row])
			if i.function < 0 || int(i.function) >= len(p.functions) {
				return fmt.Errorf("%s is in function %d of %d", i.address.Hex(), i.function, len(p.functions))
			}
		}
		p.code = append(p.code, i)
	}
	return nil
}

// addLines gives instructions their lines.
func (m *Merged) addLines(b *schema.Batch) error {
	core, file := b.Columns[schema.LinesCore].Str, b.Columns[schema.LinesFile].Str
	for row := range b.Rows() {
		if schema.LinesInlineDepth.At(b, row) != 0 {
			m.inlined = true
			continue
		}
		p := m.program(core[row])
		if i := p.find(schema.LinesAddress.At(b, row)); i != none {
			p.code[i].line = m.places.index(file[row], schema.LinesLine.At(b, row))
		}
	}
	return nil
}
