package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/pipeline/convert"
	"github.com/tracelake/tracelake/pipeline/report/profile"
	"github.com/tracelake/tracelake/pipeline/report/timeline"
)

func speedscopeFormat() format {
	return format{
		name: "speedscope",
		about: "calls of each source in order of time, and call trees of each task, for speedscope: in cycles if all of " +
			"the source has cycles, " +
			"else in instructions",
		takes: flagNames(append(timeFlags(), pathFlags()...)),
		write: func(c *conversion) error {
			timelines, err := c.timelines()
			if err != nil {
				return err
			}
			var trees *profile.Profile
			if c.window == timeline.Everything {
				if trees, err = c.profile(); err != nil {
					return err
				}
			} else {
				c.notes.line("call trees of tasks are left out: they are of all that ran, not of a window")
			}
			c.stream = func(w io.Writer) error { return convert.Speedscope(w, timelines, trees, &c.paths, made(c.m.Trust())) }
			return nil
		},
	}
}

func perfettoFormat() format {
	return format{
		name: "perfetto",
		about: "tasks, calls and exceptions on tracks, for Perfetto: in nanoseconds if --cycle-hz was given at export, " +
			"else a cycle, or an instruction, " +
			"is one",
		takes:  flagNames(timeFlags()),
		binary: true,
		write: func(c *conversion) error {
			timelines, err := c.timelines()
			if err != nil {
				return err
			}
			c.stream = func(w io.Writer) error { return convert.Perfetto(w, timelines, len(c.dirs) > 1) }
			return nil
		},
	}
}

// timeFlags are those of formats in order of time, for which parts of captures are decoded again.
func timeFlags() []cli.Flag { return append(windowFlags(), storeFlag()) }

// windowFlags say which part of the time is wanted.
func windowFlags() []cli.Flag {
	return []cli.Flag{
		groupInput.string("from", "leave out what was before an instruction, `seq=N`"),
		groupInput.string("until", "leave out an instruction, `seq=N`, and what was after it"),
		groupInput.string("around", "only M instructions before and after one: `seq=N±M`, or seq=N+-M"),
	}
}

// readWindow reads which part of the time is wanted.
func readWindow(ctx *cli.Context) (timeline.Window, error) {
	w := timeline.Everything
	if ctx.IsSet("around") {
		if ctx.IsSet("from") || ctx.IsSet("until") {
			return w, usage("--around", "is a window by itself", "leave out --from and --until, or write only those")
		}
		return around(ctx.String("around"))
	}
	for _, end := range []struct {
		flag string
		at   *int64
	}{{"from", &w.From}, {"until", &w.Until}} {
		if !ctx.IsSet(end.flag) {
			continue
		}
		text := ctx.String(end.flag)
		n, ok := ordinal(strings.CutPrefix(text, "seq="))
		if !ok {
			return w, usage("--"+end.flag+" "+text, "is not an instruction",
				"write seq=N: the number of an instruction in its source, from 0")
		}
		*end.at = n
	}
	if w.From >= w.Until {
		return w, usage("--until "+ctx.String("until"), "is not after --from", "give a later instruction")
	}
	return w, nil
}

// around reads the window of --around.
func around(text string) (w timeline.Window, err error) {
	rest, isSeq := strings.CutPrefix(text, "seq=")
	left, right, ok := strings.Cut(strings.Replace(rest, "+-", "±", 1), "±")
	middle, okMiddle := ordinal(left, isSeq)
	width, okWidth := ordinal(right, ok)
	if !okMiddle || !okWidth {
		return w, usage("--around "+text, "is not seq=N±M", "write --around seq=5000±200, or seq=5000+-200")
	}
	return timeline.Window{From: max(0, middle-width), Until: middle + width + 1}, nil
}

// ordinal reads the number of an instruction, if what was before it is right.
func ordinal(text string, ok bool) (int64, bool) {
	n, err := strconv.ParseInt(text, 0, 64)
	return n, ok && err == nil && n >= 0 && n < 1<<62
}

// mostSlices is how many slices viewers show without trouble.
const mostSlices = 1_000_000

// tooMany is the error for more slices than viewers can show.
func tooMany(dir string, slices int64) error {
	return fmt.Errorf("%s: %s calls, exceptions and marks are more than viewers show well (%s); write a part with "+
		"--around seq=N±M, or --from and --until, or add --force",
		dir, thousands(slices), thousands(mostSlices))
}

// timelines returns what goes through the sources of the datasets. It refuses more than
// viewers can show.
func (c *conversion) timelines() (convert.Timelines, error) {
	size, err := timeline.ReadSize(c.dirs, c.options.Test, c.window, c.parts.calls)
	if err != nil {
		return nil, err
	}
	switch {
	case size.Longest == 0:
		return nil, fmt.Errorf("%s: no instruction was decoded, so there is nothing to show; tracelake report trust says why",
			c.dirs[0])
	case size.Sources == 0:
		return nil, fmt.Errorf("%s: there is no seq=%d; the last is seq=%d", c.dirs[0], c.window.From, size.Longest-1)
	case !c.force && size.Slices > mostSlices:
		return nil, tooMany(c.dirs[0], size.Slices)
	}
	c.notes.line("%s calls, exceptions and marks of %s", thousands(size.Slices), count(int64(size.Sources), "source"))
	return func(do func(*timeline.Timeline) error) error {
		return timeline.Each(c.m, c.dirs, c.options.Test, c.window, c.parts.calls, do)
	}, nil
}

// forced says in which other case --force goes on.
func forced(flags []cli.Flag) []cli.Flag {
	for _, f := range flags {
		if b, ok := f.(*cli.BoolFlag); ok && b.Name == "force" {
			b.Usage = "continue even if the ELF is not what ran, or if there is more than viewers can show"
		}
	}
	return flags
}
