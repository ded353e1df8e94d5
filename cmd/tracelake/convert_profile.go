package main

import (
	"github.com/tracelake/tracelake/pipeline/convert"
	"github.com/tracelake/tracelake/pipeline/report"
)

func foldedFormat() format {
	return format{
		name:  "folded",
		about: "a line TASK;CALLER;CALLEE N for each path of calls, for flame graphs: cycles if all that ran has cycles, else instructions",
		write: func(c *conversion) error {
			p, err := c.profile()
			if err != nil {
				return err
			}
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
			t := c.m.Trust()
			comments := []string{programName + " " + version(), t.Verdict.String() + ": " + trustText(t), trustDetails(t)}
			return convert.PProf(&c.out, p, &c.paths, comments)
		},
	}
}

// mostFrames is how many frames the paths of a profile have together at most.
const mostFrames = 1 << 25

// profile returns the call trees of the datasets, for formats in which each path has all of its
// frames.
func (c *conversion) profile() (*report.Profile, error) {
	p, err := c.m.Profile(c.dirs, c.options.Test)
	if err != nil {
		return nil, err
	}
	unit := "instructions"
	if p.ByCycles {
		unit = "cycles"
	}
	c.notes.line("figures are %s", unit)
	if depth, cut := p.Shorten(mostFrames); depth > 0 {
		c.notes.line("paths are cut after %s: what is below, %s, counts there", count(int64(depth), "frame"), count(cut, "instruction"))
	}
	return p, nil
}
