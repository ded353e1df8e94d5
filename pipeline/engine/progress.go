package engine

import (
	"github.com/tracelake/tracelake/pipeline/plan"
	"github.com/tracelake/tracelake/schema"
)

// Progress is how far a decode has come.
type Progress struct {
	Bytes, Total int64 // of the streams to decode
	Instructions int64
}

// Progressing reports the progress of one source after another.
type Progressing struct {
	at     Progress
	report func(Progress) // nil: to nobody
}

// NewProgressing returns what reports the progress of a plan's sources.
func NewProgressing(p *plan.Plan, report func(Progress)) *Progressing {
	x := &Progressing{report: report}
	for _, s := range p.Decoded() {
		x.at.Total += s.Bytes
	}
	return x
}

// Source returns what takes the totals of the next source so far.
func (x *Progressing) Source() func(*schema.Totals) {
	before := x.at
	return func(t *schema.Totals) {
		x.at.Bytes = before.Bytes + t.Bytes
		x.at.Instructions = before.Instructions + t.Instructions
		if x.report != nil {
			x.report(x.at)
		}
	}
}
