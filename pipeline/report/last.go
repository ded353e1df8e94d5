package report

import (
	"errors"
	"fmt"
	"io"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A Point is a place in the trace of a source.
type Point struct {
	Kind PointKind
	N    int64 // of that kind; the end has none
}

// PointKind is what a point is counted in.
type PointKind uint8

// The kinds of points.
const (
	AtEnd       PointKind = iota // of the trace
	AtSeq                        // an instruction, by its ordinal
	AtOffset                     // a byte of the capture
	AtException                  // a row of `exceptions`, by its ordinal
)

// Last is what was executed just before a point.
type Last struct {
	Dir    string
	Source uint8
	Core   string
	Before int64      // seq of the instruction after the point
	Entry  *Exception // the point, if it is one
	Rows   []Executed // in order
	Marks  []Mark     // what else happened between them, in order
	Stack  *Stack     // where the last of them was; nil: it is not known
	Why    string     // it is not known
}

// An Executed is an instruction that was executed, or failed its condition.
type Executed struct {
	Seq      int64
	Address  uint32
	Size     uint8
	ISA      schema.ISA
	Opcode   uint32
	Kind     schema.Kind
	Executed schema.Null[bool]
	Cycles   schema.Null[int64] // since the count before
	Name                        // of its function, with its own line

	Conditional bool // the program says that it may fail
}

// An Exception is a row of `exceptions`.
type Exception struct {
	Ordinal, Seq int64
	Event        schema.ExceptionEvent
	read.Exception
}

// A NoSourceError says that a source has to be picked, or that there is none of that ID.
type NoSourceError struct {
	Dir    string
	Source schema.Null[uint8] // that was picked
	Known  []uint8            // those that ran
}

func (e *NoSourceError) Error() string {
	if e.Source.OK {
		return fmt.Sprintf("%s has no source %s that ran", e.Dir, schema.SourceText(e.Source.V))
	}
	return fmt.Sprintf("%s has %d sources that ran", e.Dir, len(e.Known))
}

// Last returns the last instructions, at most n, of a source of dir before a point, and where
// they were. Without a source there has to be one alone. It reads no more of the dataset than
// it needs. Where that has no rows of instructions, rows makes them; nil: it fails.
func (m *Merged) Last(dir string, source schema.Null[uint8], p Point, n int64, rows Rows) (*Last, error) {
	d, err := dataset.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if hasRows(d) {
		rows = nil
	} else if rows == nil {
		return nil, &dataset.Error{
			File: dir, Problem: "has counts of what was executed, and no rows of it",
			Remedy: "export again with --level blocks, and without --tables",
		}
	}
	s, err := pickSource(d, source)
	if err != nil {
		return nil, err
	}
	l := &Last{Dir: dir, Source: s.Source, Core: s.Core}
	if rows != nil && p.Kind == AtOffset {
		err = rows.with(s.Source, p, Point{AtOffset, p.N + 1},
			func(w *dataset.Dataset) error { return l.find(w, sourceOf(w, s), p) })
	} else {
		err = l.find(d, s, p)
	}
	if err == nil && rows != nil && l.Before > 0 {
		err = rows.with(s.Source, Point{AtSeq, max(0, l.Before-n)}, Point{AtSeq, l.Before},
			func(w *dataset.Dataset) error { return m.readLast(l, w, n) })
	} else if err == nil {
		err = m.readLast(l, d, n)
	}
	if err != nil || len(l.Rows) == 0 {
		return l, err
	}
	if err := l.readMarks(d); err != nil {
		return nil, err
	}
	l.Stack, l.Why, err = m.stackAt(d, s, &l.Rows[len(l.Rows)-1])
	return l, err
}

// Rows makes a dataset with the rows of the instructions of a source from a point to before
// another, and returns where it is. Its ordinals are those of the whole.
type Rows func(source uint8, from, to Point) (dir string, err error)

// with calls a function with the dataset that r makes.
func (r Rows) with(source uint8, from, to Point, do func(*dataset.Dataset) error) error {
	dir, err := r(source, from, to)
	if err != nil {
		return err
	}
	w, err := dataset.Open(dir)
	if err != nil {
		return err
	}
	defer w.Close()
	return do(w)
}

// hasRows reports whether d has rows of instructions, or of blocks.
func hasRows(d *dataset.Dataset) bool {
	return d.Has(&schema.Instructions) || d.Has(&schema.Blocks) && d.Has(&schema.CodeBlocks)
}

// sourceOf returns a source as another dataset has it.
func sourceOf(d *dataset.Dataset, s *schema.SourceTotals) *schema.SourceTotals {
	for i := range d.Manifest.Sources {
		if x := &d.Manifest.Sources[i]; x.Source == s.Source {
			return x
		}
	}
	return s
}

// readLast reads the instructions before the point, at most n.
func (m *Merged) readLast(l *Last, d *dataset.Dataset, n int64) error {
	from := max(0, l.Before-n)
	return eachInstruction(d, l.Source, from, func(b *schema.Batch, row int) bool {
		x := executedAt(b, row)
		if x.Seq >= from && x.Seq < l.Before {
			m.describe(&x, l.Core)
			l.Rows = append(l.Rows, x)
		}
		return x.Seq < l.Before-1
	})
}

// pickSource returns the source that is picked, or the only one that ran.
func pickSource(d *dataset.Dataset, source schema.Null[uint8]) (*schema.SourceTotals, error) {
	var found *schema.SourceTotals
	var known []uint8
	for i := range d.Manifest.Sources {
		s := &d.Manifest.Sources[i]
		if s.Instructions == 0 {
			continue
		}
		known = append(known, s.Source)
		if !source.OK || s.Source == source.V {
			found = s
		}
	}
	if found == nil || !source.OK && len(known) > 1 {
		return nil, &NoSourceError{d.Dir, source, known}
	}
	return found, nil
}

// find finds the instruction after the point.
func (l *Last) find(d *dataset.Dataset, s *schema.SourceTotals, p Point) error {
	var first int64
	first, l.Before = d.Manifest.Seqs(s)
	switch p.Kind {
	case AtEnd:
	case AtSeq:
		if p.N > l.Before {
			return fmt.Errorf("%s: seq %d is beyond the end: source %s has %d instructions", d.Dir, p.N,
				schema.SourceText(s.Source), l.Before)
		}
		if p.N < first {
			return fmt.Errorf("%s: seq %d is before the window: source %s has instructions %d to %d", d.Dir, p.N,
				schema.SourceText(s.Source), first, l.Before-1)
		}
		l.Before = p.N
	case AtOffset:
		return eachFrom(d, s.Source, offsetsOf(d), p.N, func(b *schema.Batch, row int) bool {
			if int64(b.Columns[schema.KeyByteOffset].U64[row]) < p.N {
				return true
			}
			l.Before = int64(b.Columns[schema.KeySeq].U64[row])
			return false
		})
	case AtException:
		return l.findException(d, s, p.N)
	}
	return nil
}

// An ordered is a column of a table whose values do not fall from row to row.
type ordered struct {
	table  *schema.Table
	column schema.IndexU64
}

// offsetsOf are the offsets of what was executed.
func offsetsOf(d *dataset.Dataset) ordered {
	if d.Has(&schema.Instructions) {
		return ordered{&schema.Instructions, schema.KeyByteOffset}
	}
	return ordered{&schema.Blocks, schema.KeyByteOffset}
}

// findException finds the row of an exception.
func (l *Last) findException(d *dataset.Dataset, s *schema.SourceTotals, ordinal int64) error {
	if !d.Has(&schema.Exceptions) {
		return read.Lacks(d, &schema.Exceptions)
	}
	err := eachFrom(d, s.Source, ordered{&schema.Exceptions, schema.ExceptionsOrdinal}, ordinal,
		func(b *schema.Batch, row int) bool {
			if x := exceptionAt(b, row); x.Ordinal >= ordinal {
				l.Entry = &x
				return false
			}
			return true
		})
	if err != nil {
		return err
	}
	if l.Entry == nil || l.Entry.Ordinal != ordinal {
		return fmt.Errorf("%s: there is no exception %d: source %s has rows of exceptions from 0 on, by ordinal", d.Dir,
			ordinal, schema.SourceText(s.Source))
	}
	l.Before = min(l.Before, l.Entry.Seq)
	return nil
}

// eachFrom calls a function with rows of a source from about where a column comes to a value,
// until it returns false.
func eachFrom(d *dataset.Dataset, source uint8, by ordered, least int64, do func(b *schema.Batch, row int) bool) error {
	r, err := d.OpenAt(by.table, source, by.column, least)
	if err != nil {
		return err
	}
	defer r.Close()
	return eachRow(r, do)
}

// eachInstruction calls a function with instructions of a source, from about one on, until it
// returns false.
func eachInstruction(d *dataset.Dataset, source uint8, from int64, do func(b *schema.Batch, row int) bool) error {
	if d.Has(&schema.Instructions) {
		return eachFrom(d, source, ordered{&schema.Instructions, schema.InstructionsSeq}, from, do)
	}
	x, err := d.ExpandAt(source, from)
	if err != nil {
		return err
	}
	defer x.Close()
	return eachRow(x, do)
}

// eachRow calls a function with each row, until it returns false.
func eachRow(r schema.Reader, do func(b *schema.Batch, row int) bool) error {
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for row := range b.Rows() {
			if !do(b, row) {
				return nil
			}
		}
	}
}

