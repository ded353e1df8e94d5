// Command same writes a list of all that the program makes of many captures: the SHA-256
// of every file of a dataset, a hash of the cells of every column, and the SHA-256 of every
// report as screen, JSON and page. Two commits that make the same rows and answers have the
// same list.
//
//	go run ./bench/tools/same -o after.list
//	go run ./bench/tools/same -against before.list
//	go run ./bench/tools/same -against before.list -columns
//
// The captures are the sample, those of ../shared/captures where they are, and 200 made by
// synth: of all protocols, cycle-accurate, with timestamps, data and return stack, of several
// sources, in rings, and damaged. Each is exported at three levels in two formats, with -j 1 and
// -j 3. With -tenth it takes the sample and a tenth of the made ones. With -columns it compares
// the hashes of columns alone, where the schema or the format of files has changed.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "same:", err)
		os.Exit(1)
	}
}

// settings are what a command line says.
type settings struct {
	program string         // the path of tracelake; "": built from the module
	shared  string         // the folder of captures of silicon
	only    *regexp.Regexp // of names of captures
	tenth   bool
	jobs    int
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("same", flag.ContinueOnError)
	var s settings
	flags.StringVar(&s.program, "program", "",
		"list what this `FILE` makes (default: tracelake of this module, built now)")
	flags.StringVar(&s.shared, "silicon", "../shared/captures", "captures of silicon are in `DIR`")
	flags.BoolVar(&s.tenth, "tenth", false, "list a tenth")
	flags.IntVar(&s.jobs, "jobs", runtime.GOMAXPROCS(0), "work on `N` captures at once")
	only := flags.String("only", "", "list captures whose name matches `REGEXP`")
	output := flags.String("o", "", "write the list to `FILE`")
	against := flags.String("against", "", "print what differs from the list in `FILE`")
	columns := flags.Bool("columns", false, "of -against compare hashes of columns alone, of those that both lists have")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var err error
	if s.only, err = regexp.Compile(*only); err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	dir, err := os.MkdirTemp("", "same-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if s.program == "" {
		s.program = filepath.Join(dir, "tracelake")
		if err := build(ctx, s.program); err != nil {
			return err
		}
	}
	lists, err := s.makeAll(ctx, dir)
	if err != nil {
		return err
	}
	if *output != "" {
		if err := writeList(*output, lists); err != nil {
			return err
		}
	}
	if *against != "" {
		before, err := readList(*against)
		if err != nil {
			return err
		}
		return compare(out, before, lists, *columns)
	}
	for _, l := range lists {
		fmt.Fprintf(out, "%s  %s\n", l.sum(), l.capture)
	}
	return nil
}

// writeList writes all lines to a file.
func writeList(path string, lists []list) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for _, l := range lists {
		for _, x := range l.lines {
			fmt.Fprintf(w, "%s  %s/%s\n", x.hash, l.capture, x.name)
		}
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
