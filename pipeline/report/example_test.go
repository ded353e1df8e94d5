package report_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/schema"
)

// Coverage as values: what ran of each function, of one dataset or of several added up.
func ExampleMerged_Coverage() {
	dir := exampleDataset()
	defer os.RemoveAll(filepath.Dir(dir))
	m, err := report.Read([]string{dir}, report.Options{})
	if err != nil {
		log.Fatal(err)
	}
	c := m.Coverage(report.ByFunction)
	fmt.Printf("%d of %d functions\n", c.Functions.Covered, c.Functions.Of)
	for _, r := range c.Rows {
		if r.Function == "quicksort" {
			fmt.Printf("%s: %d of %d lines, %d of %d outcomes of branches\n",
				r.Function, r.Lines.Covered, r.Lines.Of, r.Outcomes.Covered, r.Outcomes.Of)
		}
	}
	// Output:
	// 39 of 41 functions
	// quicksort: 20 of 20 lines, 18 of 18 outcomes of branches
}

// exampleDataset exports the capture that the program carries, and returns the directory of the dataset.
func exampleDataset() string {
	dir, err := os.MkdirTemp("", "tracelake")
	if err != nil {
		log.Fatal(err)
	}
	if err := sample.Extract(dir); err != nil {
		log.Fatal(err)
	}
	run := filepath.Join(dir, "run1")
	if _, err := pipeline.Export(context.Background(), dir, run, pipeline.Options{
		Capture: capture.Options{ELFs: []string{filepath.Join(dir, sample.ELF)}}, Level: schema.LevelNone,
	}); err != nil {
		log.Fatal(err)
	}
	return run
}
