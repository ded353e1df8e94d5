package decode

import (
	"testing"

	"github.com/tracelake/tracelake/schema"
)

// What an I-sync does depends on its reason, on its count, and on whether sync was
// lost before it.
func TestISyncEffect(t *testing.T) {
	none, unknown, five := SegmentStart{}, SegmentStart{HasCount: true}, SegmentStart{HasCount: true, Count: schema.Of[int64](5)}
	for _, tt := range []struct {
		name            string
		start           SegmentStart
		reason          schema.ISyncReason
		lost            bool
		restart, opens  bool
		cycles, ledger  int64 // ledger: rows
		outOfEpoch, sum bool  // of the row: NULL epoch; a known count
	}{
		{name: "periodic", start: none, reason: schema.ISyncPeriodic},
		{name: "periodic with a count", start: five, reason: schema.ISyncPeriodic, cycles: 5, ledger: 1, sum: true},
		{name: "periodic, count unknown", start: unknown, reason: schema.ISyncPeriodic, ledger: 1},
		{name: "periodic after a loss", start: none, reason: schema.ISyncPeriodic, lost: true, restart: true, opens: true},
		{name: "trace on", start: none, reason: schema.ISyncTraceOn, restart: true, opens: true},
		{name: "trace on, gap counted", start: five, reason: schema.ISyncTraceOn, restart: true, cycles: 5, ledger: 1, sum: true},
		{name: "overflow, count unknown", start: unknown, reason: schema.ISyncOverflow, restart: true, opens: true, ledger: 1, outOfEpoch: true},
		{name: "counted after a loss", start: five, reason: schema.ISyncTraceOn, lost: true, restart: true, opens: true, ledger: 1, outOfEpoch: true, sum: true},
	} {
		s := tt.start
		s.Offset, s.Reason, s.At = 104, tt.reason, schema.Of(Position{PC: PC{Address: 0x8000}})
		want := ISyncEffect{NewEpoch: tt.opens, Cycles: tt.cycles}
		if tt.restart {
			want.Restart = schema.Of(schema.Event{Key: schema.Key{Offset: 104}, Event: RestartEvent(tt.reason), Address: schema.Of[schema.Address](0x8000)})
		}
		if tt.ledger > 0 {
			row := schema.CycleCount{Key: schema.Key{Offset: 104}, Kind: schema.CountISync, OutOfEpoch: tt.outOfEpoch}
			if tt.sum {
				row.Cycles = schema.Of[int64](5)
			}
			want.Count = schema.Of(row)
		}
		if got := s.Effect(tt.lost); got != want {
			t.Errorf("%s:\n%+v, want\n%+v", tt.name, got, want)
		}
	}
}

// A result is made with room for its rows, and gives back what is too much of it.
func TestResultRoom(t *testing.T) {
	r := &Result{}
	r.grow(Ends{Runs: 100, Events: 3})
	if cap(r.Runs) < 100 || cap(r.Events) < 3 || r.Costs != nil || len(r.Runs) != 0 {
		t.Fatalf("room for %d runs, %d events, %d costs", cap(r.Runs), cap(r.Events), cap(r.Costs))
	}
	before := r.Bytes()
	r.Runs, r.Events = r.Runs[:49], r.Events[:2]
	r.Runs[48].Offset = 7
	r.Clip()
	if cap(r.Runs) >= 100 || len(r.Runs) != 49 || r.Runs[48].Offset != 7 || cap(r.Events) < 3 {
		t.Errorf("%d of %d runs, %d of %d events after clipping", len(r.Runs), cap(r.Runs), len(r.Events), cap(r.Events))
	}
	if saved := before - r.Bytes(); saved < 50*40 { // a run has 40 bytes
		t.Errorf("%d bytes saved of %d", saved, before)
	}
}
