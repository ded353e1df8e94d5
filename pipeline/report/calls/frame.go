package calls

import (
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
)

// A Frame is what a node of a call tree is of: a function, code that no function has, or an
// exception. Equal frames are of the same.
type Frame struct {
	report.Name        // of code that no function has: its core and address; of an exception empty
	Linkage     string // name in the symbol table
	Exception   string // as [irq 53]; "": it is none
	Other       bool   // no function, but what was called beyond the limit of paths
}

// IsCode says whether f is a function, or code that no function has.
func (f *Frame) IsCode() bool { return f.Exception == "" && !f.Other }

// Text is what viewers show of f, in words that no function has if it is none. It is never
// empty, but may hold whatever the name of a function may.
func (f *Frame) Text() string {
	switch {
	case f.Exception != "":
		return f.Exception
	case f.Other:
		return schema.OtherPaths
	case f.Function != "":
		return f.Function
	}
	return f.Address.Hex()
}

// ExceptionFrame returns the frame of an exception, as far as that is known: [irq 53], [irq],
// [exception].
func ExceptionFrame(x read.Exception) Frame {
	if !x.Type.OK && !x.Number.OK {
		return Frame{Exception: "[exception]"}
	}
	return Frame{Exception: "[" + x.String() + "]"}
}
