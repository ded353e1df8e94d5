package report

import (
	"fmt"

	"github.com/tracelake/tracelake/schema"
)

// Untraced is the frame of time in which nothing was traced.
const Untraced = "[untraced]"

// A Frame is what a node of a call tree is of: a function, code that no function has, or an
// exception. Equal frames are of the same.
type Frame struct {
	Name             // of code that no function has: its core and address; of an exception empty
	Linkage   string // name in the symbol table
	Exception string // as [irq 53]; "": it is none
}

// Text is what viewers show of f, in words that no function has for exceptions. It is never
// empty, but may hold whatever the name of a function may.
func (f *Frame) Text() string {
	switch {
	case f.Exception != "":
		return f.Exception
	case f.Function != "":
		return f.Function
	}
	return fmt.Sprintf("0x%08x", f.Address)
}

// frame returns what a node of t is of. core is that of its source.
func (t *callTree) frame(n *stackNode, core string) Frame {
	if n.entry == schema.StackException {
		return Frame{Exception: bracketed(n.exception, n.number)}
	}
	if n.function == none {
		return Frame{Name: Name{Core: core, Address: n.address}}
	}
	f := &t.program.functions[n.function]
	return Frame{Name: Name{Core: t.program.core, Function: f.name, Address: f.address, File: f.file, Line: f.line}, Linkage: f.linkage}
}

// bracketed names an exception as far as it is known: [irq 53], [irq], [exception].
func bracketed(kind schema.Null[schema.ExceptionType], number schema.Null[uint16]) string {
	if !kind.OK && !number.OK {
		return "[exception]"
	}
	return "[" + exceptionText(kind, number) + "]"
}
