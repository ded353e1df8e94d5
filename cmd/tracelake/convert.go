package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/pipeline/convert"
	"github.com/tracelake/tracelake/pipeline/report"
)

// The formats of --to.
const (
	formatLCOV      = "lcov"
	formatCobertura = "cobertura"
	formatModOff    = "modoff"
)

func convertCommand() *cli.Command {
	return &cli.Command{
		Name:      "convert",
		Usage:     "writes coverage in the formats of other programs",
		UsageText: "tracelake convert --to FORMAT DIR... [flags]",
		Description: `DIR is a dataset that export wrote with a program file (-e FILE); several of one
program are added up. How far the figures can be trusted goes to stderr, as the
formats cannot say it.

lcov is for genhtml, which needs --branch-coverage to show branches; version 2
also --ignore-errors inconsistent, since it takes a branch that was reached and
never taken, alone on its line, for a contradiction. cobertura is XML for
forges. modoff is a line FILE+OFFSET for each covered instruction, for plugins
of disassemblers.

Paths are those that the compiler wrote down. Sources that are not there are
listed on stderr.

Examples:
   tracelake convert --to lcov run -o coverage.info
   tracelake convert --to cobertura run --path-map /build/fw=. --source-root src`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "to", Category: groupOutput, Usage: "write `FORMAT`: lcov, cobertura or modoff"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: groupOutput, Usage: "write to `FILE`", DefaultText: "stdout"},
		}, append(pathFlags(groupOutput), datasetFlags()...)...),
		Action: convertDatasets,
	}
}

// convertArgs are the command line of convert.
type convertArgs struct {
	reportArgs
	format, output string // no output: stdout
	paths          convert.Paths
}

func readConvert(ctx *cli.Context) (*convertArgs, error) {
	c := &convertArgs{format: ctx.String("to"), output: ctx.String("output")}
	switch {
	case !ctx.IsSet("to"):
		return nil, usage("convert", "needs --to FORMAT", "formats are lcov, cobertura and modoff")
	case !slices.Contains([]string{formatLCOV, formatCobertura, formatModOff}, c.format):
		return nil, usage("--to "+c.format, "is no format", "formats are lcov, cobertura and modoff")
	case ctx.IsSet("output") && c.output == "":
		return nil, usage("--output", "names no file", seeHelp(ctx.Command))
	}
	paths, err := sourcePaths(ctx)
	if err != nil {
		return nil, err
	}
	c.paths = paths
	a, err := readDatasets(ctx)
	if err != nil {
		return nil, err
	}
	c.reportArgs = *a
	return c, nil
}

func convertDatasets(ctx *cli.Context) error {
	c, err := readConvert(ctx)
	if err != nil {
		return err
	}
	m, err := c.merge()
	if err != nil {
		return err
	}
	s := newScreen(ctx.App.ErrWriter)
	s.trust(m.Trust(), c.force, nil)
	var out bytes.Buffer
	if c.format == formatModOff {
		err = convert.ModOff(&out, m.Modules())
	} else {
		err = convertSources(s, &out, c, m)
	}
	if err != nil {
		return err
	}
	if err := s.writeTo(ctx.App.ErrWriter); err != nil {
		return err
	}
	if c.output == "" {
		_, err = ctx.App.Writer.Write(out.Bytes())
		return err
	}
	return os.WriteFile(c.output, out.Bytes(), 0o666)
}

// convertSources writes a format that is about source files, and lists those that are
// missing.
func convertSources(s *screen, w io.Writer, c *convertArgs, m *report.Merged) error {
	p := &c.paths
	files := p.Apply(m.Sources())
	if len(files) == 0 {
		return fmt.Errorf("%s: there are no source lines; export with a program file that has debugging information: -e FILE", m.Trust().Datasets[0].Dir)
	}
	s.missing(p.Missing(files), len(files))
	if c.format == formatLCOV {
		return convert.LCOV(w, commonTest(m.Trust()), files, p)
	}
	return convert.Cobertura(w, files, p, made(m.Trust()))
}

// missing lists sources that are not where they should be.
func (s *screen) missing(paths []string, of int) {
	if len(paths) == 0 {
		return
	}
	s.line("%s of %s not found; --path-map FROM=TO says where they are, --source-root DIR where relative paths start:",
		thousands(int64(len(paths))), count(int64(of), "source"))
	for _, path := range paths {
		s.paragraph("  ", path)
	}
}

// commonTest is the label of the test if all datasets have the same one.
func commonTest(t *report.Trust) string {
	test := t.Datasets[0].Test
	for _, d := range t.Datasets {
		if d.Test != test {
			return ""
		}
	}
	return test
}

// made says what wrote the file, and when the newest dataset was made: the same
// datasets make the same file.
func made(t *report.Trust) convert.Made {
	m := convert.Made{By: programName + " " + version()}
	for _, d := range t.Datasets {
		if at, err := time.Parse(time.RFC3339, d.Created); err == nil {
			m.Seconds = max(m.Seconds, at.Unix())
		}
	}
	return m
}
