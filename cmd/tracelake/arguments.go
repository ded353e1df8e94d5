package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// arrange rewrites a command line so that urfave/cli reads all of it. By itself
// it stops at the first argument, and loses the flags behind; and it refuses a
// flag under two of its names. Here the flags come first, each as --NAME=VALUE
// with its long name, then "--" and the arguments. What is no flag of the
// command is refused.
func arrange(app *cli.App, args []string) ([]string, error) {
	if len(args) > 1 && args[1] == "help" {
		args = append(slices.Concat(args[:1], args[2:]), "--help")
	}
	if len(args) < 2 || ownFlag(args[1]) {
		return args, nil
	}
	if len(args) > 2 && app.Command(args[1]+" "+args[2]) != nil { // a command of two words
		args = slices.Concat(args[:1], []string{args[1] + " " + args[2]}, args[3:])
	}
	if strings.HasPrefix(args[1], "-") {
		return nil, usage(args[1], "is no flag of tracelake itself", "flags stand behind the command; see tracelake --help")
	}
	command := app.Command(args[1])
	if command == nil {
		return nil, unknownCommand(app, args[1])
	}
	flags, rest, err := sortOut(command, args[2:])
	if err != nil {
		return nil, err
	}
	if slices.Contains(flags, "--help=true") {
		rest = nil // else urfave/cli takes them for topics of help
	}
	return slices.Concat([]string{args[0], command.Name}, flags, []string{"--"}, rest), nil
}

// ownFlag reports whether arg is a flag that needs no command.
func ownFlag(arg string) bool {
	return slices.Contains([]string{"--help", "-help", "-h", "--version", "-version", "-v"}, arg)
}

// unknownCommand says that name is no command, and which may be meant.
func unknownCommand(app *cli.App, name string) error {
	var names []string
	for _, c := range app.VisibleCommands() {
		names = append(names, c.Name)
	}
	return usage(name, "is no command", cli.SuggestCommand(app.Commands, name)+" Commands are "+strings.Join(names, ", "))
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

// unknownFlag says that c has no such flag, and which may be meant.
func unknownFlag(c *cli.Command, known map[string]cli.Flag, arg, name string) error {
	remedy := seeHelp(c)
	short := known[name[:min(len(name), 1)]]
	if short != nil && takesValue(short) && !strings.HasPrefix(arg, "--") {
		remedy = fmt.Sprintf("did you mean %s %s? %s", arg[:2], arg[2:], remedy)
	} else if near := cli.SuggestFlag(c.Flags, name, false); near != "" {
		remedy = fmt.Sprintf("did you mean %s? %s", near, remedy)
	}
	return usage(arg, "is no flag of "+c.Name, remedy)
}
