package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/arrowfile"
	"github.com/tracelake/tracelake/schema/parquetfile"
)

func exportCommand() *cli.Command {
	return &cli.Command{
		Name:      "export",
		Usage:     "decode a capture into a dataset of Parquet or Arrow tables",
		UsageText: "tracelake export INPUT -o DIR [flags]",
		Description: `INPUT is a snapshot directory, its snapshot.ini, a perf.data of Linux perf or
simpleperf, or a raw file with --protocol. A file may be compressed (gzip, zstd)
or come from standard input (-). For a window (--from, --to, --around) INPUT may
be a dataset, whose capture is decoded.

Examples:
   tracelake export capture -o run1
   tracelake export capture -o run1 --overwrite -e firmware.elf --level blocks
   tracelake export run1 -o part --around seq=5000000±2000
   tracelake export perf.data -o run1 --sysroot root
   tracelake export etb.bin -o run1 --protocol pft --framed --source 0x13 -e firmware.elf`,
		Flags: slices.Concat(inputFlags(), []cli.Flag{sourceFlag()}, partFlags(), memoryFlags(),
			[]cli.Flag{symbolsFlag(), storeFlag()}, outputFlags(), clockFlags(), screenFlags(), runFlags()),
		Action: acting(readExport, export),
	}
}

// symbolsFlag names what ran.
func symbolsFlag() cli.Flag {
	return groupMemory.strings("symbols",
		"names of functions and lines from an ELF `FILE`, FILE@BASE or CORE=FILE; --elf implies it")
}

// outputFlags say what dataset to write.
func outputFlags() []cli.Flag {
	return []cli.Flag{
		outputFlag("write the dataset to `DIR`; required", ""),
		groupOutput.bool("overwrite", "replace a dataset in DIR"),
		&cli.StringFlag{
			Name: "level", Category: string(groupOutput), Value: "instructions",
			Usage: "`LEVEL` instructions, a row for each; blocks, a row for each straight run; or none: they are counted, " +
				"which is fastest",
		},
		&cli.StringFlag{Name: "format", Category: string(groupOutput), Value: "parquet", Usage: "`FORMAT` parquet or arrow"},
		groupOutput.stringOr("codec",
			"compress with `CODEC` "+strings.Join(parquetfile.CodecNames(), ", ")+"; arrow: "+
				strings.Join(arrowfile.CodecNames(), ", "), "the first; of blocks zstd3"),
		groupOutput.stringOr("tables",
			"write the tables `A,B` beside those always written, or all; +A,+B: beside those written by "+
				"default", "all but packets, and cycle_counts at level none"),
		groupOutput.bool("packets-only",
			"write the tables that need no program: packets, exceptions, events, timestamps, contexts, "+
				"and those always written"),
		&cli.Int64Flag{
			Name: "max-rows", Category: string(groupOutput),
			Usage: "fail where there would be more than `N` rows of instructions or blocks", Value: pipeline.DefaultMaxRows,
		},
		taskFlag(), labelFlag(),
	}
}

func taskFlag() cli.Flag {
	return groupOutput.strings("task", "name the tasks of a Context ID: `ID=NAME`")
}

func labelFlag() cli.Flag {
	return groupOutput.strings("label", "put a label into the manifest: `KEY=VALUE`")
}

// clockFlags say how fast clocks are.
func clockFlags() []cli.Flag {
	return []cli.Flag{
		groupOutput.uint64("timestamp-hz", "timestamps count at `HZ`", "as the snapshot says"),
		groupOutput.uint64("cycle-hz", "cycles count at `HZ`", "not known"),
	}
}

// runFlags say how to run.
func runFlags() []cli.Flag {
	return append([]cli.Flag{
		groupRun.float64("require",
			"exit with 3 unless `PERCENT` of each source is decoded, placed, and agrees", "nothing"),
		jobsFlag("decode on `N` cores; the files are the same for any N"),
		resumableFlag(), resumeFlag(),
	}, quietFlags()...)
}

// resumableFlag and resumeFlag are those of commands whose output is kept if they are
// interrupted.
func resumableFlag() cli.Flag {
	return groupRun.bool("resumable", "keep what is finished if interrupted")
}

func resumeFlag() cli.Flag {
	return groupRun.bool("resume", "continue an interrupted --resumable, given the same flags")
}

// exportArgs is what a command line of export says.
type exportArgs struct {
	input, dir string
	options    pipeline.Options
	require    float64 // percent
	screen     screenArgs
	reporting  reporting
}

func export(ctx *cli.Context, args *exportArgs) error {
	_, done := args.reporting.begin(&args.options, args.input)
	summary, err := pipeline.Export(ctx.Context, args.input, args.dir, args.options)
	done()
	if err != nil {
		return unknownSource(ctx, err)
	}
	s := newScreen(args.reporting.stderr, &args.screen)
	s.exported(args.dir, summary)
	if err := s.writeTo(args.reporting.stderr); err != nil {
		return err
	}
	return errors.Join(refused(args.dir, summary), checkRequired(args.dir, summary, args.require))
}

