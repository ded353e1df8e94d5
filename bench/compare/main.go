// Compare measures tracelake against OpenCSD, the decoder that others use, on the
// same bytes:
//
//	go run ./bench/compare [-silicon DIR] [-capture NAME …] [-millions 32] [-rounds 5] [-modes null,csv,…]
//
// OpenCSD is Debian's, through its C API, by the driver in the folder driver. It has
// its best case: trace and program memory are buffers in memory. In mode null it
// counts output elements and instructions, in mode csv it writes nine fields of each
// instruction to /dev/null, formatted by hand. What tracelake does is in package
// measure. Each capture is laid end to end until it has so many instructions, and
// both sides must count the same. A measurement is a process of its own with one
// worker; rounds go through all captures and modes in turns. Printed are medians with
// the least and the most, by CPU time of user and system; ratios are of the same
// round.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/bench/measure"
)

// Modes of OpenCSD, beside those of tracelake.
const (
	null = "null"
	csv  = "csv"
)

// options are those of the command line.
type options struct {
	silicon  string
	names    []string // of captures; none: all
	modes    []string
	millions float64
	rounds   int
}

func main() {
	var o options
	flag.StringVar(&o.silicon, "silicon", "", "`directory` of the captures of silicon; without it they are left out")
	flag.Func("capture", "`name` of a capture, or a snapshot directory; may be given several times",
		func(name string) error {
			o.names = append(o.names, name)
			return nil
		})
	modes := flag.String("modes", "null,csv,decode,tally,none,parquet,blocks,arrow",
		"what to measure; the first two are OpenCSD; NAME/2 is with two workers")
	flag.Float64Var(&o.millions, "millions", 32, "millions of instructions of a capture, at least")
	flag.IntVar(&o.rounds, "rounds", 5, "rounds")
	one := flag.String("one", "", "")
	flag.Parse()
	o.modes = strings.Split(*modes, ",")
	var err error
	if *one != "" {
		err = oneRun(*one, flag.Arg(0))
	} else {
		err = compare(&o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// oneRun runs one mode of tracelake and prints the run as JSON.
func oneRun(word, input string) error {
	m, err := measure.ParseMode(word)
	if err != nil {
		return err
	}
	out := input + ".out"
	defer os.RemoveAll(out)
	return measure.Print(os.Stdout, func(r *measure.Run) error { return m.Do(input, out, nil, r) })
}

// compare makes the captures, measures them and prints the table.
func compare(o *options) error {
	modes, err := parseModes(o.modes)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "compare")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	driver, err := buildDriver(work)
	if err != nil {
		return err
	}
	subjects, err := o.subjects(os.Stdout)
	if err != nil {
		return err
	}
	for i, s := range subjects {
		if err := s.prepare(filepath.Join(work, fmt.Sprint(i)), o.millions*1e6); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := s.check(driver, os.Stdout); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	for round := range o.rounds {
		for _, s := range subjects {
			if err := s.round(driver, modes); err != nil {
				return fmt.Errorf("%s, round %d: %w", s.name, round+1, err)
			}
		}
	}
	return report(os.Stdout, subjects, modes)
}

// parseModes reads words like "null" and "parquet/2"; one worker is the default.
func parseModes(words []string) ([]string, error) {
	var modes []string
	for _, word := range words {
		if word != null && word != csv {
			if !strings.Contains(word, "/") {
				word += "/1"
			}
			if _, err := measure.ParseMode(word); err != nil {
				return nil, err
			}
		}
		modes = append(modes, word)
	}
	if !slices.Contains(modes, null) {
		return nil, errors.New("mode null is missing from -modes: the others are compared with it")
	}
	return modes, nil
}
