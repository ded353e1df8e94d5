package tally

import (
	"sync"

	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

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
	return &counter{ordinal: ordinal, edges: map[edgeKey]*edge{}}
}

// A counter counts jobs, one after another.
type counter struct {
	ordinal int      // of its last job
	blocks  []*block // by number in the source; nil: not run yet
	edges   map[edgeKey]*edge

	last  step
	marks []mark // not passed yet
}

// A block counts the runs through a block.
type block struct {
	code *schema.Block
	// at has the positions up to the end of the longest run, and one after it.
	at     []position
	shapes map[span]int64 // cycles of runs that have them
	lo, hi int            // positions that are known to have a first time
}

// A span is the shape of a run in its block.
type span struct{ first, count uint16 }

// A position counts the executions of an instruction of a block.
type position struct {
	// Runs whose every outcome is traced, and runs of which only the last may be:
	// those that begin here less those that end before.
	traced, silent int64
	told           int64 // outcomes of last instructions of silent runs
	failed         int64
	first          int64 // ordinal of its first time, plus one
	cycles         int64
	costs          int64 // how often it has cycles
}

// count counts a job.
func (c *counter) count(j *job) {
	c.last, c.marks = j.before, j.marks
	for i := range j.pieces {
		c.piece(&j.pieces[i])
	}
}

// piece counts the runs of a part.
func (c *counter) piece(r *stitch.Runs) {
	seq, cost := r.Seq, r.Cost
	for i := r.From; i < r.To; i++ {
		run := &r.Unit.Runs[i]
		b := c.block(r.Numbers[run.Block], r.Unit.Blocks[run.Block])
		first, end := int(run.First), int(run.First)+int(run.Count)
		if end >= len(b.at) {
			b.at = append(b.at, make([]position, end+1-len(b.at))...)
		}
		c.join(seq, b.code.Address[first])
		b.visit(run, first, end)
		b.seen(seq, first, end)
		var costs []uint32
		if run.Flags&schema.RunHasCosts != 0 {
			costs = r.Unit.Costs[cost : cost+int(run.Count)]
			cost += int(run.Count)
		}
		b.cost(run, first, end, costs)
		c.inside(b, run, costs)
		seq += int64(run.Count)
	}
}

// block returns the block of a number.
func (c *counter) block(number uint32, code *schema.Block) *block {
	for int(number) >= len(c.blocks) {
		c.blocks = append(c.blocks, nil)
	}
	b := c.blocks[number]
	if b == nil {
		b = &block{code: code}
		c.blocks[number] = b
	}
	return b
}

// visit counts the executions of a run.
func (b *block) visit(run *schema.Run, first, end int) {
	at := b.at
	last := &at[end-1]
	if run.Flags&schema.RunHasFailed != 0 {
		at[first].traced++
		at[end].traced--
		for i := range end - 1 - first {
			at[first+i].failed += int64(run.Failed >> i & 1)
		}
	} else {
		at[first].silent++
		at[end].silent--
		if run.Outcome != schema.Untold {
			last.told++
		}
	}
	if run.Outcome == schema.NotTaken {
		last.failed++
	}
}

// seen notes the first time of instructions.
func (b *block) seen(seq int64, first, end int) {
	if b.lo <= first && end <= b.hi {
		return
	}
	for i := first; i < end; i++ {
		if b.at[i].first == 0 {
			b.at[i].first = seq + int64(i-first) + 1
		}
	}
	switch {
	case b.lo == b.hi || first <= b.lo && b.hi <= end:
		b.lo, b.hi = first, end
	case first <= b.hi && b.hi < end:
		b.hi = end
	case end >= b.lo && first < b.lo:
		b.lo = first
	}
}

// cost adds what a run cost.
func (b *block) cost(run *schema.Run, first, end int, costs []uint32) {
	switch {
	case costs != nil:
		for i, x := range costs {
			b.at[first+i].cycles += int64(x)
			b.at[first+i].costs++
		}
	case run.Flags&schema.RunHasCycles != 0:
		b.at[end-1].cycles += int64(run.Cycles)
		b.at[end-1].costs++
	default:
		return
	}
	if b.shapes == nil {
		b.shapes = map[span]int64{}
	}
	b.shapes[span{run.First, run.Count}] += int64(run.Cycles)
}
