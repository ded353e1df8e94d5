package report

import "github.com/tracelake/tracelake/schema"

// NewDurations concludes durations in instructions.
func NewDurations(n int, of func(i int) int64) *Durations {
	d := &Durations{}
	for i := range n {
		d.add(&Duration{InInstructions: schema.Of(of(i))}, Place{Seq: int64(i)})
	}
	d.conclude()
	return d
}
