package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/report/page"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
	"github.com/tracelake/tracelake/schema/verdict"
)

func htmlCommand() *cli.Command {
	return &cli.Command{
		Name:      "html",
		Usage:     "write a one-file HTML report",
		UsageText: "tracelake report html DIR... -o FILE [flags]",
		Description: `DIR is a dataset, an archive, or a capture, which is decoded first; several of
one program are added up. --baseline takes one of them, too; -e and other flags
for captures are for both.

The page says how far the figures can be trusted, what was executed, where the
time went line by line, how long exceptions took, and which instructions ran
around the longest: where a dataset has no rows of them, that part of its
capture is decoded again. The page is one file, needs no network, and can be
read without JavaScript. The same input makes the same page.

A page holds the text of source files: of those under --source-root, else under
the working directory, and no others; --no-source leaves it out. If the ELF file
is not the program that ran, the page says so first, and the exit status is 4
unless there is --force.

Examples:
   tracelake report html run -o report.html --source-root src
   tracelake report html run -o report.html --baseline yesterday
   tracelake report html new -e fw.elf -o report.html --baseline old
   tracelake report html run -o report.html --path-map /build/fw=. --overwrite
   tracelake report html run1 run2 --time-of run1 -o report.html --no-source`,
		Flags: slices.Concat([]cli.Flag{
			outputFlag("write to `FILE`; - is standard output", ""),
			groupOutput.bool("overwrite", "replace FILE"),
			groupOutput.stringOr("title", "head the page with `TEXT`", "the names of program and DIR"),
			&cli.StringFlag{
				Name: "max-size", Category: string(groupOutput), Value: "32MB",
				Usage: "limit the size to `SIZE`; omitted parts are listed",
			},
			groupInput.strings("source-root", "source files are in `DIR`: of several, in the first that has one"),
			groupInput.strings("path-map", "`OLD=NEW` if the sources moved"),
			groupInput.bool("no-source", "leave out source text and opcodes, which may be secret"),
			&cli.Int64Flag{
				Name: "detail", Category: string(groupInput), Value: defaultDetail,
				Usage: "hold at most `N` single instructions, around the longest calls and exceptions",
			},
			storeFlag(),
			groupInput.stringOr("time-of", "draw the timeline of `DIR`, one of several datasets", "none"),
			baselineFlag("say what changed since the earlier run in `DIR`"),
		}, datasetFlags(true)),
		Action: acting(readHTML, reportHTML),
	}
}

// defaultDetail is how many single instructions a page holds at most.
const defaultDetail = 200_000

// htmlArgs are the command line of report html.
type htmlArgs struct {
	reportArgs
	output    string
	overwrite bool
	maxSize   int64
	page      content.Options
}

func readHTML(ctx *cli.Context) (*htmlArgs, error) {
	a, err := readDatasets(ctx)
	if err != nil {
		return nil, err
	}
	h := &htmlArgs{reportArgs: *a, output: ctx.String("output"), overwrite: ctx.Bool("overwrite")}
	if h.output == "" {
		return nil, usage(fullName(ctx.Command), "needs -o FILE, the page to write",
			"write -o report.html, or -o - for standard output")
	}
	if h.maxSize, err = bytesOf(ctx.String("max-size")); err != nil {
		return nil, err
	}
	h.page = content.Options{
		Detail: ctx.Int64("detail"),
		Title:  ctx.String("title"), Of: titleOf(a.dirs), Test: a.options.Test, TimeOf: ctx.String("time-of"),
		Sources: content.Sources{None: ctx.Bool("no-source"), Roots: ctx.StringSlice("source-root")},
	}
	if h.page.Detail < 0 {
		return nil, usage(fmt.Sprintf("--detail %d", h.page.Detail), "is not a number of instructions", "give one from 0 on")
	}
	if h.baseline, err = readBaseline(ctx); err != nil {
		return nil, err
	}
	if h.page.Sources.Map, err = readPathMap(ctx); err != nil {
		return nil, err
	}
	return h, nil
}

// units are those of sizes.
var units = []struct {
	name  string
	bytes int64
}{{"KB", 1000}, {"MB", 1000 * 1000}, {"GB", 1000 * 1000 * 1000}, {"B", 1}, {"", 1}}

// bytesOf reads a size: 32MB, 500KB, 1000.
func bytesOf(text string) (int64, error) {
	for _, u := range units {
		digits, ok := strings.CutSuffix(strings.ToUpper(text), u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err == nil && n > 0 && n <= math.MaxInt64/u.bytes {
			return n * u.bytes, nil
		}
		break
	}
	return 0, usage("--max-size "+text, "is not a size", "write it as 32MB, 500KB or 1000000")
}

// titleOf names datasets by the last part of their paths.
func titleOf(dirs []string) string {
	names := make([]string, len(dirs))
	for i, dir := range dirs {
		if path, err := filepath.Abs(dir); err == nil {
			dir = path
		}
		names[i] = filepath.Base(dir)
	}
	return strings.Join(names, ", ")
}

func reportHTML(ctx *cli.Context, h *htmlArgs) error {
	if err := h.decodeCaptures(ctx); err != nil {
		return err
	}
	if h.baseline != "" {
		h.page.Baseline = []string{h.baseline}
	}
	h.page.Rows = (&again{ctx: ctx, images: h.captures.options.Capture.ImageStore}).rows
	p, err := page.Read(h.dirs, h.page)
	if err != nil {
		return err
	}
	if t := p.BaselineTrust(); t != nil {
		if err := h.against().refuse(t); err != nil {
			return err
		}
	}
	text, err := p.Fit(h.maxSize)
	if err = errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	if err := h.warn(ctx, p); err != nil {
		return err
	}
	return errors.Join(h.save(ctx.Context, ctx.App.Writer, text), h.refuse(p.Trust))
}

// warn says on stderr what somebody who does not look at the page should know.
func (h *htmlArgs) warn(ctx *cli.Context, p *page.Page) error {
	s := newScreen(ctx.App.ErrWriter, &h.screen)
	if t := p.Trust; t.Word != verdict.Good {
		s.trust(t, h.force, nil)
	}
	for _, note := range p.Notes() {
		s.line("left out for --max-size: %s", note)
	}
	return s.writeTo(ctx.App.ErrWriter)
}

// save writes a page to the file that is wanted: beside it, until it is whole.
func (h *htmlArgs) save(ctx context.Context, stdout io.Writer, text []byte) error {
	write := func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}
	if h.output == capture.Stdin {
		return write(underlying(stdout))
	}
	info, err := os.Stat(h.output)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s: is a directory; give the file to write", h.output)
	case !info.Mode().IsRegular(): // a device, or a pipe
		return writeFile(ctx, h.output, write)
	case !h.overwrite:
		return fmt.Errorf("%s: exists; add --overwrite to replace it", h.output)
	}
	part := fmt.Sprintf("%s.%d.part", h.output, os.Getpid())
	if err := writeFile(ctx, part, write); err != nil {
		return err
	}
	if err := os.Rename(part, h.output); err != nil {
		os.Remove(part)
		return err
	}
	return nil
}
