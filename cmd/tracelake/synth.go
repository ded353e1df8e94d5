package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/bench/generate"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

const (
	groupProgram flagGroup = "Program"
	groupTrace   flagGroup = "Trace"
	groupHappens flagGroup = "What happens, per million instructions"
)

// only names the protocols that have a feature.
func only(f generate.Feature) string { return " (" + strings.Join(generate.With(f), ", ") + ")" }

// traceVersions are the versions of all protocols, in words.
func traceVersions() string {
	var all []string
	for _, name := range generate.Protocols() {
		oldest, newest := generate.Versions(name)
		to := " to "
		if generate.NewestMinor(name) == 1 {
			to = ", "
		}
		all = append(all, name+" "+oldest+to+newest)
	}
	return strings.Join(all, "; ")
}

func synthCommand() *cli.Command {
	return &cli.Command{
		Name:      "synth",
		Usage:     "make a test capture with a known answer",
		UsageText: "tracelake synth --protocol " + strings.Join(generate.Protocols(), "|") + " -o DIR [flags]",
		Description: `A core executes a program, in a way that --seed decides, and is traced. The
capture goes to DIR/snapshot, the dataset that a right decoder makes of it to
DIR/truth. Without --elf the program is that of the demo. The same flags make
the same files. Of a ring, whose oldest bytes are gone, the truth is what the
rest holds.

With --stacks the truth has the tables stacks and tasks, as far as functions are
call targets: each task calls the program again and again, and functions return
to where they were called.

Of ` + list(protocolNames(true), "and") + `, which have no snapshots, DIR/capture has the samples of the
trace port as a raw file, the program, and in export.txt the command that
exports them.

With --qemu-log the execution is one that QEMU recorded, of an Arm Linux program
of one thread. The log has 310 bytes for each instruction:
   qemu-arm -singlestep -d exec,cpu,nochain -D prog.log ./prog
From QEMU 8.1 on, -singlestep is -one-insn-per-tb. What lies outside of the ELF
file is not traced: the kernel, shared libraries.

Examples:
   tracelake synth --protocol etmv3 --instructions 100000 -o synth
   tracelake synth --protocol pft --elf prog --qemu-log prog.log -o synth
   tracelake synth --protocol pft --cycle-accurate --exceptions 2000 --overflow 20 --vary 0.1 -o synth
   tracelake synth --protocol etmv4 --trace-version 4.2 --profile M --code-bytes 20000 -o synth
   tracelake synth --protocol etmv1 --port 4 --layout etb --data both -o synth
   tracelake export synth/snapshot -o run && tracelake verify run --truth synth/truth`,
		Flags: slices.Concat(synthTraceFlags(), synthProgramFlags(), synthEventFlags(), []cli.Flag{
			outputFlag("write to `DIR`; required", ""),
			groupOutput.bool("overwrite", "replace what is in DIR/snapshot and DIR/truth"),
			groupRun.bool("quiet", "print nothing but errors"),
		}),
		Action: acting(readSynth, synthesize),
	}
}

