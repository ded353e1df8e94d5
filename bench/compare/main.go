// Compare measures tracelake against OpenCSD, the decoder that others use, and against
// itself, on the same bytes:
//
//	go run ./bench/compare [-silicon DIR] [-capture NAME …] [-millions 32] [-rounds 5] [-modes null,csv,…]
//	go run ./bench/compare -capture DIR -modes decode,decode/2,blocks,blocks/2
//	go run ./bench/compare -ports N -millions 40 -modes decode,parquet,blocks
//
// OpenCSD is Debian's, through its C API, by the driver in the folder driver. It has
// its best case: trace and program memory are buffers in memory. In mode null it
// counts output elements and instructions, in mode csv it writes nine fields of each
// instruction to /dev/null, formatted by hand. What tracelake does is in mode.go. Each
// capture is laid end to end until it has so many instructions, and both sides must count
// the same. A measurement is a process of its own, with one worker unless the mode says
// otherwise; rounds go through all captures and modes in turns. Printed are medians with
// the least and the most, by CPU time of user and system; ratios are of the same
// round, and to the first of the modes.
//
// With -ports, ETMv1 and ETMv2 are compared with ETMv3: ports.go.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	ports    int64    // instructions of captures of trace ports; 0: none
	modes    []string
	millions float64
	rounds   int
}

func main() {
	var o options
	var images []string
	list := func(to *[]string) func(string) error {
		return func(word string) error {
			*to = append(*to, word)
			return nil
		}
	}
	flag.StringVar(&o.silicon, "silicon", "", "`directory` of the captures of silicon; without it they are left out")
	flag.Func("capture", "`name` of a capture, or a snapshot directory; may be given several times", list(&o.names))
	flag.Int64Var(&o.ports, "ports", 0, "compare trace ports with ETMv3, by an execution of so many `instructions`")
	modes := flag.String("modes", "null,csv,decode,tally,none,parquet,blocks,arrow",
		"what to measure; the first two are OpenCSD; NAME/2 is with two workers")
	flag.Float64Var(&o.millions, "millions", 32, "millions of instructions of a capture, at least")
	flag.IntVar(&o.rounds, "rounds", 5, "rounds")
	one := flag.String("one", "", "")
	flag.Func("image", "", list(&images))
	flag.Parse()
	o.modes = strings.Split(*modes, ",")
	var err error
	if *one != "" {
		err = oneRun(*one, flag.Arg(0), images)
	} else {
		err = compare(&o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// oneRun runs one mode of tracelake and prints the measurement as JSON.
func oneRun(word, input string, images []string) error {
	m, err := parseMode(word)
	if err != nil {
		return err
	}
	out := input + ".out"
	defer os.RemoveAll(out)
	return measure(os.Stdout, func(r *measured) error { return m.do(input, out, images, r) })
}

// compare makes the captures, measures them and prints the table.
func compare(o *options) error {
	modes, err := parseModes(o.modes)
	if err != nil {
		return err
	}
	opencsd := slices.Contains(modes, null) || slices.Contains(modes, csv)
	if opencsd && o.ports > 0 {
		return errors.New("OpenCSD decodes no trace port: give -modes without null and csv")
	}
	work, err := os.MkdirTemp("", "compare")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	driver := ""
	if opencsd {
		if driver, err = buildDriver(work); err != nil {
			return err
		}
	}
	subjects, err := o.subjects(os.Stdout)
	if err != nil {
		return err
	}
	for i, s := range subjects {
		err := s.prepare(filepath.Join(work, fmt.Sprint(i)), o.millions*1e6)
		if err == nil && opencsd {
			err = s.check(driver, os.Stdout)
		}
		if err != nil {
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
	report(os.Stdout, subjects, modes)
	return nil
}

// parseModes reads words like "null" and "parquet/2"; one worker is the default.
func parseModes(words []string) ([]string, error) {
	var modes []string
	for _, word := range words {
		if word != null && word != csv {
			if !strings.Contains(word, "/") {
				word += "/1"
			}
			if _, err := parseMode(word); err != nil {
				return nil, err
			}
		}
		modes = append(modes, word)
	}
	return modes, nil
}
