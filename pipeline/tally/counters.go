package tally

import (
	"fmt"
	"sync"
)

// counters lends out the counters of a source, one to a worker, and has what they
// gave back.
type counters struct {
	mu     sync.Mutex
	idle   []*counter
	edges  map[edgeKey]edge
	spread map[shape]int64 // since the last fold
	err    error
}

// How many entries the maps of one counter, and of all together, may have.
const (
	counterEntries = 1 << 17
	sourceEntries  = 1 << 25
)

// A LimitError says that a source took more different ways than are counted.
type LimitError struct{}

func (LimitError) Error() string {
	return fmt.Sprintf("more than %d different edges, or runs with cycles: is this the program that ran?", sourceEntries)
}

// count counts a job.
func (c *counters) count(ordinal int, j *job) {
	w := c.get(ordinal)
	w.count(j)
	c.put(w)
}

// get returns a counter that has counted no later job: it finds the first time of
// an instruction by counting jobs in order.
func (c *counters) get(ordinal int) *counter {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, w := range c.idle {
		if w.ordinal < ordinal {
			c.idle = append(c.idle[:i], c.idle[i+1:]...)
			w.ordinal = ordinal
			return w
		}
	}
	return newCounter(ordinal)
}

// put takes a counter back.
func (c *counters) put(w *counter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle = append(c.idle, w)
	if len(w.edges)+len(w.spread) > counterEntries {
		c.take(w)
	}
}

// take takes what is in the maps of a counter.
func (c *counters) take(w *counter) {
	if c.edges == nil {
		c.edges, c.spread = map[edgeKey]edge{}, map[shape]int64{}
	}
	for key, e := range w.edges {
		c.edges[key] = c.edges[key].plus(e)
	}
	for s, cycles := range w.spread {
		c.spread[s] += cycles
	}
	clear(w.edges)
	clear(w.spread)
	if max(len(c.edges), len(c.spread)) > sourceEntries {
		c.err = LimitError{}
	}
}

// fold adds up what was counted by blocks since the last fold. timed says that the
// source is cycle-accurate. The counters begin anew. All of them are idle.
func (c *counters) fold(timed bool) ([]Count, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.idle) == 0 {
		return nil, nil
	}
	sum := c.idle[0]
	for _, w := range c.idle {
		w.settle()
		c.take(w)
		if w != sum {
			sum.merge(w)
			w.blocks = nil
		}
	}
	rows := sum.rows(timed, c.spread)
	sum.blocks = nil
	clear(c.spread)
	return rows, c.err
}
