package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
)

// A usageError says what is wrong with a command line.
type usageError struct {
	where   string // the command, flag or argument, as the user typed it; "": the problem names it
	problem string // continues where: "takes one INPUT"
	remedy  string
}

func (e *usageError) Error() string {
	if e.where == "" {
		return e.problem + "; " + e.remedy
	}
	return e.where + ": " + e.problem + "; " + e.remedy
}

// usage returns the error for a wrong command line.
func usage(where, problem, remedy string) error { return &usageError{where, problem, remedy} }

// A missingError says that a file that an argument names does not exist. That is no
// wrong usage: the command fails as for any other file that cannot be read.
type missingError struct{ path, remedy string }

func (e *missingError) Error() string { return e.path + ": does not exist; " + e.remedy }

// unreadable is the error for a file that a flag names and that cannot be opened.
func unreadable(path string, err error, remedy string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &missingError{path, remedy}
	}
	return err
}

// onUsageError makes one line of what urfave/cli says about a command line that
// arrange let pass.
func onUsageError(ctx *cli.Context, err error, _ bool) error {
	return usage(fullName(ctx.Command), err.Error(), seeHelp(ctx.Command))
}

// seeHelp is the remedy for a command line that is wrong for c.
func seeHelp(c *cli.Command) string {
	if name := fullName(c); name != programName {
		return "see tracelake " + name + " --help"
	}
	return "see tracelake --help"
}

// unknownCommand says that name is none of commands, and which may be meant. what is
// the word for them: command or report.
func unknownCommand(name, what string, commands []*cli.Command) error {
	var names []string
	for _, c := range commands {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	return usage("", "unknown "+what+" "+name, didYouMean(name, names)+what+"s are "+strings.Join(names, ", "))
}

// unknownFlag says that c has no such flag, and which may be meant.
func unknownFlag(c *cli.Command, known map[string]cli.Flag, arg, name string) error {
	short := known[name[:min(len(name), 1)]]
	if short != nil && takesValue(short) && len(arg) > 2 && arg[1] != '-' {
		return usage("", "unknown flag "+arg+" for "+fullName(c), fmt.Sprintf("did you mean %s %s? %s", arg[:2], arg[2:], seeHelp(c)))
	}
	var names []string
	for _, f := range c.Flags {
		names = append(names, f.Names()[0])
	}
	remedy := seeHelp(c)
	if near := nearest(name, names); near != "" {
		remedy = fmt.Sprintf("did you mean --%s? %s", near, remedy)
	}
	return usage("", "unknown flag "+arg+" for "+fullName(c), remedy)
}

// didYouMean asks whether the nearest of names is meant; it says nothing if none
// is near.
func didYouMean(name string, names []string) string {
	if near := nearest(name, names); near != "" {
		return "did you mean " + near + "? "
	}
	return ""
}

// nearest returns the one of words that is written most like word, or "" if even
// that one has more than a third of its letters wrong.
func nearest(word string, words []string) string {
	best, least := "", 0
	for _, w := range words {
		d := distance(word, w)
		if 3*d <= max(len(word), len(w)) && (best == "" || d < least) {
			best, least = w, d
		}
	}
	return best
}

// distance is the number of letters to put in, take out, change or swap with the
// next to make b of a (optimal string alignment).
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

// checkValue refuses a value that its flag cannot have. typed is the flag and
// the value as the user wrote them.
func checkValue(f cli.Flag, typed, value string) error {
	var err error
	problem, form := "is not a whole number", "give one, as 4 or 0x4"
	switch f.(type) {
	case *cli.IntFlag:
		_, err = strconv.ParseInt(value, 0, 0)
	case *cli.Int64Flag:
		_, err = strconv.ParseInt(value, 0, 64)
	case *cli.Uint64Flag:
		problem = "is not a whole number from 0 on"
		_, err = strconv.ParseUint(value, 0, 64)
	case *cli.Float64Flag:
		problem, form = "is not a number", "give one, as 0.5"
		_, err = strconv.ParseFloat(value, 64)
	case *cli.BoolFlag:
		problem, form = "is neither true nor false", "leave out =VALUE"
		_, err = strconv.ParseBool(value)
	}
	switch {
	case errors.Is(err, strconv.ErrRange):
		return usage(typed, "is a number out of range", "give a smaller one")
	case err != nil:
		return usage(typed, problem, form)
	}
	return nil
}
