package decode

import (
	"sync"
	"sync/atomic"

	"github.com/tracelake/tracelake/schema"
)

// A Pool recycles the memory of runs and of counts, which is most of what a result takes
// up: new memory costs as much as decoding into it does. A result made by
// [Pool.NewResult] gives the memory of its Blocks, Runs, Costs, Offsets, Stretches, Turns,
// Steps and Exits back with the last [Result.Release], that of its Counts with the last [CountRows.Release]. The
// memory of a result that is not released is left to the garbage collector.
//
// The zero Pool is empty. Goroutines may share it.
type Pool struct {
	mu     sync.Mutex
	idle   []runMemory
	counts []*countMemory // idle ones
}

// A runMemory is the memory of the runs of one result, and of what they refer to by
// index.
type runMemory struct {
	blocks  Rows[*schema.Block]
	runs    Rows[schema.Run]
	costs   Rows[uint32]
	offsets Rows[uint32]

	stretches Rows[Stretch]
	turns     Rows[Turn]
	steps     Rows[Step]
	exits     Rows[Exit]
}

// idleResults is how many results a pool has memory for at most: as many as units
// are decoded and stitched at a time, and not all that wait for their row group.
const idleResults = 64

// NewResult returns an empty result with room for so many rows of each kind, and for so
// many segments, in memory of the pool as far as it has some. Slots after the length of a
// slice have the values that an earlier result left.
func (p *Pool) NewResult(room Ends, segments int) *Result {
	m := p.take()
	r := &Result{Blocks: m.blocks, Runs: m.runs, Costs: m.costs, Offsets: m.offsets, Segments: make([]Segment, 0, segments), pool: p}
	r.Stretches, r.Turns, r.Steps, r.Exits = m.stretches, m.turns, m.steps, m.exits
	if room[Counts] > 0 {
		r.Counts = p.newCounts()
	}
	r.grow(room)
	r.users.Store(1)
	return r
}

// pooled reports whether rows of a kind are in the memory of a pool.
func pooled(kind RowKind) bool {
	switch kind {
	case Blocks, Runs, Costs, Offsets, Counts, Stretches, Turns, Steps, Exits:
		return true
	}
	return false
}

func (p *Pool) take() (m runMemory) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		m, p.idle[n-1] = p.idle[n-1], runMemory{}
		p.idle = p.idle[:n-1]
	}
	return m
}

func (p *Pool) give(m runMemory) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) < idleResults {
		p.idle = append(p.idle, m)
	}
}

// RunsAlone returns a result with the runs of r and what they refer to: runs that
// wait for their row group hold no other memory. Its caller is its one user; r must
// not be used after that user has released it, nor get any more rows.
func (r *Result) RunsAlone() *Result {
	runs := &Result{Blocks: r.Blocks, Runs: r.Runs, Costs: r.Costs, Offsets: r.Offsets, Timestamps: r.Timestamps, pool: r.pool}
	runs.Stretches, runs.Turns, runs.Steps, runs.StepCycles, runs.Exits = r.Stretches, r.Turns, r.Steps, r.StepCycles, r.Exits
	runs.users.Store(1)
	r.pool = nil
	if m := r.Counts.memory; m != nil {
		m.rows = r.Counts.Rows[:0] // they may have grown out of the memory they had
	}
	return runs
}

// Retain adds a user, who has to call Release.
func (r *Result) Retain() { r.users.Add(1) }

// Release ends the use of r by one of its users. After the last, r has no rows.
func (r *Result) Release() {
	switch n := r.users.Add(-1); {
	case n > 0:
		return
	case n < 0:
		panic("decode: a result is released more often than it is used")
	case r.pool == nil:
		return
	}
	m := runMemory{blocks: r.Blocks[:0], runs: r.Runs[:0], costs: r.Costs[:0], offsets: r.Offsets[:0]}
	m.stretches, m.turns, m.steps, m.exits = r.Stretches[:0], r.Turns[:0], r.Steps[:0], r.Exits[:0]
	r.Blocks, r.Runs, r.Costs, r.Offsets, r.Stretches, r.Turns, r.Steps, r.Exits = nil, nil, nil, nil, nil, nil, nil, nil
	r.pool.give(m)
}

// A countMemory is the memory of the counts of one result.
type countMemory struct {
	pool  *Pool
	rows  []schema.Count
	users atomic.Int32
}

// newCounts returns no counts, in memory of the pool if it has some.
func (p *Pool) newCounts() CountRows {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := &countMemory{pool: p}
	if n := len(p.counts); n > 0 {
		m, p.counts[n-1] = p.counts[n-1], nil
		p.counts = p.counts[:n-1]
	}
	m.users.Store(1)
	return CountRows{Rows: m.rows, memory: m}
}

// Retain adds a user of the rows and of all that [CountRows.Slice] returned of them, who
// has to call Release.
func (c *CountRows) Retain() {
	if c.memory != nil {
		c.memory.users.Add(1)
	}
}

// Release ends the use of the rows by one of their users.
func (c *CountRows) Release() {
	m := c.memory
	if m == nil {
		return
	}
	switch n := m.users.Add(-1); {
	case n > 0:
		return
	case n < 0:
		panic("decode: counts are released more often than they are used")
	}
	m.pool.mu.Lock()
	defer m.pool.mu.Unlock()
	if len(m.pool.counts) < idleResults {
		m.pool.counts = append(m.pool.counts, m)
	}
}