// synthTraceFlags say what is traced.
func synthTraceFlags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		groupTrace.string("protocol", "trace in `PROTOCOL` "+list(generate.Protocols(), "or")+"; required"),
		groupTrace.stringOr("trace-version", "`VERSION` of the protocol: "+traceVersions(), "the newest"),
		groupTrace.bool("cycle-accurate", "trace cycles"),
		groupTrace.bool("timestamps", "trace timestamps"),
		groupTrace.int("context-id", "trace `N` bytes of the Context ID: 1, 2 or 4", ""),
		groupTrace.bool("vmid", "trace the VMID"),
		groupTrace.bool("branch-broadcast", "a packet for each branch taken"),
		groupTrace.bool("return-stack", "no packets for returns"+only(generate.ReturnStack)),
		groupTrace.int("speculation", "up to `N` elements are speculative, 255 at the most"+only(generate.Speculation), ""),
		groupTrace.bool("q-elements", "of some stretches no branches"+only(generate.QElements)),
		groupTrace.bool("alt-branch", "the alternative branch encoding"+only(generate.AltBranch)),
		groupTrace.bool("two-atoms", "32-bit T32 instructions are traced as two"+only(generate.TwoAtoms)),
		groupTrace.string("data",
			"trace `WHAT` of data: address, value, both, or only: both and no instructions"+
				only(generate.DataOnlyMode)),
	}, synthPortFlags(), []cli.Flag{
		&cli.IntFlag{
			Name: "sources", Category: string(groupTrace), Value: 1,
			Usage: "`N` cores, each with a trace of its own in the one buffer",
		},
		&cli.StringFlag{
			Name: "framing", Category: string(groupTrace), Value: "memory",
			Usage: "`WHERE` frames are: memory, port (with FSYNCs and HSYNCs), or none",
		},
		groupTrace.int("ring", "the buffer is a ring of `BYTES` that wraps: it has the last ones", ""),
		groupTrace.float64("vary", "`SHARE` of packets that are other than hardware sends, as allowed: 0 to 1", ""),
	})
}

// synthPortFlags say how a trace port is captured.
func synthPortFlags() []cli.Flag {
	port := flagGroup("Trace port (" + strings.Join(protocolNames(true), ", ") + ")")
	return []cli.Flag{
		port.int("port", "`PINS` that carry bytes: 4, 8 or 16", "8"),
		port.stringOr("layout",
			"capture samples in `LAYOUT` etms, etb, etb-be, etb24, bytes, demux or mux; etmv2: etb-v2-flat; "+
				"etmv1: dump, dump-old", "etms"),
		port.bool("drop-disabled", "without the samples that a capture device may drop"),
		port.int("fifo", "a FIFO of `BYTES`", "60"),
		port.int("sync", "synchronise every `N` samples", "1024"),
		port.float64("idle",
			"`SHARE` of cycles without an instruction, below 1; of --cycle-accurate 0 is as many as the "+
				"instructions cost", ""),
	}
}

// synthProgramFlags say what executes.
func synthProgramFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{
			Name: "elf", Aliases: []string{"e"}, Category: string(groupProgram), Usage: "execute the program of `FILE`",
			DefaultText: "the demo's",
		},
		groupProgram.string("qemu-log", "execute what is in `LOG`, which qemu-arm wrote of the program of --elf"),
		groupProgram.int("code-bytes", "execute a program made up, of about `N` bytes", ""),
		groupProgram.bool("stacks", "the truth has stacks and tasks; needs --code-bytes, and no gaps"),
		&cli.StringFlag{Name: "profile", Category: string(groupProgram), Value: "A", Usage: "`PROFILE` of the core: A, M, or R" + only(generate.ProfileR)},
		&cli.Int64Flag{
			Name: "instructions", Category: string(groupProgram), Value: 1_000_000,
			Usage: "`N` instructions on each core; of a --qemu-log all, or the first N",
		},
		&cli.Uint64Flag{
			Name: "seed", Category: string(groupProgram), Value: 1, Usage: "`N` decides everything left to chance",
		},
	}
}

// synthEventFlags say how often something happens.
func synthEventFlags() []cli.Flag {
	return []cli.Flag{
		&cli.Float64Flag{
			Name: "exceptions", Category: string(groupHappens), Value: 100,
			Usage: "`RATE` of exceptions, half of them interrupts",
		},
		groupHappens.float64("switches", "`RATE` of changes to another task, with its Context ID", ""),
		groupHappens.float64("trace-off", "`RATE` at which trace goes off for a while", ""),
		groupHappens.float64("overflow", "`RATE` at which the FIFO overflows", ""),
		groupHappens.float64("debug", "`RATE` of stops in debug state", ""),
		groupHappens.float64("triggers", "`RATE` of triggers", ""),
	}
}

