package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/bench/generate"
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
		Usage:     "decodes the sample capture and shows what to type next",
		UsageText: "tracelake demo [--protocol PROTOCOL] [-o DIR]",
		Description: `The sample goes to DIR/capture, the dataset made of it to DIR/dataset. Another
demo replaces both; a DIR that holds anything else is refused.

Examples:
   tracelake demo
   tracelake demo --protocol etmv1
   tracelake demo -o /tmp/demo`,
		Flags: []cli.Flag{
			&cli.StringFlag{
				Name: "protocol", Category: groupInput, Value: "pft", Usage: "show a trace in `PROTOCOL` " + list(generate.Protocols(), "or"),
			},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: groupOutput, Value: "tracelake-demo", Usage: "write to `DIR`"},
		},
		Action: demo,
	}
}

func demo(ctx *cli.Context) error {
	if ctx.NArg() > 0 {
		return usage("demo", "takes no argument", seeHelp(ctx.Command))
	}
	dir := ctx.String("output")
	if dir == "" {
		return usage("--output", "names no directory", seeHelp(ctx.Command))
	}
	if err := checkDemoDir(dir); err != nil {
		return err
	}
	protocol := ctx.String("protocol")
	if !slices.Contains(generate.Protocols(), protocol) {
		return usage("--protocol "+protocol, "has no demo", "protocols are "+list(generate.Protocols(), "and"))
	}
	s, err := writeDemoSample(ctx.Context, protocol, filepath.Join(dir, demoCapture))
	if err != nil {
		return fmt.Errorf("write the sample: %w", err)
	}
	dataset := filepath.Join(dir, demoDataset)
	summary, err := runExport(ctx.Context, &exportArgs{
		input: s.input, dir: dataset,
		options: pipeline.Options{Capture: s.options, Level: schema.LevelInstructions, Workers: runtime.GOMAXPROCS(0), Overwrite: true},
	}, ctx.App.ErrWriter)
	if err != nil {
		return err
	}
	covered, err := demoCoverage(ctx, dataset)
	if err != nil {
		return err
	}
	text := summaryText(dataset, summary) + demoFindings(summary) + covered + fmt.Sprintf(demoNext, dir, s.input, dataset, s.flags)
	_, err = io.WriteString(ctx.App.Writer, text)
	return err
}

// demoCoverage says how much of the sample's program ran, as report coverage does.
func demoCoverage(ctx *cli.Context, dataset string) (string, error) {
	m, err := report.Read([]string{dataset}, report.Options{})
	if err != nil {
		return "", err
	}
	s := newScreen(ctx.App.Writer)
	s.blank()
	s.trust(m.Trust(), false, nil)
	s.coverage(m.Coverage(report.ByFile))
	return s.text.String(), nil
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

// demoFindings says what a user may find remarkable.
func demoFindings(s *pipeline.Summary) string {
	t := &s.Totals
	if t.Instructions == 0 || t.Bytes == 0 {
		return ""
	}
	perInstruction := 1 / float64(t.Instructions)
	trace, each := count(t.Bytes, "byte"), fmt.Sprintf("%.2f bits", float64(8*t.Bytes)*perInstruction)
	if s.Sources[0].Unit == schema.SourceUnitNames[schema.UnitSamples] {
		trace, each = count(t.Bytes, "sample"), fmt.Sprintf("%.2f samples", float64(t.Bytes)*perInstruction)
	}
	return fmt.Sprintf("\n%s of trace hold %s (%s each); a row of instructions takes %.2f bytes.\n",
		trace, count(t.Instructions, "instruction"), each, float64(s.Tables[schema.Instructions.Name].Bytes)*perInstruction)
}

// demoNext is what to type next. Its operands are the demo's directory, the
// capture, the dataset, and flags for the program of the capture.
const demoNext = `
What to type next (in a checkout: go run ./cmd/tracelake for tracelake):
   tracelake report coverage %[3]s --by function
   tracelake report hotspots %[3]s
   tracelake inspect %[2]s%[4]s
   tracelake packets %[2]s | head -40
   tracelake export %[2]s%[4]s -o %[1]s-blocks --level blocks

   duckdb -init %[3]s/views.sql
   SELECT name, entries, instructions, cycles, ipc FROM hot_functions ORDER BY cycles DESC LIMIT 10;
   SELECT kind, count(*) AS n FROM instructions GROUP BY kind ORDER BY n DESC;
   SELECT type, count(*) AS n FROM exceptions WHERE event = 'entry' GROUP BY type ORDER BY n DESC;
`
