package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/pipeline"
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
		UsageText: "tracelake demo [-o DIR]",
		Description: `The sample goes to DIR/capture, the dataset made of it to DIR/dataset. Another
demo replaces both; a DIR that holds anything else is refused.

Examples:
   tracelake demo
   tracelake demo -o /tmp/demo`,
		Flags: []cli.Flag{
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
	captureDir, dataset := filepath.Join(dir, demoCapture), filepath.Join(dir, demoDataset)
	if err := sample.Extract(captureDir); err != nil {
		return fmt.Errorf("write the sample: %w", err)
	}
	summary, err := runExport(ctx.Context, &exportArgs{
		input: captureDir, dir: dataset,
		options: pipeline.Options{Level: schema.LevelInstructions, Workers: runtime.GOMAXPROCS(0), Overwrite: true},
	}, ctx.App.ErrWriter)
	if err != nil {
		return err
	}
	text := summaryText(dataset, summary) + demoFindings(&summary.Totals, summary.Tables) + fmt.Sprintf(demoNext, dir, captureDir, dataset)
	_, err = io.WriteString(ctx.App.Writer, text)
	return err
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
func demoFindings(t *schema.Totals, tables map[string]schema.Files) string {
	if t.Instructions == 0 || t.Bytes == 0 {
		return ""
	}
	perInstruction := 1 / float64(t.Instructions)
	return fmt.Sprintf("\n%s of trace hold %s (%.2f bits each); a row of instructions takes %.2f bytes.\n",
		count(t.Bytes, "byte"), count(t.Instructions, "instruction"), float64(8*t.Bytes)*perInstruction,
		float64(tables[schema.Instructions.Name].Bytes)*perInstruction)
}

// demoNext is what to type next. Its operands are the demo's directory, the
// capture and the dataset.
const demoNext = `
What to type next (in a checkout: go run ./cmd/tracelake for tracelake):
   tracelake inspect %[2]s
   tracelake packets %[2]s | head -40
   tracelake export %[2]s -o %[1]s-blocks --level blocks

   duckdb -init %[3]s/views.sql
   SELECT kind, count(*) AS n FROM instructions GROUP BY kind ORDER BY n DESC;
   SELECT hex8(address) AS address, n FROM (SELECT address, count(*) AS n FROM instructions GROUP BY address) ORDER BY n DESC LIMIT 10;
   SELECT type, count(*) AS n FROM exceptions WHERE event = 'entry' GROUP BY type ORDER BY n DESC;
`
