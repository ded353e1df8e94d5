// Package reference writes what is made from the commands of the program: its man
// page, and the scripts that complete them in shells.
package reference

import "strings"

// A Program is a program with its commands.
type Program struct {
	Name, Usage, Version string
	ExitStatus           string // sentences
	Commands             []Command
}

// A Command is a command, in plain text without line breaks but in Description.
type Command struct {
	Path        string // the words that call it: "report quality"
	Usage       string // continues the name: "decodes a capture"
	Synopsis    string
	Description string // paragraphs; indented lines are literal
	Flags       []Flag
	Commands    []Command
}

// A Flag is a flag of a command.
type Flag struct {
	Names []string // with dashes, as --output and -o
	Value string   // the word for its value, "" if it takes none
	Usage string
	Group string
}

// Name is the last word of the path.
func (c *Command) Name() string { return c.Path[strings.LastIndex(c.Path, " ")+1:] }

// Parent is the rest of the path.
func (c *Command) Parent() string { return c.Path[:max(0, strings.LastIndex(c.Path, " "))] }

// All returns the commands of a list and below it, each before its own.
func All(commands []Command) []Command {
	var all []Command
	for _, c := range commands {
		all = append(append(all, c), All(c.Commands)...)
	}
	return all
}
