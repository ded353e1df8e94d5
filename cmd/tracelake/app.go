package main

import (
	"cmp"
	"io"
	"runtime/debug"

	"github.com/urfave/cli/v2"
)

// newApp returns the program: the table of its commands.
func newApp(stdout, stderr io.Writer) *cli.App {
	app := &cli.App{
		Name:    "tracelake",
		Usage:   "decodes Arm CoreSight captures into Parquet or Arrow tables",
		Version: version(),
		Commands: []*cli.Command{
			exportCommand(),
			inspectCommand(),
			packetsCommand(),
			demoCommand(),
			synthCommand(),
			verifyCommand(),
			reportCommand(),
			qualityCommand(),
		},
		Action: func(*cli.Context) error {
			return usage("COMMAND", "is missing", "tracelake --help lists the commands")
		},
		Writer:                    stdout,
		ErrWriter:                 stderr,
		CustomAppHelpTemplate:     appHelp,
		HideHelpCommand:           true, // arrange knows `help`
		DisableSliceFlagSeparator: true, // --reg takes commas as they are
		OnUsageError:              usageError,
		ExitErrHandler:            func(*cli.Context, error) {}, // main alone exits
	}
	for _, c := range app.Commands {
		c.CustomHelpTemplate = commandHelp(c)
		c.HideHelpCommand = true // `export help` has the INPUT "help"
		c.OnUsageError = usageError
	}
	return app
}

// usageError makes one line of what urfave/cli says about a flag.
func usageError(ctx *cli.Context, err error, isCommand bool) error {
	where := "tracelake"
	if isCommand {
		where = ctx.Command.Name
	}
	return usage(where, err.Error(), seeHelp(ctx.Command))
}

// seeHelp is the remedy for a command line that is wrong for c.
func seeHelp(c *cli.Command) string {
	if c.Name == "tracelake" {
		return "see tracelake --help"
	}
	return "see tracelake " + c.Name + " --help"
}

// version is that of the build: of the module, or of the commit.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "(devel)" {
		return "devel"
	}
	return cmp.Or(info.Main.Version, "devel")
}
