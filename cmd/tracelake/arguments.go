package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// arrange rewrites a command line so that urfave/cli reads all of it. By itself
// it stops at the first argument, and loses the flags after it; and it refuses a
// flag under two of its names. Here the flags come first, each as --NAME=VALUE
// with its long name, then "--" and the arguments. Unknown flags are
// refused.
func arrange(app *cli.App, args []string) ([]string, error) {
	if len(args) > 1 && args[1] == "help" {
		args = append(slices.Concat(args[:1], args[2:]), "--help")
	}
	if len(args) < 2 || ownFlag(args[1]) {
		return args, nil
	}
	if strings.HasPrefix(args[1], "-") {
		return nil, usage("", "unknown flag "+args[1]+" for tracelake itself", "flags come after the command; see tracelake --help")
	}
	command, rest, err := findCommand(app, args[1:])
	if err != nil {
		return nil, err
	}
	flags, rest, err := sortOut(command, rest)
	if err != nil {
		return nil, err
	}
	command.CustomHelpTemplate = commandHelp(command) // of one command: texts of all take a quarter of the start
	if slices.Contains(flags, "--help=true") {
		rest = nil // else urfave/cli takes them for topics of help
	}
	return slices.Concat(args[:1], strings.Fields(fullName(command)), flags, []string{"--"}, rest), nil
}

// findCommand returns the command that args begin with, and what follows it.
func findCommand(app *cli.App, args []string) (*cli.Command, []string, error) {
	command, rest := app.Command(args[0]), args[1:]
	if command == nil {
		return nil, nil, unknownCommand(args[0], "command", app.Commands)
	}
	for len(command.Subcommands) > 0 && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		sub := command.Command(rest[0])
		if sub == nil {
			return nil, nil, unknownCommand(rest[0], command.Name, command.Subcommands)
		}
		command, rest = sub, rest[1:]
	}
	return command, rest, nil
}

// ownFlag reports whether arg is a flag that needs no command.
func ownFlag(arg string) bool {
	return slices.Contains([]string{"--help", "-help", "-h", "--version", "-version", "-v"}, arg)
}

// sortOut divides args into flags, as arrange makes them, and arguments.
func sortOut(c *cli.Command, args []string) (flags, rest []string, err error) {
	known := flagsByName(c)
	given := map[string]bool{}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return flags, append(rest, args[i+1:]...), nil
		}
		if len(arg) < 2 || arg[0] != '-' {
			rest = append(rest, arg)
			continue
		}
		name, value, hasValue := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
		f := known[name]
		if f == nil {
			return nil, nil, unknownFlag(c, known, arg, name)
		}
		long := f.Names()[0]
		if given[long] && !repeatable(f) {
			return nil, nil, usage(arg, "is given twice", "give it once")
		}
		given[long] = true
		typed := arg
		switch {
		case hasValue:
		case !takesValue(f):
			value = "true"
		case i+1 == len(args):
			return nil, nil, usage(arg, "needs a value", seeHelp(c))
		case isFlag(known, args[i+1]):
			return nil, nil, usage(arg, fmt.Sprintf("needs a value, but the flag %s follows", args[i+1]),
				fmt.Sprintf("if that is the value, write %s=%s", arg, args[i+1]))
		default:
			i++
			value = args[i]
			typed += " " + value
		}
		if err := checkValue(f, typed, value); err != nil {
			return nil, nil, err
		}
		flags = append(flags, "--"+long+"="+value)
	}
	return flags, rest, nil
}

// flagsByName returns the flags of a command under each of their names.
func flagsByName(c *cli.Command) map[string]cli.Flag {
	known := map[string]cli.Flag{}
	for _, f := range append(slices.Clip(c.Flags), cli.HelpFlag) {
		for _, name := range f.Names() {
			known[name] = f
		}
	}
	return known
}

// isFlag reports whether arg is a flag of the command, or ends its flags.
func isFlag(known map[string]cli.Flag, arg string) bool {
	name, dashed := strings.CutPrefix(arg, "-")
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "-"), "=")
	return dashed && (arg == "--" || known[name] != nil)
}

func takesValue(f cli.Flag) bool {
	d, ok := f.(cli.DocGenerationFlag)
	return ok && d.TakesValue()
}

func repeatable(f cli.Flag) bool {
	d, ok := f.(cli.DocGenerationSliceFlag)
	return ok && d.IsSliceFlag()
}
