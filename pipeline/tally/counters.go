package tally

import "sync"

// counters lends out the counters of a source, one to a worker, and has what they
// gave back.
type counters struct {
	mu     sync.Mutex
	idle   []*counter
	edges  map[EdgeKey]edge
	spread map[extent]int64 // since the last fold
}

// count counts a job. A counter then has at most so many edges and extents.
func (c *counters) count(ordinal int, j *job, most int) {
	w := c.get(ordinal, most)
	w.count(j)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle = append(c.idle, w)
	if len(w.edges)+len(w.spread) > most {
		c.take(w)
	}
}

// get returns a counter that has counted no later job: it finds the first time of
// an instruction by counting jobs in order.
func (c *counters) get(ordinal, most int) *counter {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, w := range c.idle {
		if w.ordinal < ordinal {
			c.idle = append(c.idle[:i], c.idle[i+1:]...)
			w.ordinal = ordinal
			return w
		}
	}
	return newCounter(ordinal, most)
}

// take takes what is in the maps of a counter.
func (c *counters) take(w *counter) {
	if c.edges == nil {
		c.edges, c.spread = map[EdgeKey]edge{}, map[extent]int64{}
	}
	for key, e := range w.edges {
		c.edges[key] = c.edges[key].plus(e)
	}
	for s, cycles := range w.spread {
		c.spread[s] += cycles
	}
	clear(w.edges)
	clear(w.spread)
}

// entries is how many edges and extents c took.
func (c *counters) entries() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.edges) + len(c.spread)
}

// fold adds what was counted by blocks since the last fold to rows, and forgets it.
// It returns how many edges and extents there were. timed says that the source is
// cycle-accurate. All counters are idle.
func (c *counters) fold(to *sums, timed bool) (entries int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.idle) == 0 {
		return 0
	}
	sum := c.idle[0]
	for i, w := range c.idle {
		w.settle()
		c.take(w)
		if i > 0 {
			sum.merge(w)
			w.blocks = nil
		}
	}
	sum.addTo(to, timed, c.spread)
	entries = len(c.edges) + len(c.spread)
	sum.blocks = nil
	clear(c.spread)
	return entries
}
