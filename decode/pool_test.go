package decode

import (
	"testing"

	"github.com/tracelake/tracelake/schema"
)

// The memory of runs goes to the next result after the last user released it, and no
// earlier.
func TestPool(t *testing.T) {
	var pool Pool
	first := pool.NewResult(Ends{Runs: 100, Costs: 10, Events: 5}, 1)
	first.Runs = append(first.Runs, schema.Run{Count: 7})
	first.Events = append(first.Events, schema.Event{})
	kept := first.RunsAlone()
	kept.Retain()
	kept.Release()
	second := pool.NewResult(Ends{Runs: 10}, 1)
	second.Runs = append(second.Runs, schema.Run{Count: 8})
	if kept.Runs[0].Count != 7 || cap(second.Runs) >= 100 {
		t.Fatalf("a result has %d slots while another uses them, and writes %d", cap(second.Runs), kept.Runs[0].Count)
	}
	memory := &kept.Runs[0]
	kept.Release()
	third := pool.NewResult(Ends{Runs: 60}, 1)
	third.Runs = append(third.Runs, schema.Run{Count: 9})
	if &third.Runs[0] != memory || cap(third.Costs) < 10 || third.Events != nil || kept.Runs != nil {
		t.Errorf("the memory of runs is not used again: %d slots, %d costs", cap(third.Runs), cap(third.Costs))
	}
	third.Clip()
	if cap(third.Runs) < 100 {
		t.Errorf("clipped to %d slots, which the pool then has", cap(third.Runs))
	}
}

// A release too many shows at once: the memory may be in use elsewhere.
func TestPoolReleasedTwice(t *testing.T) {
	r := new(Pool).NewResult(Ends{}, 0).RunsAlone()
	r.Release()
	defer func() {
		if recover() == nil {
			t.Error("a second release is accepted")
		}
	}()
	r.Release()
}

// Steady state allocates no runs.
func TestPoolAllocates(t *testing.T) {
	var pool Pool
	cycle := func() {
		r := pool.NewResult(Ends{Runs: 1000, Costs: 1000}, 0)
		r.RunsAlone().Release()
	}
	cycle()
	if n := testing.AllocsPerRun(100, cycle); n > 2 { // the two results themselves
		t.Errorf("%v allocations for a result, want 2", n)
	}
}

// The memory of counts, which grow as they are decoded, is used again after that of the
// runs, when the last part of it was released.
func TestPoolCounts(t *testing.T) {
	var pool Pool
	first := pool.NewResult(Ends{Counts: 1}, 0)
	for i := range int64(100) {
		first.Counts.Append(schema.CycleCount{Key: schema.Key{Seq: i}, Cycles: schema.Of(i)})
	}
	memory := &first.Counts.Rows[0]
	first.RunsAlone().Release()
	kept := first.Counts.Slice(40, 60)
	kept.Retain()
	first.Counts.Release()
	second := pool.NewResult(Ends{Counts: 1}, 0)
	second.Counts.Append(schema.CycleCount{})
	if &second.Counts.Rows[0] == memory || kept.At(40).Seq != 40 {
		t.Fatal("counts are overwritten while they are used")
	}
	kept.Release()
	third := pool.NewResult(Ends{Counts: 1}, 0)
	third.Counts.Append(schema.CycleCount{})
	if &third.Counts.Rows[0] != memory || cap(third.Counts.Rows) < 100 {
		t.Errorf("the memory of counts is not used again: %d slots", cap(third.Counts.Rows))
	}
	if n := pool.NewResult(Ends{Runs: 1}, 0); n.Counts.memory != nil {
		t.Error("memory for no counts")
	}
}
