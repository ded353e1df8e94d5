package tally

import "sync"

// counters lends out the counters of a source, one to a worker.
type counters struct {
	mu   sync.Mutex
	idle []*counter
}

// count counts a job.
func (c *counters) count(ordinal int, j *job) {
	w := c.get(ordinal)
	w.count(j)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle = append(c.idle, w)
}

// get returns a counter that has counted no later job: it finds the first time of
// an instruction by counting jobs in order.
func (c *counters) get(ordinal int) *counter {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(c.idle) - 1; i >= 0; i-- {
		if w := c.idle[i]; w.ordinal < ordinal {
			c.idle = append(c.idle[:i], c.idle[i+1:]...)
			w.ordinal = ordinal
			return w
		}
	}
	w := newCounter()
	w.ordinal = ordinal
	return w
}
