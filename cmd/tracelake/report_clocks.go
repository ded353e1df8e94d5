package main

import (
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report"
)

// clocks says where times come from, or why there are none.
func (s *screen) clocks(h *report.Hotspots) {
	var measured, steady, elapsed []float64
	for _, c := range h.Clocks {
		if c.Measured && c.Hz > 0 {
			steady = append(steady, c.Hz)
		}
		if c.Measured && c.Hz == 0 {
			measured = append(measured, c.Least, c.Most)
		}
		if c.Elapsed > 0 {
			elapsed = append(elapsed, c.Elapsed)
		}
	}
	switch {
	case h.Clocked && len(steady) > 0:
		s.line("times by the clock of the core as timestamps measure it: %s", span(steady, megahertz))
	case h.Clocked:
	case len(measured) > 0:
		s.line("no times: between timestamps the clock of the core was not steady, %s; export with --cycle-hz takes it as "+
			"given", span(measured, megahertz))
	case h.Cycles > 0:
		s.line("no times: the clock of the core is not known; export with --cycle-hz, or with --timestamp-hz if timestamps " +
			"are traced")
	case len(elapsed) > 0:
		s.line("from the first timestamp to the last: %s; times of rows need cycles", span(elapsed, s.duration))
	}
}

// span is the least and the most of values in words.
func span(values []float64, text func(float64) string) string {
	least, most := text(slices.Min(values)), text(slices.Max(values))
	if least == most {
		return least
	}
	return least + " to " + most
}

func megahertz(hz float64) string { return fmt.Sprintf("%.1f MHz", hz/1e6) }

// duration is a time in a unit that suits it.
func (s *screen) duration(seconds float64) string {
	switch {
	case seconds >= 1:
		return fmt.Sprintf("%.2f s", seconds)
	case seconds >= 1e-3:
		return fmt.Sprintf("%.2f ms", seconds*1e3)
	case s.UTF8:
		return fmt.Sprintf("%.2f µs", seconds*1e6)
	}
	return fmt.Sprintf("%.2f us", seconds*1e6)
}
