package main

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/pipeline/convert"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/profile"
)

func foldedFormat() format {
	return format{
		name: "folded",
		about: "a line TASK;CALLER;CALLEE N for each path of calls, for flame graphs: cycles if all that ran has cycles, " +
			"else instructions",
		write: func(c *conversion) error {
			p, err := c.profile()
			if err != nil {
				return err
			}
			c.notes.line("the numbers are %ss", answer.UnitOf(p.ByCycles))
			return convert.Folded(&c.out, p)
		},
	}
}

func pprofFormat() format {
	return format{
		name:   "pprof",
		about:  "call trees for go tool pprof, with tasks as labels",
		takes:  flagNames(pathFlags()),
		binary: true,
		write: func(c *conversion) error {
			p, err := c.profile()
			if err != nil {
				return err
			}
			return convert.PProf(&c.out, p, &c.paths, append([]string{madeBy()}, c.comments()...))
		},
	}
}

func callgrindFormat() format {
	return format{
		name:  "callgrind",
		about: "costs of lines, instructions and calls, for KCachegrind and callgrind_annotate",
		takes: flagNames(pathFlags()),
		write: func(c *conversion) error {
			if err := c.needLines(); err != nil {
				return err
			}
			costs, err := profile.ReadCosts(c.m, c.dirs, c.options.Test)
			if err != nil {
				return err
			}
			return convert.Callgrind(&c.out, costs, &c.paths, madeBy(), c.comments())
		},
	}
}

func autofdoFormat() format {
	return format{
		name:  "autofdo",
		about: "executions by line as text, for llvm-profdata and, from that, clang -fprofile-sample-use",
		write: func(c *conversion) error {
			if err := c.needLines(); err != nil {
				return err
			}
			s, err := profile.ReadSamples(c.m, c.dirs, c.options.Test)
			if err != nil {
				return err
			}
			if len(s.Functions) == 0 {
				return fmt.Errorf("%s: no function that ran has lines from its declaration on; export with a program file that "+
					"has debugging information: -e FILE", c.m.Trust().Datasets[0].Dir)
			}
			if s.LeftOut > 0 {
				c.notes.line("%s of %s left out: of functions without debugging information, or inlined ones whose declaration "+
					"is not known",
					thousands(s.LeftOut), count(s.Executed, "executed instruction"))
			}
			return convert.AutoFDO(&c.out, s)
		},
	}
}

func profgenFormat() format {
	return format{
		name: "profgen",
		about: "executions of ranges of addresses in one program file, and branches between them, for AutoFDO by " +
			"llvm-profgen --unsymbolized-profile",
		takes: flagNames(programFlags()),
		write: func(c *conversion) error {
			file, err := c.programFile()
			if err != nil {
				return err
			}
			r, err := profile.ReadRanges(c.m, c.dirs, c.options.Test, file)
			if err != nil {
				return err
			}
			if r.Outside > 0 {
				c.notes.line("%s left out: from or to code outside %s", count(r.Outside, "branch"), file.File)
			}
			return convert.Profgen(&c.out, r)
		},
	}
}

// programFlags choose a program file.
func programFlags() []cli.Flag {
	return []cli.Flag{groupInput.stringOr("program", "of what ran in the program file `NAME`, or in that with a build ID",
		"the one that ran most")}
}

// programFile returns the program file of the command line, else the one that ran most. It says which others ran.
func (c *conversion) programFile() (*profile.ProgramFile, error) {
	files := profile.ProgramFiles(c.m)
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: nothing ran in a program file; export with the one that ran: -e FILE",
			c.m.Trust().Datasets[0].Dir)
	}
	chosen := 0
	if c.program != "" {
		chosen = slices.IndexFunc(files,
			func(f profile.ProgramFile) bool {
				return slices.Contains([]string{f.File, path.Base(f.File), f.BuildID}, c.program)
			})
	}
	names := make([]string, len(files))
	for i := range files {
		names[i] = files[i].File
	}
	if chosen < 0 {
		return nil, usage("--program "+c.program, "did not run", "program files that ran are "+listed(names))
	}
	if len(files) > 1 {
		c.notes.line("the profile is of %s; --program NAME chooses another: %s", names[chosen],
			strings.Join(slices.Concat(names[:chosen], names[chosen+1:]), ", "))
	}
	return &files[chosen], nil
}

// comments say how far the figures can be trusted, for formats that have comments.
func (c *conversion) comments() []string {
	t := c.m.Trust()
	return []string{string(t.Word) + ": " + trustText(t), trustDetails(t)}
}

// mostFrames is how many frames the paths of a profile have together at most: written, they take
// about a gigabyte of memory.
const mostFrames = 1 << 24

// profile returns the call trees of the datasets, for formats in which each path has all of its
// frames.
func (c *conversion) profile() (*profile.Profile, error) {
	p, err := profile.Read(c.m, c.dirs, c.options.Test)
	if err != nil {
		return nil, err
	}
	if depth, cut := p.Shorten(mostFrames); depth > 0 {
		c.notes.line("paths are cut after %s: what is below, %s, counts there", count(int64(depth), "frame"),
			count(cut, "instruction"))
	}
	return p, nil
}
