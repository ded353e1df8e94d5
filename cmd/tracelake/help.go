package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/cmd/tracelake/internal/table"
)

const (
	helpColumns = 80
	flagIndent  = 3
)

const appHelp = `{{.Name}}: {{.Usage}}

Usage:
   {{.Name}} COMMAND [flags] [arguments]     flags may come anywhere

Commands:{{range .VisibleCommands}}
   {{.Name}}{{"\t"}}{{.Usage}}{{end}}

   {{.Name}} COMMAND --help says more; {{.Name}} --version says which this is.

Start with:
   {{.Name}} demo
   {{.Name}} inspect CAPTURE
   {{.Name}} export CAPTURE -o DIR

` + exitStatuses

const exitStatuses = `Exit status: 0 done, 1 failed, 2 wrong usage, 3 a condition asked for does not
hold, 4 nothing decoded or a wrong program, 130 interrupted.
`

// commandHelp returns what --help prints for c: urfave/cli's own help is wider
// than a screen. The text is a template without anything to fill in.
func commandHelp(c *cli.Command) string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "tracelake %s: %s\n\nUsage:\n   %s\n\n", fullName(c), c.Usage, c.UsageText)
	for i, sub := range c.Subcommands {
		if i == 0 {
			fmt.Fprintf(b, "%ss:\n", strings.ToUpper(c.Name[:1])+c.Name[1:])
		}
		fmt.Fprintf(b, "   %-10s  %s\n", sub.Name, sub.Usage)
	}
	b.WriteString(c.Description + "\n")
	width := 0
	groups := []string{}
	for _, f := range c.Flags {
		width = max(width, len(flagName(f)))
		if group := f.(cli.CategorizableFlag).GetCategory(); !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
	}
	for _, group := range groups {
		fmt.Fprintf(b, "\n%s:\n", group)
		for _, f := range c.Flags {
			if f.(cli.CategorizableFlag).GetCategory() == group {
				writeFlag(b, f, width)
			}
		}
	}
	return b.String() + "\n" + exitStatuses
}

// writeFlag writes the entry of a flag, its text beside a name of width
// columns.
func writeFlag(b *strings.Builder, f cli.Flag, width int) {
	const gap = 2
	left := fmt.Sprintf("%*s%-*s", flagIndent, "", width, flagName(f))
	for _, line := range table.Wrap(flagText(f), helpColumns-flagIndent-width-gap) {
		fmt.Fprintf(b, "%s%*s%s\n", left, gap, "", line)
		left = strings.Repeat(" ", flagIndent+width)
	}
}

// flagName is "-o, --output DIR". The word for the value is between backquotes in
// the usage.
func flagName(f cli.Flag) string {
	names := f.Names()
	text := "    --" + names[0]
	if len(names) > 1 {
		text = "-" + names[1] + ", --" + names[0]
	}
	if !takesValue(f) {
		return text
	}
	value := strings.Split(f.(cli.DocGenerationFlag).GetUsage(), "`")[1]
	return text + " " + value
}

func flagText(f cli.Flag) string {
	d := f.(cli.DocGenerationFlag)
	text := strings.ReplaceAll(d.GetUsage(), "`", "")
	switch def := strings.Trim(d.GetDefaultText(), `"`); {
	case repeatable(f):
		text += " (repeatable)"
	case takesValue(f) && def != "":
		text += " (default: " + def + ")"
	}
	return text
}
