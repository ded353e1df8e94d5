package stitch

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// Sinks are where the rows of one source go, a sink for each kind of rows. A kind
// whose sink is nil is not wanted. Each sink is given its rows in order.
type Sinks struct {
	Runs    RunSink // rows of `instructions` or of `blocks`
	Counted bool    // Runs takes stretches: see [decode.Wanted]
	// FunctionOf is that of [decode.Wanted].
	FunctionOf func(address schema.Address) int32
	CodeBlocks Sink[CodeBlock]
	Exceptions Sink[Exception]
	Counts     CountSink
	Summed     bool // Counts takes sums: see [decode.Wanted]
	Timestamps Sink[schema.Timestamp]
	Contexts   Sink[schema.Context]
	Accesses   Sink[schema.DataAccess]
	Events     Sink[schema.Event]
	Losses     Sink[schema.Loss]
	Segments   Sink[schema.Segment]
	Packets    Sink[schema.Packet]
}

// Wanted returns what a decoder has to make for the sinks.
func (s *Sinks) Wanted() decode.Wanted {
	return decode.Wanted{Packets: s.Packets != nil, Counted: s.Counted, Summed: s.Summed, FunctionOf: s.FunctionOf}
}

// A Sink takes the next rows of one kind, which are relative to b, and owns them afterwards; nil wants none.
type Sink[T any] func(b Base, rows []T) error

// Add hands rows to the sink, if there are any and it wants some.
func (s Sink[T]) Add(b Base, rows []T) error {
	if s == nil || len(rows) == 0 {
		return nil
	}
	return s(b, rows)
}

// Tee returns a sink that shows each row to look, then hands rows on.
func Tee[T any](to Sink[T], look func(b *Base, row *T)) Sink[T] {
	var base Base // of the rows that look is shown: out here it takes no memory of its own each time
	return func(b Base, rows []T) error {
		base = b
		for i := range rows {
			look(&base, &rows[i])
		}
		return to.Add(b, rows)
	}
}

// A RunSink takes the next runs; nil wants none. One that keeps them retains their Unit, and releases it
// when they are no longer needed.
type RunSink func(r Runs) error

// Add hands runs to the sink, if it wants some.
func (s RunSink) Add(r Runs) error {
	if s == nil {
		return nil
	}
	return s(r)
}

// TeeRuns returns a sink that has look take runs, then passes them on. What look fails with ends it.
func TeeRuns(to, look RunSink) RunSink {
	return func(r Runs) error {
		if err := look(r); err != nil {
			return err
		}
		return to.Add(r)
	}
}

// CountRows are rows of `cycle_counts` as a decoder wrote them.
type CountRows = decode.CountRows

// A Turn is what a decoder counted of the runs of a part.
type Turn = decode.Turn

// A CountSink takes what packets counted, by rising epochs.
type CountSink interface {
	// Add takes the next rows of `cycle_counts`, and sums of those that have no row: at
	// least one of either. They are relative to b. The sink owns them afterwards.
	Add(b Base, counts CountRows, sums []schema.CountSum) error
	// Gap says that the last cycles so many of packets of cycles alone passed before trace
	// restarted. They were counted in the epoch of the last row.
	Gap(b Base, cycles int64)
}

// addCounts hands counts to their sink.
func addCounts(to CountSink, b Base, counts CountRows, sums []schema.CountSum) error {
	if to == nil || len(counts.Rows)+len(sums) == 0 {
		return nil
	}
	return to.Add(b, counts, sums)
}

// A Base is what the rows of a segment are relative to: what is added to their
// values, and what they take over where the segment does not say.
type Base struct {
	Source  uint8
	Segment schema.Null[int32] // NULL before the first cut
	// CycleAccurate says that the trace counts cycles.
	CycleAccurate bool

	seq     int64
	ordinal int64 // of the first exception
	epoch   int32
	cycle   int64 // of the epoch the segment continues

	// The carry into the rows at hand.
	timestamp  schema.Null[uint64]
	timestamps int32 // index of the first timestamp among them
	vmid       schema.Null[uint32]
	contextID  schema.Null[uint32] // only where a segment begins without one
}

