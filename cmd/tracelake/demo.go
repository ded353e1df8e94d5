package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/bench/generate"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// What a demo writes.
const (
	demoCapture = "capture"
	demoDataset = "dataset"
)

func demoCommand() *cli.Command {
	return &cli.Command{
		Name:      "demo",
		Usage:     "decode the sample capture and show the next steps",
		UsageText: "tracelake demo [--protocol PROTOCOL] [-o DIR]",
		Description: `The sample goes to DIR/capture, the dataset made of it to DIR/dataset. Another
demo replaces both; a DIR that holds anything else is refused. The sample is of
pft; for another protocol the same tasks are traced in it, as an ARM926EJ-S
executed them.

Examples:
   tracelake demo
   tracelake demo -o /tmp/demo
   tracelake demo --protocol etmv1`,
		Flags: []cli.Flag{
			&cli.StringFlag{
				Name: "protocol", Category: string(groupInput), Value: demoProtocol,
				Usage: "show `PROTOCOL` " + list(generate.Protocols(), "or"),
			},
			&cli.StringFlag{
				Name: "output", Aliases: []string{"o"}, Category: string(groupOutput), Value: "tracelake-demo",
				Usage: "write to `DIR`",
			},
		},
		Action: demo,
	}
}

// demoProtocol is the protocol of the sample.
const demoProtocol = "pft"

func demo(ctx *cli.Context) error {
	dir, protocol, err := readDemo(ctx)
	if err != nil {
		return err
	}
	if err := checkDemoDir(dir); err != nil {
		return err
	}
	dataset := filepath.Join(dir, demoDataset)
	input, opt, err := demoSample(ctx, dir, protocol)
	if err != nil {
		return fmt.Errorf("write the sample: %w", err)
	}
	o := pipeline.Options{Capture: opt, Level: schema.LevelInstructions, Workers: runtime.GOMAXPROCS(0), Overwrite: true}
	_, done := (&reporting{stderr: ctx.App.ErrWriter}).begin(&o, input)
	summary, err := pipeline.Export(ctx.Context, input, dataset, o)
	done()
	if err != nil {
		return err
	}
	s := newScreen(ctx.App.Writer, &screenArgs{})
	s.summary(dataset, summary)
	s.demoFindings(&summary.Totals, summary.Tables, generate.OfSamples(protocol))
	if err := s.demoCoverage(dataset); err != nil {
		return err
	}
	words := []string{input}
	for _, f := range opt.ELFs {
		words = append(words, "--elf", f)
	}
	s.blank()
	s.line("next steps (in a checkout: go run ./cmd/tracelake for tracelake)")
	for line := range strings.Lines(fmt.Sprintf(demoNext, dir, strings.Join(words, " "), dataset, input)) {
		s.whole(strings.TrimSuffix(line, "\n"))
	}
	return s.writeTo(ctx.App.Writer)
}

// readDemo reads the command line of demo.
func readDemo(ctx *cli.Context) (dir, protocol string, err error) {
	dir, protocol = ctx.String("output"), ctx.String("protocol")
	switch {
	case ctx.NArg() > 0:
		return "", "", usage("demo", "takes no argument", seeHelp(ctx.Command))
	case dir == "":
		return "", "", usage("--output", "names no directory", seeHelp(ctx.Command))
	case !slices.Contains(generate.Protocols(), protocol):
		return "", "", usage("--protocol "+protocol, "is not shown here", "protocols are "+list(generate.Protocols(), "and"))
	}
	return dir, protocol, nil
}

