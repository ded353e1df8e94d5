// Package exceptions says how often exceptions were entered, and how long they took.
//
// Its API is not stable (docs/guide/library.md).
package exceptions

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A Table is how often exceptions were entered, and how long they took.
type Table struct {
	Entries int64
	Rows    []Row // those entered most often first
}

// A Row is the exceptions of a type and number on a core.
type Row struct {
	Core string
	read.Exception
	Entries int64
	Unended int64 // whose end was not seen
	durations.Summary
	// Nested is how many exceptions the one that was nested deepest was within. NULL: the call tree does not say.
	Nested schema.Null[int64]
	// Executed is what was executed in them, synchronous exceptions in their handlers too, and Of what was executed on
	// their core in all. Without instructions it is not known. Cycles are NULL if not all that ran there counts them.
	Executed, Of stacks.Work
	Handler      report.Name // the function that most of that was executed in; the zero Name: it is not known
}

// Took is how many cycles, else instructions, were executed in them, and on their core in all: 0 if that is not known.
func (x *Row) Took() (n, of int64) {
	byCycles := x.Of.Cycles.OK
	return x.Executed.In(byCycles), x.Of.In(byCycles)
}

// A kind is what a row is of.
type kind struct {
	core string
	read.Exception
}

// Read returns the exceptions in the datasets of m, which have to be those in dirs. It fails with a [*dataset.Error]
// if one has no `exceptions` or `exception_spans`; without `stacks` it is not known what ran in them.
func Read(m *report.Merged, dirs []string, test string) (*Table, error) {
	r := &reader{m: m, index: read.Index[kind]{}, cores: map[string]*ran{}, handled: map[kind]*handling{}}
	err := read.EachSource(dirs, test, &schema.ExceptionSpans, func(d *dataset.Dataset, s *schema.SourceTotals) error {
		if err := read.Need(d, &schema.Exceptions); err != nil {
			return err
		}
		return r.source(d, s)
	})
	r.share()
	r.conclude()
	return &r.Table, err
}

// A reader reads exceptions.
type reader struct {
	Table
	m       *report.Merged
	index   read.Index[kind]
	cores   map[string]*ran
	handled map[kind]*handling
}

// source adds the exceptions of a source.
func (r *reader) source(d *dataset.Dataset, s *schema.SourceTotals) error {
	kinds := map[int64]kind{} // by ordinal
	err := read.EachBatch(d, &schema.Exceptions, s.Source, func(b *schema.Batch) error {
		readKinds(b, s.Core, kinds)
		return nil
	})
	if err != nil {
		return err
	}
	tree, err := r.readTree(d, s)
	if err != nil {
		return err
	}
	var spans []span
	place := read.Place{Dir: d.Dir, Source: s.Source}
	err = read.EachBatch(d, &schema.ExceptionSpans, s.Source, func(b *schema.Batch) error {
		for row := range b.Rows() {
			x, err := spanAt(b, row, tree)
			if err != nil {
				return err
			}
			of, ok := kinds[x.ordinal]
			if !ok {
				of = kind{core: s.Core}
			}
			x.kind = of
			place.Seq, place.Row = x.seq, schema.Null[int64]{V: x.ordinal, OK: ok}
			r.Entries++
			if err := r.row(of, r.index).addSpan(b, row, place); err != nil {
				return err
			}
			spans = append(spans, x)
		}
		return nil
	})
	if tree != nil && err == nil {
		r.nest(spans, tree)
	}
	return err
}

// row returns the row of a type and number on a core, which it adds if need be.
func (x *Table) row(of kind, index read.Index[kind]) *Row {
	i, isNew := index.Of(of)
	if isNew {
		x.Rows = append(x.Rows, Row{Core: of.core, Exception: of.Exception})
	}
	return &x.Rows[i]
}

// conclude works out figures and puts the rows in order.
func (x *Table) conclude() {
	for i := range x.Rows {
		x.Rows[i].Conclude()
	}
	unknown := func(r *Row) int { // is last
		if r.Type.OK {
			return 0
		}
		return 1
	}
	slices.SortFunc(x.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Entries, a.Entries), cmp.Compare(unknown(&a), unknown(&b)),
			cmp.Compare(a.Type.V, b.Type.V), cmp.Compare(a.Number.V, b.Number.V), cmp.Compare(a.Core, b.Core))
	})
}

// readKinds reads type and number of exceptions that were entered.
func readKinds(b *schema.Batch, core string, to map[int64]kind) {
	for row := range b.Rows() {
		if schema.ExceptionEvent(schema.ExceptionsEvent.At(b, row)) != schema.ExceptionEntry {
			continue
		}
		to[int64(schema.ExceptionsOrdinal.At(b, row))] = kind{
			core, read.ExceptionAt(b, row, schema.ExceptionsType, schema.ExceptionsNumber),
		}
	}
}

// addSpan adds a row of `exception_spans`.
func (x *Row) addSpan(b *schema.Batch, row int, at read.Place) error {
	x.Entries++
	if end := schema.CallEnd(schema.ExceptionSpansEnd.At(b, row)); end == schema.CallGap || end == schema.CallOpen {
		x.Unended++
		return nil
	}
	d := durations.One{
		durations.InCycles:       read.Null(b, row, schema.ExceptionSpansCycles),
		durations.InTicks:        read.Null(b, row, schema.ExceptionSpansTicks),
		durations.InInstructions: read.Null(b, row, schema.ExceptionSpansInstructions),
	}
	if !d.Possible() {
		return fmt.Errorf("span %d took what no trace can have", int64(schema.ExceptionSpansSpan.At(b, row)))
	}
	x.Add(&d, at, false)
	return nil
}

// ReadEntries returns the exceptions of datasets that do not say how long they took: only how
// often each was entered.
func ReadEntries(dirs []string, test string) (*Table, error) {
	open, err := read.OpenAny(dirs, test)
	defer read.Close(open)
	if err != nil {
		return nil, err
	}
	x, index := &Table{}, read.Index[kind]{}
	for _, d := range open {
		for i := range d.Manifest.Sources {
			if err := x.readEntries(d, &d.Manifest.Sources[i], index); err != nil {
				return nil, err
			}
		}
	}
	x.conclude()
	return x, nil
}

// readEntries adds the exceptions that a source entered.
func (x *Table) readEntries(d *dataset.Dataset, s *schema.SourceTotals, index read.Index[kind]) error {
	return read.EachBatch(d, &schema.Exceptions, s.Source, func(b *schema.Batch) error {
		kinds := map[int64]kind{}
		readKinds(b, s.Core, kinds)
		for _, of := range kinds {
			x.row(of, index).Entries++
			x.Entries++
		}
		return nil
	})
}
