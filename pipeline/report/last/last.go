// Package last says what ran just before a point of a trace, and where that was.
//
// Its API is not stable (docs/guide/library.md).
package last

import (
	"errors"
	"fmt"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
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
	AtCall                       // a row of `calls`, by its number
)

// An Excerpt is what was executed just before a point.
type Excerpt struct {
	Dir    string
	Source uint8
	Core   string
	Before int64              // seq of the instruction after the point
	Entry  *Exception         // the point, if it is one
	Call   schema.Null[int64] // the point, if it is one: its number
	Rows   []Executed         // in order
	Marks  []Mark             // what else happened between them, in order
	Stack  *Stack             // where the last of them was; nil: it is not known
	Why    string             // it is not known
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

// Read returns the last instructions, at most n, of a source of dir before a point, and where
// they were. Without a source there has to be one alone. It reads no more of the dataset than
// it needs. Where that has no rows of instructions, rows makes them; nil: it fails.
func Read(m *report.Merged, dir string, source schema.Null[uint8], p Point, n int64, rows Rows) (*Excerpt, error) {
	d, err := dataset.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	again := rows
	if hasRows(d) {
		rows = nil
	} else if rows == nil {
		return nil, noRows(dir)
	}
	s, err := pickSource(d, source)
	if err != nil {
		return nil, err
	}
	l := &Excerpt{Dir: dir, Source: s.Source, Core: s.Core}
	if rows != nil && p.Kind == AtOffset {
		err = rows.with(s.Source, p, Point{AtOffset, p.N + 1},
			func(w *dataset.Dataset) error { return l.find(w, sourceOf(w, s), p) })
	} else {
		err = l.find(d, s, p)
	}
	if err == nil && rows != nil && l.Before > 0 {
		err = rows.with(s.Source, Point{AtSeq, max(0, l.Before-n)}, Point{AtSeq, l.Before},
			func(w *dataset.Dataset) error { return readLast(m, l, w, n) })
	} else if err == nil {
		err = readLast(m, l, d, n)
	}
	if err != nil || len(l.Rows) == 0 {
		return l, err
	}
	if l.Marks, err = readMarks(d, s.Source, l.Rows[0].Seq, l.Before); err != nil {
		return nil, err
	}
	return l, l.readStack(m, d, s, again)
}

// readStack reads the stack of the last instruction. Where calls were left out, rows makes those near it again.
func (l *Excerpt) readStack(m *report.Merged, d *dataset.Dataset, s *schema.SourceTotals, rows Rows) (err error) {
	x := &l.Rows[len(l.Rows)-1]
	if s.CallsAtLeast == 0 {
		l.Stack, l.Why, err = stackAt(m, d, s, x)
		return err
	}
	of := func(w *dataset.Dataset) (err error) {
		if l.Stack, l.Why, err = stackAt(m, w, sourceOf(w, s), x); l.Stack == nil {
			return err
		}
		tasks, err := stacks.ReadTasksOf(d, s)
		if err == nil {
			l.Stack.Task = ofWhole(l.Stack.Task, tasks.Rows)
		}
		return err
	}
	l.Why = fmt.Sprintf("calls of fewer than %d instructions were left out at export; export again with --tables +calls",
		s.CallsAtLeast)
	if rows == nil {
		return nil
	}
	err = rows.with(s.Source, Point{AtSeq, max(0, l.Before-LookBack)}, Point{AtSeq, l.Before + LookAhead}, of)
	if e, ok := errors.AsType[*dataset.Error](err); ok && !e.Damaged {
		l.Why += ": the dataset " + e.Problem
		return nil
	}
	return err
}

// ofWhole returns the task of the whole that one of a window is, by Context ID, by name, or as the only one with its root;
// without a number if there is none.
func ofWhole(x stacks.Task, tasks []stacks.Task) stacks.Task {
	for _, is := range []func(t *stacks.Task) bool{
		func(t *stacks.Task) bool { return t.ContextID.OK || t.Name == x.Name },
		func(t *stacks.Task) bool { return t.Root != "" && t.Root == x.Root },
	} {
		var found []stacks.Task
		for i := range tasks {
			if t := &tasks[i]; t.ContextID == x.ContextID && is(t) {
				found = append(found, *t)
			}
		}
		if len(found) == 1 {
			return found[0]
		}
	}
	x.Number = none
	return x
}

// Rows makes a dataset with the rows of the instructions, and of all calls, of a source from a point to before
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
func readLast(m *report.Merged, l *Excerpt, d *dataset.Dataset, n int64) error {
	from := max(0, l.Before-n)
	return eachInstruction(d, l.Source, from, func(b *schema.Batch, row int) bool {
		x := executedAt(b, row)
		if x.Seq >= from && x.Seq < l.Before {
			x.Name, x.Conditional = m.Describe(l.Core, x.Address, x.ISA)
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
func (l *Excerpt) find(d *dataset.Dataset, s *schema.SourceTotals, p Point) error {
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
	case AtCall:
		return l.findCall(d, s, p.N)
	}
	return nil
}

// findCall finds the row of a call.
func (l *Excerpt) findCall(d *dataset.Dataset, s *schema.SourceTotals, number int64) error {
	if !d.Has(&schema.Calls) {
		return read.Lacks(d, &schema.Calls)
	}
	err := eachFrom(d, s.Source, ordered{&schema.Calls, schema.CallsCall}, number, func(b *schema.Batch, row int) bool {
		if n := int64(schema.CallsCall.At(b, row)); n >= number {
			l.Call = schema.Null[int64]{V: n, OK: n == number}
			l.Before = min(l.Before, int64(schema.CallsSeq.At(b, row)))
			return false
		}
		return true
	})
	if err == nil && !l.Call.OK {
		return fmt.Errorf("%s: there is no call %d: source %s has %d rows of calls, by number from 0 on", d.Dir,
			number, schema.SourceText(s.Source), d.RowsOf(&schema.Calls, s.Source))
	}
	return err
}

// findException finds the row of an exception.
func (l *Excerpt) findException(d *dataset.Dataset, s *schema.SourceTotals, ordinal int64) error {
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

// noRows is the error for a dataset that has no rows of what was executed.
func noRows(dir string) error {
	return &dataset.Error{
		File: dir, Problem: "has counts of what was executed, and no rows of it",
		Remedy: "export again with --level blocks, and without --tables",
	}
}
