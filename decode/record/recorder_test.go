package record

import (
	"io"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode"

	"github.com/tracelake/tracelake/schema"
)

// part returns one of n bytes, at offsets from at on.
func part(at decode.CaptureOffset, n int, asyncs ...int) decode.Part {
	p := decode.Part{Bounds: asyncs, Offsets: decode.OffsetsFrom(at, n, decode.Form{})}
	for i := range n {
		p.Data = append(p.Data, byte(i))
	}
	return p
}

// A packet may reach up to the end of the next A-sync. A-syncs before the packet do
// not count.
func TestRecorderBytes(t *testing.T) {
	var r Recorder
	r.Begin(&decode.Result{}, part(100, 20, 6, 12), 0)
	for _, step := range []struct{ i, end int }{{0, 6}, {5, 6}, {6, 12}, {13, 20}, {19, 20}} {
		if got := step.i + len(r.Bytes(step.i)); got != step.end {
			t.Errorf("a packet at %d may reach up to %d, want %d", step.i, got, step.end)
		}
	}
}

func TestRecorderStop(t *testing.T) {
	reserved := &decode.SyntaxError{Header: 0x10, Reserved: true, Reason: "why"}
	bad := &decode.SyntaxError{Header: 0x81, Reason: "why"}
	loss := func(bytes int64, reason schema.LossReason, detail string) []schema.Loss {
		return []schema.Loss{{Key: schema.Key{Seq: 3, Offset: 107}, Bytes: bytes, Reason: reason, Detail: detail}}
	}
	for _, tt := range []struct {
		name      string
		open, end bool
		asyncs    []int
		err       error
		lost      bool
		losses    []schema.Loss
		rest      int // bytes saved for the next part
	}{
		{"bad packet", false, false, nil, bad, true, loss(3, schema.LossBadPacket, "header 0x81: why"), 0},
		{"reserved header", false, true, nil, reserved, true, loss(3, schema.LossReservedHeader, "header 0x10: why"), 0},
		{"reserved header, segment continues", true, false, nil, reserved, true, nil, 0},
		{"past an A-sync", false, true, []int{9}, io.ErrUnexpectedEOF, true, loss(3, schema.LossBadPacket, "packet 0x07 reaches past an A-sync"), 0},
		{"past the A-sync of the cut", false, false, nil, io.ErrUnexpectedEOF, true, loss(3, schema.LossBadPacket, "packet 0x07 reaches past an A-sync"), 0},
		{"cut off, segment continues", true, false, []int{7}, io.ErrUnexpectedEOF, false, nil, 3},
		{"cut off by the end", false, true, nil, io.ErrUnexpectedEOF, false, loss(3, schema.LossTruncated, "packet 0x07 cut off after 3 bytes"), 0},
	} {
		var r Recorder
		var result decode.Result
		p := part(100, 10, tt.asyncs...)
		p.Open, p.End = tt.open, tt.end
		r.Begin(&result, p, 0)
		r.Bytes(7)
		lost := r.Stop(7, 3, tt.err)
		r.Finish(3)
		row := result.Segments[0].Row
		if lost != tt.lost || result.Segments[0].End.Lost != tt.lost || !slices.Equal(result.Losses, tt.losses) {
			t.Errorf("%s: lost %v, %+v, want %v, %+v", tt.name, lost, result.Losses, tt.lost, tt.losses)
		}
		if len(r.rest.Data) != tt.rest || row.BytesDecoded != 7 || row.BytesLost != 3-int64(tt.rest) || row.Bytes != row.BytesDecoded+row.BytesLost {
			t.Errorf("%s: %d bytes saved, %+v, want %d", tt.name, len(r.rest.Data), row, tt.rest)
		}
	}
}

// A packet that two parts share, and a loss that lasts over two.
func TestRecorderParts(t *testing.T) {
	var r Recorder
	var result decode.Result
	first := part(100, 10)
	first.Open = true
	r.Begin(&result, first, 0)
	r.Bytes(7)
	r.Stop(7, 2, io.ErrUnexpectedEOF)
	r.Finish(2)

	second := part(110, 10, 4)
	second.Continued, second.Open = true, true
	r.Begin(&result, second, 2)
	if got := len(r.Bytes(0)); got != 7 || r.Offset(0) != 107 {
		t.Errorf("the second part has a packet of up to %d bytes at %d, want 7 at 107", got, r.Offset(0))
	}
	r.Stop(5, 4, &decode.SyntaxError{Header: 0x10, Reason: "why"})
	r.Finish(4)

	third := part(120, 10)
	third.Continued = true
	r.Begin(&result, third, 4)
	if !r.Lost() {
		t.Error("the loss does not continue in the third part")
	}
	r.Decoded(0)
	r.Finish(4)
	want := []schema.Loss{{Key: schema.Key{Seq: 4, Offset: 112}, Bytes: 8 + 10, Reason: schema.LossBadPacket, Detail: "header 0x10: why"}}
	if !slices.Equal(result.Losses, want) {
		t.Errorf("losses %+v, want %+v", result.Losses, want)
	}
	for i, instructions := range []int64{2, 2, 0} {
		if got := result.Segments[i].Row.Instructions; got != instructions {
			t.Errorf("part %d has %d instructions, want %d", i, got, instructions)
		}
	}
}

