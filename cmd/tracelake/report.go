package main

import (
	"github.com/urfave/cli/v2"
)

// reportCommand holds the reports, a subcommand each.
func reportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "says what a capture comes to",
		UsageText: "tracelake report REPORT INPUT [flags]",
		Description: `
Examples:
   tracelake report quality capture
   tracelake report quality --help`,
		Subcommands: []*cli.Command{qualityCommand()},
		Action: func(ctx *cli.Context) error {
			cli.HelpPrinter(ctx.App.ErrWriter, ctx.Command.CustomHelpTemplate, nil)
			return usage(fullName(ctx.Command), "needs the name of a report", "reports are quality")
		},
	}
}
