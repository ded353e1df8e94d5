// Package exceptions says how often exceptions were entered, and how long they took.
//
// Its API is not stable (docs/guide/library.md).
package exceptions

import (
	"cmp"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
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
	// Levels are the exception levels of their handlers, as far as the trace has them: bit 0 is EL0.
	Levels uint8
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

// row returns the row of a type and number on a core, which it adds if need be.
func (x *Table) row(of kind, index read.Index[kind]) *Row {
	i, isNew := index.Of(of)
	if isNew {
		x.Rows = append(x.Rows, Row{Core: of.core, Exception: of.Exception})
	}
	return &x.Rows[i]
}

// An entry is an exception that was entered.
type entry struct {
	kind
	levels uint8 // as in Row, of it alone
}

// add returns the row of an entry, which it takes the level of the handler from.
func (x *Table) add(of entry, index read.Index[kind]) *Row {
	row := x.row(of.kind, index)
	row.Levels |= of.levels
	return row
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
