package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/pipeline/keep"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/keep/archive"
	"github.com/tracelake/tracelake/pipeline/keep/archive/seekable"
)

func archiveCommand() *cli.Command {
	return &cli.Command{
		Name:      "archive",
		Usage:     "pack a capture, its program and results, to keep them",
		UsageText: "tracelake archive INPUT -o run.tla [flags]",
		Description: `INPUT is as for export. The archive holds the capture, packed so that zstd -d
gives it back and any place of it is read at once; program memory, each file
named by its SHA-256; and a dataset without the tables that grow with the
capture, for the reports. Commands that take a capture or a dataset take the
archive, too. Without a program it holds only the capture, to be decoded later.

Examples:
   tracelake archive capture -o run.tla -e firmware.elf
   tracelake archive capture -o store/run2.tla --images store/images -e firmware.elf
   tracelake export run.tla -o rows --level blocks
   sha256sum -c manifest-sha256.txt      (in run.tla)`,
		Flags: slices.Concat(inputFlags(), []cli.Flag{sourceFlag()}, memoryFlags(), []cli.Flag{symbolsFlag()}, archiveFlags(),
			screenFlags(), []cli.Flag{
				jobsFlag("decode and pack on `N` cores; the files are the same for any N"),
				resumableFlag(), resumeFlag(),
			}, quietFlags()),
		Action: acting(readArchive, writeArchive),
	}
}

// archiveFlags say what archive to write.
func archiveFlags() []cli.Flag {
	return append([]cli.Flag{
		outputFlag("write the archive to `DIR`; required", ""),
		groupOutput.bool("overwrite", "replace an archive in DIR"),
		groupOutput.stringOr("level", "pack at `LEVEL` "+strings.Join(seekable.Levels(), ", "), "the last"),
		&cli.StringFlag{
			Name: "images", Category: string(groupOutput), Usage: "keep program memory in `DIR`, which archives share",
			DefaultText: "in the archive",
		},
		groupOutput.bool("no-images", "keep only the hashes of program memory"),
		taskFlag(), labelFlag(),
	}, clockFlags()...)
}

func writeArchive(ctx *cli.Context, args *archiveArgs) error {
	summary, err := runArchive(ctx, args)
	if err != nil {
		return unknownSource(ctx, err)
	}
	s := newScreen(args.reporting.stderr, &args.screen)
	s.exported(args.dir, summary.Export)
	s.archived(summary)
	return errors.Join(s.writeTo(args.reporting.stderr), refused(args.dir, summary.Export))
}

// archiveArgs is what a command line of archive says.
type archiveArgs struct {
	input, dir string
	options    keep.ArchiveOptions
	screen     screenArgs
	reporting  reporting
}

// readArchive reads the command line of archive.
func readArchive(ctx *cli.Context) (*archiveArgs, error) {
	input, err := inputArgument(ctx)
	if err != nil {
		return nil, err
	}
	args := &archiveArgs{
		input: input, dir: ctx.String("output"), reporting: readReporting(ctx),
		options: keep.ArchiveOptions{
			Export: pipeline.Options{
				Capture: captureOptions(ctx), TimestampHz: ctx.Uint64("timestamp-hz"), CycleHz: ctx.Uint64("cycle-hz"),
				MaxRows:   pipeline.DefaultMaxRows,
				Resumable: ctx.Bool("resumable"), Resume: ctx.Bool("resume"),
			},
			CreateOptions: archive.CreateOptions{
				Images: ctx.String("images"), NoImages: ctx.Bool("no-images"), Level: ctx.String("level"),
				Overwrite: ctx.Bool("overwrite"),
			},
		},
	}
	args.options.Export.Capture.ImageStore = "" // it is to be written, not read
	if args.dir == "" {
		return nil, usage("archive", "needs -o DIR, the directory to write the archive to", seeHelp(ctx.Command))
	}
	if ctx.IsSet("level") && !slices.Contains(seekable.Levels(), args.options.Level) {
		return nil, usage("--level "+args.options.Level, "is not known", "levels are "+strings.Join(seekable.Levels(), ", "))
	}
	if ctx.Bool("no-images") && ctx.IsSet("images") {
		return nil, usage("--no-images", "is given beside --images, where they are kept", "leave out one of them")
	}
	for _, read := range []func(*cli.Context, *pipeline.Options) error{readSources, readLabels, readTaskNames, readHz} {
		if err := read(ctx, &args.options.Export); err != nil {
			return nil, err
		}
	}
	if args.screen, err = readScreen(ctx); err != nil {
		return nil, err
	}
	args.options.Export.Workers, err = jobs(ctx)
	return args, err
}

// runArchive archives, with bars for decoding and then for packing.
func runArchive(ctx *cli.Context, args *archiveArgs) (*pipeline.ArchiveSummary, error) {
	decoding, done := args.reporting.begin(&args.options.Export, args.input)
	defer done()
	if !args.reporting.noProgress {
		packing := progressOn(args.reporting.stderr, "packing")
		defer packing.clear()
		args.options.Packing = func(n, total int64) {
			decoding.clear()
			packing.set(n, total)
		}
	}
	return pipeline.Archive(ctx.Context, args.input, args.dir, args.options)
}

// archived says what an archive holds.
func (s *screen) archived(x *pipeline.ArchiveSummary) {
	s.item("archived", "%s bytes of trace in %s, tables in %s, %s of program memory in %s",
		thousands(x.Trace), thousands(x.Packed), thousands(x.Dataset), count(int64(x.Images), "file"), thousands(x.Memory))
}
