package main

import (
	"testing"

	"github.com/tracelake/tracelake/pipeline/report/timeline"
)

func TestAround(t *testing.T) {
	for text, want := range map[string]timeline.Window{
		"seq=5000±200":  {From: 4800, Until: 5201},
		"seq=5000+-200": {From: 4800, Until: 5201},
		"seq=0x10±0":    {From: 16, Until: 17},
		"seq=5±10":      {From: 0, Until: 16},
		"5000±200":      {},
		"seq=5000":      {},
		"seq=5000±":     {},
		"seq=±2":        {},
		"seq=-5±2":      {},
		"seq=5±-2":      {},
		"seq=5±2±2":     {},
		"seq=9223372036854775807±9223372036854775807": {},
	} {
		w, err := around(text)
		if (err == nil) != (want != timeline.Window{}) || err == nil && w != want {
			t.Errorf("%s: %v, %v", text, w, err)
		}
	}
}

func TestTooMany(t *testing.T) {
	const want = "run: 4,000,005 calls, exceptions and marks are more than viewers show well (1,000,000); write a part with --around seq=N±M, or --from and --until, or add --force"
	if got := tooMany("run", 4_000_005).Error(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
