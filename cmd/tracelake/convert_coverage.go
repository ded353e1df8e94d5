package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tracelake/tracelake/pipeline/convert"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/trust"
)

func lcovFormat() format {
	return format{
		name: "lcov",
		about: "coverage for genhtml, which needs --branch-coverage to show branches; version 2 also --ignore-errors " +
			"inconsistent, " +
			"since it takes a branch that was reached and never taken, if its line has nothing else, for a contradiction",
		takes: flagNames(slices.Concat(pathFlags(), selectionFlags())),
		write: func(c *conversion) error {
			files, err := c.sources()
			if err != nil {
				return err
			}
			return convert.LCOV(&c.out, commonTest(c.m.Trust()), files, &c.paths)
		},
	}
}

func coberturaFormat() format {
	return format{
		name:  "cobertura",
		about: "coverage as XML, for forges",
		takes: flagNames(slices.Concat(pathFlags(), selectionFlags())),
		write: func(c *conversion) error {
			files, err := c.sources()
			if err != nil {
				return err
			}
			return convert.Cobertura(&c.out, files, &c.paths, made(c.m.Trust()))
		},
	}
}

func modoffFormat() format {
	return format{
		name:  "modoff",
		about: "a line FILE+OFFSET for each covered instruction, for plugins of disassemblers",
		takes: flagNames(selectionFlags()),
		write: func(c *conversion) error { return convert.ModOff(&c.out, c.m.Modules()) },
	}
}

// sources returns the source files of the program, and lists those that are missing.
func (c *conversion) sources() ([]report.SourceFile, error) {
	if err := c.needLines(); err != nil {
		return nil, err
	}
	sources := c.m.Sources()
	files := c.paths.Apply(sources.Files)
	c.notes.notInFiles(sources)
	c.notes.missing(c.paths.Missing(files), len(files))
	return files, nil
}

// needLines is the error for a program without source lines.
func (c *conversion) needLines() error {
	if c.m.HasLines() {
		return nil
	}
	return fmt.Errorf("%s: there are no source lines; export with a program file that has debugging information: -e FILE",
		c.m.Trust().Datasets[0].Dir)
}

// notInFiles says which functions and branches of the program the format has no rows of.
func (s *screen) notInFiles(x *report.Sources) {
	var why, parts []string
	if x.Copies > 0 {
		why = append(why, are(x.Copies, "is a copy", "are copies"))
	}
	if x.Lineless > 0 {
		why = append(why, are(x.Lineless, "has no line", "have no line"))
	}
	if len(why) > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s: %s", thousands(x.Functions-x.Copies-x.Lineless),
			count(x.Functions, "function"), strings.Join(why, ", ")))
	}
	if x.Branches > 0 {
		parts = append(parts, are(x.Branches, "branch has no line", "branches have no line"))
	}
	if len(parts) > 0 {
		s.line("%s", strings.Join(parts, "; "))
	}
}

// are says of n things what they are: one is, several are.
func are(n int64, is, several string) string {
	if n != 1 {
		is = several
	}
	return thousands(n) + " " + is
}

// missing lists sources that are not where they should be.
func (s *screen) missing(paths []string, of int) {
	if len(paths) == 0 {
		return
	}
	s.line("%s of %s not found: --path-map OLD=NEW if the sources moved, --source-root DIR where relative paths start",
		thousands(int64(len(paths))), count(int64(of), "source"))
	for _, path := range paths {
		s.paragraph("  ", path)
	}
}

// commonTest is the label of the test if all datasets have the same one.
func commonTest(t *trust.Summary) string {
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
func made(t *trust.Summary) convert.Made {
	m := convert.Made{By: madeBy()}
	for _, d := range t.Datasets {
		if at, err := time.Parse(time.RFC3339, d.Created); err == nil {
			m.Seconds = max(m.Seconds, at.Unix())
		}
	}
	return m
}

// madeBy names the program.
func madeBy() string { return programName + " " + version() }
