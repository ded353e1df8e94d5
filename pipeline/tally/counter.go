package tally

import (
	"math"

	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// A counter counts jobs, one after another. Its loop over runs does what every run
// needs; whatever is rare is a call.
type counter struct {
	ordinal int      // of its last job
	blocks  []*block // by number in the source; nil: not run yet
	edges   map[edgeKey]edge
	spread  map[shape]int64 // cycles of runs by shape

	before   step // before the first run of the job
	last     last
	marks    []mark // not passed yet
	nextMark int64  // ordinal of the first of them
}

func newCounter(ordinal int) *counter {
	return &counter{ordinal: ordinal, edges: map[edgeKey]edge{}, spread: map[shape]int64{}}
}

// A last is the last instruction that was counted, as far as its edges need it.
type last struct {
	run    *schema.Run // that it ended; nil: the job has none yet
	block  *block      // of the run
	leaves leaves
	cycles schema.Null[uint32] // its own
}

// leaves says whether an instruction has edges, and where they are counted.
type leaves uint8

const (
	leavesNot leaves = iota
	leavesEnd        // at the end of its block, which counts them
	leavesMid        // elsewhere
)

// count counts a job.
func (c *counter) count(j *job) {
	c.before, c.last = j.before, last{leaves: leavesMid}
	c.setMarks(j.marks)
	for i := range j.pieces {
		c.piece(&j.pieces[i])
	}
}

// setMarks sets the marks that are not passed yet.
func (c *counter) setMarks(marks []mark) {
	c.marks, c.nextMark = marks, math.MaxInt64
	if len(marks) > 0 {
		c.nextMark = marks[0].Seq
	}
}

// piece counts the runs of a part.
func (c *counter) piece(r *stitch.Runs) {
	runs, seq, costs := r.Unit.Runs[r.From:r.To], r.Seq, r.Unit.Costs[r.Cost:r.Costs]
	last := c.last
	for i := range runs {
		run := &runs[i]
		number := r.Numbers[run.Block]
		if int(number) >= len(c.blocks) || c.blocks[number] == nil {
			c.enter(number, r.Unit.Blocks[run.Block])
		}
		b := c.blocks[number]
		first, end := int(run.First), int(run.First)+int(run.Count)
		if first < b.lo || end > b.hi {
			b.see(seq, first, end)
		}
		next := b.entry
		if first > 0 {
			next = b.code.Address[first]
		}
		if seq >= c.nextMark || !last.follow(next) {
			c.last = last
			c.join(seq, next)
		}
		b.visit(run, first, end)
		last = lastOf(b, run, end)
		if b.mid {
			c.inside(b, run, costs)
		}
		if run.Flags&(schema.RunHasCycles|schema.RunHasCosts) != 0 {
			last.cycles, costs = c.cost(b, run, costs)
		}
		seq += int64(run.Count)
	}
	c.last = last
}

// enter makes the block of a number.
func (c *counter) enter(number uint32, code *schema.Block) {
	c.blocks = append(c.blocks, make([]*block, max(0, int(number)+1-len(c.blocks)))...)
	c.blocks[number] = newBlock(number, code)
}

// lastOf returns the last instruction of a run, which ends before a position.
func lastOf(b *block, run *schema.Run, end int) last {
	l := last{run: run, block: b}
	switch {
	case end == b.size:
		l.leaves = b.leaves
	case b.mid && hasEdges(schema.Kind(b.code.Kind[end-1])):
		l.leaves = leavesMid
	}
	return l
}

// follow counts the edge to the next instruction, if there is none or if the block
// took it last with the same outcome.
func (l *last) follow(next uint32) bool {
	if l.leaves != leavesEnd {
		return l.leaves == leavesNot
	}
	w := &l.block.ways[l.run.Outcome]
	if w.to != next {
		return false
	}
	w.n++
	if l.cycles.OK {
		w.cost(l.cycles.V)
	}
	return true
}

// cost adds what a run cost, and returns that of its last instruction. costs are
// those of the instructions of runs from this one on; it returns those after it.
func (c *counter) cost(b *block, run *schema.Run, costs []uint32) (last schema.Null[uint32], after []uint32) {
	if s := (shape{b.ran.block, run.First, run.Count}); b.ran != s {
		c.settleSpread(b)
		b.ran = s
	}
	b.ranCycles += int64(run.Cycles)
	end := int(run.First) + int(run.Count)
	if run.Flags&schema.RunHasCosts == 0 {
		b.costsTo(end)[end-1].cost(run.Cycles)
		return schema.Of(run.Cycles), costs
	}
	of, after := costs[:run.Count], costs[run.Count:]
	own := b.costsTo(end)[run.First:end]
	for i := range own {
		own[i].cost(of[i])
	}
	return schema.Of(of[len(of)-1]), after
}

// settleSpread moves what a block counted of the shape it ran last to the map.
func (c *counter) settleSpread(b *block) {
	if b.ran.count > 0 {
		c.spread[b.ran] += b.ranCycles
		b.ranCycles = 0
	}
}
