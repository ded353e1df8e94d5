package rows

import (
	"github.com/tracelake/tracelake/pipeline/stacks"
	"github.com/tracelake/tracelake/pipeline/tally"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

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
	// Places are those of what the core runs.
	Places schema.Places
	// Opening is where the source begins, of a window; nil: it is not known.
	Opening *stacks.Opening
	// MostCalls is how many rows of `calls` there may be, those of the longest; 0: any number.
	MostCalls int
	// TaskNames are names of tasks by their Context ID.
	TaskNames map[uint32]string
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

// A group has the rows of a row group, not yet expanded.
type group interface {
	fill(batch *schema.Batch, emit func() error) error
	// drop counts the rows in place of filling batches with them, and lets go of what the group holds; !ok: it
	// has to be filled. So have blocks: where a row group is filled is where new runs of theirs get their numbers.
	drop() (rows int64, ok bool)
}

// Where a row group ends that takes up much for its rows, in bytes as counted below.
const (
	runGroupBytes = 16 << 20 // of runs, as of a stream with an I-sync every ten bytes
	rowGroupBytes = 15 << 20 // of any other rows
)

// About what waits for its row group takes up, in bytes. It decides where row
// groups end, so it is the same on every machine.
const (
	pieceBytes    = 128 // of the rows of one segment
	runPieceBytes = 256 // of its runs
	rowBytes      = 80
	runBytes      = 40
	costBytes     = 4 // of an instruction, and of its offset
)
