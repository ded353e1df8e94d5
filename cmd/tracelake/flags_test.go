package main

import (
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/bench/need"
)

// flagValues has a value for each flag that takes one, other than its default. A
// command whose flag of a name is another one than elsewhere stands before it.
var flagValues = map[string]string{
	"protocol": "pft", "reg": "ETMCR=1,2", "buffer": "ETB_0", "frame-offset": "3", "ring-start": "0x10", "source": "0x13",
	"elf": "a.elf", "symbols": "b.elf", "image": "a.bin@0x8000", "output": "elsewhere", "demo --protocol": "etmv1", "level": "blocks", "format": "arrow", "codec": "none",
	"tables": "losses,events", "label": "a=1,2", "task": "0x1f=uart", "before": "seq=3", "index": "whole", "function": "main", "report last --instructions": "9", "timestamp-hz": "1000", "cycle-hz": "1000", "max-rows": "1000000000", "require": "90", "max-input": "7000", "jobs": "7000", "from": "1", "to": "0x20",
	"truth": "truth", "capture": "capture", "archive --level": "fastest", "images": "store", "trace-version": "3.3", "context-id": "2", "data": "both", "sources": "3", "framing": "port", "vary": "0.5",
	"code-bytes": "4096", "qemu-log": "a.log", "ring": "4096", "port": "4", "layout": "etb", "speculation": "7", "fifo": "40", "sync": "500", "idle": "0.25", "profile": "m", "instructions": "7", "seed": "7", "exceptions": "7", "switches": "7", "trace-off": "7", "overflow": "7",
	"debug": "7", "triggers": "7", "command": "FROM summary",
	"width": "72", "color": "never", "test": "boot", "exclude": "main=known", "exclude-from": "testdata/exclude.txt", "by": "line", "top": "3", "fail-under": "80:lines", "baseline": "before",
	"convert --to": "cobertura", "convert --from": "seq=7", "until": "seq=8", "around": "seq=9+-1", "path-map": "a=b", "source-root": "src", "program": "fw.elf",
	"sysroot": "root", "vmlinux": "vmlinux", "kcore": "kcore", "title": "a title", "keep": "kept", "file": "a.c", "time-of": "run", "max-size": "5KB", "detail": "7",
}

// readers are what each command makes of its flags.
var readers = map[string]func(*cli.Context) (any, error){
	"export":  func(ctx *cli.Context) (any, error) { return readExport(ctx) },
	"archive": func(ctx *cli.Context) (any, error) { return readArchive(ctx) },
	"inspect": func(ctx *cli.Context) (any, error) {
		args, err := readScreen(ctx)
		return []any{captureOptions(ctx), ctx.Bool("json"), args}, err
	},
	"packets": func(ctx *cli.Context) (any, error) {
		opt, err := readPackets(ctx)
		return []any{opt, ctx.Bool("json")}, err
	},
	"report":            func(*cli.Context) (any, error) { return nil, nil },
	"report coverage":   func(ctx *cli.Context) (any, error) { return readReport(ctx, limitInstructions) },
	"report branches":   func(ctx *cli.Context) (any, error) { return readReport(ctx, limitBranches) },
	"report hotspots":   func(ctx *cli.Context) (any, error) { return readReport(ctx, "") },
	"report tasks":      func(ctx *cli.Context) (any, error) { return readReport(ctx, "") },
	"report calls":      func(ctx *cli.Context) (any, error) { return readReport(ctx, "") },
	"report exceptions": func(ctx *cli.Context) (any, error) { return readReport(ctx, "") },
	"report last":       func(ctx *cli.Context) (any, error) { return readLast(ctx) },
	"report disasm":     func(ctx *cli.Context) (any, error) { return readDisasm(ctx) },
	"report trust": func(ctx *cli.Context) (any, error) {
		a, err := readDatasets(ctx)
		return []any{a, ctx.Bool("json")}, err
	},
	"report html": func(ctx *cli.Context) (any, error) { return readHTML(ctx) },
	"convert":     func(ctx *cli.Context) (any, error) { return readConvert(ctx) },
	"report quality": func(ctx *cli.Context) (any, error) {
		opt, err := readQuality(ctx)
		return []any{opt, ctx.Bool("json")}, err
	},
	"demo": func(ctx *cli.Context) (any, error) {
		dir, protocol, err := readDemo(ctx)
		return []any{dir, protocol}, err
	},
	"synth": func(ctx *cli.Context) (any, error) { return readSynth(ctx) },
	"sql": func(ctx *cli.Context) (any, error) {
		args, err := readSQL(ctx)
		if err != nil {
			return nil, err
		}
		return *args, nil
	},
	"completion": func(*cli.Context) (any, error) { return nil, nil },
	"man":        func(*cli.Context) (any, error) { return nil, nil },
	"version":    func(ctx *cli.Context) (any, error) { return ctx.Bool("json"), nil },
	"redecode": func(ctx *cli.Context) (any, error) {
		args, err := readRedecode(ctx)
		if err != nil {
			return nil, err
		}
		return *args, nil
	},
	"prune": func(ctx *cli.Context) (any, error) {
		dir, level, err := readPrune(ctx)
		return []any{dir, level}, err
	},
	"verify": func(ctx *cli.Context) (any, error) {
		args, err := readVerify(ctx)
		if err != nil {
			return nil, err
		}
		return *args, nil
	},
}

