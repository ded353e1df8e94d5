package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/keep"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/pipeline/keep/archive"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/diff"
)

func verifyCommand() *cli.Command {
	return &cli.Command{
		Name:      "verify",
		Usage:     "check that a dataset or archive is as it was written",
		UsageText: "tracelake verify DIR [--truth DIR | --capture INPUT [flags]]",
		Description: `The dataset in DIR is read as a whole: the hash of each file, the list of files,
the rows of each table, and whether bytes, segments, losses, counts and stacks
add up. What is wrong is listed, the worst first; then the exit status is 3. Of
an archive every file is read, and the trace is unpacked.

With --truth, the truth is checked as well, which is a dataset too, and then
every table of it is compared: all columns but names that the capture gives to
things, and hashes of files. Tables and columns that the truth does not have are
named, and left out. A dataset of blocks is compared as the rows that its view
makes of them. The first ten differences are shown; if there are any, the exit
status is 3.

With --capture, INPUT is decoded again, with the options that DIR records, and
compared likewise: a capture, or an archive, which may be DIR itself. Of a
dataset the program is given again, as at export. It needs free space
for another dataset in TMPDIR.

Examples:
   tracelake verify run1
   tracelake verify run1 --truth synth/truth
   tracelake verify run-new --truth run-old
   tracelake verify run.tla --capture run.tla
   tracelake verify run1 --capture etb.bin -e firmware.elf`,
		Flags: slices.Concat([]cli.Flag{
			groupInput.string("truth", "compare with the dataset in `DIR`"),
			groupInput.string("capture", "decode `INPUT` again, and compare"),
		}, inputFlags(), memoryFlags(), []cli.Flag{symbolsFlag(), storeFlag(), jobsFlag("decode on `N` cores")}),
		Action: acting(readVerify, verify),
	}
}

// Why verify exits with 3.
var (
	errDifferent = errors.New("the dataset differs from the truth")
	errDamaged   = errors.New("is not as it was written")
	errUndecoded = errors.New("is not what the capture decodes to")
)

func verify(ctx *cli.Context, args *verifyArgs) error {
	report, err := check(ctx, args.dir)
	switch {
	case err != nil:
		return err
	case args.capture != "":
		return decodeAgain(ctx, args)
	case args.truth == "":
		_, err := io.WriteString(ctx.App.Writer, reportText(report))
		return err
	}
	if _, err := check(ctx, args.truth); err != nil {
		return err
	}
	return compare(ctx, args.dir, args.truth)
}