// synthArgs is what a command line of synth says.
type synthArgs struct {
	recipe    generate.Recipe
	elf       string // "": the demo's program, or codeBytes
	qemuLog   string // "": the execution is made up
	codeBytes int
	dir       string
	overwrite bool
	quiet     bool
}

func synthesize(ctx *cli.Context, args *synthArgs) (err error) {
	var log *os.File
	if args.qemuLog != "" {
		if log, err = os.Open(args.qemuLog); err != nil {
			return unreadable(args.qemuLog, err, "give the log that qemu-arm wrote")
		}
		defer log.Close()
	}
	w, err := args.workload(log)
	if err != nil {
		return err
	}
	c, err := args.recipe.Capture(w)
	if wrong, ok := errors.AsType[*generate.RecipeError](err); ok {
		return usage("synth", wrong.Problem, seeHelp(ctx.Command))
	}
	if err != nil {
		return err
	}
	c.Tool, c.Overwrite = tool(), args.overwrite
	stderr := ctx.App.ErrWriter
	if args.quiet {
		stderr = io.Discard
	}
	if screen := terminal(stderr); screen != nil {
		total := args.recipe.Instructions * int64(max(args.recipe.Cores, 1))
		if args.recipe.Ring > 0 {
			total *= 2
		}
		if total == 0 {
			total = -1 // unknown
		}
		bar := newStepsBar(screen, total)
		defer func() { _ = bar.Clear() }()
		shown := time.Now()
		c.Progress = func(steps int64) {
			if now := time.Now(); now.Sub(shown) >= progressInterval {
				shown = now
				_ = bar.Set64(steps)
			}
		}
	}
	m, err := c.Write(ctx.Context, args.dir)
	if err != nil {
		return err
	}
	_, err = io.WriteString(stderr, synthText(args.dir, c, m))
	return err
}

// newStepsBar is a bar of instructions executed.
func newStepsBar(w io.Writer, total int64) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total, progressbar.OptionSetDescription("executing"), progressbar.OptionSetWriter(w),
		progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString("instr"),
		progressbar.OptionSetWidth(16), progressbar.OptionUseANSICodes(true), progressbar.OptionClearOnFinish())
}

// synthText says what was made, and the next steps.
func synthText(dir string, c *generate.Capture, m *schema.Manifest) string {
	b := &strings.Builder{}
	capture, truth := filepath.Join(dir, c.Folder()), filepath.Join(dir, generate.TruthFolder)
	fmt.Fprintf(b, "%s: %s of trace; %s: %s, %s, %s\n\n", capture, count(m.Totals.Bytes, tracedUnit(m)), truth,
		count(m.Totals.Instructions, "instruction"), count(m.Totals.Exceptions, "exception"), count(m.Totals.Gaps, "gap"))
	fmt.Fprintf(b, "next steps\n   %s\n   tracelake verify run --truth %s\n", c.ExportCommand(dir), truth)
	return b.String()
}

// tracedUnit is what the sources of a dataset have many of.
func tracedUnit(m *schema.Manifest) string {
	if m.Sources[0].Unit == schema.SourceUnitNames[schema.UnitSamples] {
		return "sample"
	}
	return "byte"
}

