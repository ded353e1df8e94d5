package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
)

func redecodeCommand() *cli.Command {
	return &cli.Command{
		Name:      "redecode",
		Usage:     "decode a dataset or archive again, with another program",
		UsageText: "tracelake redecode DIR [--capture INPUT] -e FILE [flags]",
		Description: `DIR is a dataset or an archive. What is in it is replaced by what export, or
archive, makes of its capture with the program that is given and the options
that DIR records. An archive holds its capture, of which nothing is packed
again; of a dataset it is given with --capture, and has to be the one that was
decoded, by its SHA-256.

What the program has no part in stays as it is: sources that never ran a
page of it that changed are not decoded, and of others row groups up to the
first such page are not encoded.

Files of a flag (-e, --image, --symbols) take the place of all that were given
with that flag before. A dataset has none of these files: all that are to stay
are given again. An interruption never damages DIR.

Examples:
   tracelake redecode run.tla -e firmware.elf
   tracelake redecode run1 --capture capture -e firmware.elf -e boot.elf`,
		Flags: slices.Concat([]cli.Flag{
			groupInput.stringOr("capture", "`INPUT` is the capture of the dataset", "that in the archive"),
		}, memoryFlags(), []cli.Flag{
			symbolsFlag(),
			storeFlag(),
			jobsFlag("decode on `N` cores; the files are the same for any N"),
		}, quietFlags(), screenFlags()),
		Action: acting(readRedecode, redecode),
	}
}

// redecodeArgs is what a command line of redecode says.
type redecodeArgs struct {
	dir, input string
	options    pipeline.Options
	screen     screenArgs
	reporting  reporting
}

func redecode(ctx *cli.Context, args *redecodeArgs) error {
	_, done := args.reporting.begin(&args.options, args.input)
	again, err := pipeline.Redecode(ctx.Context, args.dir, args.input, args.options)
	done()
	if err != nil {
		return err
	}
	s := newScreen(args.reporting.stderr, &args.screen)
	s.exported(args.dir, again.Summary)
	s.redecoded(again)
	return errors.Join(s.writeTo(args.reporting.stderr), refused(args.dir, again.Summary))
}

// readRedecode reads the command line of redecode.
func readRedecode(ctx *cli.Context) (*redecodeArgs, error) {
	dir, err := dirArgument(ctx, "a dataset or an archive", "give a dataset or an archive")
	if err != nil {
		return nil, err
	}
	args := &redecodeArgs{
		dir: dir, input: ctx.String("capture"), reporting: readReporting(ctx),
		options: pipeline.Options{Capture: captureOptions(ctx)},
	}
	if ctx.IsSet("capture") && args.input == "" {
		return nil, usage("--capture", "is without an input", "write --capture INPUT, the capture of the dataset")
	}
	if !args.options.Capture.NamesPrograms() {
		return nil, usage("redecode", "needs a program: everything else is as it was",
			"give it with -e FILE, --image or --symbols; of a perf recording also with --sysroot, --vmlinux or --kcore")
	}
	if args.screen, err = readScreen(ctx); err != nil {
		return nil, err
	}
	args.options.Workers, err = jobs(ctx)
	return args, err
}

// redecoded says what the program changed.
func (s *screen) redecoded(r *pipeline.Redecoded) {
	what := func(t *schema.Totals) string {
		return fmt.Sprintf("%s, %s, %s not matched to code", count(t.Instructions, "instruction"), count(t.Losses, "loss"),
			count(t.BytesUnplaced, "byte"))
	}
	s.blank()
	s.paragraph("before: ", what(&r.Before))
	s.paragraph("now:    ", what(&r.Totals))
	s.line("%s of %s decoded, %s as they were", thousands(r.Segments), count(r.Totals.Segments, "segment"),
		count(int64(r.Copied), "row group"))
}
