package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"text/tabwriter"

	"github.com/tracelake/tracelake/bench/execute"
	"github.com/tracelake/tracelake/bench/generate"
	"github.com/tracelake/tracelake/bench/measure"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/bench/repeat"
	"github.com/tracelake/tracelake/schema"
)

// This file compares ETMv1 and ETMv2 with ETMv3: of an execution of a program made up
// for ARMv5TE, instructions alone, samples of 8 pins in a sample file.

// portModes are what is measured. The first of each pair is with one worker.
var portModes = measure.OneAndTwo("decode", "parquet", "blocks")

// ported are the protocols, and their versions: the first is what the others are
// compared with.
var ported = []struct {
	name  string
	minor int
}{{"etmv3", 5}, {"etmv1", 3}, {"etmv2", 1}}

const (
	portCodeBytes  = 400_000
	portExceptions = 100 // per million instructions
)

// comparePorts traces an execution of so many instructions in each protocol, lays the
// traces end to end, measures them in turns, and prints a table.
func comparePorts(instructions int64, times, rounds int) error {
	work, err := os.MkdirTemp("", "throughput")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	subjects := make([]subject, len(ported))
	for i, p := range ported {
		dir := filepath.Join(work, p.name)
		input, images, err := tracePort(dir, generate.Recipe{Protocol: p.name, Minor: p.minor, Framing: generate.NoFrames},
			instructions, times)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		subjects[i] = subject{name: p.name, input: input, images: images, modes: portModes}
	}
	if err := inRounds(subjects, rounds); err != nil {
		return err
	}
	return reportPorts(os.Stdout, subjects)
}

// tracePort writes a capture of the execution, and returns what to decode.
func tracePort(dir string, r generate.Recipe, instructions int64, times int) (input string, images []string,
	err error) {
	w, err := portWorkload(instructions, r.Arch())
	if err != nil {
		return "", nil, err
	}
	c, err := r.Capture(w)
	if err != nil {
		return "", nil, err
	}
	m, err := c.Write(context.Background(), dir)
	if err != nil {
		return "", nil, err
	}
	from := filepath.Join(dir, c.Folder())
	if c.Cores[0].Port == nil {
		to := filepath.Join(dir, "repeated")
		return to, nil, repeat.Snapshot(from, to, times*int(m.Totals.Bytes))
	}
	for _, image := range m.Images {
		images = append(images, fmt.Sprintf("%s@0x%x", filepath.Join(from, image.File), image.Address))
	}
	input = filepath.Join(from, "capture.etms")
	return input, images, repeat.Samples(input, times)
}

// portWorkload is the execution, as it can be traced in a core of the architecture:
// the code is the same in any.
func portWorkload(instructions int64, arch program.Arch) (*generate.Workload, error) {
	w, err := generate.GeneratedWorkload(codegen.Options{Seed: 1, Bytes: portCodeBytes, Base: 0x8000, Arch: program.V5TE})
	if err != nil {
		return nil, err
	}
	steps := execute.Run(w.Program(), execute.Options{
		Seed: 1, Instructions: instructions, Tasks: w.Tasks, Targets: w.Targets, Handlers: w.Handlers, Arch: w.Arch,
		Watchdog: true, Interrupts: 32, Rates: map[schema.ExceptionType]float64{schema.ExcIRQ: portExceptions},
	})
	return &generate.Workload{Memory: w.Memory, Arch: arch, Recorded: steps}, nil
}

// reportPorts prints the cost of an instruction in each protocol, and how many times as
// fast it is as in the first, in the same round.
func reportPorts(out io.Writer, subjects []subject) error {
	first := &subjects[0]
	for i := range subjects {
		r := subjects[i].runs[0][0]
		fmt.Fprintf(out, "%s: %d instructions in %d bytes or samples\n", subjects[i].name, r.Instructions, r.Bytes)
	}
	fmt.Fprintf(out, "%d rounds, %d processors\n", len(first.runs[0]), runtime.NumCPU())
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w,
		"what\tworkers\tprotocol\tCPU ns/instr\tspeed by CPU\tby wall, of %s\ttwo workers, by wall\tpeak MB\t\n", first.name)
	for k, m := range portModes {
		for i := range subjects {
			s := &subjects[i]
			fmt.Fprintf(w, "%s\t%d\t%s\t%.1f\t%.2f\t%.2f\t%.2f\t%.0f\t\n", m.Name, m.Workers, s.name,
				measure.Of(s.runs[k], func(r measure.Run) float64 { return r.CPU / float64(r.Instructions) * 1e9 }),
				measure.Ratio(first.runs[k], s.runs[k], measure.CPUEach), measure.Ratio(first.runs[k], s.runs[k], measure.WallEach),
				measure.Ratio(s.runs[k&^1], s.runs[k], measure.WallEach),
				measure.Of(s.runs[k], func(r measure.Run) float64 { return float64(r.Peak) / 1e6 }))
		}
	}
	return w.Flush()
}