// workload is the program to execute, and how: as log has it, if there is one.
func (a *synthArgs) workload(log *os.File) (*generate.Workload, error) {
	switch {
	case log != nil && a.elf == "":
		return nil, usage("--qemu-log", "needs the program that it is of", "add --elf FILE")
	case a.codeBytes > 0:
		w, err := generate.GeneratedWorkload(codegen.Options{
			Seed: a.recipe.Seed, Bytes: a.codeBytes, Base: 0x8000,
			Arch: a.recipe.Arch(), Switches: a.recipe.Stacks, Transactions: generate.HasTransactions(a.recipe.Protocol) && !a.recipe.Stacks,
		})
		if err == nil && a.recipe.Stacks {
			w = w.Looped()
		}
		return w, err
	}
	name, file := a.elf, sample.Program()
	if name == "" {
		if a.recipe.V7M {
			return nil, usage("--profile M", "needs a program of that profile",
				"give one with --elf FILE, or have one made up with --code-bytes N")
		}
		if generate.OfSamples(a.recipe.Protocol) {
			return generate.ELFWorkload(sample.ARM926ELF, sample.ARM926(), a.recipe.Arch())
		}
		return generate.ELFWorkload(sample.ELF, file, a.recipe.Arch())
	}
	file, err := os.ReadFile(name)
	if err != nil {
		return nil, unreadable(name, err, "give the ELF file of the program")
	}
	if log != nil {
		return generate.RecordedWorkload(filepath.Base(name), file,
			generate.QEMULog{Name: filepath.Base(a.qemuLog), Data: log})
	}
	return generate.ELFWorkload(filepath.Base(name), file, a.recipe.Arch())
}

// readSynth reads the command line of synth.
func readSynth(ctx *cli.Context) (*synthArgs, error) {
	if ctx.NArg() > 0 {
		return nil, usage("synth", "takes no argument", seeHelp(ctx.Command))
	}
	r := generate.Recipe{
		Seed: ctx.Uint64("seed"), Instructions: ctx.Int64("instructions"), Cores: ctx.Int("sources"), Ring: ctx.Int("ring"),
		Protocol: ctx.String("protocol"), CycleAccurate: ctx.Bool("cycle-accurate"), Timestamps: ctx.Bool("timestamps"),
		ContextIDBytes: ctx.Int("context-id"), VMID: ctx.Bool("vmid"), Broadcast: ctx.Bool("branch-broadcast"),
		ReturnStack: ctx.Bool("return-stack"), AltBranch: ctx.Bool("alt-branch"), TwoAtoms: ctx.Bool("two-atoms"),
		MaxSpec: ctx.Int("speculation"), QElements: ctx.Bool("q-elements"),
		Exceptions: ctx.Float64("exceptions"), Switches: ctx.Float64("switches"), TraceOff: ctx.Float64("trace-off"),
		Overflow: ctx.Float64("overflow"), Debug: ctx.Float64("debug"), Triggers: ctx.Float64("triggers"),
		Variation: ctx.Float64("vary"), Stacks: ctx.Bool("stacks"),
		Samples: generate.Samples{
			Pins: ctx.Int("port"), DropDisabled: ctx.Bool("drop-disabled"), FIFO: ctx.Int("fifo"), Sync: ctx.Int("sync"),
			Idle: ctx.Float64("idle"),
		},
	}
	for _, read := range []func(*cli.Context,
		*generate.Recipe) error{readTraceVersion, readProfile, readData, readFraming, readLayout, readCounts} {
		if err := read(ctx, &r); err != nil {
			return nil, err
		}
	}
	args := &synthArgs{
		recipe: r, elf: ctx.String("elf"), qemuLog: ctx.String("qemu-log"), codeBytes: ctx.Int("code-bytes"),
		dir: ctx.String("output"), overwrite: ctx.Bool("overwrite"), quiet: ctx.Bool("quiet"),
	}
	if args.qemuLog != "" {
		args.recordedDefaults(ctx)
	}
	switch {
	case args.dir == "":
		return nil, usage("synth", "needs -o DIR, the directory to write to", seeHelp(ctx.Command))
	case args.elf != "" && args.codeBytes > 0:
		return nil, usage("--code-bytes", "makes up a program, and --elf names one", "leave out one of them")
	}
	return args, nil
}

// recordedDefaults clears the defaults that a recording cannot have.
func (a *synthArgs) recordedDefaults(ctx *cli.Context) {
	if !ctx.IsSet("instructions") {
		a.recipe.Instructions = 0 // All of it
	}
	if !ctx.IsSet("exceptions") {
		a.recipe.Exceptions = 0
	}
}

