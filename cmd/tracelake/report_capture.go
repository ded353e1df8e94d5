package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/keep/archive"
	"github.com/tracelake/tracelake/pipeline/probe/identify"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/verdict"
)

// captureFlags say how to read a capture that stands where a dataset may. withSource: sources are picked, too.
func captureFlags(withSource bool) []cli.Flag {
	flags := slices.Concat(inputFlags(), memoryFlags(), []cli.Flag{symbolsFlag()}, clockFlags(), []cli.Flag{
		groupOutput.stringOr("keep", "keep the dataset of a capture in `DIR`", "it is removed"),
		jobsFlag("decode a capture on `N` cores"),
		noProgressFlag(),
	})
	if withSource {
		flags = append(flags, sourceFlag())
	}
	return flags
}

// captureArgs say how to decode captures that stand where datasets may.
type captureArgs struct {
	options  pipeline.Options
	keep     string // "": the datasets are removed
	progress reporting
	flags    []string          // those given that are for captures, as they are typed
	inputs   map[string]string // captures, by where their datasets are
}

func readCaptureArgs(ctx *cli.Context) (c captureArgs, err error) {
	c.keep, c.progress, c.inputs = ctx.String("keep"), readReporting(ctx), map[string]string{}
	c.options = pipeline.Options{
		Capture: captureOptions(ctx), Level: schema.LevelNone,
		TimestampHz: ctx.Uint64("timestamp-hz"), CycleHz: ctx.Uint64("cycle-hz"),
	}
	if c.options.Sources, err = sources(ctx); err != nil {
		return c, err
	}
	for _, f := range captureFlags(true) {
		c.flags = append(c.flags, typed(ctx, f)...)
	}
	c.options.Workers, err = jobs(ctx)
	return c, err
}

// typed returns a flag as it was typed, nothing if it was not.
func typed(ctx *cli.Context, f cli.Flag) (flags []string) {
	name := f.Names()[0]
	if !ctx.IsSet(name) {
		return nil
	}
	switch f.(type) {
	case *cli.StringSliceFlag:
		for _, value := range ctx.StringSlice(name) { // none of a flag of that name that takes one value
			flags = append(flags, "--"+name+" "+identify.Quote(value))
		}
		return flags
	case *cli.BoolFlag:
		return []string{"--" + name}
	default:
		return []string{fmt.Sprintf("--%s %s", name, identify.Quote(fmt.Sprint(ctx.Value(name))))}
	}
}

// isCapture reports whether something is to be decoded first: whatever is there, but for datasets and archives.
func isCapture(input string) bool {
	if input == capture.Stdin {
		return true
	}
	info, err := os.Stat(input)
	if err != nil {
		return false
	}
	if !info.IsDir() {
		return true
	}
	_, err = os.Stat(filepath.Join(input, "snapshot.ini"))
	return (err == nil || capture.IsRecordingDir(input)) && !archive.Is(input)
}

// ofArchives fails if --images is given, which is where archives keep program memory, but no archive.
func (a *reportArgs) ofArchives() error {
	isArchive := func(dir string) bool { return archive.Of(dir) != "" }
	if a.captures.options.Capture.ImageStore == "" || slices.ContainsFunc(a.dirs, isArchive) {
		return nil
	}
	return usage("--images", "is where archives keep program memory, and "+a.dirs[0]+" is no archive", "leave it out")
}

// decodeCaptures puts datasets in the place of captures, that of the baseline too.
func (a *reportArgs) decodeCaptures(ctx *cli.Context) error {
	if err := a.ofArchives(); err != nil {
		return err
	}
	captures := a.capturesIn()
	switch {
	case len(captures) > 1 && a.captures.keep != "":
		return usage("--keep", "names one directory for several captures", "export each of them")
	case len(captures) == 0 && len(a.captures.flags) > 0:
		flag, _, _ := strings.Cut(a.captures.flags[0], " ")
		return usage(flag, "is for captures, and "+a.dirs[0]+" is a dataset", "leave it out, or name the capture")
	}
	for i, input := range captures {
		if err := a.replace(ctx, input, fmt.Sprint(i)); err != nil && input == &a.baseline {
			return fmt.Errorf("--baseline: %w", err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// capturesIn are the captures that stand where datasets may.
func (a *reportArgs) capturesIn() (captures []*string) {
	for i := range a.dirs {
		if isCapture(a.dirs[i]) {
			captures = append(captures, &a.dirs[i])
		}
	}
	if a.baseline != "" && isCapture(a.baseline) {
		captures = append(captures, &a.baseline)
	}
	return captures
}

// replace puts a dataset in the place of a capture: in the directory that is to be kept, else in a temporary
// one of a name.
func (a *reportArgs) replace(ctx *cli.Context, input *string, name string) error {
	dir := a.captures.keep
	if dir == "" {
		files, err := temporaryFiles(ctx)
		if err != nil {
			return err
		}
		dir = filepath.Join(files, name, titleOf([]string{*input}))
		a.captures.inputs[dir] = *input
	}
	if err := a.decode(ctx, *input, dir); err != nil {
		return unknownSource(ctx, err)
	}
	*input = dir
	return nil
}

// inputOf is what somebody named: the capture that a temporary dataset was made of, else the dataset.
func (a *reportArgs) inputOf(dir string) string {
	if input, ok := a.captures.inputs[dir]; ok {
		return input
	}
	return dir
}

// decode makes a dataset of a capture. What is wrong with it is said on stderr, where no screen will.
func (a *reportArgs) decode(ctx *cli.Context, input, dir string) error {
	o := a.captures.options
	_, done := a.captures.progress.begin(&o, input)
	summary, err := pipeline.Export(ctx.Context, input, dir, o)
	done()
	if err != nil || summary.Verdict.Word == verdict.Good || !a.json && !a.csv {
		return err
	}
	s := newScreen(ctx.App.ErrWriter, &a.screen)
	s.verdict(judgedOf(&summary.Verdict, summary.Sources))
	return s.writeTo(ctx.App.ErrWriter)
}

// temporaryKey is where an app keeps the directory of its temporary files.
const temporaryKey = "temporary files"

// temporaryFiles returns the directory of temporary files of a command, which is removed when it ends.
func temporaryFiles(ctx *cli.Context) (string, error) {
	if dir, ok := ctx.App.Metadata[temporaryKey].(string); ok {
		return dir, nil
	}
	dir, err := os.MkdirTemp("", "tracelake-")
	if err != nil {
		return "", fmt.Errorf("directory of temporary files: %w", err)
	}
	ctx.App.Metadata[temporaryKey] = dir
	return dir, nil
}

// removeTemporaryFiles removes them, if there are any.
func removeTemporaryFiles(ctx *cli.Context) error {
	dir, ok := ctx.App.Metadata[temporaryKey].(string)
	if !ok {
		return nil
	}
	return os.RemoveAll(dir)
}