func executedAt(b *schema.Batch, row int) Executed {
	v := &b.Columns[schema.InstructionsExecuted]
	cycles := &b.Columns[schema.InstructionsCycles]
	x := Executed{
		Seq: int64(schema.InstructionsSeq.At(b, row)), Address: schema.InstructionsAddress.At(b, row),
		Size: schema.InstructionsSize.At(b, row),
		ISA:  schema.ISA(schema.InstructionsISA.At(b, row)), Opcode: schema.InstructionsOpcode.At(b, row),
		Kind:     schema.Kind(schema.InstructionsKind.At(b, row)),
		Executed: schema.Null[bool]{V: v.U8[row] != 0, OK: !v.Null(row)},
	}
	if !cycles.Null(row) {
		x.Cycles = schema.Of(int64(cycles.U32[row]))
	}
	return x
}

func exceptionAt(b *schema.Batch, row int) Exception {
	return Exception{
		Ordinal: int64(schema.ExceptionsOrdinal.At(b, row)), Seq: int64(schema.ExceptionsSeq.At(b, row)),
		Event:     schema.ExceptionEvent(schema.ExceptionsEvent.At(b, row)),
		Exception: read.ExceptionAt(b, row, schema.ExceptionsType, schema.ExceptionsNumber),
	}
}

// describe adds what the program has of an instruction.
func (m *Merged) describe(x *Executed, core string) {
	x.Core = core
	for _, name := range []string{core, ""} {
		p := m.programs[name]
		if p == nil {
			continue
		}
		if i := p.find(x.Address); i != none && p.code[i].isa == x.ISA {
			x.Name, x.Conditional = m.nameIn(p, &p.code[i]), p.code[i].conditional
			return
		}
	}
}

// nameIn returns the function of an instruction, and the line of that instruction.
func (m *Merged) nameIn(p *program, i *instruction) Name {
	n := Name{Core: p.core}
	if i.function != none {
		n.Function, n.Address = p.functions[i.function].name, p.functions[i.function].address
	}
	if i.line != none {
		at := m.places.lines[i.line]
		n.File, n.Line = m.places.files[at.file], at.number
	}
	return n
}

// Branches says whether it can leave the straight line.
func (x *Executed) Branches() bool { return branches(x.Kind) }
