package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
)

// words say what the modes are, in the table.
var words = map[string]string{
	null: "OpenCSD, null", csv: "OpenCSD, CSV", "decode": "decode to runs", "tally": "decode and count",
	"none": "export --level none", "parquet": "Parquet, instructions", "blocks": "Parquet, blocks",
	"arrow":       "Arrow, instructions",
	"none+stacks": "export --level none, with stacks", "parquet+stacks": "Parquet, instructions, with stacks",
	"blocks+stacks": "Parquet, blocks, with stacks",
}

// A column is one of the table.
type column struct {
	title string
	cell  func(s *subject, mode string) string
}

// columns are those of a table of modes: beside what each takes, how many times as fast it is as
// others.
func columns(subjects []*subject, modes []string) []column {
	all := []column{
		{"capture", func(s *subject, _ string) string { return s.name }},
		{"what", func(_ *subject, mode string) string { return describe(mode) }},
		{"M instructions per CPU second", func(s *subject, mode string) string {
			return fmt.Sprintf("%.1f", spreadOf(s.runs[mode], func(r measured) float64 { return 1e-6 / cpuEach(r) }))
		}},
	}
	bases := modes[:1]
	if slices.Contains(modes[1:], csv) {
		bases = []string{modes[0], csv}
	}
	for _, base := range bases {
		all = append(all, column{"× " + describe(base), func(s *subject, mode string) string {
			return times(s.runs[base], s.runs[mode], cpuEach)
		}})
	}
	if slices.ContainsFunc(modes, func(mode string) bool { return strings.HasSuffix(mode, "/2") }) {
		all = append(all, column{"× one worker, by the wall", func(s *subject, mode string) string {
			name, _, _ := strings.Cut(mode, "/")
			return times(s.runs[name+"/1"], s.runs[mode], wallEach)
		}})
	}
	if last := subjects[len(subjects)-1].beside; last != nil {
		all = append(all, column{"× " + last.name, func(s *subject, mode string) string {
			if s.beside == nil {
				return ""
			}
			return times(s.beside.runs[mode], s.runs[mode], cpuEach)
		}})
	}
	return append(all,
		column{"bytes an instruction", func(s *subject, mode string) string {
			r := s.runs[mode][0]
			if r.Written == 0 {
				return ""
			}
			return fmt.Sprintf("%.3f", float64(r.Written)/float64(r.Instructions))
		}},
		column{"peak MB", func(s *subject, mode string) string {
			return fmt.Sprintf("%.0f", spreadOf(s.runs[mode], func(r measured) float64 { return float64(r.Peak) / 1e6 }).Median)
		}},
	)
}

// times is how many times as fast runs are as others, by a figure; "" if there are no others.
func times(others, runs []measured, figure func(measured) float64) string {
	if others == nil {
		return ""
	}
	return fmt.Sprintf("%.2f", ratio(others, runs, figure))
}

// report prints the table, in Markdown.
func report(out io.Writer, subjects []*subject, modes []string) {
	fmt.Fprintf(out, "\n%s, %d processors, %s; %d rounds; median [least most]\n\n", machine(), runtime.NumCPU(),
		runtime.Version(), len(subjects[0].runs[modes[0]]))
	all := columns(subjects, modes)
	row := func(cell func(column) string) {
		for _, c := range all {
			fmt.Fprintf(out, "| %s ", cell(c))
		}
		fmt.Fprintln(out, "|")
	}
	row(func(c column) string { return c.title })
	fmt.Fprintln(out, "|"+strings.Repeat("---|", len(all)))
	for _, s := range subjects {
		for _, mode := range modes {
			row(func(c column) string { return c.cell(s, mode) })
		}
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
