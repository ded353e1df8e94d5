package measure

import (
	"fmt"
	"slices"
)

// A Spread is the median of some values, between the least and the most.
type Spread struct{ Median, Least, Most float64 }

// NewSpread returns the spread of values, of which there is at least one.
func NewSpread(values []float64) Spread {
	values = slices.Sorted(slices.Values(values))
	n := len(values)
	return Spread{(values[(n-1)/2] + values[n/2]) / 2, values[0], values[n-1]}
}

// Of is the spread of a figure of runs.
func Of(runs []Run, figure func(Run) float64) Spread {
	var values []float64
	for _, r := range runs {
		values = append(values, figure(r))
	}
	return NewSpread(values)
}

// Ratio is how many times a figure of runs b is in that of runs a of the same rounds.
func Ratio(a, b []Run, figure func(Run) float64) Spread {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = figure(a[i]) / figure(b[i])
	}
	return NewSpread(ratios)
}

// Format writes s as "median [least most]", each as the verb has it.
func (s Spread) Format(f fmt.State, verb rune) {
	number := fmt.FormatString(f, verb)
	fmt.Fprintf(f, number+" ["+number+" "+number+"]", s.Median, s.Least, s.Most)
}
