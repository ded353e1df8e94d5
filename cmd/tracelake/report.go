package main

import (
	"github.com/urfave/cli/v2"
)

// reportCommand holds the reports, a subcommand each.
func reportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "summarise a capture or dataset",
		UsageText: "tracelake report REPORT INPUT|DIR... [flags]",
		Description: `
Quality reads a capture; the others read datasets that export wrote, or
captures, which they decode first, with the flags of export for input and
program.

Examples:
   tracelake report coverage run
   tracelake report hotspots run
   tracelake report quality capture`,
		Subcommands: []*cli.Command{
			coverageCommand(), branchesCommand(), hotspotsCommand(), callsCommand(),
			exceptionsCommand(), tasksCommand(), lastCommand(), disasmCommand(), trustCommand(), qualityCommand(),
			htmlCommand(),
		},
		Action: func(ctx *cli.Context) error {
			cli.HelpPrinter(ctx.App.ErrWriter, ctx.Command.CustomHelpTemplate, nil)
			return usage(fullName(ctx.Command), "needs the name of a report",
				"reports are coverage, branches, hotspots, calls, exceptions, tasks, last, disasm, trust, quality, html")
		},
	}
}
