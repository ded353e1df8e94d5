// Throughput measures how fast captures are decoded, alone, with what ran counted
// (tally: the rows of counts and edges) and into Parquet, with one worker and with
// two:
//
//	go run ./bench/throughput -capture DIR [-capture DIR …] [-mb 64] [-rounds 5]
//	go run ./bench/throughput -port N [-times 10] [-rounds 5]
//
// With -port, ETMv1 and ETMv2 are compared with ETMv3: one execution of N
// instructions is traced in each (port.go).
//
// The trace of each snapshot is laid end to end until it has -mb megabytes. It
// must be one buffer, of format coresight, or of format source_data and then begin
// with an A-sync. Of frames, what each configured source sent from its first A-sync
// up to its last is repeated, and put into frames again. Every measurement is a
// process of its own, so that peak memory is its alone; rounds go through all
// captures and modes, so that ratios hold on a noisy machine. Printed are medians
// with the least and the most, and ratios of the same round.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"text/tabwriter"

	"github.com/tracelake/tracelake/bench/measure"
	"github.com/tracelake/tracelake/bench/repeat"
)

var modes = measure.OneAndTwo("decode", "tally", "parquet", "blocks")

func main() {
	var captures, images []string
	flag.Func("capture", "snapshot `directory`; may be given several times", func(dir string) error {
		captures = append(captures, dir)
		return nil
	})
	megabytes := flag.Int("mb", 64, "length of the trace to make")
	instructions := flag.Int64("port", 0, "compare trace ports with ETMv3, by an execution of so many `instructions`")
	times := flag.Int("times", 10, "with -port: how often the traces are laid end to end")
	rounds := flag.Int("rounds", 5, "rounds")
	flag.Func("image", "", func(image string) error {
		images = append(images, image)
		return nil
	})
	mode := flag.String("one", "", "")
	flag.Parse()
	var err error
	switch {
	case *instructions > 0:
		err = comparePorts(*instructions, *times, *rounds)
	case len(captures) == 0:
		err = errors.New("give a snapshot with -capture DIR, or -port N")
	case *mode != "":
		err = one(*mode, captures[0], images)
	default:
		err = compare(captures, *megabytes<<20, *rounds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "throughput:", err)
		os.Exit(1)
	}
}

// one runs one mode and prints the run as JSON.
func one(word, input string, images []string) error {
	m, err := measure.ParseMode(word)
	if err != nil {
		return err
	}
	return measure.Print(os.Stdout, func(r *measure.Run) error { return m.Do(input, input+".out", images, r) })
}

// A subject is a capture that is measured.
type subject struct {
	name   string
	input  string // snapshot or raw file, repeated
	images []string
	modes  []measure.Mode
	runs   [][]measure.Run // by mode, in the order of rounds
}

// compare measures all captures in all modes, in turns, and prints a table of each.
func compare(captures []string, size, rounds int) error {
	work, err := os.MkdirTemp("", "throughput")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	subjects := make([]subject, len(captures))
	for i, dir := range captures {
		s := &subjects[i]
		*s = subject{name: filepath.Base(dir), input: filepath.Join(work, strconv.Itoa(i)), modes: modes}
		if err := repeat.Snapshot(dir, s.input, size); err != nil {
			return err
		}
	}
	if err := inRounds(subjects, rounds); err != nil {
		return err
	}
	for i := range subjects {
		if err := subjects[i].report(os.Stdout); err != nil {
			return err
		}
	}
	return nil
}

// inRounds measures all subjects in all their modes, in turns.
func inRounds(subjects []subject, rounds int) error {
	for i := range subjects {
		subjects[i].runs = make([][]measure.Run, len(subjects[i].modes))
	}
	for round := range rounds {
		for i := range subjects {
			if err := subjects[i].measure(); err != nil {
				return fmt.Errorf("%s, round %d: %w", subjects[i].name, round+1, err)
			}
		}
	}
	return nil
}

// measure runs all modes once, each in a process of its own.
func (s *subject) measure() error {
	args := []string{"-capture", s.input}
	for _, image := range s.images {
		args = append(args, "-image", image)
	}
	for i, m := range s.modes {
		var r measure.Run
		if err := measure.Process(exec.Command(os.Args[0], append(args, "-one", m.String())...), &r); err != nil {
			return err
		}
		s.runs[i] = append(s.runs[i], r)
	}
	return nil
}

// report prints what the runs of a capture come to.
func (s *subject) report(out io.Writer) error {
	first := s.runs[0][0]
	fmt.Fprintf(out, "%s: %d rounds, %d instructions in %d bytes, %d processors\n",
		s.name, len(s.runs[0]), first.Instructions, first.Bytes, runtime.NumCPU())
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "what\tworkers\tM instr/s wall\tM instr/s per CPU-s\ttrace MB/s wall\tpeak MB\t")
	for i, m := range modes {
		r := s.runs[i]
		fmt.Fprintf(w, "%s\t%d\t%.1f\t%.1f\t%.1f\t%.0f\t\n", m.Name, m.Workers,
			measure.Of(r, func(r measure.Run) float64 { return float64(r.Instructions) / r.Wall / 1e6 }),
			measure.Of(r, func(r measure.Run) float64 { return float64(r.Instructions) / r.CPU / 1e6 }),
			measure.Of(r, func(r measure.Run) float64 { return float64(r.Bytes) / r.Wall / 1e6 }),
			measure.Of(r, func(r measure.Run) float64 { return float64(r.Peak) / 1e6 }))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for i := 0; i < len(modes); i += 2 {
		var ratios []float64
		for k := range s.runs[i] {
			ratios = append(ratios, s.runs[i][k].Wall/s.runs[i+1][k].Wall)
		}
		fmt.Fprintf(out, "%s: two workers are %.2f times as fast as one\n", modes[i].Name, measure.NewSpread(ratios))
	}
	for i := range 2 { // modes decode and tally
		var cost []float64
		for k, decode := range s.runs[i] {
			cost = append(cost, (s.runs[2+i][k].CPU-decode.CPU)/float64(decode.Instructions)*1e9)
		}
		fmt.Fprintf(out, "tally: %.1f ns of CPU an instruction with %d workers\n", measure.NewSpread(cost), modes[i].Workers)
	}
	return nil
}
