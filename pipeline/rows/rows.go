// Package rows turns what the stitcher emits into row groups. [Tables] collect the
// runs and rows of one source, relative to their segments as they are, and cut
// them into a [Job] each: by ordinal, or by the bytes that wait. A job expands
// them into batches where it is encoded.
package rows

import (
	"errors"

	"github.com/tracelake/tracelake/pipeline/stacks"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/tally"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Tables are the tables of one source, while they are being filled.
type Tables struct {
	Sinks stitch.Sinks // for the stitcher of the source
	// Counted are the rows of `counts`, after Flush.
	Counted []tally.Count

	out  Output
	open []flusher // all tables that are wanted

	// What ran is counted until the source ends. Only then there are rows of it.
	tally  *tally.Tally // nil: they are not wanted
	counts stitch.Sink[tally.Count]
	edges  stitch.Sink[tally.Edge]

	stacks stackTables
}

// An Output says where the row groups of a source go.
type Output struct {
	// Series returns that of a table, nil if the table is not wanted.
	Series func(t *schema.Table) *dataset.Series
	// Submit takes the next row group.
	Submit func(j Job) error
	Limit  *Limit // nil: none
	// Workers count what ran, and rebuild stacks; nil: that is done at once.
	Workers tally.Workers
	// Functions are those that the core of the source runs.
	Functions stacks.Functions
	// MaxCalls is how many rows of `calls` there may be; 0: any number.
	MaxCalls int64
	// TaskNames are names of tasks by their Context ID.
	TaskNames map[uint32]string
}

// New returns the tables of a source.
func New(out Output) *Tables {
	t := &Tables{out: out}
	t.Sinks = stitch.Sinks{
		Runs:       t.runSink(),
		CodeBlocks: sink(t, &schema.CodeBlocks, fillCodeBlock),
		Exceptions: sink(t, &schema.Exceptions, fillException),
		Counts:     t.countSink(),
		Timestamps: sink(t, &schema.Timestamps, fillTimestamp),
		Contexts:   sink(t, &schema.Contexts, fillContext),
		Accesses:   sink(t, &schema.DataAccesses, fillDataAccess),
		Events:     sink(t, &schema.Events, fillEvent),
		Losses:     sink(t, &schema.Losses, fillLoss),
		Segments:   sink(t, &schema.Segments, fillSegment),
		Packets:    sink(t, &schema.Packets, fillPacket),
	}
	t.counts, t.edges = sink(t, &schema.Counts, fillCount), sink(t, &schema.Edges, fillEdge)
	if t.counts != nil || t.edges != nil {
		t.tally = tally.New(out.Workers)
		t.Sinks = t.tally.Sinks(t.Sinks)
	}
	t.addStacks()
	return t
}

// sink returns the sink of a table, nil if it is not wanted.
func sink[T any](t *Tables, of *schema.Table, write func(*schema.Batch, *stitch.Base, *T)) stitch.Sink[T] {
	series := t.out.Series(of)
	if series == nil {
		return nil
	}
	s := &table[T]{series: series, submit: t.out.Submit, write: write}
	t.open = append(t.open, s)
	return s
}

// runSink returns the sink of runs, nil if neither level is wanted.
func (t *Tables) runSink() stitch.RunSink {
	for _, level := range []struct {
		table *schema.Table
		form  form
	}{{&schema.Instructions, instructions{}}, {&schema.Blocks, newBlocks()}} {
		if series := t.out.Series(level.table); series != nil {
			s := &runTable{series: series, submit: t.out.Submit, limit: t.out.Limit, form: level.form}
			t.open = append(t.open, s)
			if level.table == &schema.Blocks {
				t.addBlockRuns(s)
			}
			return s
		}
	}
	return nil
}

// addBlockRuns makes the rows of `blocks` have numbers, and adds the table of those.
func (t *Tables) addBlockRuns(blocks *runTable) {
	blocks.ways = &blockRuns{numbers: map[way]uint32{}}
	if series := t.out.Series(&schema.BlockRuns); series != nil {
		t.open = append(t.open, &blockRunTable{series, t.out.Submit, blocks.ways})
	}
}

// A flusher is a table of any kind.
type flusher interface {
	// flush submits what was collected since the last row group.
	flush() error
}

// Flush submits what is left of every table, after the stitcher has finished.
func (t *Tables) Flush() error {
	if err := t.stacks.finish(); err != nil { // adds to tables that have rows already
		return err
	}
	if err := t.flush(); err != nil {
		return err
	}
	if err := t.finishTally(); err != nil {
		return err
	}
	return t.flush()
}

// finishTally adds the rows of what was counted.
func (t *Tables) finishTally() error {
	if t.tally == nil {
		return nil
	}
	counts, edges, err := t.tally.Finish()
	if err != nil {
		return err
	}
	t.Counted = counts
	b := t.tally.Base()
	return errors.Join(add(t.counts, b, counts), add(t.edges, b, edges))
}

// flush submits what tables have collected since their last row group.
func (t *Tables) flush() error {
	for _, table := range t.open {
		if err := table.flush(); err != nil {
			return err
		}
	}
	return nil
}

// add hands rows to the sink of a table, if it is wanted.
func add[T any](to stitch.Sink[T], b stitch.Base, rows []T) error {
	if to == nil {
		return nil
	}
	return to.Add(b, rows)
}

// A Job is a row group to be encoded, or the end of a series.
type Job struct {
	Series *dataset.Series
	Bytes  int64 // about what the rows take up until then
	Kept   bool  // it is in a part that is there already, and need not be encoded
	// Encoded, if not nil, reads it as it is encoded already. Of a job that has nothing
	// else, nothing is to be filled.
	Encoded func() (schema.Chunks, error)
	End     bool // the series has no more row groups, and this is none
	group   group
}

// Fill fills batch with the rows, again and again; after each time, emit is called,
// which takes them and resets batch. Columns may come in any encoding ([schema.Encoding]).
func (j *Job) Fill(batch *schema.Batch, emit func() error) error { return j.group.fill(batch, emit) }

// Copy says whether the row group is there already, and nothing made it again.
func (j *Job) Copy() bool { return j.group == nil && j.Encoded != nil }

// A group has the rows of a row group, not yet expanded.
type group interface {
	fill(batch *schema.Batch, emit func() error) error
}