// check checks a dataset, and lists what is wrong with it.
func check(ctx *cli.Context, dir string) (*dataset.Report, error) {
	p := progressOn(ctx.App.ErrWriter, "checking "+filepath.Base(dir))
	var r *dataset.Report
	var err error
	if archive.Is(dir) {
		r, err = archive.Check(ctx.Context, dir, ctx.String("images"), p.set)
	} else {
		r, err = dataset.Check(ctx.Context, dir, p.set)
	}
	p.clear()
	if err != nil || len(r.Problems) == 0 {
		return r, err
	}
	for _, p := range r.Problems {
		if _, err := fmt.Fprintln(ctx.App.Writer, p); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s: %w: %s", dir, errDamaged, count(int64(len(r.Problems)), "problem"))
}

// reportText says what was checked.
func reportText(r *dataset.Report) string {
	var text strings.Builder
	if r.Older {
		fmt.Fprintf(&text, "%s of %s are as they were written (%s bytes)\n", count(int64(r.Files), "file"),
			count(int64(r.Tables), "table"), thousands(r.Bytes))
	} else {
		fmt.Fprintf(&text, "%s and %s of %s are as they were written (%s bytes); bytes, segments and losses add up\n",
			count(int64(r.Files), "file"), count(r.Rows, "row"), count(int64(r.Tables), "table"), thousands(r.Bytes))
	}
	for _, what := range r.Unchecked {
		text.WriteString("not checked: " + what + "\n")
	}
	return text.String()
}

// compare compares a dataset with the truth, and says what differs.
func compare(ctx *cli.Context, dir, truthDir string) error {
	d, err := dataset.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	truth, err := dataset.Open(truthDir)
	if err != nil {
		return err
	}
	defer truth.Close()
	p := rowsOn(ctx.App.ErrWriter, "comparing")
	v, err := diff.Compare(ctx.Context, d, truth, p.set)
	p.clear()
	if err != nil {
		return err
	}
	if _, err := io.WriteString(ctx.App.Writer, verificationText(v, &ofTruth)+leftOutText(&v.LeftOut,
		&ofTruth)); err != nil {
		return err
	}
	if !v.Equal() {
		return errDifferent
	}
	return nil
}

// verifyArgs is what a command line of verify says.
type verifyArgs struct {
	dir, truth, capture string // "": not given
	again               keep.VerifyOptions
}

// readVerify reads the command line of verify.
func readVerify(ctx *cli.Context) (*verifyArgs, error) {
	dir, err := dirArgument(ctx, "a directory that export wrote", "give a directory that export wrote")
	if err != nil {
		return nil, err
	}
	args := &verifyArgs{dir: dir, truth: ctx.String("truth"), capture: ctx.String("capture")}
	switch {
	case ctx.IsSet("truth") && args.truth == "":
		return nil, usage("--truth", "is without a directory", "write --truth DIR, the dataset to compare with")
	case ctx.IsSet("truth") && ctx.IsSet("capture"):
		return nil, usage("--capture", "is given beside --truth", "compare with one after the other")
	case ctx.IsSet("capture"):
		return args, readAgain(ctx, args)
	}
	for _, flag := range ctx.Command.Flags {
		name := flag.Names()[0]
		alone := name == "truth" || name == "help" || name == "images" && archive.Is(args.dir)
		if !alone && ctx.IsSet(name) {
			return nil, usage("--"+name, "is given without --capture", "write --capture INPUT, or leave it out")
		}
	}
	return args, nil
}

// A wording is how differences are put. In formats the first value is of the dataset that
// is compared, the second one of the truth.
type wording struct {
	truth                string
	cell, row            string
	rowMissing, rowExtra string
	missing, extra       string // heads of columns
}

var ofTruth = wording{
	truth: "the truth", cell: "%s is %s, and should be %s", row: "the row should be",
	rowMissing: "the row is missing", rowExtra: "the row should not be there", missing: "missing", extra: "extra",
}

// verificationText says what a comparison came to.
func verificationText(v *diff.Result, words *wording) string {
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
			b.WriteString(words.truth + " has no rows: this says nothing about the dataset\n")
		}
		return b.String()
	}
	for i := range v.Differences {
		writeDifference(b, words, &v.Differences[i], i == 0 || v.Differences[i-1].Table != v.Differences[i].Table)
	}
	fmt.Fprintf(b, "\n%s of %s compared: %s\n\n", count(rows, "row"), count(tables, "table"),
		count(differences, "difference"))
	fmt.Fprintf(b, "%-15s %15s %15s %12s %12s\n", "table", "compared", "different", words.missing, words.extra)
	for i := range v.Tables {
		writeTableVerification(b, &v.Tables[i])
	}
	return b.String()
}

// leftOutText says what was not compared, in a line; "" if nothing is.
func leftOutText(l *diff.LeftOut, words *wording) string {
	var parts []string
	if len(l.Tables) > 0 {
		parts = append(parts, "tables "+strings.Join(l.Tables, ", "))
	}
	for _, x := range l.Columns {
		parts = append(parts, "columns "+strings.Join(x.Columns, ", ")+" of "+x.Table)
	}
	if l.Images {
		parts = append(parts, "rows of images that are of program files")
	}
	text := ""
	if len(parts) > 0 {
		text = "left out, as " + words.truth + " does not have them: " + strings.Join(parts, "; ") + "\n"
	}
	if l.Offsets {
		text += "left out, as a block has only that of its first sample: byte_offset of instructions\n"
	}
	if len(l.Unknown) > 0 {
		text += "left out, as this program does not know them: tables " + strings.Join(l.Unknown, ", ") + "\n"
	}
	return text
}

