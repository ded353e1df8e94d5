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
			want.Restart = schema.Of(schema.Event{Key: schema.Key{Offset: 104}, Event: RestartEvent(tt.reason), Address: schema.Of[uint32](0x8000)})
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