// readExport reads the command line of export.
func readExport(ctx *cli.Context) (*exportArgs, error) {
	input, err := inputArgument(ctx)
	if err != nil {
		return nil, err
	}
	args := &exportArgs{
		input: input, dir: ctx.String("output"), reporting: readReporting(ctx),
		options: pipeline.Options{
			Capture: captureOptions(ctx), Codec: ctx.String("codec"), Overwrite: ctx.Bool("overwrite"),
			Resumable: ctx.Bool("resumable"), Resume: ctx.Bool("resume"),
			PacketsOnly: ctx.Bool("packets-only"), TimestampHz: ctx.Uint64("timestamp-hz"), CycleHz: ctx.Uint64("cycle-hz"),
			MaxRows: ctx.Int64("max-rows"),
		},
	}
	if args.dir == "" {
		return nil, usage("export", "needs -o DIR, the directory to write the dataset to", seeHelp(ctx.Command))
	}
	if args.require, err = requirement(ctx); err != nil {
		return nil, err
	}
	if args.screen, err = readScreen(ctx); err != nil {
		return nil, err
	}
	o := &args.options
	for _, read := range []func(*cli.Context, *pipeline.Options) error{
		readSources, readLevel, readFormat, readTables, readLabels, readTaskNames, readNumbers, readExportWindow,
	} {
		if err := read(ctx, o); err != nil {
			return nil, err
		}
	}
	return args, nil
}

func readSources(ctx *cli.Context, o *pipeline.Options) (err error) {
	o.Sources, err = sources(ctx)
	return err
}

func readExportWindow(ctx *cli.Context, o *pipeline.Options) (err error) {
	if o.Window, err = readPart(ctx); err == nil && o.Window != nil && (o.Resumable || o.Resume) {
		return usage("--resumable", "is given beside a window", "leave it out: what is finished of a window is not kept")
	}
	return err
}

func readLevel(ctx *cli.Context, o *pipeline.Options) error {
	name := ctx.String("level")
	for _, o.Level = range schema.Levels() {
		if o.Level.String() != name {
			continue
		}
		if o.Level == schema.LevelNone && ctx.IsSet("max-rows") {
			return usage("--max-rows", "is given beside --level none, which writes no rows of instructions",
				"leave out one of them")
		}
		return nil
	}
	return usage("--level "+name, "is not known", "levels are instructions, blocks and none")
}

// readFormat reads --format, and --codec, which depends on it.
func readFormat(ctx *cli.Context, o *pipeline.Options) error {
	var codecs []string
	switch name := ctx.String("format"); name {
	case schema.Parquet.String():
		o.Format, codecs = schema.Parquet, parquetfile.CodecNames()
	case schema.Arrow.String():
		o.Format, codecs = schema.Arrow, arrowfile.CodecNames()
	default:
		return usage("--format "+name, "is not known", "formats are parquet and arrow")
	}
	if ctx.IsSet("codec") && !slices.Contains(codecs, o.Codec) {
		return usage("--codec "+o.Codec, fmt.Sprintf("is not a codec of %s", o.Format), "codecs are "+strings.Join(codecs, ", "))
	}
	return nil
}

// readTables reads --tables. A table that the level does not have is refused:
// it would be missing without a word.
func readTables(ctx *cli.Context, o *pipeline.Options) error {
	if !ctx.IsSet("tables") {
		return nil
	}
	if o.PacketsOnly {
		return usage("--tables", "is given beside --packets-only, which picks the tables", "leave out one of them")
	}
	if ctx.String("tables") == "all" {
		o.Tables = schema.Tables()
		return nil
	}
	for name := range strings.SplitSeq(ctx.String("tables"), ",") {
		name, added := strings.CutPrefix(strings.TrimSpace(name), "+")
		t := schema.FindTable(name)
		switch {
		case t == nil:
			return usage("--tables "+name, "is not a table", "tables are all, or of "+strings.Join(tableNames(), ","))
		case t.Level != schema.AnyLevel && t.Level != o.Level:
			return usage("--tables "+name, fmt.Sprintf("is not a table of --level %s", o.Level),
				fmt.Sprintf("give --level %s", t.Level))
		case added:
			o.Added = append(o.Added, t)
		default:
			o.Tables = append(o.Tables, t)
		}
	}
	if len(o.Tables) > 0 && len(o.Added) > 0 {
		return usage("--tables "+ctx.String("tables"), "picks tables and adds others",
			"write + before all, to add them to those by default, or before none")
	}
	return nil
}

func tableNames() []string { return tableNamesOf(schema.Tables()) }

