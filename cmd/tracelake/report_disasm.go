package main

import (
	"math"
	"slices"

	"github.com/urfave/cli/v2"

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
		Action: acting(readDisasm, disasm),
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

func disasm(ctx *cli.Context, a *disasmArgs) error {
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
	n, x := newNamer(filesOf(l)), answer.Listing(l, text.line)
	x.Heading = func(i int) string {
		r := &l.Rows[i]
		switch {
		case i > 0 && r.File == l.Rows[i-1].File && r.Line == l.Rows[i-1].Line:
			return ""
		case r.File != "":
			return placeLine(n, &report.Name{File: r.File, Line: r.Line}, text)
		case i > 0:
			return answer.NoLine
		}
		return ""
	}
	s.section(x)
}

// listingHead names a function and says what it took.
func listingHead(l *report.Listing) string {
	text := l.Function
	if l.Core != "" {
		text = l.Core + ": " + text
	}
	text += " at " + l.Address.Hex() + ": " + count(l.Instructions, "instruction") + " executed"
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