// The first run after a change opens a span. A change without a run since the
// previous one replaces the span.
func TestRecorderSettle(t *testing.T) {
	r := Recorder{Timestamps: decode.TimestampCode{Bits: 48}}
	var result decode.Result
	r.Begin(&result, part(100, 10), 0)
	run := func() {
		r.Settle()
		result.Runs = append(result.Runs, schema.Run{})
	}
	r.Settle()
	r.NS = true
	r.RecordContext(schema.Key{}, schema.Of(schema.A32))
	run()
	run()
	r.Timestamp(schema.Key{Seq: 2}, 5, 7, false)
	run()
	r.Timestamp(schema.Key{Seq: 3}, 0, 48, false) // unknown: an event alone
	run()
	want := []schema.Span{
		{Run: 0, Timestamp: schema.TimestampCarried, Security: schema.NonSecure},
		{Run: 2, Timestamp: 0, Security: schema.NonSecure},
	}
	if !slices.Equal(result.Spans, want) {
		t.Errorf("spans %+v, want %+v", result.Spans, want)
	}
	if len(result.Timestamps) != 1 || len(result.Events) != 1 || result.Events[0].Event != schema.EventTimestampUnknown {
		t.Errorf("timestamps %+v, events %+v", result.Timestamps, result.Events)
	}
}

// An I-sync that restarts trace continues the epoch if its count is known.
func TestRecorderRestart(t *testing.T) {
	for _, tt := range []struct {
		name   string
		start  decode.SegmentStart
		epoch  int32
		cycle  int64
		counts []schema.CycleCount
	}{
		{"counted", decode.SegmentStart{Offset: 104, Reason: schema.ISyncTraceOn, HasCount: true, Count: schema.Of[int64](5)}, 0, 15, []schema.CycleCount{{
			Key: schema.Key{Seq: 2, Offset: 104}, Point: schema.Point{Cycle: schema.Of[int64](15)}, Cycles: schema.Of[int64](5), Kind: schema.CountISync,
		}}},
		{"not to be trusted", decode.SegmentStart{Offset: 104, Reason: schema.ISyncOverflow, HasCount: true}, 1, 0, []schema.CycleCount{{
			Key: schema.Key{Seq: 2, Offset: 104}, Point: schema.Point{Epoch: 1}, OutOfEpoch: true, Kind: schema.CountISync,
		}}},
		{"without a count", decode.SegmentStart{Offset: 104, Reason: schema.ISyncDebugExit}, 1, 0, nil},
	} {
		r := Recorder{CycleAccurate: true}
		var result decode.Result
		r.Begin(&result, part(100, 10), 0)
		r.Cycle = 10
		r.Restart(tt.start, 2)
		var counts []schema.CycleCount
		for i := range result.Counts.Rows {
			counts = append(counts, result.Counts.At(i))
		}
		if r.Epoch != tt.epoch || r.Cycle != tt.cycle || !slices.Equal(counts, tt.counts) {
			t.Errorf("%s: epoch %d, cycle %d, %+v, want %d, %d, %+v", tt.name, r.Epoch, r.Cycle, counts, tt.epoch, tt.cycle, tt.counts)
		}
		if len(result.Events) != 1 || result.Events[0].Event != decode.RestartEvent(tt.start.Reason) {
			t.Errorf("%s: events %+v", tt.name, result.Events)
		}
	}
}

// A count that does not say how many belongs to no epoch, and begins one.
func TestCountUnknown(t *testing.T) {
	var result decode.Result
	r := Recorder{CycleAccurate: true}
	r.Begin(&result, part(100, 10), 0)
	r.Cycle = 7
	r.CountUnknown(schema.Key{Seq: 2, Offset: 103}, schema.CountPacket)
	want := schema.CycleCount{
		Key: schema.Key{Seq: 2, Offset: 103}, Point: schema.Point{Epoch: 1}, OutOfEpoch: true, Kind: schema.CountPacket,
	}
	if got := result.Counts.At(0); got != want || r.Epoch != 1 || r.Cycle != 0 || r.Settled() {
		t.Errorf("%+v in epoch %d at %d, want %+v", got, r.Epoch, r.Cycle, want)
	}
}
