package pipeline

import "github.com/tracelake/tracelake/schema"

// Progress is how far a decode has come.
type Progress struct {
	Bytes, Total int64 // of the streams to decode
	Instructions int64
}

// progressing reports the progress of one source after another.
type progressing struct {
	at     Progress
	report func(Progress) // nil: to nobody
}

func newProgressing(p *plan, report func(Progress)) *progressing {
	x := &progressing{report: report}
	for _, s := range p.sources {
		if s.status == schema.StatusDecoded {
			x.at.Total += s.bytes
		}
	}
	return x
}

// source returns what takes the totals of the next source so far.
func (x *progressing) source() func(*schema.Totals) {
	before := x.at
	return func(t *schema.Totals) {
		x.at.Bytes = before.Bytes + t.Bytes
		x.at.Instructions = before.Instructions + t.Instructions
		if x.report != nil {
			x.report(x.at)
		}
	}
}
