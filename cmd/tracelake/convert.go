package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/tracelake/tracelake/cmd/tracelake/internal/table"
	"github.com/tracelake/tracelake/pipeline/convert"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/timeline"
)

// A format is one that convert writes.
type format struct {
	name   string   // of --to
	about  string   // what it is and which program reads it, for the help
	takes  []string // names of flags that not all formats take
	binary bool     // no text: it never goes to a terminal
	write  func(c *conversion) error
}

// formats are those that convert writes, in the order of its help.
func formats() []format {
	return []format{
		lcovFormat(), coberturaFormat(), modoffFormat(), foldedFormat(), pprofFormat(), callgrindFormat(),
		autofdoFormat(), profgenFormat(), speedscopeFormat(), perfettoFormat(),
	}
}

// A conversion is a command line, with the datasets that it names, and what comes of them.
type conversion struct {
	*convertArgs
	m     *report.Merged
	notes *screen // for stderr, after how far the figures can be trusted
	out   bytes.Buffer
	parts again
	// stream writes what may be too long for out, in its place.
	stream func(io.Writer) error
}

func convertCommand() *cli.Command {
	return &cli.Command{
		Name:      "convert",
		Usage:     "write coverage and profiles in the formats of other tools",
		UsageText: "tracelake convert --to FORMAT DIR... [flags]",
		Description: `DIR is a dataset, or a capture, which is decoded first, with a program file (-e
FILE); several of one program are added up. How far the figures can be trusted
goes to stderr, as the formats cannot say it.

Formats:
` + formatHelp(formats()) + `
docs/viewers.md says how to open each. Paths are those that the compiler wrote
down; for lcov and cobertura, sources that are not there are listed on stderr.

Examples:
   tracelake convert --to lcov run -o coverage.info
   tracelake convert --to cobertura run --path-map /build/fw=. --source-root src
   tracelake convert --to pprof run -o run.pb.gz`,
		Flags: slices.Concat([]cli.Flag{
			groupOutput.string("to", "write `FORMAT`"),
			outputFlag("write to `FILE`", "stdout"),
		}, programFlags(), pathFlags(), timeFlags(), selectionFlags(), forced(datasetFlags(true))),
		Action: acting(readConvert, convertDatasets),
	}
}

// formatHelp describes formats, each in a paragraph after its name.
func formatHelp(all []format) string {
	const indent = 14
	b := &strings.Builder{}
	for _, f := range all {
		left := fmt.Sprintf("   %-*s", indent-3, f.name)
		for _, line := range table.Wrap(f.about, helpColumns-indent) {
			b.WriteString(left + line + "\n")
			left = strings.Repeat(" ", indent)
		}
	}
	return b.String()
}

// convertArgs are the command line of convert.
type convertArgs struct {
	reportArgs
	format, output string // no output: stdout
	program        string // name of a program file; "": the one that ran most
	paths          convert.Paths
	window         timeline.Window
}

func readConvert(ctx *cli.Context) (*convertArgs, error) {
	c := &convertArgs{output: ctx.String("output"), program: ctx.String("program")}
	f, err := chosenFormat(ctx)
	if err != nil {
		return nil, err
	}
	switch c.format = f.name; {
	case ctx.IsSet("output") && c.output == "":
		return nil, usage("--output", "names no file", seeHelp(ctx.Command))
	case f.binary && c.output == "" && isTerminal(ctx.App.Writer):
		return nil, usage("--to "+f.name, "cannot be shown on a terminal", "write it to a file: -o FILE")
	}
	if c.paths, err = readPaths(ctx); err != nil {
		return nil, err
	}
	if c.window, err = readWindow(ctx); err != nil {
		return nil, err
	}
	a, err := readDatasets(ctx)
	if err != nil {
		return nil, err
	}
	c.reportArgs = *a
	return c, nil
}

// chosenFormat returns the format of --to. It refuses flags that are of other formats.
func chosenFormat(ctx *cli.Context) (*format, error) {
	all := formats()
	words, name := formatNames(all), ctx.String("to")
	i := slices.Index(words, name)
	switch {
	case !ctx.IsSet("to"):
		return nil, usage("convert", "needs --to FORMAT", "formats are "+listed(words))
	case i < 0:
		return nil, usage("", "unknown format "+name, didYouMean(name, words)+"formats are "+listed(words))
	}
	for _, f := range all {
		for _, flag := range f.takes {
			if ctx.IsSet(flag) && !all[i].has(flag) {
				taking := slices.DeleteFunc(all, func(f format) bool { return !f.has(flag) })
				return nil, usage("--"+flag, "is nothing for "+name, "formats that take it are "+listed(formatNames(taking)))
			}
		}
	}
	return &all[i], nil
}

// has says whether f takes a flag that not all formats take.
func (f *format) has(flag string) bool { return slices.Contains(f.takes, flag) }

// flagNames returns the names of flags.
func flagNames(flags []cli.Flag) []string {
	names := make([]string, len(flags))
	for i, f := range flags {
		names[i] = f.Names()[0]
	}
	return names
}

func formatNames(all []format) []string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].name
	}
	return names
}

// listed joins words for a sentence: a, b and c.
func listed(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return list(words, "and")
}

func convertDatasets(ctx *cli.Context, args *convertArgs) error {
	f, err := chosenFormat(ctx)
	if err != nil {
		return err
	}
	c := &conversion{convertArgs: args, notes: newScreen(ctx.App.ErrWriter, &args.screen)}
	c.parts = again{ctx: ctx, images: c.captures.options.Capture.ImageStore}
	return c.write(ctx, f)
}

// write converts to a format.
func (c *conversion) write(ctx *cli.Context, f *format) (err error) {
	if err := c.decodeCaptures(ctx); err != nil {
		return err
	}
	if c.m, err = c.merge(); err != nil {
		return err
	}
	c.notes.trust(c.m.Trust(), c.force, nil)
	if err := f.write(c); err != nil {
		return err
	}
	if err := c.notes.writeTo(ctx.App.ErrWriter); err != nil {
		return err
	}
	return c.save(ctx.Context, ctx.App.Writer, f.binary)
}

// save writes what was made to the file of the command line, or else to stdout.
func (c *conversion) save(ctx context.Context, stdout io.Writer, binary bool) error {
	write := c.stream
	if write == nil {
		write = func(w io.Writer) error {
			_, err := w.Write(c.out.Bytes())
			return err
		}
	}
	if c.output != "" {
		return writeFile(ctx, c.output, write)
	}
	if binary {
		stdout = underlying(stdout)
	}
	return write(&untilDone{ctx, stdout})
}

// untilDone writes until a context is done.
type untilDone struct {
	ctx context.Context
	to  io.Writer
}

// Write implements [io.Writer].
func (w *untilDone) Write(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.to.Write(b)
}

// writeFile writes a file. If that fails there is none: a part of one may look whole.
func writeFile(ctx context.Context, path string, write func(io.Writer) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	regular := err == nil && info.Mode().IsRegular()
	if err := errors.Join(write(&untilDone{ctx, f}), f.Close(), ctx.Err()); err != nil {
		if regular { // no device, or pipe
			os.Remove(path)
		}
		return err
	}
	return nil
}

// isTerminal says whether what is written to w is shown at once.
func isTerminal(w io.Writer) bool {
	f, ok := underlying(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