// demoSample writes the sample in a protocol into the directory of the demo, and
// returns what a command takes to read it.
func demoSample(ctx *cli.Context, dir, protocol string) (input string, opt capture.Options, err error) {
	folder := filepath.Join(dir, demoCapture)
	if protocol == demoProtocol {
		opt.Symbols = []string{filepath.Join(folder, sample.ELF)}
		return folder, opt, sample.Extract(folder)
	}
	c, err := tracedSample(protocol)
	if err != nil {
		return "", opt, err
	}
	made := filepath.Join(dir, "made")
	defer os.RemoveAll(made)
	if _, err := c.Write(ctx.Context, made); err != nil {
		return "", opt, err
	}
	if err := errors.Join(os.RemoveAll(folder), os.Rename(filepath.Join(made, c.Folder()), folder)); err != nil {
		return "", opt, err
	}
	elf := filepath.Join(folder, sample.ARM926ELF)
	opt.Symbols = []string{elf}
	in := c.Input(made)
	if generate.OfSamples(protocol) {
		opt.ELFs, opt.Symbols = opt.Symbols, nil
		input = filepath.Join(folder, filepath.Base(in.Path))
	} else {
		input = folder
	}
	return input, opt, os.WriteFile(elf, sample.ARM926(), 0o666)
}

// tracedSample is the capture of the sample for ARMv5TE in a protocol.
func tracedSample(protocol string) (*generate.Capture, error) {
	w, err := generate.SampleWorkload()
	if err != nil {
		return nil, err
	}
	r := generate.Recipe{Protocol: protocol, Minor: generate.NewestMinor(protocol), CycleAccurate: true}
	r.ContextIDBytes = generate.ContextIDBytes(protocol)
	c, err := r.Capture(w)
	if err != nil {
		return nil, err
	}
	c.Tool = tool()
	return c, nil
}

// demoCoverage says how much of the sample's program ran, as report coverage does.
func (s *screen) demoCoverage(dataset string) error {
	m, err := report.Read([]string{dataset}, report.Options{})
	if err != nil {
		return err
	}
	s.blank()
	s.trust(m.Trust(), false, nil)
	s.coverage(m.Coverage(report.ByFile))
	return nil
}

// checkDemoDir refuses a directory that holds what no demo wrote.
func checkDemoDir(dir string) error {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("output directory: %w", err)
	}
	for _, e := range entries {
		if !slices.Contains([]string{demoCapture, demoDataset}, e.Name()) {
			return &dataset.ExistsError{
				Dir: dir, Problem: fmt.Sprintf("holds %q, which no demo wrote", e.Name()),
				Remedy: "choose another directory with -o DIR",
			}
		}
	}
	return nil
}

// demoFindings says what a user may find remarkable of a capture in bytes or in
// samples.
func (s *screen) demoFindings(t *schema.Totals, tables map[string]schema.Files, samples bool) {
	if t.Instructions == 0 || t.Bytes == 0 {
		return
	}
	perInstruction := 1 / float64(t.Instructions)
	unit, each := "byte", fmt.Sprintf("%.2f bits each", float64(8*t.Bytes)*perInstruction)
	if samples {
		unit, each = "sample", fmt.Sprintf("%.2f each", float64(t.Bytes)*perInstruction)
	}
	s.blank()
	s.line("%s of trace hold %s (%s); a row of instructions takes %.2f bytes.",
		count(t.Bytes, unit), count(t.Instructions, "instruction"), each,
		float64(tables[schema.Instructions.Name].Bytes)*perInstruction)
}

// demoNext are commands to copy. Its operands are the demo's directory, the
// capture with its flags, the dataset and the capture.
const demoNext = `   tracelake report coverage %[3]s --by function
   tracelake report hotspots %[3]s
   tracelake report html %[3]s -o report.html
   tracelake inspect %[2]s
   tracelake packets %[4]s | head -40
   tracelake export %[2]s -o %[1]s-blocks --level blocks

   duckdb -init %[3]s/views.sql
   SELECT name, cycles, ipc FROM hot_functions ORDER BY cycles DESC LIMIT 10;
   SELECT kind, count(*) AS n FROM instructions GROUP BY kind ORDER BY n DESC;
   FROM exceptions SELECT type, count(*) WHERE event = 'entry' GROUP BY ALL;
`
