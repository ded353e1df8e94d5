package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/report/page"
	"github.com/tracelake/tracelake/pipeline/report/visible"
)

func htmlCommand() *cli.Command {
	return &cli.Command{
		Name:      "html",
		Usage:     "writes a page to look at, as one file",
		UsageText: "tracelake report html DIR... -o FILE [flags]",
		Description: `DIR is a dataset that export wrote, or an archive; several of one program are
added up. The page says how far the figures can be trusted, what was executed,
where the time went, and how long exceptions took. It needs no network.

Examples:
   tracelake report html run -o report.html
   tracelake report html run1 run2 --time-of run1 -o report.html`,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: groupOutput, Usage: "write to `FILE`; - is standard output"},
			&cli.BoolFlag{Name: "overwrite", Category: groupOutput, Usage: "replace FILE"},
			&cli.StringFlag{Name: "title", Category: groupOutput, Usage: "head the page with `TEXT`", DefaultText: "the names of DIR"},
			&cli.StringFlag{Name: "test", Category: groupInput, Usage: "only datasets exported with --label test=`LABEL`"},
		}),
		Action: reportHTML,
	}
}

// htmlArgs are the command line of report html.
type htmlArgs struct {
	reportArgs
	output    string
	overwrite bool
	page      page.Options
}

func readHTML(ctx *cli.Context) (*htmlArgs, error) {
	a, err := readDatasets(ctx)
	if err != nil {
		return nil, err
	}
	h := &htmlArgs{reportArgs: *a, output: ctx.String("output"), overwrite: ctx.Bool("overwrite")}
	if h.output == "" {
		return nil, usage(fullName(ctx.Command), "needs -o FILE, the page to write", "write -o report.html, or -o - for standard output")
	}
	h.page = page.Options{Title: ctx.String("title"), Test: a.options.Test}
	if !ctx.IsSet("title") {
		h.page.Title = titleOf(a.dirs)
	}
	return h, nil
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

func reportHTML(ctx *cli.Context) error {
	h, err := readHTML(ctx)
	if err != nil {
		return err
	}
	p, err := page.Read(h.dirs, h.page)
	if err != nil {
		return err
	}
	if h.output == capture.Stdin {
		w := ctx.App.Writer
		if v, ok := w.(*visible.Writer); ok {
			w = v.Underlying()
		}
		return p.Write(w)
	}
	return h.save(p.Write)
}

// save writes a file beside the one that is wanted, and puts it there when it is whole.
func (h *htmlArgs) save(write func(io.Writer) error) error {
	info, err := os.Stat(h.output)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s: is a directory; give the file to write", h.output)
	case !info.Mode().IsRegular(): // a device, or a pipe
		return writeFile(h.output, write)
	case !h.overwrite:
		return fmt.Errorf("%s: exists; add --overwrite to replace it", h.output)
	}
	part := fmt.Sprintf("%s.%d.part", h.output, os.Getpid())
	if err := writeFile(part, write); err != nil {
		return err
	}
	if err := os.Rename(part, h.output); err != nil {
		os.Remove(part)
		return err
	}
	return nil
}
