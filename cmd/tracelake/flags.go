package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/pipeline/plan"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
)

// A flagGroup is a group of flags, as --help shows them. Its methods make flags of it: their name, what they say
// and, if it is to be said, what holds without them.
type flagGroup string

const (
	groupInput  flagGroup = "Input"
	groupMemory flagGroup = "Program memory"
	groupOutput flagGroup = "Output"
	groupRun    flagGroup = "Run"
)

func (g flagGroup) bool(name, usage string) cli.Flag {
	return &cli.BoolFlag{Name: name, Category: string(g), Usage: usage}
}

func (g flagGroup) string(name, usage string) cli.Flag { return g.stringOr(name, usage, "") }

func (g flagGroup) stringOr(name, usage, otherwise string) cli.Flag {
	return &cli.StringFlag{Name: name, Category: string(g), Usage: usage, DefaultText: otherwise}
}

func (g flagGroup) strings(name, usage string) cli.Flag {
	return &cli.StringSliceFlag{Name: name, Category: string(g), Usage: usage}
}

func (g flagGroup) int(name, usage, otherwise string) cli.Flag {
	return &cli.IntFlag{Name: name, Category: string(g), Usage: usage, DefaultText: otherwise}
}

func (g flagGroup) int64(name, usage, otherwise string) cli.Flag {
	return &cli.Int64Flag{Name: name, Category: string(g), Usage: usage, DefaultText: otherwise}
}

func (g flagGroup) uint64(name, usage, otherwise string) cli.Flag {
	return &cli.Uint64Flag{Name: name, Category: string(g), Usage: usage, DefaultText: otherwise}
}

func (g flagGroup) float64(name, usage, otherwise string) cli.Flag {
	return &cli.Float64Flag{Name: name, Category: string(g), Usage: usage, DefaultText: otherwise}
}

// acting is a command that reads its command line, and then acts.
func acting[A any](read func(*cli.Context) (A, error), act func(*cli.Context, A) error) cli.ActionFunc {
	return func(ctx *cli.Context) error {
		args, err := read(ctx)
		if err != nil {
			return err
		}
		return act(ctx, args)
	}
}

// outputFlag says where to write to.
func outputFlag(usage, otherwise string) cli.Flag {
	return &cli.StringFlag{
		Name: "output", Aliases: []string{"o"}, Category: string(groupOutput), Usage: usage, DefaultText: otherwise,
	}
}

// protocolNames are the names of the protocols that are decoded; of those alone that are
// samples of a trace port.
func protocolNames(samples bool) []string {
	var names []string
	for _, f := range pipeline.Protocols() {
		if !samples || f.Statuses != nil {
			names = append(names, f.Name)
		}
	}
	return names
}

// inputFlags say how to read INPUT.
func inputFlags() []cli.Flag {
	return []cli.Flag{
		groupInput.string("protocol", "INPUT is a raw file of `PROTOCOL` "+list(protocolNames(false), "or")),
		groupInput.bool("framed", "a raw file is in CoreSight formatter frames"),
		groupInput.strings("reg", "set a trace register or a setting: `NAME=VALUE`, as ETMCR=0x400, TRCCONFIGR=0x11, LAYOUT=etb"),
		groupInput.string("buffer", "read only the buffer `NAME`"),
		groupInput.int64("frame-offset", "the first frame starts at byte `N` of the buffer", "found"),
		groupInput.int64("ring-start", "the oldest byte of the buffer is byte `N`", "0"),
		groupInput.int64("max-input", "unpack at most `N` bytes of a compressed file or of standard input", "64 GiB"),
		groupInput.bool("allow-outside", "the snapshot may name files outside its directory"),
	}
}

// memoryFlags say what program ran.
func memoryFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{
			Name: "elf", Aliases: []string{"e"}, Category: string(groupMemory),
			Usage: "memory from an ELF `FILE` or FILE@BASE",
		},
		groupMemory.strings("image", "memory from a binary `FILE@ADDR` or FILE@ADDR:SPACE"),
		groupMemory.strings("sysroot", "program files of a perf recording are in `DIR`, at their recorded names or build IDs"),
		groupMemory.string("vmlinux", "the kernel of a perf recording, `FILE`"),
		groupMemory.string("kcore", "what a perf recording had in memory of the kernel and its modules, `FILE`"),
	}
}

// storeFlag says where the images of an archive are.
func storeFlag() cli.Flag {
	return &cli.StringFlag{
		Name: "images", Category: string(groupMemory), Usage: "the program memory of an archive is in `DIR`",
		DefaultText: "where it says",
	}
}

// sourceFlag picks sources.
func sourceFlag() cli.Flag {
	return groupInput.strings("source", "only the source with trace `ID`: 0x13 is hexadecimal, 19 decimal")
}

