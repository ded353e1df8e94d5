package generate

import (
	"io"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/truth"
	"github.com/tracelake/tracelake/schema"
)

// halves is how often encoders traced a Thumb BL in parts.
type halves struct {
	between int // exceptions between its halves
	second  int // returns from exceptions to its second half
}

// nextStatus is how many samples after that of a return the next status comes at the
// earliest: ETMv1 shows the offset of its address in two in between. That of the second half of a BL is one
// later, unless the return is to there.
var nextStatus = map[string]int64{"etmv1": 3, "etmv2": 1}

// count counts what the encoders of a capture trace from now on.
func (h *halves) count(c *Capture) {
	for i := range c.Cores {
		core := &c.Cores[i]
		encoder := core.Encoder
		core.Encoder = func(w io.Writer, rows truth.Rows, lost int64) encode.Encoder {
			return encoder(w, &halvesRows{Rows: rows, halves: h, soon: nextStatus[core.Protocol]}, lost)
		}
	}
}

// halvesRows are rows in which halves are counted.
type halvesRows struct {
	truth.Rows
	*halves
	soon int64 // see nextStatus
	last truth.Instruction
}

// Event implements [truth.Rows].
func (r *halvesRows) Event(x *truth.Event) {
	if x.Event == schema.EventSplitInstruction {
		r.between++
	}
	r.Rows.Event(x)
}

// Instruction implements [truth.Rows].
func (r *halvesRows) Instruction(x *truth.Instruction) {
	if x.ISA == schema.T32 && x.Size == 4 && r.last.Kind == schema.KindExceptionReturn &&
		x.Offset == r.last.Offset+r.soon {
		r.second++
	}
	r.last = *x
	r.Rows.Instruction(x)
}
