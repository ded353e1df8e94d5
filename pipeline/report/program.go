package report

import (
	"cmp"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
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

// unselected is the exclusion of an instruction that nobody asked about.
const unselected = -2

// counts are executions.
type counts struct {
	executed, failed, unknown, timed int64
	cycles                           float64 // spread evenly over runs
	seconds                          float64 // of cycles, as far as the clock is known
	clocked                          float64 // cycles whose clock is known
}

func (c *counts) add(d counts) {
	c.executed += d.executed
	c.failed += d.failed
	c.unknown += d.unknown
	c.timed += d.timed
	c.cycles += d.cycles
	c.seconds += d.seconds
	c.clocked += d.clocked
}

// reached is how often the instruction was there to be executed.
func (c *counts) reached() int64 { return c.executed + c.failed + c.unknown }

// passed is how often it ran, other than failing its condition.
func (c *counts) passed() int64 { return c.executed + c.unknown }

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

// A Figure is how many of how many. Of is 0 where that is not known, as without a
// program file: then there is no percentage.
type Figure struct{ Covered, Of int64 }

// A Tally counts instructions. Covered ones ran, other than failing their condition;
// Reached ones were there to run, but always failed it.
type Tally struct {
	Figure
	Reached int64
}

func (t *Tally) add(x *instruction) {
	t.Of++
	switch {
	case x.passed() > 0:
		t.Covered++
	case x.failed > 0:
		t.Reached++
	}
}

func one(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// places are the source lines that the program has instructions of. A line counts
// where its instructions are from, not where they were inlined at.
type places struct {
	files []string
	lines []place
	file  read.Index[string]
	line  read.Index[place]
}

// A place is a source line.
type place struct {
	file   int32 // in places.files
	number uint32
}

// index returns the index of a line, which it adds if need be.
func (p *places) index(file string, number uint32) int32 {
	if p.file == nil {
		p.file, p.line = read.Index[string]{}, read.Index[place]{}
	}
	f, isNew := p.file.Of(file)
	if isNew {
		p.files = append(p.files, file)
	}
	at := place{int32(f), number}
	l, isNew := p.line.Of(at)
	if isNew {
		p.lines = append(p.lines, at)
	}
	return int32(l)
}
