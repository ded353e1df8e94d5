package decode

import (
	"fmt"
	"sync/atomic"

	"github.com/tracelake/tracelake/schema"
)

// A Result is what one worker decodes from a work unit: whole segments, or a part
// of a long one. Ordinals, epochs and cycles in its rows count from the start of
// their segment; the stitcher adds the totals before the segment. All slices are
// in stream order, and each segment owns a range of each slice (Segment.Ends).
type Result struct {
	Blocks     Rows[*schema.Block] // in order of first use in their part: those of parts before it may be used, too
	Runs       Rows[schema.Run]
	Costs      Rows[uint32]  // cycles of each instruction of the runs with RunHasCosts
	Offsets    Rows[uint32]  // of each instruction of the runs with RunHasOffsets: its capture offset minus that of the run
	Stretches  Rows[Stretch] // only if NewDecoder was asked to count, or for steps
	Firsts     Rows[First]   // only if NewDecoder was asked to count
	Turns      Rows[Turn]    // likewise
	Failures   Rows[Failure] // likewise
	Steps      Rows[Step]    // of the stretches, with Wanted.FunctionOf
	StepCycles Rows[int64]   // of each step, where cycles are traced: as Run.Cycle, of the instruction that it left
	Exits      Rows[Exit]    // of the steps, those of later parts, too
	Spans      Rows[schema.Span]
	Exceptions Rows[schema.Exception]
	Counts     CountRows
	Sums       Rows[schema.CountSum] // of counts without a row, with Wanted.Summed; and of gaps
	Timestamps Rows[schema.Timestamp]
	Contexts   Rows[schema.Context]
	Data       Rows[DataElement]
	Events     Rows[schema.Event]
	Losses     Rows[schema.Loss]
	Packets    Rows[schema.Packet] // only if NewDecoder was asked for them
	Segments   []Segment

	// Of a result whose runs are in recycled memory: see [Pool].
	pool  *Pool
	users atomic.Int32
}

// A Segment is what a decoder reports of a segment, or of a part of one, beside
// its rows.
type Segment struct {
	// Row counts bytes, instructions and exceptions. Its Seq is not used.
	Row schema.Segment
	// Quality does not count the first I-sync: the stitcher does.
	Quality Quality
	// Ends are the ends of the segment's ranges in the slices of the result.
	Ends Ends
	// CountsEach reports that each instruction with a cost has a row of `cycle_counts`
	// of its own: cycles carried over a cut are added to both, and a cancel removes
	// both. If the flow restarts at a periodic cut, the first instruction has neither,
	// and the epoch's cycles count from it.
	CountsEach bool
	// Continued and Open are those of the part.
	Continued, Open bool
	// Start is the I-sync the segment begins with (not in a continued part).
	Start SegmentStart
	// End is the state that the next segment continues from.
	End SegmentEnd
	// Back has the rows that refer to what came before.
	Back BackReferences
	// Inside is the segment, as a result of its own, for the case that the
	// previous segment ended inside an instruction (SegmentEnd.Half) and the
	// first I-sync continues it. It is nil where that makes no difference.
	Inside *Result
}

// A SegmentStart is the I-sync of a cut. Its effects depend on what came before: at
// the start of a stream, and after a loss or a break, it restarts the flow
// whatever its reason; otherwise the flow continues if it is periodic. Decoders
// also use SegmentStart for an I-sync inside a segment, in [Recorder.Restart].
type SegmentStart struct {
	Offset int64
	Reason schema.ISyncReason
	At     schema.Null[Position] // NULL: the I-sync has no position
	// Count is the cycle count of the I-sync: absent, unknown, or a number.
	HasCount bool
	Count    schema.Null[int64]
	// Unread reports that the packet of the cut was not understood: it restarts
	// nothing, and the segment is lost.
	Unread bool
	// SameContext reports that the Context ID is that of the segment before, as far as
	// it is NULL in the rows of this one.
	SameContext bool
	// Trigger reports that a trigger came with the packet, and precedes it.
	Trigger bool
	// Lead is what the decoder of the cut saw before it, where its length differs from cut to cut: else
	// a [Leader] says it.
	Lead Lead
	// Dependent reports that the cut can only be decoded after the segment before it:
	// decoding cannot begin here.
	Dependent bool
	// CycleAccurate reports that cycles are counted: `cycle` is 0 at the start of
	// an epoch, not NULL. The recorder sets it.
	CycleAccurate bool
}

