package cost_test

import (
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/cost"
	"github.com/tracelake/tracelake/bench/internal/benchtest"
)

// Costs of a loop of two passes: the first misses the cache at 0x8000 and at
// 0x8020, the second never.
func TestCosts(t *testing.T) {
	// At 0x8018: mov, ldr, bne 0x8018; isb; bx lr.
	steps := benchtest.ParseSteps(t, "8018:0000a0e1000090e5fcffff1a6ff07ff51eff2fe1",
		"8018 801c 8020>8018 8018 801c 8020/N 8024 8028>8018 !irq:8018>8020 !debug:8020>8020")
	var got []uint32
	for s := range new(cost.Model).Apply(steps) {
		got = append(got, s.Cycles)
	}
	want := []uint32{
		1 + 29, 1 + 2, 1 + 29 + 2, // misses, load, taken
		1, 1 + 2, 1, // failed
		1 + 11, 1 + 6, 17, 4001, // barrier, indirect, exception, Debug state
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