// readTraceVersion reads --protocol and --trace-version.
func readTraceVersion(ctx *cli.Context, r *generate.Recipe) error {
	oldest, newest := generate.Versions(r.Protocol)
	switch {
	case r.Protocol == "":
		return usage("synth", "needs --protocol, "+list(generate.Protocols(), "or"), seeHelp(ctx.Command))
	case newest == "":
		return usage("--protocol "+r.Protocol, "is not made here", "protocols are "+list(generate.Protocols(), "and"))
	}
	text := newest
	if ctx.IsSet("trace-version") {
		text = ctx.String("trace-version")
	}
	minor, ok := strings.CutPrefix(text, newest[:2])
	n, err := strconv.ParseUint(minor, 10, 4)
	if !ok || err != nil || fmt.Sprint(n) > newest[2:] {
		return usage("--trace-version "+text, "is not a version of "+r.Protocol,
			fmt.Sprintf("versions are %s to %s", oldest, newest))
	}
	r.Minor = int(n)
	return nil
}

func readProfile(ctx *cli.Context, r *generate.Recipe) error {
	switch p := ctx.String("profile"); strings.ToUpper(p) {
	case "A":
	case "M":
		r.V7M = true
	case "R":
		r.ProfileR = true
	default:
		return usage("--profile "+p, "is not known", "profiles are A, M and R")
	}
	return nil
}

func readData(ctx *cli.Context, r *generate.Recipe) error {
	return readWord(ctx, "data", &r.Data, map[string]generate.Data{
		"": generate.NoData, "address": generate.DataAddresses, "value": generate.DataValues, "both": generate.DataBoth,
		"only": generate.DataOnly,
	}, "give address, value, both or only")
}

func readFraming(ctx *cli.Context, r *generate.Recipe) error {
	return readWord(ctx, "framing", &r.Framing, map[string]generate.Framing{
		"memory": generate.FramesInMemory, "port": generate.FramesOfPort, "none": generate.NoFrames,
	}, "give memory, port or none")
}

// readWord reads a flag whose values are words.
func readWord[T any](ctx *cli.Context, flag string, to *T, words map[string]T, remedy string) error {
	var ok bool
	if *to, ok = words[ctx.String(flag)]; !ok {
		return usage("--"+flag+" "+ctx.String(flag), "is not known", remedy)
	}
	return nil
}

// readLayout reads --layout, and refuses --framing of protocols that have no frames.
func readLayout(ctx *cli.Context, r *generate.Recipe) error {
	if generate.OfSamples(r.Protocol) && ctx.IsSet("framing") {
		return usage("--framing "+ctx.String("framing"), "is given, but "+r.Protocol+" is in no frames", "leave it out")
	}
	word := ctx.String("layout")
	if word == "" {
		return nil
	}
	layouts := generate.Layouts()
	i := slices.IndexFunc(layouts, func(l port.Layout) bool { return l.String() == word })
	if i < 0 {
		return usage("--layout "+word, "is not known", "give one of those that synth --help names")
	}
	r.Samples.Layout = layouts[i]
	return nil
}

// readCounts refuses numbers of instructions and cores below 1, and rates that are
// none.
func readCounts(ctx *cli.Context, r *generate.Recipe) error {
	switch {
	case r.Instructions < 1:
		return usage(fmt.Sprintf("--instructions %d", r.Instructions), "is too few", "give 1 or more")
	case r.Cores < 1:
		return usage(fmt.Sprintf("--sources %d", r.Cores), "is too few", "give 1 or more")
	}
	for _, name := range []string{"exceptions", "switches", "trace-off", "overflow", "debug", "triggers"} {
		if rate := ctx.Float64(name); !(rate >= 0 && rate <= 1e6) {
			return usage(fmt.Sprintf("--%s %v", name, rate), "is not a rate", "give 0 to 1000000 per million instructions")
		}
	}
	return nil
}
