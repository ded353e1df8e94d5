package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A program is the code of a core, or of every core.
type program struct {
	core      string
	code      []instruction // by address
	functions []function    // by ordinal
}

// An instruction is one of the program, with what is known of its executions.
type instruction struct {
	address     schema.Address
	opcode      uint32
	size        uint8
	isa         schema.ISA
	kind        schema.Kind
	conditional bool
	function    int32 // none: -1
	line        int32 // in places.lines; none: -1
	exclusion   int32 // in Merged.excluded; none: -1
	target      schema.Null[schema.Address]
	counts
}

const none = -1

// counts are executions.
type counts struct {
	executed, failed, untold, timed int64
	cycles                          float64 // spread evenly over runs
	seconds                         float64 // of cycles, as far as the clock is known
	clocked                         float64 // cycles whose clock is known
}

func (c *counts) add(d counts) {
	c.executed += d.executed
	c.failed += d.failed
	c.untold += d.untold
	c.timed += d.timed
	c.cycles += d.cycles
	c.seconds += d.seconds
	c.clocked += d.clocked
}

// reached is how often the instruction was there to be executed.
func (c *counts) reached() int64 { return c.executed + c.failed + c.untold }

// passed is how often it ran, other than failing its condition.
func (c *counts) passed() int64 { return c.executed + c.untold }

// branches says whether the outcome of i is a branch taken or not. Otherwise it is
// predicated, if it is conditional.
func (i *instruction) branches() bool { return read.Branches(i.kind) }

// counted says whether i is in the figures: it is in a function, and not excluded.
func (i *instruction) counted() bool { return i.function != none && i.exclusion == none }

// A function is one of the program.
type function struct {
	address              schema.Address
	name, linkage, alias string
	file                 string
	line                 uint32
	all                  stacks.Work // with what it called, where datasets have stacks
}

// find returns the index of the instruction at an address, or none.
func (p *program) find(address schema.Address) int {
	i, ok := slices.BinarySearchFunc(p.code, address,
		func(i instruction, a schema.Address) int { return cmp.Compare(i.address, a) })
	if !ok {
		return none
	}
	return i
}

// program returns the program of a core, which it begins if there is none.
func (m *Merged) program(core string) *program {
	p := m.programs[core]
	if p == nil {
		p = &program{core: core}
		m.programs[core] = p
	}
	return p
}

// programOf returns the program that a core runs: its own, else that of every core; nil: there is none.
func (m *Merged) programOf(core string) *program {
	if p := m.programs[core]; p != nil {
		return p
	}
	return m.programs[""]
}

// functionsOf returns the functions that a core runs, by ordinal.
func (m *Merged) functionsOf(core string) []function {
	if p := m.programOf(core); p != nil {
		return p.functions
	}
	return nil
}

// cores returns the cores that have a program, in order.
func (m *Merged) cores() []string {
	var cores []string
	for core := range m.programs {
		cores = append(cores, core)
	}
	slices.Sort(cores)
	return cores
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
				return fmt.Errorf("0x%08x is in function %d of %d", i.address, i.function, len(p.functions))
			}
		}
		p.code = append(p.code, i)
	}
	return nil
}

func one(is bool) int64 {
	if is {
		return 1
	}
	return 0
}
