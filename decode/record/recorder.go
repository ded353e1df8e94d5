// Package record writes what every decoder writes of a segment, whatever its
// protocol: rows, losses, spans, and the entry of the segment.
package record

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// A Recorder writes what a decoder tells of one segment after another, part by
// part: the rows into a unit (rows.go), what is lost of the bytes (loss.go), and
// the entry of each part in Unit.Segments. Every decoder holds one. It knows no
// packet of any protocol and follows no program: where the program stands, its
// caller says with the key of each row.
//
// Its rows are those of docs/tables.md, relative to their segment: see
// [decode.Result].
type Recorder struct {
	// What the registers say. It does not change once the first part began.
	CycleAccurate bool // rows have cycles
	Timestamps    decode.TimestampCode
	UnitBytes     int // bytes of the stream in a unit; 0 is 1

	// Of the part at hand.
	Result  *decode.Result
	Part    decode.Part
	Segment decode.Segment // the entry being made for Unit.Segments
	Base    decode.Ends    // lengths of the unit's slices where the part began

	State

	loss   schema.Loss // that lasts up to the next cut
	lost   bool        // there is one
	broken bool        // the input broke in the segment

	bound  int         // end of what a packet may reach; 0 before the first one
	bounds []int       // of Part.Bounds those not passed yet
	rest   decode.Part // bytes of a packet the part before was cut inside
	seq    int64       // where the part began
}

// A State is what the rows of a segment share and stand on, up to a place in it.
// Every segment begins with a zero one. A decoder that goes back to that place
// puts it back, and truncates the unit.
type State struct {
	decode.Context
	Epoch int32 // opened since the lead
	Cycle int64 // sum in the epoch

	timestampRaw  uint64
	timestampBits uint8 // low bits of timestampRaw sent in this segment
	timestamp     int32 // index of the last row in the unit, or TimestampCarried

	spanDue bool // the next run needs a span of its own
}

// Begin begins a part, before which the segment has seq instructions. If the
// input broke before it, all of it is lost.
func (r *Recorder) Begin(u *decode.Result, part decode.Part, seq int64) {
	if part.Continued {
		part.Prepend(r.rest)
	} else {
		r.State, r.lost, r.broken = State{}, false, false
	}
	r.rest = decode.Part{}
	r.Result, r.Part, r.Base = u, part, u.Ends()
	r.Segment = decode.Segment{Continued: part.Continued, Open: part.Open}
	r.seq = seq
	r.bound, r.bounds = 0, part.Bounds
	r.timestamp, r.spanDue = schema.TimestampCarried, true
	if part.Break {
		r.discontinue()
	}
}

// Start records the I-sync a segment begins with. What it does to the epoch, and
// whether it makes an event, depends on what came before: that is for the
// stitcher.
func (r *Recorder) Start(l decode.SegmentStart) {
	l.CycleAccurate = r.CycleAccurate
	row := &r.Segment.Row
	row.Offset, row.Address, row.Reason = l.Offset, l.Address(), l.Reason
	r.Segment.Start = l
}

// Periodic compares a periodic I-sync inside a segment with the position the flow
// had reached, if it is known.
func (r *Recorder) Periodic(key schema.Key, reached schema.Null[decode.Position], told decode.Position) {
	r.Segment.Quality.ISync(key.Offset, reached, told)
	if reached.OK && reached.V != told {
		r.Inconsistent(key, reached.V.Address, decode.ISyncDiffers(reached.V, told))
	}
}

// Restart records an I-sync inside a segment that is not periodic: trace starts
// again, after seq instructions.
func (r *Recorder) Restart(l decode.SegmentStart, seq int64) {
	e := l.Effect(false)
	e.Restart.V.Seq, e.Count.V.Seq = seq, seq
	r.Result.Events = append(r.Result.Events, e.Restart.V)
	if e.NewEpoch {
		r.Epoch++
		r.Cycle, r.spanDue = 0, true
	}
	r.Cycle += e.Cycles
	if !e.Count.OK {
		return
	}
	if !e.NewEpoch {
		e.Count.V.Point = r.point()
	}
	r.Result.Counts = append(r.Result.Counts, e.Count.V)
}

// Finish ends the part, behind which the segment has seq instructions, and
// appends its entry to Unit.Segments. What Segment.End and Segment.Back say of
// the flow of the program, the caller has set.
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
	t.VMID = r.VMID
	t.TimestampRaw, t.TimestampBits, t.TimestampCleared = r.timestampRaw, r.timestampBits, r.lost
	if r.lost {
		t.TimestampBits = 0
	}
	s.Ends = r.Result.Ends()
	r.Result.Segments = append(r.Result.Segments, *s)
	r.Result, r.Part, r.bounds = nil, decode.Part{}, nil
}

// countUnits makes units of the bytes that the part's rows count.
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

// Settle opens a span for the runs that follow, if something changed that they
// share. It is called before each of them.
func (r *Recorder) Settle() {
	if r.spanDue {
		r.openSpan()
	}
}

func (r *Recorder) openSpan() {
	r.spanDue = false
	s := schema.Span{
		Run: len(r.Result.Runs), Epoch: r.Epoch, Timestamp: r.timestamp,
		ContextID: r.ContextID, VMID: r.VMID, Security: r.Security(),
	}
	if n := len(r.Result.Spans); n > r.Base[decode.Spans] && r.Result.Spans[n-1].Run == s.Run {
		r.Result.Spans[n-1] = s
		return
	}
	r.Result.Spans = append(r.Result.Spans, s)
}
