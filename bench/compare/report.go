package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/tracelake/tracelake/bench/measure"
)

// words say what the modes are, in the table.
var words = map[string]string{
	null: "OpenCSD, null", csv: "OpenCSD, CSV", "decode": "decode to runs", "tally": "decode and count",
	"none": "export --level none", "parquet": "Parquet, instructions", "blocks": "Parquet, blocks",
	"arrow":       "Arrow, instructions",
	"none+stacks": "export --level none, with stacks", "parquet+stacks": "Parquet, instructions, with stacks",
	"blocks+stacks": "Parquet, blocks, with stacks",
}

// report prints the table, in Markdown.
func report(out io.Writer, subjects []*subject, modes []string) error {
	fmt.Fprintf(out, "\n%s, %d processors, %s; %d rounds; median [least most]\n\n", machine(), runtime.NumCPU(),
		runtime.Version(), len(subjects[0].runs[null]))
	fmt.Fprintln(out,
		"| capture | what | M instructions per CPU second | × OpenCSD, null | × OpenCSD, CSV | bytes an instruction | peak "+
			"MB |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|")
	for _, s := range subjects {
		for _, mode := range modes {
			fmt.Fprintln(out, "|", strings.Join(s.cells(mode), " | "), "|")
		}
	}
	return nil
}

// cells are those of a row of the table.
func (s *subject) cells(mode string) []string {
	runs := s.runs[mode]
	times := func(base string) string {
		if s.runs[base] == nil {
			return ""
		}
		return fmt.Sprintf("%.2f", measure.Ratio(s.runs[base], runs, measure.CPUEach))
	}
	written := ""
	if runs[0].Written > 0 {
		written = fmt.Sprintf("%.3f", float64(runs[0].Written)/float64(runs[0].Instructions))
	}
	return []string{
		s.name, describe(mode), fmt.Sprintf("%.1f", measure.Of(runs,
			func(r measure.Run) float64 { return 1e-6 / measure.CPUEach(r) })),
		times(null), times(csv), written, fmt.Sprintf("%.0f", measure.Of(runs,
			func(r measure.Run) float64 { return float64(r.Peak) / 1e6 }).Median),
	}
}

// describe is a mode in words.
func describe(mode string) string {
	name, workers, ok := strings.Cut(mode, "/")
	if ok && workers != "1" {
		return words[name] + ", " + workers + " workers"
	}
	return words[name]
}
