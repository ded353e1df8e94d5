// Package exceptions says how often exceptions were entered, and how long they took.
//
// Its API is not stable (docs/guide/library.md).
package exceptions

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
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
}

// A kind is what a row is of.
type kind struct {
	core string
	read.Exception
}

// Read returns the exceptions of datasets. It fails with a [*dataset.Error] if one
// has no `exceptions` or `exception_spans`.
func Read(dirs []string, test string) (*Table, error) {
	x := &Table{}
	index := read.Index[kind]{}
	err := read.EachSource(dirs, test, &schema.ExceptionSpans, func(d *dataset.Dataset, s *schema.SourceTotals) error {
		if err := read.Need(d, &schema.Exceptions); err != nil {
			return err
		}
		kinds := map[int64]kind{} // by ordinal
		err := read.EachBatch(d, &schema.Exceptions, s.Source, func(b *schema.Batch) error {
			readKinds(b, s.Core, kinds)
			return nil
		})
		if err != nil {
			return err
		}
		return read.EachBatch(d, &schema.ExceptionSpans, s.Source, func(b *schema.Batch) error {
			for row := range b.Rows() {
				ordinal := int64(schema.ExceptionSpansOrdinal.At(b, row))
				of, ok := kinds[ordinal]
				if !ok {
					of = kind{core: s.Core}
				}
				x.Entries++
				at := read.Place{
					Dir: d.Dir, Source: s.Source, Seq: int64(schema.ExceptionSpansSeq.At(b, row)),
					Row: schema.Null[int64]{V: ordinal, OK: ok},
				}
				if err := x.row(of, index).addSpan(b, row, at); err != nil {
					return err
				}
			}
			return nil
		})
	})
	x.conclude()
	return x, err
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
