package rows

import (
	"github.com/tracelake/tracelake/pipeline/stacks"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/tally"
	"github.com/tracelake/tracelake/schema"
)

// Tables are the tables of one source, while they are being filled.
type Tables struct {
	Sinks stitch.Sinks // for the stitcher of the source
	// Counted are the rows of `counts`, after Flush, and ContextIDs those of the tasks.
	Counted    []tally.Count
	ContextIDs []uint32

	out  Output
	open []flusher // all tables that are wanted

	// What ran is counted until the source ends. Only then there are rows of it.
	tally  *tally.Tally // nil: they are not wanted
	counts stitch.Sink[tally.Count]
	edges  stitch.Sink[tally.Edge]

	stacks stackTables
}

// sink returns the sink of a table, nil if it is not wanted.
func sink[T any](t *Tables, of *schema.Table, write func(*schema.Batch, *stitch.Base, *T)) stitch.Sink[T] {
	series := t.out.Series(of)
	if series == nil {
		return nil
	}
	s := &table[T]{series: series, submit: t.out.Submit, write: write}
	t.open = append(t.open, s)
	return s.Add
}

// A flusher is a table of any kind.
type flusher interface {
	// flush submits what was collected since the last row group.
	flush() error
}

// stackTables are the tables of call stacks.
type stackTables struct {
	of    *stacks.Stacks // nil: none is wanted
	nodes stitch.Sink[stacks.Stack]
	tasks stitch.Sink[stacks.Task]
	times stitch.Sink[stacks.Times]
	// segments are those whose stack is not known yet; nil: no stacks are written.
	segments *segmentTable
}