// parse runs a command line as far as its flags are read. It returns what the
// command makes of them and the context.
func parse(t *testing.T, command string, args ...string) (any, *cli.Context) {
	t.Helper()
	var read any
	var seen *cli.Context
	app := newApp(io.Discard, io.Discard)
	app.Commands = slices.DeleteFunc(app.Commands, func(c *cli.Command) bool { return c.Name != strings.Fields(command)[0] })
	walk(app.Commands, "", func(path string, c *cli.Command) {
		c.Action = func(ctx *cli.Context) (err error) {
			seen = ctx
			read, err = readers[path](ctx)
			return err
		}
	})
	line, err := arrange(app, slices.Concat([]string{"tracelake"}, strings.Fields(command), args))
	if err == nil {
		err = app.Run(line)
	}
	if err != nil {
		t.Fatalf("%s %q: %v", command, args, err)
	}
	return read, seen
}

// No flag is ever ignored: each one, under each of its names, before and after
// the argument, is set, and changes what the command reads.
func TestNoFlagIsIgnored(t *testing.T) {
	need.FullRun(t, "flags are read in one goroutine, thousands of times")
	input := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(input, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	walk(newApp(io.Discard, io.Discard).Commands, "", func(path string, c *cli.Command) {
		arguments, required := []string{input}, []string(nil)
		switch path {
		case "report": // has subcommands, whose arguments are no arguments of it
			arguments = nil
		case "demo":
			arguments = nil
		case "export", "archive":
			required = []string{"--output", "out"}
		case "synth":
			arguments, required = nil, []string{"--output", "out", "--protocol", "etmv3"}
		case "report html":
			required = []string{"--output", "out"}
		case "report disasm":
			required = []string{"--function", "idle"}
		case "redecode":
			required = []string{"--elf", "b.elf"}
		case "prune":
			required = []string{"--level", "none"}
		}
		for _, f := range c.Flags {
			long := f.Names()[0]
			switch {
			case path == "convert":
				required = []string{"--to", formatTaking(long)}
			case path == "export" && long == "index":
				required = []string{"--output", "out", "--from", "seq=1"}
			case path == "packets" && long == "index":
				required = []string{"--from", "seq=1"}
			case path == "packets":
				required = nil
			case path == "export":
				required = []string{"--output", "out"}
			case path == "verify" && long == "truth":
				required = nil
			case path == "verify":
				required = []string{"--capture", "elsewhere"}
			}
			without, _ := parse(t, path, slices.Concat(arguments, required)...)
			given := "true"
			if takesValue(f) {
				key := path + " --" + long
				if flagValues[key] == "" {
					key = long
				}
				var ok bool
				if given, ok = flagValues[key]; !ok {
					t.Fatalf("flagValues has no value for --%s", long)
				}
				used[key] = true
			}
			others := required
			if i := slices.Index(required, "--"+long); i >= 0 {
				others = slices.Delete(slices.Clone(required), i, i+2)
			}
			for _, name := range f.Names() {
				for _, line := range orders(name, given, takesValue(f), arguments, others) {
					with, ctx := parse(t, path, line...)
					if !ctx.IsSet(long) {
						t.Errorf("%s %q: --%s is not set", path, line, long)
					}
					if got := ctx.Args().Slice(); strings.Join(got, " ") != strings.Join(arguments, " ") {
						t.Errorf("%s %q: arguments %q, want %q", path, line, got, arguments)
					}
					if reflect.DeepEqual(with, without) {
						t.Errorf("%s %q: --%s changes nothing", path, line, long)
					}
				}
			}
		}
	})
	for name := range flagValues {
		if !used[name] {
			t.Errorf("--%s is a flag of no command", name)
		}
	}
}

// formatTaking returns the first format that convert takes a flag for, the first of all if
// no format asks for it.
func formatTaking(flag string) string {
	all := formats()
	return all[max(0, slices.IndexFunc(all, func(f format) bool { return f.has(flag) }))].name
}

// orders returns command lines with a flag in every place and form.
func orders(name, value string, takesValue bool, arguments, required []string) [][]string {
	dashed := "--" + name
	if len(name) == 1 {
		dashed = "-" + name
	}
	forms := [][]string{{dashed}}
	if takesValue {
		forms = [][]string{{dashed, value}, {dashed + "=" + value}}
	}
	var lines [][]string
	for _, form := range forms {
		lines = append(lines,
			slices.Concat(form, required, arguments),
			slices.Concat(required, form, arguments),
			slices.Concat(arguments, form, required),
			slices.Concat(arguments, required, form),
			slices.Concat(required, arguments, form),
			slices.Concat(form, arguments, required),
			slices.Concat(form, required, []string{"--"}, arguments),
		)
	}
	return lines
}

func TestRepeatedFlagsAddUp(t *testing.T) {
	_, ctx := parse(t, "inspect", "-e", "a.elf", "input", "--elf=b.elf", "--reg", "A=1,2", "-e", "c,d.elf", "--reg=B=3")
	if got, want := ctx.StringSlice("elf"), []string{"a.elf", "b.elf", "c,d.elf"}; !slices.Equal(got, want) {
		t.Errorf("--elf %q, want %q", got, want)
	}
	if got, want := ctx.StringSlice("reg"), []string{"A=1,2", "B=3"}; !slices.Equal(got, want) {
		t.Errorf("--reg %q, want %q", got, want)
	}
}

// Help fits a terminal of 80 columns, but for examples, and names every flag.
func TestHelp(t *testing.T) {
	walk(newApp(io.Discard, io.Discard).Commands, "", func(path string, c *cli.Command) {
		help := commandHelp(c)
		for line := range strings.Lines(help) {
			if n := uniseg.StringWidth(strings.TrimSuffix(line, "\n")); n > helpColumns && !strings.HasPrefix(line, "   tracelake ") {
				t.Errorf("%s: line of %d columns: %s", path, n, line)
			}
		}
		if n := strings.Count(help, "\n   tracelake "+path); n < 3 { // the synopsis and two examples
			t.Errorf("%s: %d lines show its use, want 3", path, n)
		}
		for _, f := range c.Flags {
			if !strings.Contains(help, " --"+f.Names()[0]) {
				t.Errorf("%s: --%s is not in the help", path, f.Names()[0])
			}
		}
	})
}
