package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/cmd/tracelake/internal/reference"
)

func completionCommand() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print the script that completes commands in a shell",
		UsageText: "tracelake completion bash|zsh|fish",
		Description: `The script completes commands, flags and file names.

Examples:
   tracelake completion bash > ~/.local/share/bash-completion/completions/tracelake
   tracelake completion zsh > ~/.zfunc/_tracelake
   tracelake completion fish > ~/.config/fish/completions/tracelake.fish`,
		Action: func(ctx *cli.Context) error {
			shell, err := shellArgument(ctx)
			if err != nil {
				return err
			}
			return reference.Completion(underlying(ctx.App.Writer), shell, programReference(ctx.App)) // which has tabs
		},
	}
}

// shellArgument reads the command line of completion.
func shellArgument(ctx *cli.Context) (string, error) {
	known := strings.Join(reference.Shells, ", ")
	switch args := ctx.Args().Slice(); {
	case len(args) != 1:
		return "", usage("completion", "needs one shell", "shells are "+known)
	case !slices.Contains(reference.Shells, args[0]):
		return "", usage("completion "+args[0], "is not a known shell",
			didYouMean(args[0], reference.Shells)+"shells are "+known)
	default:
		return args[0], nil
	}
}

// manCommand is for those who make packages, so --help does not list it.
func manCommand() *cli.Command {
	return &cli.Command{
		Name:      "man",
		Hidden:    true,
		Usage:     "print the man page",
		UsageText: "tracelake man",
		Description: `Examples:
   tracelake man > tracelake.1
   tracelake man | man -l -`,
		Action: func(ctx *cli.Context) error {
			if ctx.NArg() > 0 {
				return usage("man", "takes no argument", seeHelp(ctx.Command))
			}
			return reference.Man(ctx.App.Writer, programReference(ctx.App))
		},
	}
}

// programReference describes the program by its commands.
func programReference(app *cli.App) *reference.Program {
	_, statuses, _ := strings.Cut(strings.Join(strings.Fields(exitStatuses), " "), ": ")
	return &reference.Program{
		Name: app.Name, Usage: app.Usage, Version: app.Version, ExitStatus: statuses,
		Commands: commandReferences(app.Commands),
	}
}

// commandReferences describes commands that are not hidden.
func commandReferences(commands []*cli.Command) []reference.Command {
	var all []reference.Command
	for _, c := range commands {
		if c.Hidden {
			continue
		}
		r := reference.Command{
			Path: fullName(c), Usage: c.Usage, Synopsis: c.UsageText, Description: strings.TrimSpace(c.Description),
			Commands: commandReferences(c.Subcommands),
		}
		for _, f := range c.Flags {
			if f != cli.HelpFlag { // urfave/cli adds it to the command that runs
				r.Flags = append(r.Flags, flagReference(f))
			}
		}
		all = append(all, r)
	}
	return all
}

func flagReference(f cli.Flag) reference.Flag {
	r := reference.Flag{Usage: flagText(f), Group: f.(cli.CategorizableFlag).GetCategory()}
	for _, name := range f.Names() {
		dashes := "--"
		if len(name) == 1 {
			dashes = "-"
		}
		r.Names = append(r.Names, dashes+name)
	}
	if takesValue(f) {
		r.Value = valueWord(f)
	}
	return r
}

// valueWord is the word for the value of a flag: it stands between backquotes in the
// usage.
func valueWord(f cli.Flag) string {
	words := strings.Split(f.(cli.DocGenerationFlag).GetUsage(), "`")
	if len(words) < 2 {
		panic(fmt.Sprintf("--%s: no word for its value", f.Names()[0]))
	}
	return words[1]
}
