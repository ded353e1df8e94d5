package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Exceptions are how often exceptions were entered, and how long they took.
type Exceptions struct {
	Entries int64
	Rows    []ExceptionRow // those entered most often first
}

// An ExceptionRow is the exceptions of a type and number on a core.
type ExceptionRow struct {
	Core    string
	Type    schema.Null[schema.ExceptionType]
	Number  schema.Null[uint16]
	Entries int64
	Unended int64 // whose end was not seen
	Durations
}

// String is its type and number.
func (x *ExceptionRow) String() string { return exceptionText(x.Type, x.Number) }

// exceptionKey is what a row is of.
type exceptionKey struct {
	core   string
	kind   schema.Null[schema.ExceptionType]
	number schema.Null[uint16]
}

// ReadExceptions returns the exceptions of datasets. It fails with a [*dataset.Error] if one
// has no `exceptions` or `exception_spans`.
func ReadExceptions(dirs []string, test string) (*Exceptions, error) {
	x := &Exceptions{}
	index := map[exceptionKey]int{}
	err := read.EachSource(dirs, test, &schema.ExceptionSpans, func(d *dataset.Dataset, s *schema.SourceTotals) error {
		if err := read.Need(d, &schema.Exceptions); err != nil {
			return err
		}
		kinds := map[int64]exceptionKey{} // by ordinal
		err := read.EachBatch(d, &schema.Exceptions, s.Source, func(b *schema.Batch) error {
			readKinds(b, s.Core, kinds)
			return nil
		})
		if err != nil {
			return err
		}
		return read.EachBatch(d, &schema.ExceptionSpans, s.Source, func(b *schema.Batch) error {
			for row := range b.Rows() {
				key, ok := kinds[int64(schema.ExceptionSpansOrdinal.At(b, row))]
				if !ok {
					key = exceptionKey{core: s.Core}
				}
				x.Entries++
				if err := x.row(key, index).addSpan(b, row, Place{d.Dir, s.Source, int64(schema.ExceptionSpansSeq.At(b,
					row))}); err != nil {
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
func (x *Exceptions) row(key exceptionKey, index map[exceptionKey]int) *ExceptionRow {
	i, ok := index[key]
	if !ok {
		i = len(x.Rows)
		index[key] = i
		x.Rows = append(x.Rows, ExceptionRow{Core: key.core, Type: key.kind, Number: key.number})
	}
	return &x.Rows[i]
}

// conclude works out figures and puts the rows in order.
func (x *Exceptions) conclude() {
	for i := range x.Rows {
		x.Rows[i].conclude()
	}
	slices.SortFunc(x.Rows, func(a, b ExceptionRow) int {
		return cmp.Or(cmp.Compare(b.Entries, a.Entries), cmp.Compare(one(!a.Type.OK), one(!b.Type.OK)),
			cmp.Compare(a.Type.V, b.Type.V), cmp.Compare(a.Number.V, b.Number.V), cmp.Compare(a.Core, b.Core))
	})
}

// readKinds reads type and number of exceptions that were entered.
func readKinds(b *schema.Batch, core string, to map[int64]exceptionKey) {
	for row := range b.Rows() {
		if schema.ExceptionEvent(schema.ExceptionsEvent.At(b, row)) != schema.ExceptionEntry {
			continue
		}
		key := exceptionKey{core: core}
		key.kind, key.number = read.Exception(b, row, schema.ExceptionsType, schema.ExceptionsNumber)
		to[int64(schema.ExceptionsOrdinal.At(b, row))] = key
	}
}

// addSpan adds a row of `exception_spans`.
func (x *ExceptionRow) addSpan(b *schema.Batch, row int, at Place) error {
	x.Entries++
	if end := schema.CallEnd(schema.ExceptionSpansEnd.At(b, row)); end == schema.CallGap || end == schema.CallOpen {
		x.Unended++
		return nil
	}
	d := Duration{
		InCycles: read.Null(b, row, schema.ExceptionSpansCycles), InTicks: read.Null(b, row, schema.ExceptionSpansTicks),
		InInstructions: read.Null(b, row, schema.ExceptionSpansInstructions),
	}
	if !d.possible() {
		return fmt.Errorf("span %d took what no trace can have", int64(schema.ExceptionSpansSpan.At(b, row)))
	}
	x.add(&d, at)
	return nil
}
