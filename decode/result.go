package decode

import (
	"fmt"

	"github.com/tracelake/tracelake/schema"
)

// A Result is what one worker makes of a stretch of a stream: whole segments, or
// a part of a long one. Ordinals, epochs and cycles in its rows count from the
// start of their segment; the stitcher knows what they stand on. All slices are
// in stream order, and each segment owns a stretch of each (Segment.Ends).
type Result struct {
	Blocks     Rows[*schema.Block] // in order of first use in their part
	Runs       Rows[schema.Run]
	Costs      Rows[uint32] // cycles of each instruction of the runs with RunHasCosts
	Spans      Rows[schema.Span]
	Exceptions KeyedRows[schema.Exception, *schema.Exception]
	Counts     KeyedRows[schema.CycleCount, *schema.CycleCount]
	Timestamps KeyedRows[schema.Timestamp, *schema.Timestamp]
	Contexts   KeyedRows[schema.Context, *schema.Context]
	Data       KeyedRows[DataElement, *DataElement]
	Events     KeyedRows[schema.Event, *schema.Event]
	Losses     KeyedRows[schema.Loss, *schema.Loss]
	Packets    KeyedRows[schema.Packet, *schema.Packet] // only if asked for
	Segments   []Segment
}

// A Segment is what a decoder says of a segment (or of a part of one, then of
// that part alone) beside its rows.
type Segment struct {
	// Row counts bytes, instructions and exceptions. Its Seq is not used.
	Row schema.Segment
	// Quality does not count the lead: that is for the stitcher.
	Quality Quality
	// Ends are the ends of its stretches in the unit's slices.
	Ends Ends
	// Continued and Open are those of the part.
	Continued, Open bool
	// Lead is the I-sync the segment begins with (not in a continued part).
	Start SegmentStart
	// Tail is what goes on into the segment behind.
	End SegmentEnd
	// Back is what reaches back.
	Back BackReferences
	// Inside is what the segment is if the one before ended inside an instruction
	// (Tail.Half) that the lead goes on with: a unit of one segment. It is nil
	// where that makes no difference.
	Inside *Result
}

// A SegmentStart is the I-sync of a cut, as far as its effects depend on what came
// before: at the start, and after a loss or a break, it restarts the flow
// whatever its reason; else a periodic one goes on. A decoder says the same of one
// inside a segment, for [Recorder.Restart].
type SegmentStart struct {
	Offset int64
	Reason schema.ISyncReason
	At     schema.Null[Position] // NULL: it tells none
	// Count is the cycle count it carries: absent, unknown, or a number.
	HasCount bool
	Count    schema.Null[int64]
	// CycleAccurate says that cycles are counted: `cycle` is 0 at the start of
	// an epoch, not NULL. The recorder sets it.
	CycleAccurate bool
}

// An ISyncEffect is what an I-sync does to events, epochs and the ledger. Its
// rows have no Seq and no Point: the caller knows both.
type ISyncEffect struct {
	Restart  schema.Null[schema.Event] // the flow restarts
	NewEpoch bool                      // an epoch opens
	Cycles   int64                     // that the epoch advances by, if none opens
	Count    schema.Null[schema.CycleCount]
}

// Effect returns what the I-sync does. lost says that packet sync was lost before
// it, or that nothing came before. One that is periodic and not after a loss
// restarts nothing. Any other opens an epoch, unless it carries a count that is
// known: then the gap before it was counted, and the epoch continues.
func (l *SegmentStart) Effect(lost bool) ISyncEffect {
	key := schema.Key{Offset: l.Offset}
	restarts := lost || l.Reason != schema.ISyncPeriodic
	e := ISyncEffect{NewEpoch: lost || restarts && !l.Count.OK}
	if restarts {
		e.Restart = schema.Of(schema.Event{Key: key, Event: RestartEvent(l.Reason), Address: l.Address()})
	}
	if !e.NewEpoch {
		e.Cycles = l.Count.V
	}
	if l.HasCount {
		e.Count = schema.Of(schema.CycleCount{Key: key, Cycles: l.Count, Kind: schema.CountISync, OutOfEpoch: e.NewEpoch})
	}
	return e
}

// Address is that of the I-sync; NULL if it reports none.
func (l *SegmentStart) Address() schema.Null[uint32] {
	return schema.Null[uint32]{V: l.At.V.Address, OK: l.At.OK}
}

