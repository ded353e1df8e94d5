package stitch

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// A log notes what the sinks of a source are given.
type log []string

type eventLog struct{ *log }

func (l eventLog) Add(b Base, rows []schema.Event) error {
	for _, e := range rows {
		*l.log = append(*l.log, fmt.Sprintf("%s %+v", e.Event, b.Keys(e.Key)))
	}
	return nil
}

type runLog struct{ *log }

func (l runLog) Add(r Runs) error {
	epoch, cycle := r.Base.At(schema.Point{Cycle: schema.Of[int64](1)})
	*l.log = append(*l.log, fmt.Sprintf("runs %d to %d, %d instructions from %d, segment %d, blocks %d, epoch %d, cycle 1 is %d",
		r.From, r.To, r.Instructions, r.Seq, r.Base.Segment.V, r.Numbers, epoch, cycle.V))
	return nil
}

// unit is one segment of two instructions of a block, that takes 10 cycles.
func unit(block *schema.Block, start decode.SegmentStart) *Unit {
	u := &decode.Result{
		Blocks: []*schema.Block{block}, Runs: []schema.Run{{Count: 2}}, Spans: []schema.Span{{}},
		Events: []schema.Event{{Key: schema.Key{Seq: 1, Offset: start.Offset + 7}, Event: schema.EventTrigger}},
	}
	u.Segments = []decode.Segment{{
		Row: schema.Segment{Counters: schema.Counters{Bytes: 8, BytesDecoded: 8, Instructions: 2}}, Start: start, End: decode.SegmentEnd{Cycle: 10, Seq: 2}, Ends: u.Ends(),
	}}
	return &Unit{Rows: u}
}

// Segments count on: ordinals and block numbers over all, cycles where an I-sync is
// periodic; one after an overflow opens an epoch.
func TestStitch(t *testing.T) {
	block := func(address schema.Address) *schema.Block {
		return &schema.Block{Key: schema.BlockKey{Address: address}, Address: []schema.Address{address, address + 4}}
	}
	var got log
	s := New(5, decode.TimestampCode{}, Sinks{Runs: runLog{&got}.Add, Events: eventLog{&got}.Add})
	units := []*Unit{
		{Losses: []schema.Loss{{Bytes: 3, Reason: schema.LossUnsynced}}, Rows: &decode.Result{}},
		unit(block(0x100), decode.SegmentStart{Offset: 3, Reason: schema.ISyncPeriodic}),
		unit(block(0x200), decode.SegmentStart{Offset: 11, Reason: schema.ISyncPeriodic}),
		unit(block(0x100), decode.SegmentStart{Offset: 19, Reason: schema.ISyncOverflow}),
	}
	for _, u := range units {
		if err := s.Stitch(u); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Finish(); err != nil {
		t.Fatal(err)
	}
	want := log{
		"trace_on {Source:5 Seq:0 Segment:{V:0 OK:true} ByteOffset:3}", // the first I-sync, whatever its reason
		"runs 0 to 1, 2 instructions from 0, segment 0, blocks [0], epoch 0, cycle 1 is 1",
		"trigger {Source:5 Seq:1 Segment:{V:0 OK:true} ByteOffset:10}",
		"runs 0 to 1, 2 instructions from 2, segment 1, blocks [1], epoch 0, cycle 1 is 11",
		"trigger {Source:5 Seq:3 Segment:{V:1 OK:true} ByteOffset:18}",
		"overflow {Source:5 Seq:4 Segment:{V:2 OK:true} ByteOffset:19}",
		"runs 0 to 1, 2 instructions from 4, segment 2, blocks [0], epoch 1, cycle 1 is 1",
		"trigger {Source:5 Seq:5 Segment:{V:2 OK:true} ByteOffset:26}",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	totals := schema.Totals{Segments: 3, Losses: 1, Gaps: 1, Counters: schema.Counters{Bytes: 27, BytesDecoded: 24, BytesLost: 3, Instructions: 6}}
	if s.Outcome.Totals != totals || s.Outcome.Lost[schema.LossUnsynced] != (LossSum{1, 3}) || s.Outcome.Empty() {
		t.Errorf("outcome %+v", s.Outcome)
	}
}
