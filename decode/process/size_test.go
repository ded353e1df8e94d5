package process

import (
	"math/bits"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/schema"
)

// nodes counts the nodes that all maps of a timeline keep.
func nodes(tl *Timeline) int {
	seen := map[*node]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if n != nil && !seen[n] {
			seen[n] = true
			visit(n.left)
			visit(n.right)
		}
	}
	for _, c := range tl.maps.changes {
		if c.value != nil {
			visit(c.value.root)
		}
	}
	return len(seen)
}

// TestSize: what a timeline keeps is bounded by its events.
func TestSize(t *testing.T) {
	n := need.Size(5_000, 300_000)
	var now, later, forks []Event
	for i := range n {
		at := schema.Address(i*7919%n) << 12
		now = append(now, mapped(0, 1, "a", at, 0x800))
		later = append(later, mapped(uint64(i), 1, "a", at, 0x800))
		forks = append(forks, Event{Kind: Forked, Time: uint64(i + 1), PID: int32(i + 2), TID: int32(i + 2), Parent: int32(i + 1)})
	}
	forks = append(forks, now[:n/10]...)
	for _, c := range []struct {
		rule   string
		events []Event
		limit  int
	}{
		{"records of one time take a node each", now, n},
		{"records of many times share what does not change", later, 2 * n * bits.Len(uint(n))},
		{"forks share the maps of their parent", forks, n / 10},
	} {
		if got := nodes(timeline(c.events...)); got > c.limit {
			t.Errorf("%s: %d nodes of %d records, want %d at most", c.rule, got, len(c.events), c.limit)
		}
	}
}
