package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/cmd/tracelake/internal/table"
	"github.com/tracelake/tracelake/pipeline/convert"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
)

func disasmCommand() *cli.Command {
	return &cli.Command{
		Name:      "disasm",
		Usage:     "show what each instruction of a function took",
		UsageText: "tracelake report disasm DIR... --function NAME [flags]",
		Description: `Each instruction is under the source line it is of, with kind, target and
opcode, but no mnemonic. PASSED and FAILED are outcomes of conditional
instructions: of branches, taken and not taken. UNKNOWN is how often the trace
does not say. Cycles between two counts are shared equally among the
instructions; EACH is the mean of an execution. Bars are of cycles, or of
executions where not all that ran has cycles.

Examples:
   tracelake report disasm run --function quicksort
   tracelake report disasm run --function 0x4000859c --source-root src`,
		Flags:  slices.Concat(datasetFlags(true), selectionFlags(), pathFlags(), []cli.Flag{jsonFlag()}, screenFlags()),
		Action: disasm,
	}
}

// disasmArgs are the command line of report disasm.
type disasmArgs struct {
	*reportArgs
	paths convert.Paths
}

func readDisasm(ctx *cli.Context) (*disasmArgs, error) {
	a := &disasmArgs{}
	if len(ctx.StringSlice("function"))+len(ctx.StringSlice("file")) == 0 {
		return nil, usage(fullName(ctx.Command), "needs --function NAME or --file NAME", "report hotspots lists functions")
	}
	var err error
	if a.reportArgs, err = readReport(ctx, ""); err != nil {
		return nil, err
	}
	a.paths, err = readPaths(ctx)
	return a, err
}

func disasm(ctx *cli.Context) error {
	a, err := readDisasm(ctx)
	if err != nil {
		return err
	}
	q, err := a.ask(ctx)
	if err != nil {
		return err
	}
	listings := q.m.Listings()
	text := newSourceText(a.paths)
	return q.write(ctx, answer.Disasm(q.head("disasm"), listings, text.line), func(s *screen) {
		for i := range listings {
			s.listing(&listings[i], text)
		}
		s.missing(text.missing(), len(text.files))
	})
}

// listing writes the instructions of a function.
func (s *screen) listing(l *report.Listing, text *sourceText) {
	s.blank()
	s.line("%s", listingHead(l))
	columns := s.listingColumns(l)
	t := &table.Table{Columns: []table.Column{{Title: "ADDRESS", Kind: table.Main}, {Kind: table.Share}}}
	for _, c := range columns {
		t.Columns = append(t.Columns, table.Column{Title: c.title, Kind: c.kind})
	}
	n, hottest := newNamer(filesOf(l)), 0.0
	for i := range l.Rows {
		hottest = max(hottest, l.Heat(&l.Rows[i]))
	}
	for i := range l.Rows {
		r := &l.Rows[i]
		switch {
		case i > 0 && r.File == l.Rows[i-1].File && r.Line == l.Rows[i-1].Line:
		case r.File != "":
			t.Line(placeLine(n, &report.Name{File: r.File, Line: r.Line}, text))
		case i > 0:
			t.Line(answer.NoLine)
		}
		cells := []string{answer.Hex(r.Address)}
		for _, c := range columns {
			cells = append(cells, c.cell(r))
		}
		t.Add(table.Bar{Full: l.Heat(r), Whole: hottest}, cells...)
	}
	s.table(t)
}

// A listingColumn is a column of what is known of an instruction.
type listingColumn struct {
	title string
	kind  table.Kind
	cell  func(*report.ListingRow) string
}

// listingColumns returns the columns that the trace has figures for, the most important
// first. Outcomes are those of instructions that have a choice.
func (s *screen) listingColumns(l *report.Listing) []listingColumn {
	outcome := func(n func(*report.ListingRow) int64) func(*report.ListingRow) string {
		return func(r *report.ListingRow) string {
			switch {
			case !r.Conditional && r.Failed == 0:
				return ""
			case r.Executed+r.Failed == 0 && r.Unknown > 0:
				return s.None()
			}
			return thousands(n(r))
		}
	}
	columns := []listingColumn{
		{"TIMES", table.Main, func(r *report.ListingRow) string { return thousands(r.Executions()) }},
		{"PASSED", table.Number, outcome(func(r *report.ListingRow) int64 { return r.Executed })},
		{"FAILED", table.Number, outcome(func(r *report.ListingRow) int64 { return r.Failed })},
	}
	if l.Cycles > 0 {
		columns = append(columns,
			listingColumn{
				"CYCLES", table.Number,
				s.ifCost(func(r *report.ListingRow) string { return thousands(int64(math.Round(r.Cycles))) }),
			},
			listingColumn{
				"EACH", table.Number,
				s.ifCost(func(r *report.ListingRow) string { return fmt.Sprintf("%.1f", r.CyclesEach()) }),
			})
	}
	return append(columns,
		listingColumn{"KIND", table.Remark, kindText},
		listingColumn{"OPCODE", table.Spare, func(r *report.ListingRow) string { return answer.Opcode(r.Opcode, r.Size) }},
		listingColumn{"UNKNOWN", table.Spare, func(r *report.ListingRow) string {
			if !r.Conditional {
				return ""
			}
			return thousands(r.Unknown)
		}})
}

// ifCost writes a cell only for rows that have cycles.
func (s *screen) ifCost(cell func(*report.ListingRow) string) func(*report.ListingRow) string {
	return func(r *report.ListingRow) string {
		if r.Cycles == 0 {
			return s.None()
		}
		return cell(r)
	}
}

// kindText is the kind of an instruction, with the target of a direct branch.
func kindText(r *report.ListingRow) string {
	if r.Target.OK {
		return r.Kind.String() + " " + answer.Hex(r.Target.V)
	}
	return r.Kind.String()
}

// listingHead names a function and says what it took.
func listingHead(l *report.Listing) string {
	text := l.Function
	if l.Core != "" {
		text = l.Core + ": " + text
	}
	text += " at " + answer.Hex(l.Address) + ": " + count(l.Instructions, "instruction") + " executed"
	if l.Cycles > 0 {
		text += ", " + count(int64(math.Round(l.Cycles)), "cycle")
	}
	return text
}

// filesOf are the names of the files of a listing.
func filesOf(l *report.Listing) []report.Name {
	var names []report.Name
	for i := range l.Rows {
		names = append(names, report.Name{File: l.Rows[i].File})
	}
	return names
}