// captureOptions returns what inputFlags and memoryFlags say.
func captureOptions(ctx *cli.Context) capture.Options {
	return capture.Options{
		Protocol:     ctx.String("protocol"),
		Regs:         ctx.StringSlice("reg"),
		Framed:       ctx.Bool("framed"),
		AllowOutside: ctx.Bool("allow-outside"),
		Buffer:       ctx.String("buffer"),
		FrameOffset:  offsetIfSet(ctx, "frame-offset"),
		RingStart:    offsetIfSet(ctx, "ring-start"),
		ELFs:         ctx.StringSlice("elf"),
		Images:       ctx.StringSlice("image"),
		Symbols:      ctx.StringSlice("symbols"),
		Sysroots:     ctx.StringSlice("sysroot"),
		Vmlinux:      ctx.String("vmlinux"),
		Kcore:        ctx.String("kcore"),
		MaxInput:     maxInput(ctx),
		ImageStore:   ctx.String("images"),
	}
}

// maxInput returns what --max-input says; 0 is the default, less is no size.
func maxInput(ctx *cli.Context) int64 {
	n := ctx.Int64("max-input")
	if ctx.IsSet("max-input") && n <= 0 {
		return -1
	}
	return n
}

func offsetIfSet(ctx *cli.Context, name string) *int64 {
	if !ctx.IsSet(name) {
		return nil
	}
	return new(ctx.Int64(name))
}

// jobsFlag says how many cores to use.
func jobsFlag(usage string) cli.Flag {
	return &cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Category: string(groupRun), Usage: usage, DefaultText: "all"}
}

// jobs returns the number of cores to use.
func jobs(ctx *cli.Context) (int, error) {
	if !ctx.IsSet("jobs") {
		return runtime.GOMAXPROCS(0), nil
	}
	n := ctx.Int("jobs")
	if n < 1 {
		return 0, usage(fmt.Sprintf("--jobs %d", n), "is too few", "give 1 or more, or leave it out to use all cores")
	}
	return n, nil
}

// sources returns the trace IDs of --source; nil is all.
func sources(ctx *cli.Context) ([]uint8, error) {
	var ids []uint8
	for _, text := range ctx.StringSlice("source") {
		id, ok := traceID(text)
		if !ok {
			return nil, usage("--source "+text, "is not a trace ID", "write it as 0x13 or, decimal, as 19; the highest is 0x7f")
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// traceID reads a trace ID: 0x13 or, decimal, 19.
func traceID(text string) (id uint8, ok bool) {
	digits, isHex := strings.CutPrefix(strings.ToLower(text), "0x")
	base := 10
	if isHex {
		base = 16
	}
	n, err := strconv.ParseUint(digits, base, 7)
	return uint8(n), err == nil
}

// unknownSource says of a source that the capture does not have how the user
// typed it, and whether hexadecimal digits were taken for decimal. Other errors
// it returns as they are.
func unknownSource(ctx *cli.Context, err error) error {
	unknown, ok := errors.AsType[*plan.UnknownSourceError](err)
	if !ok {
		return err
	}
	for _, text := range ctx.StringSlice("source") {
		if id, _ := traceID(text); id != unknown.Source {
			continue
		}
		remedy := unknown.Remedy()
		if id, ok := traceID("0x" + text); ok && slices.Contains(unknown.Known, id) {
			remedy = "did you mean " + schema.SourceText(id) + "? " + remedy
		}
		return usage("--source "+text, "is not a source of the capture", remedy)
	}
	return err
}

// dirArgument returns the one argument of a command, which has to exist. needs and remedy say what it is.
func dirArgument(ctx *cli.Context, needs, remedy string) (string, error) {
	switch n := ctx.NArg(); {
	case n == 0:
		return "", usage(fullName(ctx.Command), "needs a DIR, "+needs, seeHelp(ctx.Command))
	case n > 1:
		return "", usage(fullName(ctx.Command), fmt.Sprintf("takes one DIR, but is given %d: %s", n,
			strings.Join(ctx.Args().Slice(), ", ")), seeHelp(ctx.Command))
	}
	dir := ctx.Args().First()
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		// Whatever else is wrong with the command line.
		return "", &missingError{dir, remedy}
	}
	return dir, nil
}

// inputArgument returns the one argument of a command, which has to exist.
func inputArgument(ctx *cli.Context) (string, error) {
	switch n := ctx.NArg(); {
	case n == 0:
		return "", usage(fullName(ctx.Command),
			"needs an INPUT: a snapshot directory, a perf.data, or a raw file (- is standard input) with --protocol", seeHelp(ctx.Command))
	case n > 1:
		return "", usage(fullName(ctx.Command), fmt.Sprintf("takes one INPUT, but is given %d: %s", n,
			strings.Join(ctx.Args().Slice(), ", ")), seeHelp(ctx.Command))
	}
	input := ctx.Args().First()
	if input == capture.Stdin {
		return input, nil
	}
	if _, err := os.Stat(input); errors.Is(err, fs.ErrNotExist) {
		// Whatever else is wrong with the command line.
		return "", &missingError{input, "give the snapshot directory, a perf.data, or a raw file with --protocol"}
	}
	return input, nil
}