// A Lead is the bytes before a cut that its decoder has to see: so many, and the capture offset of the
// first one. The zero value is none.
type Lead struct {
	Bytes  int   `json:"bytes"`
	Offset int64 `json:"offset"`
}

// An ISyncEffect is what an I-sync does to events, epochs and the ledger. Its
// rows have no Seq and no Point: the caller knows both.
type ISyncEffect struct {
	Restart  schema.Null[schema.Event] // the flow restarts
	NewEpoch bool                      // an epoch opens
	Cycles   int64                     // by which the epoch advances, if none opens
	Count    schema.Null[schema.CycleCount]
}

// Effect returns what the I-sync does. lost reports that packet sync was lost
// before it, or that nothing came before. A periodic I-sync that does not follow a
// loss restarts nothing. Any other opens an epoch, unless it has a known count:
// then the gap before it was counted, and the epoch continues.
func (s *SegmentStart) Effect(lost bool) ISyncEffect {
	key := schema.Key{Offset: s.Offset}
	if s.Unread {
		return ISyncEffect{}
	}
	restarts := lost || s.Reason != schema.ISyncPeriodic
	e := ISyncEffect{NewEpoch: lost || restarts && !s.Count.OK}
	if restarts {
		e.Restart = schema.Of(schema.Event{Key: key, Event: RestartEvent(s.Reason), Address: s.Address()})
	}
	if !e.NewEpoch {
		e.Cycles = s.Count.V
	}
	if s.HasCount {
		e.Count = schema.Of(schema.CycleCount{Key: key, Cycles: s.Count, Kind: schema.CountISync, OutOfEpoch: e.NewEpoch})
	}
	return e
}

// Address is the address in the I-sync; NULL if it has none.
func (s *SegmentStart) Address() schema.Null[schema.Address] {
	return schema.Null[schema.Address]{V: s.At.V.Address, OK: s.At.OK}
}

// A SegmentEnd is the state at the end of a segment, relative to its start.
type SegmentEnd struct {
	// Lost reports that packet sync was lost: the next cut restarts the flow.
	// Broken reports that the input broke: nothing at all is carried on.
	Lost, Broken bool
	// Contradiction is the detail of an `inconsistent` event that the next cut makes,
	// which then restarts the flow as after a loss; "" without one.
	Contradiction string
	// Epoch counts the epochs opened in the segment after its start; Cycle is
	// the sum in the last of them.
	Epoch int32
	Cycle int64
	// Reached is the position that the flow has reached, if known.
	Reached schema.Null[Position]
	// Half reports that only the first half of an instruction was traced:
	// Reached is the second half.
	Half bool
	// TimestampBits low bits of the raw timestamp TimestampRaw are known.
	// TimestampCleared reports that a timestamp from before the segment is void.
	TimestampRaw     uint64
	TimestampBits    uint8
	TimestampCleared bool
	// VMID as last traced in the segment; NULL passes on what came before.
	VMID schema.Null[uint32]
	// ContextID is that of the segment's end, for a next segment whose start does not
	// have one (SegmentStart.SameContext).
	ContextID schema.Null[uint32]
	// Preserved is what lost bytes, up to the end of the segment, report for the
	// rows after it.
	Preserved Preserved
	// Seq counts the instructions of the segment so far.
	Seq int64
	// Cancelable is what a later part may cancel, and Return is the index of the
	// `return` row that goes with it, -1 without one.
	Cancelable Cancelable
	Return     int
	// Acts are what later parts may cancel of a part whose protocol cancels several acts at once,
	// oldest first: how many instructions each executed. Earlier is how many acts before
	// the part stay open to that; older ones are final.
	Acts    []int32
	Earlier int
	// Waits are the cycles since the last instruction, or since the segment
	// began if Back.Waits says so: cost of the next instruction.
	Waits int64
	// WaitsKept are those of them that are costs of instructions that were cancelled: they passed
	// while trace was on.
	WaitsKept int64
	// Untimed reports, with CountsEach, that no instruction has opened the epoch yet.
	Untimed bool
	// Restart is the last restart of trace that can be counted late.
	Restart schema.Null[Restart]
}

