package exceptions

import (
	"fmt"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Read returns the exceptions in the datasets of m, which have to be those in dirs. It fails with a [*dataset.Error]
// if one has no `exceptions` or `exception_spans`; without `stacks` it is not known what ran in them.
func Read(m *report.Merged, dirs []string, test string) (*Table, error) {
	r := &reader{index: read.Index[kind]{}, handled: newHandled(m)}
	err := read.EachSource(dirs, test, &schema.ExceptionSpans, func(d *dataset.Dataset, s *schema.SourceTotals) error {
		if err := read.Need(d, &schema.Exceptions); err != nil {
			return err
		}
		return r.source(d, s)
	})
	r.handled.share(r.Rows)
	r.conclude()
	return &r.Table, err
}

// A reader reads exceptions.
type reader struct {
	Table
	index   read.Index[kind]
	handled *handled
}

// source adds the exceptions of a source.
func (r *reader) source(d *dataset.Dataset, s *schema.SourceTotals) error {
	kinds := map[int64]entry{} // by ordinal
	err := read.EachBatch(d, &schema.Exceptions, s.Source, func(b *schema.Batch) error {
		readEntered(b, s.Core, kinds)
		return nil
	})
	if err != nil {
		return err
	}
	tree, err := r.handled.readTree(d, s)
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
				of.core = s.Core
			}
			x.kind = of.kind
			place.Seq, place.Row = x.seq, schema.Null[int64]{V: x.ordinal, OK: ok}
			r.Entries++
			if err := r.add(of, r.index).addSpan(b, row, place); err != nil {
				return err
			}
			spans = append(spans, x)
		}
		return nil
	})
	if tree != nil && err == nil {
		nest(spans, tree, func(of kind) *Row { return r.row(of, r.index) })
	}
	return err
}

// readEntered reads exceptions that were entered. Without its target nothing of a handler was traced.
func readEntered(b *schema.Batch, core string, to map[int64]entry) {
	for row := range b.Rows() {
		if schema.ExceptionEvent(schema.ExceptionsEvent.At(b, row)) != schema.ExceptionEntry {
			continue
		}
		x := entry{kind: kind{core, read.ExceptionAt(b, row, schema.ExceptionsType, schema.ExceptionsNumber)}}
		if !b.Columns[schema.ExceptionsExceptionLevel].Null(row) && !b.Columns[schema.ExceptionsTarget].Null(row) {
			x.levels = 1 << schema.ExceptionsExceptionLevel.At(b, row)
		}
		to[int64(schema.ExceptionsOrdinal.At(b, row))] = x
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
		entries := map[int64]entry{}
		readEntered(b, s.Core, entries)
		for _, of := range entries {
			x.add(of, index).Entries++
			x.Entries++
		}
		return nil
	})
}
