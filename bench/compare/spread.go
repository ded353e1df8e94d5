package main

import (
	"fmt"
	"slices"
)

// A spread is the median of some values, between the least and the most.
type spread struct{ Median, Least, Most float64 }

// newSpread returns the spread of values, of which there is at least one.
func newSpread(values []float64) spread {
	values = slices.Sorted(slices.Values(values))
	n := len(values)
	return spread{(values[(n-1)/2] + values[n/2]) / 2, values[0], values[n-1]}
}

// spreadOf is the spread of a figure of runs.
func spreadOf(runs []measured, figure func(measured) float64) spread {
	var values []float64
	for _, r := range runs {
		values = append(values, figure(r))
	}
	return newSpread(values)
}

// ratio is how many times a figure of runs b is in that of runs a of the same rounds.
func ratio(a, b []measured, figure func(measured) float64) spread {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = figure(a[i]) / figure(b[i])
	}
	return newSpread(ratios)
}

// Format writes s as "median [least most]", each as the verb has it.
func (s spread) Format(f fmt.State, verb rune) {
	number := fmt.FormatString(f, verb)
	fmt.Fprintf(f, number+" ["+number+" "+number+"]", s.Median, s.Least, s.Most)
}
