package stacks

import "github.com/tracelake/tracelake/schema"

// A Stack is a row of `stacks`: a node of the call tree of a task.
type Stack struct {
	Stack     int32              // index of the row
	Parent    schema.Null[int32] // index of the row; NULL for a root
	Task      int32
	Depth     int32
	Function  schema.Null[int32]
	Address   schema.Address
	Entry     schema.StackEntry
	Exception schema.Null[schema.ExceptionType]
	Number    schema.Null[uint16]
	Calls     int64
	Own       Work
	Total     Work // with all that it called, exceptions too, but for asynchronous ones
	// How long calls took that returned, in cycles where the source counts them, else in instructions; NULL if none did.
	Shortest, Longest schema.Null[int64]
	LongestSeq        schema.Null[int64] // where the first of the longest began
	NotEnded          int64              // entries whose end, or whose beginning, was not seen
}

// A Work is what was executed: instructions, and cycles if the source counts them.
type Work struct {
	Instructions int64
	Cycles       schema.Null[int64]
}

// A Task is a row of `tasks`.
type Task struct {
	Task      int32 // index of the row
	Name      string
	Root      string // the function at the bottom of its stacks; "": it has none
	ContextID schema.Null[uint32]
	FirstSeq  int64
	Switches  int64 // how often control came to it from another
	Ambiguous int64 // how often that could have been another, too
	Origin    schema.TaskOrigin
	Drift     int64
	Joined    int64 // stretches after a gap that went on from a stack of before it
	Executed  Work
}

// A Call is a row of `calls`. There are many, so it takes no more room than it needs.
type Call struct {
	Call  int64 // ordinal of the row
	Seq   int64
	Stack int32
	Epoch int32
	Entry schema.StackEntry // a call, or a tail call
	End   schema.CallEnd

	timed           bool  // cycle is known
	ended           bool  // end is in the same epoch, with cycles
	counted         bool  // the source counts cycles
	end             int64 // ordinal of the first instruction after it
	cycle, endCycle int64
	all, own        work
}

// EndSeq returns the ordinal of the first instruction after it; NULL if it was open.
func (c *Call) EndSeq() schema.Null[int64] {
	if c.End == schema.CallOpen {
		return schema.Null[int64]{}
	}
	return schema.Of(c.end)
}

// Cycle returns the cycle in the epoch that it began at.
func (c *Call) Cycle() schema.Null[int64] { return schema.Null[int64]{V: c.cycle, OK: c.timed} }

// EndCycle returns the one that it ended at; NULL if that is in another epoch.
func (c *Call) EndCycle() schema.Null[int64] { return schema.Null[int64]{V: c.endCycle, OK: c.ended} }

// All returns what was executed in it and in what it called, without exceptions.
func (c *Call) All() Work { return c.all.row(c.counted) }

// Own returns what it executed itself.
func (c *Call) Own() Work { return c.own.row(c.counted) }

// row returns what was executed, as in rows.
func (w work) row(counted bool) Work {
	return Work{w.instructions, schema.Null[int64]{V: w.cycles, OK: counted}}
}

// A Span is a row of `exception_spans`.
type Span struct {
	schema.Keys                     // of the entry
	Span         int64              // ordinal of the row
	Ordinal      int64              // of the entry
	Stack        schema.Null[int32] // which it interrupted; NULL: none, as nothing executed is known of it
	EndSeq       schema.Null[int64]
	End          schema.CallEnd
	Instructions schema.Null[int64]
	Cycles       schema.Null[int64]
	Ticks        schema.Null[int64]
}

// A Head is the node that the first instruction of a segment is executed in.
type Head struct {
	Segment int32 // its ordinal
	Stack   int32
}
