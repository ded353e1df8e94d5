package etmv4_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/pipeline/engine"
)

// What is told of the bytes before the first cut, however they are split.
func TestTellUnsynced(t *testing.T) {
	timed := configOf(registersOf(true, 1|1<<11, 0))
	for _, s := range []scenario{
		{"events and Instrumentation", eteConfig, nil, "A 71 T 7c 09 01 05 00 00 00 00 00 00 00 82 00 08 00 00 31 f6", "0 of 27: " +
			"12 trigger 0, 16 trigger 2, 16 trigger 3, 17 instrumentation el1 0x5"},
		{"timestamps, complete after the Trace Info", timed, nil, "A 02 07 T 02 85 01 02 07 82 00 08 00 00 31", "0 of 22: 17 at 85, 20 at 87"},
		{"of value 0", timed, nil, "A T 02 00 82 00 08 00 00 31", "0 of 17: 15 timestamp_unknown"},
		{"of the sync point of the cut alone", timed, nil, "02 05 71 A 71 T 02 09 A 72 T 04 82 00 08 00 00 31", "0 of 38: 33 trigger 1"},
		{"no cut", timed, nil, "A T 71 02 05", "0 of 18:"},
		{"nothing", eteConfig, nil, "S f6", "0 of 16:"},
	} {
		b := s.stream()
		for _, g := range []engine.Grain{engine.Usual(s.cfg), {Unit: 1, Part: 1, Chunk: 64}} {
			if got := unsynced(t, b, s.cfg, g); got != s.want {
				t.Errorf("%s: got  %s\nwant %s", s.name, got, s.want)
			}
		}
	}
}

// So it is at the end of any other loss.
func TestTellLost(t *testing.T) {
	timed := configOf(registersOf(true, 1|1<<11, 0))
	runScenarios(t, []scenario{
		{
			"events and timestamps", timed, nil, "S f6 02 09 08 72 A 71 T 02 05 82 00 08 00 00 31 f6",
			"| 1000 1004N [timestamp 9] [timestamp 5] [trigger 0] [lost 20 reserved_header] at ? | 1000 1004N at 1008",
		},
		{
			"of the last sync point", timed, nil, "S f6 08 A 71 T 02 05 A 72 T 04 82 00 08 00 00 31 f6",
			"| 1000 1004N [trigger 1] [lost 36 reserved_header] at ? | 1000 1004N at 1008",
		},
		{"no cut", timed, nil, "S f6 08 A 71 T 02 05", "| 1000 1004N [lost 19 reserved_header] at ?"},
	})
}

// unsynced tells the loss before the first cut, and what its bytes say.
func unsynced(t *testing.T, b []byte, cfg *etmv4.Config, g engine.Grain) string {
	t.Helper()
	var loss string
	var rows []string
	for u, err := range engine.SplitBy(&stream{left: b}, cfg, g, engine.NoLead) {
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range u.Losses {
			loss = fmt.Sprintf("%d of %d:", l.Offset, l.Bytes)
		}
		for _, e := range u.Events {
			rows = append(rows, strings.TrimSpace(fmt.Sprintf(" %d %s %s", e.Offset, e.Event, e.Detail)))
		}
		for _, x := range u.Timestamps {
			rows = append(rows, fmt.Sprintf("%d at %x", x.Offset, x.Value.V))
		}
	}
	return strings.TrimSpace(loss + " " + strings.Join(rows, ", "))
}
