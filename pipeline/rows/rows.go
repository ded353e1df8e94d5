// Package rows turns what the stitcher emits into row groups. [Tables] collect the
// runs and rows of one source, relative to their segments as they are, and cut
// them into a [Job] each: by ordinal, or by the bytes that wait. A job expands
// them into batches where it is encoded.
//
// Its API is not stable (docs/guide/library.md).
package rows

import (
	"errors"

	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/tally"
	"github.com/tracelake/tracelake/schema"
)

// New returns the tables of a source.
func New(out Output) *Tables {
	t := &Tables{out: out}
	t.Sinks = stitch.Sinks{
		Runs:       t.runSink(),
		CodeBlocks: sink(t, &schema.CodeBlocks, fillCodeBlock),
		Exceptions: sink(t, &schema.Exceptions, fillException),
		Timestamps: sink(t, &schema.Timestamps, fillTimestamp),
		Contexts:   sink(t, &schema.Contexts, fillContext),
		Accesses:   sink(t, &schema.DataAccesses, fillDataAccess),
		Events:     sink(t, &schema.Events, fillEvent),
		Losses:     sink(t, &schema.Losses, fillLoss),
		Segments:   sink(t, &schema.Segments, fillSegment),
		Packets:    sink(t, &schema.Packets, fillPacket),
	}
	t.addEpochs()
	t.counts, t.edges = sink(t, &schema.Counts, fillCount), sink(t, &schema.Edges, fillEdge)
	if t.counts != nil || t.edges != nil {
		t.tally = tally.New(out.Workers, out.Places)
		t.Sinks = t.tally.Sinks(t.Sinks)
	}
	t.addStacks()
	return t
}

// runSink returns the sink of runs, nil if neither level is wanted.
func (t *Tables) runSink() stitch.RunSink {
	for _, level := range []struct {
		table *schema.Table
		form  form
	}{{&schema.Instructions, asInstructions}, {&schema.Blocks, asBlocks}} {
		if series := t.out.Series(level.table); series != nil {
			s := &runTable{series: series, submit: t.out.Submit, limit: t.out.Limit, form: level.form}
			t.open = append(t.open, s)
			if level.table == &schema.Blocks {
				t.addBlockRuns(s)
			}
			return s.Add
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

// Flush submits what is left of every table, after the stitcher has finished.
func (t *Tables) Flush() error {
	if err := t.finishStacks(); err != nil { // adds to tables that have rows already
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
	return errors.Join(t.counts.Add(b, counts), t.edges.Add(b, edges))
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