// A Cancelable is what a cancel of one act takes back. Protocols without such cancels use
// NothingCancelable.
type Cancelable uint8

// What a cancel takes back.
const (
	NothingCancelable     Cancelable = iota // nothing, or nothing any more
	CancelableInstruction                   // the last instruction of the part
	CancelableReturn                        // the `return` row; the instruction before it stays
	CancelableUnplaced                      // an instruction without a row
	CancelableEarlier                       // what the previous part ended with
)

// BackReferences are what in a part refers to what came before it. The zero value
// has no reference.
type BackReferences struct {
	// Cancel is the exception that cancels what the previous part ended with.
	Cancel schema.Null[BackCancel]
	// Acts are cancels of acts that parts before ended with (SegmentEnd.Acts), in order.
	Acts []BackActs
	// Aborts are indexes of exceptions whose return address is that of the last
	// instruction before the part, if there is one.
	Aborts []int
	// Waits is what becomes of the cycles since the last instruction.
	Waits BackWaits
	// Count is the first late count in the part, if the restart it belongs to
	// is not in its segment.
	Count schema.Null[BackCount]
}

// A BackCancel has the indexes of the rows that a cancel makes.
type BackCancel struct {
	Event       int // `cancelled`, whose address is not known yet
	Exception   int
	Return      int  // the `return` row since, which is cancelled with an instruction; or -1
	DataElement int  // `ElementCancelled` or `ElementTakenBack`, or -1
	NoReturn    bool // the exception has no return address
}

// BackActs is a cancel of the newest acts before a part: how many of them, and the index of
// its row, whose address is not known yet.
type BackActs struct {
	Event int // `cancelled`, at the first instruction that is taken back
	Count int
}

// A BackCount has the indexes of the rows that a late count makes.
type BackCount struct {
	Count int
	Event int // `count_unexpected`, which is removed if there is a restart to count
}

// BackWaits is what becomes of cycles counted before a part but after the last
// instruction.
type BackWaits uint8

// What becomes of the cycles.
const (
	WaitsDropped BackWaits = iota // they belong to no instruction
	WaitsTaken                    // they are a cost of the part's first instruction
	WaitsPassed                   // they are left to the next part
	WaitsLost                     // they passed before trace restarted: in a gap
)

// Waited says what becomes of the cycles, unless something has become of them already.
func (b *BackReferences) Waited(to BackWaits) {
	if b.Waits == WaitsPassed {
		b.Waits = to
	}
}

// A Restart is an I-sync that is not periodic, for a cycle count that comes
// later.
type Restart struct {
	Seq     int64
	Counted bool // a second count is one too many
	Unknown bool // its count is not to be trusted
}

// A PC is a position in the program.
type PC struct {
	Address schema.Address
	ISA     schema.ISA
}

// A Position is a PC and the security state that its instruction is fetched in:
// what a periodic I-sync is compared with.
type Position struct {
	PC
	NonSecure bool
}

// ISyncDiffers is the detail of an `inconsistent` event: a periodic I-sync has
// another position than the flow had reached. The I-sync wins.
func ISyncDiffers(reached, traced Position) string {
	detail := fmt.Sprintf("periodic I-sync says %s %s", traced.Address.Hex(), traced.ISA)
	if traced.NonSecure != reached.NonSecure {
		detail += ", " + traced.security().String()
	}
	return detail
}

func (p Position) security() schema.Security {
	if p.NonSecure {
		return schema.NonSecure
	}
	return schema.Secure
}

// RestartEvent is the event of an I-sync where trace starts or starts again.
func RestartEvent(reason schema.ISyncReason) schema.EventKind {
	switch reason {
	case schema.ISyncOverflow:
		return schema.EventOverflow
	case schema.ISyncDebugExit:
		return schema.EventDebugExit
	case schema.ISyncPeriodic, schema.ISyncTraceOn:
	}
	return schema.EventTraceOn
}

// NothingToCancel is the detail of an `inconsistent` event: a cancel with nothing
// to take back since the previous cancel.
const NothingToCancel = "cancel"