// writeDifference writes a line for a difference; of the first of a table, the
// whole row as well.
func writeDifference(b *strings.Builder, words *wording, d *diff.Difference, first bool) {
	where := d.Table
	if d.Source.OK {
		where += ", source " + schema.SourceText(d.Source.V)
	}
	if d.Key != "" {
		where += ", " + d.Key
	}
	if d.Seq.OK {
		where += fmt.Sprintf(", seq %d", d.Seq.V)
	}
	if d.ByteOffset.OK {
		where += fmt.Sprintf(", byte_offset 0x%x", d.ByteOffset.V)
	}
	switch d.Kind {
	case diff.CellDiffers:
		fmt.Fprintf(b, "%s: "+words.cell+"\n", where, d.Column, d.Dataset, d.Truth)
		if first {
			fmt.Fprintf(b, "   "+words.row+" %s\n", d.Row)
		}
	case diff.RowMissing:
		fmt.Fprintf(b, "%s: "+words.rowMissing+": %s\n", where, d.Truth)
	case diff.RowExtra:
		fmt.Fprintf(b, "%s: "+words.rowExtra+": %s\n", where, d.Dataset)
	case diff.TableLacking:
		fmt.Fprintf(b, "%s: the dataset does not have this table, of which the truth has rows; %s\n", where,
			howWritten(d.Table))
	}
}

// howWritten says how export wrote a table.
func howWritten(name string) string {
	t := schema.FindTable(name)
	switch {
	case t.Level != schema.AnyLevel:
		return fmt.Sprintf("it is written with --level %s, without --tables", t.Level)
	case t.Written == schema.OnRequest, t.Written == schema.WithRows:
		return "it is written with --tables +" + name
	}
	return "it is written without --tables"
}

// writeTableVerification writes the counts of a table, and what it differs in.
func writeTableVerification(b *strings.Builder, t *diff.Table) {
	if t.Lacking {
		fmt.Fprintf(b, "%-15s lacking, %s in the truth\n", t.Table, count(t.TruthRows, "row"))
		return
	}
	fmt.Fprintf(b, "%-15s %15s %15s %12s %12s", t.Table, thousands(t.Compared), thousands(t.Differing),
		thousands(t.Missing), thousands(t.Extra))
	columns := slices.SortedFunc(maps.Keys(t.Columns), func(a, c string) int {
		return cmp.Or(cmp.Compare(t.Columns[c], t.Columns[a]), strings.Compare(a, c))
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

// ofCapture puts differences of what a capture decodes to from the dataset that was kept.
var ofCapture = wording{
	truth: "the dataset", cell: "%[2]s decodes to %[3]s, the dataset has %[4]s", row: "the row of the dataset is",
	rowMissing: "the capture does not decode to this row", rowExtra: "the dataset does not have this row", missing: "kept",
	extra: "decoded",
}

// readAgain reads what --capture needs.
func readAgain(ctx *cli.Context, args *verifyArgs) (err error) {
	switch args.capture {
	case "":
		return usage("--capture", "is without an input", "write --capture INPUT, a capture or an archive")
	case capture.Stdin:
		return usage("--capture -", "cannot be standard input", "give a file")
	}
	args.again = keep.VerifyOptions{Capture: captureOptions(ctx), Tool: tool()}
	args.again.Workers, err = jobs(ctx)
	return err
}

// decodeAgain decodes a capture again, and says what differs.
func decodeAgain(ctx *cli.Context, args *verifyArgs) error {
	stderr := ctx.App.ErrWriter
	defer showUnpacking(stderr, &args.again.Capture)()
	decoding, comparing := progressOn(stderr, "decoding "+filepath.Base(args.capture)), rowsOn(stderr, "comparing")
	defer decoding.clear()
	defer comparing.clear()
	args.again.Progress = decoding.show
	args.again.Comparing = func(done, total int64) {
		decoding.clear()
		comparing.set(done, total)
	}
	again, err := pipeline.Verify(ctx.Context, args.dir, args.capture, args.again)
	if err != nil {
		return err
	}
	decoding.clear()
	comparing.clear()
	var text strings.Builder
	if again.Unrecorded {
		text.WriteString(args.dir +
			" does not record the options of its export: they are to be given again, and not all can be\n")
	}
	for _, line := range again.Inputs {
		text.WriteString(line + "\n")
	}
	text.WriteString(verificationText(again.Rows, &ofCapture) + leftOutText(&again.Rows.LeftOut, &ofCapture))
	if _, err := io.WriteString(ctx.App.Writer, text.String()); err != nil {
		return err
	}
	if !again.Equal() {
		return fmt.Errorf("%s: %w", args.dir, errUndecoded)
	}
	return nil
}