// A SegmentEnd is the state at the end of a segment, relative to its start.
type SegmentEnd struct {
	// Lost says that packet sync was lost: the next cut restarts the flow.
	// Broken says that the input broke: nothing at all is carried on.
	Lost, Broken bool
	// Epoch counts the epochs opened in the segment after its lead; Cycle is
	// the sum in the last of them.
	Epoch int32
	Cycle int64
	// Reached is where the flow stood, if known.
	Reached schema.Null[Position]
	// Half says that of the instruction there the first half was told: Reached is
	// the second one.
	Half bool
	// Timestamp is what is known of the raw value: KnownBits low bits of Raw.
	// TimestampCleared says that what was known before the segment is void.
	TimestampRaw     uint64
	TimestampBits    uint8
	TimestampCleared bool
	// VMID as last told in the segment; NULL passes on what came before.
	VMID schema.Null[uint8]
	// Preserved is what bytes that are lost, up to the end of the segment, report
	// for the rows after it.
	Preserved Preserved
	// Seq counts the instructions of the segment so far.
	Seq int64
	// Act is the last act, which a part behind may cancel, and Return is the
	// index of the `return` row that goes with it, -1 without one.
	Cancelable Cancelable
	Return     int
	// Waits are the cycles since the last instruction, or since the segment
	// began if Back.Waits says so: cost of the next one.
	Waits int64
	// Restart is the last restart of trace that can be counted late.
	Restart schema.Null[Restart]
}

// A Cancelable is what a cancel takes back. Protocols without one say NothingCancelable.
type Cancelable uint8

// The acts.
const (
	NothingCancelable     Cancelable = iota // nothing, or nothing any more
	CancelableInstruction                   // the last instruction of the part
	CancelableReturn                        // the `return` row; the instruction before it stays
	CancelableUnplaced                      // an instruction without a row
	CancelableEarlier                       // that of the part before
)

// BackReferences are what in a part reaches back to what came before it. Its zero value
// says that nothing does.
type BackReferences struct {
	// Cancel is the exception that cancels the act before the part.
	Cancel schema.Null[BackCancel]
	// Aborts are indexes of exceptions whose return address is that of the last
	// instruction before the part, if there is one.
	Aborts []int
	// Waits says what becomes of the cycles since the last instruction.
	Waits BackWaits
	// Count is the first late count in the part, if the restart it belongs to
	// is not in its segment.
	Count schema.Null[BackCount]
}

// A BackCancel has the indexes of the rows a cancel makes.
type BackCancel struct {
	Event       int // `cancelled`, with its address open
	Exception   int
	Return      int // the `return` row told since, which is cancelled with an instruction; or -1
	DataElement int // `ElementCancelled`, or -1
}

// A BackCount has the indexes of the rows a late count makes.
type BackCount struct {
	Count int
	Event int // `count_unexpected`, which goes if there is a restart to count
}

// BackWaits says what becomes of cycles told before a part but behind the last
// instruction.
type BackWaits uint8

// The fates of cycles.
const (
	WaitsDropped BackWaits = iota // they belong to no instruction
	WaitsTaken                    // they are a cost of the part's first instruction
	WaitsPassed                   // they are left to the part behind
)

// A Restart is an I-sync that is not periodic, for a cycle count that comes
// later.
type Restart struct {
	Seq     int64
	Counted bool // a second count is one too many
	Unknown bool // its count is not to be trusted
}

// A PC is a position in the program.
type PC struct {
	Address uint32
	ISA     schema.ISA
}

// A Position is a place with the security state instructions are fetched in, as
// far as I-syncs are held against it.
type Position struct {
	PC
	NonSecure bool
}

// ISyncDiffers is the detail of an `inconsistent` event: a periodic I-sync says
// another position than the flow had reached. The I-sync wins.
func ISyncDiffers(reached, told Position) string {
	detail := fmt.Sprintf("periodic I-sync says 0x%08x %s", told.Address, told.ISA)
	if told.NonSecure != reached.NonSecure {
		detail += ", " + told.security().String()
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

// NothingToCancel is the detail of an `inconsistent` event: a cancel with no act
// since the one before.
const NothingToCancel = "cancel"
