package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/diff"
)

func verifyCommand() *cli.Command {
	return &cli.Command{
		Name:      "verify",
		Usage:     "compares a dataset with the truth, row by row",
		UsageText: "tracelake verify DATASET --truth DIR",
		Description: `Every table of the truth, which is a dataset too, is compared: all columns but
names that the capture gives to things, and hashes of files. A dataset of blocks
is compared as the rows that its view makes of them. The first ten differences
are shown; if there are any, the exit status is 3.

Examples:
   tracelake verify run1 --truth synth/truth
   tracelake verify run-new --truth run-old`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "truth", Category: groupInput, Usage: "compare with the dataset in `DIR`; required"},
		},
		Action: verify,
	}
}

// errDifferent says that a dataset is not as the truth.
var errDifferent = errors.New("the dataset differs from the truth")

func verify(ctx *cli.Context) error {
	dir, truthDir, err := readVerify(ctx)
	if err != nil {
		return err
	}
	d, err := dataset.Open(dir)
	if err != nil {
		return err
	}
	truth, err := dataset.Open(truthDir)
	if err != nil {
		return err
	}
	v, err := diff.Compare(ctx.Context, d, truth)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(ctx.App.Writer, verificationText(v)); err != nil {
		return err
	}
	if !v.Equal() {
		return errDifferent
	}
	return nil
}

// readVerify reads the command line of verify.
func readVerify(ctx *cli.Context) (dir, truth string, err error) {
	switch n := ctx.NArg(); {
	case n == 0:
		return "", "", usage("verify", "needs a DATASET, a directory that export wrote", seeHelp(ctx.Command))
	case n > 1:
		return "", "", usage("verify", fmt.Sprintf("takes one DATASET, but is given %d: %s", n, strings.Join(ctx.Args().Slice(), ", ")), seeHelp(ctx.Command))
	}
	dir, truth = ctx.Args().First(), ctx.String("truth")
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		// Whatever else is wrong with the command line.
		return "", "", &missingError{dir, "give a directory that export wrote"}
	}
	if truth == "" {
		return "", "", usage("verify", "needs --truth DIR, the dataset to compare with", seeHelp(ctx.Command))
	}
	return dir, truth, nil
}

// verificationText says what a comparison came to.
func verificationText(v *diff.Result) string {
	b := &strings.Builder{}
	var rows, differences, tables int64
	for i := range v.Tables {
		t := &v.Tables[i]
		differences += t.Differences()
		rows += t.Compared
		if !t.Lacking {
			tables++
		}
	}
	if differences == 0 {
		fmt.Fprintf(b, "%s of %s compared: no difference\n", count(rows, "row"), count(tables, "table"))
		if rows == 0 {
			b.WriteString("the truth has no rows: this says nothing about the dataset\n")
		}
		return b.String()
	}
	for i := range v.Differences {
		writeDifference(b, &v.Differences[i], i == 0 || v.Differences[i-1].Table != v.Differences[i].Table)
	}
	fmt.Fprintf(b, "\n%s of %s compared: %s\n\n", count(rows, "row"), count(tables, "table"), count(differences, "difference"))
	fmt.Fprintf(b, "%-14s %15s %15s %12s %12s\n", "table", "compared", "different", "missing", "extra")
	for i := range v.Tables {
		writeTableVerification(b, &v.Tables[i])
	}
	return b.String()
}

// writeDifference writes a line for a difference; of the first of a table, the
// whole row as well.
func writeDifference(b *strings.Builder, d *diff.Difference, first bool) {
	where := d.Table
	if d.Source.OK {
		where += ", source " + schema.SourceText(d.Source.V)
	}
	if d.Seq.OK {
		where += fmt.Sprintf(", seq %d", d.Seq.V)
	}
	if d.ByteOffset.OK {
		where += fmt.Sprintf(", byte_offset 0x%x", d.ByteOffset.V)
	}
	switch d.Kind {
	case diff.CellDiffers:
		fmt.Fprintf(b, "%s: %s is %s, and should be %s\n", where, d.Column, d.Dataset, d.Truth)
		if first {
			fmt.Fprintf(b, "   the row should be %s\n", d.Row)
		}
	case diff.RowMissing:
		fmt.Fprintf(b, "%s: the row is missing: %s\n", where, d.Truth)
	case diff.RowExtra:
		fmt.Fprintf(b, "%s: the row should not be there: %s\n", where, d.Dataset)
	case diff.TableLacking:
		fmt.Fprintf(b, "%s: the dataset does not have this table, of which the truth has rows; %s\n", where, howWritten(d.Table))
	}
}

// howWritten says how export comes to write a table.
func howWritten(name string) string {
	t := schema.FindTable(name)
	switch {
	case t.Level != schema.AnyLevel:
		return fmt.Sprintf("it is written with --level %s, without --tables", t.Level)
	case t.Written == schema.OnRequest:
		return "it is written with --tables all"
	}
	return "it is written without --tables"
}

// writeTableVerification writes the counts of a table, and what it differs in.
func writeTableVerification(b *strings.Builder, t *diff.Table) {
	if t.Lacking {
		fmt.Fprintf(b, "%-14s lacking, %s in the truth\n", t.Table, count(t.TruthRows, "row"))
		return
	}
	fmt.Fprintf(b, "%-14s %15s %15s %12s %12s", t.Table, thousands(t.Compared), thousands(t.Differing), thousands(t.Missing), thousands(t.Extra))
	var columns []string
	for name := range t.Columns {
		columns = append(columns, name)
	}
	slices.SortFunc(columns, func(a, c string) int {
		if n := t.Columns[c] - t.Columns[a]; n != 0 {
			return int(n)
		}
		return strings.Compare(a, c)
	})
	for i, name := range columns {
		columns[i] = fmt.Sprintf("%s %s", name, thousands(t.Columns[name]))
	}
	if len(columns) > 0 {
		fmt.Fprintf(b, "   %s", strings.Join(columns, ", "))
	}
	if t.AsView {
		b.WriteString("   (as the view of blocks)")
	}
	b.WriteString("\n")
}
