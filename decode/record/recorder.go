// Package record writes what decoders of every protocol write about a segment:
// rows, losses, spans, and the entry of the segment ([Recorder]); and what those have alike that
// follow the program ([Follower]).
//
// Its API is not stable (docs/guide/library.md).
package record

import (
	"math/bits"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// A Recorder writes the segments of a decoder one after another, part by part:
// rows into a result (rows.go), lost bytes (loss.go), and the entry of each part
// in Result.Segments. Every decoder has one. A Recorder knows no packet of any
// protocol and does not follow the program: the key of each row comes from its
// caller.
//
// Its rows are those of docs/tables.md, relative to their segment: see
// [decode.Result].
type Recorder struct {
	// From the registers; fixed before the first part.
	CycleAccurate bool // rows have cycles
	Timestamps    decode.TimestampCode
	UnitBytes     int  // see Protocol.UnitBytes: a power of two; 0 is 1
	Summed        bool // see decode.Wanted
	TracesData    bool // there are data elements: see data.go
	// TracesRegisters: transfers between core and coprocessor are among them. SwapsInPlace:
	// the second transfer of a swap has no address of its own.
	TracesRegisters, SwapsInPlace bool

	// Of the current part.
	Result  *decode.Result
	Part    decode.Part
	Offsets decode.OffsetCursor // of Part.Offsets
	Segment decode.Segment      // the entry being made for Result.Segments
	Base    decode.Ends         // lengths of the result's slices where the part began

	State

	unitShift uint8 // a unit has 1<<unitShift bytes

	loss   schema.Loss // that lasts up to the next cut
	lost   bool        // there is a loss
	broken bool        // the input broke in the segment

	sums int // index of the first of Result.Sums that counts may be added to

	bound  int         // end of what a packet may reach; 0 before the first packet
	bounds []int       // of Part.Bounds those not passed yet
	rest   decode.Part // start of a packet that the previous part cut off
	seq    int64       // where the part began
}

// A State is what the next rows of a segment depend on. It is zero at the start of
// every segment. A decoder that goes back to an earlier packet restores the State
// of that packet and truncates the result.
type State struct {
	decode.Context
	Epoch int32 // opened since the start of the segment
	Cycle int64 // sum in the epoch

	Half     Half
	Unplaced UnplacedRun
	Since    SinceElement

	timestampRaw  uint64
	timestampBits uint8 // low bits of timestampRaw sent in this segment
	timestamp     int32 // index of the last row in the result, or TimestampCarried

	spanDue bool // the next run needs a span of its own
}

// Begin begins a part, before which the segment has seq instructions. If the
// input broke before the part, all of the part is lost.
func (r *Recorder) Begin(result *decode.Result, part decode.Part, seq int64) {
	if part.Continued {
		part.Prepend(r.rest)
	} else {
		r.State, r.lost, r.broken = State{}, false, false
	}
	r.rest = decode.Part{}
	r.Result, r.Part, r.Base = result, part, result.Ends()
	r.Offsets = decode.NewOffsetCursor(part.Offsets)
	result.Counts.Begin()
	r.sums = len(result.Sums)
	r.Segment = decode.Segment{Continued: part.Continued, Open: part.Open}
	r.seq = seq
	r.unitShift = uint8(bits.TrailingZeros(uint(max(r.UnitBytes, 1))))
	r.bound, r.bounds = 0, part.Bounds
	r.timestamp, r.spanDue, r.Since = schema.TimestampCarried, true, SinceElement{}
	if part.Break != decode.NoBreak {
		r.discontinue()
	}
}

// Start records the I-sync that a segment begins with. Whether it opens an epoch
// or makes an event depends on what came before, so the stitcher decides that.
func (r *Recorder) Start(start decode.SegmentStart) {
	start.CycleAccurate = r.CycleAccurate
	row := &r.Segment.Row
	row.Offset, row.Address, row.Reason = start.Offset, start.Address(), start.Reason
	r.Segment.Start = start
}

// Periodic compares a periodic I-sync inside a segment with the position that the
// flow had reached, if known.
func (r *Recorder) Periodic(key schema.Key, reached schema.Null[decode.Position], traced decode.Position) {
	r.Segment.Quality.ISync(key.Offset, reached, traced)
	if reached.OK && reached.V != traced {
		r.Inconsistent(key, reached.V.Address, decode.ISyncDiffers(reached.V, traced))
	}
}

// Restart records a non-periodic I-sync inside a segment: trace restarts, after
// seq instructions.
func (r *Recorder) Restart(start decode.SegmentStart, seq int64) {
	e := start.Effect(false)
	e.Restart.V.Seq, e.Count.V.Seq = seq, seq
	r.Result.Events = append(r.Result.Events, e.Restart.V)
	if e.NewEpoch {
		r.OpenEpoch()
	}
	r.Cycle += e.Cycles
	if !e.Count.OK {
		return
	}
	e.Count.V.Epoch = r.Epoch
	if !e.NewEpoch {
		e.Count.V.Point = r.Point()
	}
	r.Result.Counts.Append(e.Count.V)
}

// Finish ends the part, after which the segment has seq instructions, and appends
// its entry to Result.Segments. The caller has set those fields of Segment.End
// and Segment.Back that concern the flow of the program.
func (r *Recorder) Finish(seq int64) {
	if !r.Part.Open {
		r.closeLoss()
	}
	r.countUnits()
	s := &r.Segment
	s.Row.Bytes = s.Row.BytesDecoded + s.Row.BytesLost
	s.Row.Instructions = seq - r.seq
	t := &s.End
	t.Lost, t.Broken = r.lost, r.broken
	t.Seq, t.Epoch, t.Cycle = seq, r.Epoch, r.Cycle
	t.VMID, t.ContextID = r.VMID, r.ContextID
	t.TimestampRaw, t.TimestampBits, t.TimestampCleared = r.timestampRaw, r.timestampBits, r.lost
	if r.lost {
		t.TimestampBits = 0
	}
	s.Ends = r.Result.Ends()
	r.Result.Segments = append(r.Result.Segments, *s)
	r.Result, r.Part, r.bounds = nil, decode.Part{}, nil
	r.Offsets = decode.OffsetCursor{}
}

// countUnits converts the byte counts of the part's rows to units of UnitBytes.
func (r *Recorder) countUnits() {
	if r.UnitBytes <= 1 {
		return
	}
	n, row := int64(r.UnitBytes), &r.Segment.Row
	row.BytesDecoded, row.BytesLost, row.BytesUnplaced = row.BytesDecoded/n, row.BytesLost/n, row.BytesUnplaced/n
	for i := r.Base[decode.Losses]; i < len(r.Result.Losses); i++ {
		r.Result.Losses[i].Bytes /= n
	}
}

// Settle is called before each run. It opens a span if the timestamp, the context
// or the epoch changed since the previous run.
func (r *Recorder) Settle() {
	if r.spanDue {
		r.openSpan()
	}
}

// Settled reports that Settle has nothing to do.
func (r *Recorder) Settled() bool { return !r.spanDue }

func (r *Recorder) openSpan() {
	r.spanDue = false
	s := schema.Span{
		Run: len(r.Result.Runs), Epoch: r.Epoch, Timestamp: r.timestamp,
		ContextID: r.ContextID, VMID: r.VMID, Security: r.Security(),
		ExceptionLevel: r.ExceptionLevel, Transaction: r.Transaction,
	}
	if n := len(r.Result.Spans); n > r.Base[decode.Spans] && r.Result.Spans[n-1].Run == s.Run {
		r.Result.Spans[n-1] = s
		return
	}
	r.Result.Spans = append(r.Result.Spans, s)
}
