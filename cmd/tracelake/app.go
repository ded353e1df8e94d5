package main

import (
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

const programName = "tracelake"

// newApp returns the program: the table of its commands.
func newApp(stdout, stderr io.Writer) *cli.App {
	app := &cli.App{
		Name:     programName,
		HelpName: programName,
		Usage:    "decode Arm CoreSight captures into Parquet or Arrow tables",
		Version:  version(),
		Commands: []*cli.Command{
			exportCommand(),
			inspectCommand(),
			packetsCommand(),
			demoCommand(),
			synthCommand(),
			verifyCommand(),
			archiveCommand(),
			redecodeCommand(),
			pruneCommand(),
			reportCommand(),
			convertCommand(),
			sqlCommand(),
			completionCommand(),
			versionCommand(),
			manCommand(),
		},
		After: removeTemporaryFiles,
		Action: func(*cli.Context) error {
			return usage("COMMAND", "is missing", "tracelake --help lists the commands")
		},
		Writer:                    stdout,
		ErrWriter:                 stderr,
		CustomAppHelpTemplate:     appHelp,
		HideHelpCommand:           true, // arrange knows `help`
		DisableSliceFlagSeparator: true, // --reg takes commas as they are
		OnUsageError:              onUsageError,
		ExitErrHandler:            func(*cli.Context, error) {}, // main alone exits
	}
	walk(app.Commands, "", func(path string, c *cli.Command) {
		c.HelpName = path
		c.HideHelpCommand = true // `export help` has the INPUT "help"
		c.OnUsageError = onUsageError
	})
	return app
}

// fullName is the words that call c: "report quality".
func fullName(c *cli.Command) string {
	return strings.TrimPrefix(c.HelpName, programName+" ") // which urfave/cli adds, or does not
}

// walk calls do for each of commands and, after it, its subcommands, with the
// words that call it: "report quality".
func walk(commands []*cli.Command, before string, do func(path string, c *cli.Command)) {
	for _, c := range commands {
		path := strings.TrimPrefix(before+" "+c.Name, " ")
		do(path, c)
		walk(c.Subcommands, path, do)
	}
}
