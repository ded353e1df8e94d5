package rows

import (
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// runs are the runs of one part of a segment, as far as they are not rows yet.
type runs struct {
	stitch.Runs
	skip int   // instructions of the first run that are already rows
	rows int64 // of the table they become
}

// A form is what runs become: rows of `instructions` or of `blocks`.
type form struct {
	perRow int64         // how many instructions of one run a row has at most
	filler func() filler // returns what fills batches of a row group
}

// count counts the rows that runs become. They are short if none has more instructions than a row.
func (f *form) count(r *stitch.Runs, short bool) int64 {
	switch {
	case f.perRow == 1:
		return r.Instructions
	case short:
		return int64(r.To - r.From)
	}
	n := int64(0)
	for i := r.From; i < r.To; i++ {
		n += rowCount(int64(r.Unit.Runs[i].Count), f.perRow)
	}
	return n
}

// A filler fills one batch after another.
type filler interface {
	// fill appends rows to batch, at most room and no more than one span has, and
	// returns how many.
	fill(r *runs, batch *schema.Batch, room int) int
	// finish completes a batch that was filled. It numbers block runs. The next batch is another.
	finish(batch *schema.Batch, n *numbering)
}

// bytes is about what the runs take up in memory, as [runTable] counts.
func (r *runs) bytes() int64 {
	return runBytes*int64(r.To-r.From) + costBytes*int64(r.Costs-r.Cost+r.Places-r.Place)
}

// rowCount returns the rows that so many instructions of one run become.
func rowCount(instructions, perRow int64) int64 { return (instructions + perRow - 1) / perRow }

// advance drops the first n rows of r.
func (r *runs) advance(n, perRow int64) {
	r.rows -= n
	if r.rows == 0 {
		return
	}
	for n > 0 {
		left := int64(r.Unit.Runs[r.From].Count) - int64(r.skip)
		take := min(left, n*perRow)
		n -= rowCount(take, perRow)
		r.pass(int(take))
	}
}

// pass moves the start of r over n instructions of its first run.
func (r *runs) pass(n int) {
	run := &r.Unit.Runs[r.From]
	r.Seq += int64(n)
	r.skip += n
	if run.Flags&schema.RunHasCosts != 0 {
		r.Cost += n
	}
	if run.Flags&schema.RunHasOffsets != 0 {
		r.Place += n
	}
	if r.skip == int(run.Count) {
		r.From, r.skip = r.From+1, 0
	}
}

// timed are the flags of a run with cycles.
const timed = schema.RunHasCycles | schema.RunHasCosts

// offset is the capture offset of the next instruction.
func (r *runs) offset() uint64 {
	run := &r.Unit.Runs[r.From]
	if run.Flags&schema.RunHasOffsets != 0 {
		return uint64(run.Offset) + uint64(r.Unit.Offsets[r.Place])
	}
	return uint64(run.Offset)
}

// span returns what holds for the first run, and the run up to which it does.
func (r *runs) span() (*schema.Span, int) {
	for len(r.Spans) > 1 && r.Spans[1].Run <= r.From {
		r.Spans = r.Spans[1:]
	}
	if len(r.Spans) > 1 {
		return &r.Spans[0], r.Spans[1].Run
	}
	return &r.Spans[0], r.To
}

// sharedColumns are the columns in which all rows of a span are alike.
type sharedColumns struct {
	source      schema.IndexU8
	segment     schema.IndexU32
	epoch       schema.IndexU32
	timestamp   schema.IndexU64
	contextID   schema.IndexU32
	vmid        schema.IndexU32
	security    schema.IndexU8
	level       schema.IndexU8
	transaction schema.IndexU8
}

// fillShared appends what all rows of a span have in common.
func (r *runs) fillShared(batch *schema.Batch, c *sharedColumns, s *schema.Span, rows int) {
	v := batch.Columns
	epoch, _ := r.Base.At(schema.Point{Epoch: s.Epoch})
	v[c.source].AppendRepeat(uint64(r.Base.Source), false, rows)
	v[c.epoch].AppendRepeat(uint64(uint32(epoch)), false, rows)
	appendRepeat(&v[c.segment], r.Base.Segment, rows)
	appendRepeat(&v[c.timestamp], r.LastTimestamp(s), rows)
	appendRepeat(&v[c.contextID], r.Base.ContextIDOr(s.ContextID), rows)
	appendRepeat(&v[c.vmid], r.Base.VMIDOr(s.VMID), rows)
	v[c.security].AppendRepeat(uint64(s.Security), false, rows)
	appendRepeat(&v[c.level], s.ExceptionLevel, rows)
	v[c.transaction].AppendRepeat(uint64(flag(s.Transaction.V)), !s.Transaction.OK, rows)
}

// appendRepeat appends rows of a value that may be NULL.
func appendRepeat[T uint8 | uint32 | int32 | uint64](v *schema.Vector, x schema.Null[T], rows int) {
	if !x.OK {
		x.V = 0
	}
	v.AppendRepeat(uint64(x.V), !x.OK, rows)
}