// Keys returns the keys of a row.
func (b *Base) Keys(k schema.Key) schema.Keys {
	return schema.Keys{Source: b.Source, Seq: b.seq + k.Seq, Segment: b.Segment, ByteOffset: k.Offset}
}

// At returns the epoch and cycle of a point.
func (b *Base) At(p schema.Point) (epoch int32, cycle schema.Null[int64]) {
	if p.Epoch == 0 && p.Cycle.OK {
		p.Cycle.V += b.cycle
	}
	return b.epoch + p.Epoch, p.Cycle
}

// VMIDOr returns the VMID of a row: the one that was traced in its segment, else
// the one before.
func (b *Base) VMIDOr(traced schema.Null[uint32]) schema.Null[uint32] {
	if traced.OK {
		return traced
	}
	return b.vmid
}

// ContextIDOr does so for the Context ID.
func (b *Base) ContextIDOr(traced schema.Null[uint32]) schema.Null[uint32] {
	if traced.OK {
		return traced
	}
	return b.contextID
}

// lastTimestamp returns the last timestamp before a row, given the index of its row
// in u.
func (b *Base) lastTimestamp(u *decode.Result, index int32) schema.Null[uint64] {
	for index >= b.timestamps && u.Timestamps[index].Unknown {
		index--
	}
	if index < b.timestamps {
		return b.timestamp
	}
	return rowTimestamp(u.Timestamps[index].Value)
}

// Runs are the runs of one part of a segment.
type Runs struct {
	Base    Base
	Unit    *decode.Result // its Blocks, Runs, Costs, Offsets, Stretches, Turns, Exits and Timestamps alone
	Numbers []uint32       // of the unit's blocks, in the source
	Spans   []schema.Span  // of the part, at least one if it has a run
	// What the decoder counted and hands on with the part, for a sink that takes it.
	Stretches  []decode.Stretch
	Firsts     []decode.First
	Turns      []Turn
	Failures   []decode.Failure
	Steps      []decode.Step
	StepCycles []int64
	// From is the index of the first run in Unit.Runs, To that after the last;
	// Cost and Costs are those in Unit.Costs, Place and Places those in
	// Unit.Offsets; Block and Blocks those in Unit.Blocks of the blocks that have a
	// number.
	From, To      int
	Cost, Costs   int
	Place, Places int
	Block, Blocks int
	Begins        bool  // the part is the first of Unit
	Seq           int64 // of the first instruction, in the source
	Instructions  int64
}

// LastTimestamp returns the last timestamp before a span.
func (r *Runs) LastTimestamp(s *schema.Span) schema.Null[uint64] {
	return r.Base.lastTimestamp(r.Unit, s.Timestamp)
}

// An Exception is a row of `exceptions`.
type Exception struct {
	Row       schema.Exception
	Ordinal   int64
	Timestamp schema.Null[uint64] // the last one before the row
}

// exceptionRows makes rows of `exceptions` of what a decoder reports.
func exceptionRows(b *Base, u *decode.Result, exceptions []schema.Exception) []Exception {
	rows := make([]Exception, len(exceptions))
	for i, x := range exceptions {
		rows[i] = Exception{Row: x, Ordinal: b.ordinal + int64(i), Timestamp: b.lastTimestamp(u, x.Timestamp)}
	}
	return rows
}

// A CodeBlock is a row of `code_blocks`: an instruction of a code block.
type CodeBlock struct {
	Number   uint32 // of the block, in the source
	Position int    // of the instruction, in the block
	Block    *schema.Block
}

// rowTimestamp returns a timestamp as rows have it: NULL if it is out of range.
func rowTimestamp(t schema.Null[uint64]) schema.Null[uint64] {
	if t.V > schema.MaxUint63 {
		return schema.Null[uint64]{}
	}
	return t
}
