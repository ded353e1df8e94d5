package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/cmd/tracelake/internal/table"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

func pruneCommand() *cli.Command {
	return &cli.Command{
		Name:      "prune",
		Usage:     "delete raw rows of a dataset, keep its summaries",
		UsageText: "tracelake prune DIR --level none|blocks",
		Description: `Raw rows are deleted: those of executed instructions that export --level LEVEL
does not write, packets, and counts of cycles. Summaries stay: counts, call
stacks, calls, exceptions, losses, sources and the program. Only the capture
brings the rows back. To keep blocks, a dataset must have them.

An interruption never damages DIR: it is the old dataset or the new one.

Examples:
   tracelake prune run1 --level none
   tracelake prune run1 --level blocks`,
		Flags: []cli.Flag{
			groupOutput.string("level",
				"keep `LEVEL` none, what was counted; or blocks, a row for each straight run, too; required"),
		},
		Action: prune,
	}
}

func prune(ctx *cli.Context) error {
	dir, level, err := readPrune(ctx)
	if err != nil {
		return err
	}
	p, err := dataset.Prune(ctx.Context, dir, level)
	if err != nil {
		return err
	}
	_, err = io.WriteString(ctx.App.ErrWriter, prunedText(dir, p))
	return err
}

// readPrune reads the command line of prune.
func readPrune(ctx *cli.Context) (dir string, level schema.Level, err error) {
	if dir, err = dirArgument(ctx, "a directory that export wrote", "give a directory that export wrote"); err != nil {
		return "", 0, err
	}
	switch name := ctx.String("level"); name {
	case "":
		return "", 0, usage("prune", "needs --level LEVEL",
			"give --level none, which keeps what was counted, or --level blocks")
	case schema.LevelNone.String():
		return dir, schema.LevelNone, nil
	case schema.LevelBlocks.String():
		return dir, schema.LevelBlocks, nil
	default:
		return "", 0, usage("--level "+name, "is not a level to prune to", "levels are none and blocks")
	}
}

// prunedText says what was deleted, and what can be asked of the rest.
func prunedText(dir string, p *dataset.Pruned) string {
	if len(p.Dropped) == 0 {
		return fmt.Sprintf("%s is of level %s already: nothing to delete\n", dir, p.From)
	}
	files, bytes := 0, int64(0)
	for _, f := range p.Left.Tables {
		files, bytes = files+len(f.Parts), bytes+f.Bytes
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s: deleted %s, %s; %s are kept\n", dir, count(p.Rows, "row"), count(p.Bytes, "byte"),
		count(bytes, "byte"))
	for _, line := range []struct{ head, words string }{
		{"deleted", strings.Join(tableNamesOf(p.Dropped), ", ")},
		{"kept", fmt.Sprintf("%s of %s", count(int64(files), "file"), count(int64(len(p.Left.Tables)), "table"))},
		{"answered", "report " + strings.Join(answering(p), ", ") + "; convert; sql over the tables that are kept"},
		{"not any more", strings.Join(unanswered(p), ", ") + "; export the capture again for them"},
	} {
		const indent = 17
		for i, words := range table.Wrap(line.words, helpColumns-indent) {
			if i > 0 {
				line.head = ""
			}
			fmt.Fprintf(&text, "   %-*s%s\n", indent-3, line.head, words)
		}
	}
	return text.String()
}

func tableNamesOf(tables []*schema.Table) []string {
	var names []string
	for _, t := range tables {
		names = append(names, t.Name)
	}
	return names
}

// answering are the reports over datasets that answer what is left of one.
func answering(p *dataset.Pruned) []string {
	var names []string
	for _, c := range reportCommand().Subcommands {
		switch {
		case c.Name == "quality": // of captures
		case c.Name == "last" && p.To == schema.LevelNone:
			names = append(names, "last (from the capture, if it is where it was)")
		default:
			names = append(names, c.Name)
		}
	}
	return names
}

// unanswered is what only the tables that were dropped answer.
func unanswered(p *dataset.Pruned) []string {
	var what []string
	if p.To != p.From {
		what = append(what, "the view instructions", "verify --truth of single instructions")
	}
	if slices.Contains(p.Dropped, &schema.Packets) {
		what = append(what, "the view packets")
	}
	return what
}