func readLabels(ctx *cli.Context, o *pipeline.Options) error {
	o.Labels = map[string]string{}
	for _, label := range ctx.StringSlice("label") {
		key, value, ok := strings.Cut(label, "=")
		if !ok || key == "" {
			return usage("--label "+label, "is not a label", "write --label KEY=VALUE")
		}
		if _, twice := o.Labels[key]; twice {
			return usage("--label "+label, fmt.Sprintf("is a second label %q", key), "give it once")
		}
		o.Labels[key] = value
	}
	return nil
}

func readTaskNames(ctx *cli.Context, o *pipeline.Options) error {
	o.TaskNames = map[uint32]string{}
	for _, text := range ctx.StringSlice("task") {
		number, name, ok := strings.Cut(text, "=")
		id, err := strconv.ParseUint(number, 0, 32)
		if !ok || err != nil || name == "" {
			return usage("--task "+text, "is not a Context ID with a name", "write --task 0x1f=uart")
		}
		if _, twice := o.TaskNames[uint32(id)]; twice {
			return usage("--task "+text, fmt.Sprintf("is a second name of Context ID %#x", id), "give it once")
		}
		o.TaskNames[uint32(id)] = name
	}
	return nil
}

// readNumbers reads the flags whose value may not be 0, and has a limit.
func readNumbers(ctx *cli.Context, o *pipeline.Options) error {
	var err error
	if o.Workers, err = jobs(ctx); err != nil {
		return err
	}
	if o.MaxRows < 1 {
		return usage(fmt.Sprintf("--max-rows %d", o.MaxRows), "leaves no row", "give 1 or more")
	}
	return readHz(ctx, o)
}

// readHz reads the frequencies, which may not be 0.
func readHz(ctx *cli.Context, _ *pipeline.Options) error {
	for _, name := range []string{"timestamp-hz", "cycle-hz"} {
		if !ctx.IsSet(name) {
			continue
		}
		switch hz := ctx.Uint64(name); {
		case hz == 0:
			return usage("--"+name+" 0", "is not a frequency", "leave it out if it is not known")
		case hz > schema.MaxUint63:
			return usage(fmt.Sprintf("--%s %d", name, hz), "is not a frequency", "give it in Hz")
		}
	}
	return nil
}

// An unmetError says that a dataset was made, but that less of it is right than was
// asked for.
type unmetError struct {
	dir      string
	source   *pipeline.SourceSummary
	least    shareOf
	required float64 // in percent
}

func (e *unmetError) Error() string {
	text := fmt.Sprintf("%s: source %s: %s %s, but %v %% is required", e.dir, schema.SourceText(e.source.Source),
		figures.Share(e.least.share), e.least.what, e.required)
	if why := whatIsWrong(e.source.Reading, &e.source.Agreements); why != "" {
		text += ": " + why
	}
	return text
}

// A shareOf is a share of something, from 0 to 1.
type shareOf struct {
	share float64
	what  string // follows the share: "of the bytes are decoded"
}

// requirement returns what --require says, in percent; 0 is nothing.
func requirement(ctx *cli.Context) (float64, error) {
	if !ctx.IsSet("require") {
		return 0, nil
	}
	percent := ctx.Float64("require")
	if !(percent > 0 && percent <= 100) {
		return 0, usage(fmt.Sprintf("--require %v", percent), "is not a percentage that can be missed",
			"give more than 0, and 100 at most")
	}
	return percent, nil
}

// checkRequired fails with an [*unmetError] if less is right of a source that was
// decoded than is required: it names the source of which least is.
func checkRequired(dir string, s *pipeline.Summary, required float64) error {
	var worst *unmetError
	for i := range s.Sources {
		src := &s.Sources[i]
		if src.Reading == nil {
			continue // not decoded
		}
		least := leastShare(&src.SourceTotals, src.Reading.NoProgram)
		if 100*least.share < required && (worst == nil || least.share < worst.least.share) {
			worst = &unmetError{dir, src, least, required}
		}
	}
	if worst == nil {
		return nil
	}
	return worst
}

// leastShare returns the least of what is decoded, of that placed, and agrees with
// the program, if there is one.
func leastShare(s *schema.SourceTotals, noProgram bool) shareOf {
	if noProgram {
		return shareOf{s.DecodedShare().V, "of the bytes are decoded"}
	}
	least := shareOf{1, "of the bytes are decoded"}
	for _, x := range []struct {
		share schema.Null[float64]
		what  string
	}{
		{s.DecodedShare(), "of the bytes are decoded"},
		{s.PlacedShare(), "of the decoded bytes are placed"},
		{s.Agreement.Share(), "of the packets compared agree with the program"},
	} {
		if x.share.OK && x.share.V < least.share {
			least = shareOf{x.share.V, x.what}
		}
	}
	return least
}
